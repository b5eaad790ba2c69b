-- One row per stage, fate and reason of the latest run: how many of its items were not accepted, and one of them.
with items as (
    select
        stages.stage_number,
        attempts.*,
        count(*) over (partition by attempts.stage) as stage_count
    from raw.attempts
    inner join raw.latest_run on latest_run.run_id = attempts.run_id
    inner join raw.stages on stages.stage = attempts.stage
)

select
    stage_number,
    stage,
    status,
    reason,
    count(*) as item_count,
    count(*) / any_value(stage_count) as share,
    arg_min(label, item_id) as example,
    nullif(arg_min(coalesce(detail, ''), item_id), '') as example_detail
from items
where status <> 'accepted'
group by stage_number, stage, status, reason
order by stage_number, item_count desc, status, reason
