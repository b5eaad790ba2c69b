-- Every accepted scenario has an accepted skeleton.
-- table: scenarios
select scenarios.scenario_id, scenarios.skeleton_id, skeletons.status as skeleton_status
from scenarios
left join skeletons on skeletons.skeleton_id = scenarios.skeleton_id
where scenarios.status = 'accepted' and skeletons.status is distinct from 'accepted'
