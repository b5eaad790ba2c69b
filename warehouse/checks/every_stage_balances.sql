-- Every stage accounts for each item that entered it: in = accepted + rejected + duplicate + failed.
-- table: stage_counts
select run_id, stage, items_in, accepted, rejected, duplicate, failed
from stage_counts
where items_in is distinct from accepted + rejected + duplicate + failed
