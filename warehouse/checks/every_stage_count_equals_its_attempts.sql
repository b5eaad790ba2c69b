-- Every stage counts as many items of each fate as it recorded attempts.
-- table: stage_counts
with counted as (
    select stage, accepted, rejected, duplicate, failed from stage_counts
),

attempted as (
    select
        stage,
        count(*) filter (where status = 'accepted') as accepted,
        count(*) filter (where status = 'rejected') as rejected,
        count(*) filter (where status = 'duplicate') as duplicate,
        count(*) filter (where status = 'failed') as failed
    from attempts
    group by stage
)

select
    stage,
    counted.accepted,
    attempted.accepted as accepted_attempts,
    counted.rejected,
    attempted.rejected as rejected_attempts,
    counted.duplicate,
    attempted.duplicate as duplicate_attempts,
    counted.failed,
    attempted.failed as failed_attempts
from counted
full outer join attempted using (stage)
where
    counted.stage is null
    or counted.accepted <> coalesce(attempted.accepted, 0)
    or counted.rejected <> coalesce(attempted.rejected, 0)
    or counted.duplicate <> coalesce(attempted.duplicate, 0)
    or counted.failed <> coalesce(attempted.failed, 0)
