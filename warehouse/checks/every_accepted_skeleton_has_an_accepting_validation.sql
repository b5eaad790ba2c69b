-- Every accepted skeleton was evaluated, and the evaluation accepted it.
-- table: skeletons
select skeletons.skeleton_id, skeletons.slug, skeleton_validations.decision
from skeletons
left join skeleton_validations on skeleton_validations.skeleton_id = skeletons.skeleton_id
where skeletons.status = 'accepted' and skeleton_validations.decision is distinct from 'accepted'
