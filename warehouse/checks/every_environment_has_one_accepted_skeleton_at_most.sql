-- Every environment has at most one accepted skeleton, so that its slug names one class.
-- table: skeletons
select slug, count(*) as accepted_skeletons
from skeletons
where status = 'accepted'
group by slug
having count(*) > 1
