-- One row per run and stage, from seed task to published scenario: what went in and what became of it.
select
    stage_counts.run_id,
    coalesce(stage_counts.run_id = latest_run.run_id, false) as is_latest_run,
    runs.status as run_status,
    stages.stage_number,
    stage_counts.stage,
    stage_counts.items_in,
    stage_counts.accepted,
    stage_counts.rejected,
    stage_counts.duplicate,
    stage_counts.failed,
    stage_counts.reused,
    stage_counts.accepted / nullif(stage_counts.items_in, 0) as yield,
    stage_counts.duration_s
from raw.stage_counts
inner join raw.stages on stages.stage = stage_counts.stage
left join raw.runs on runs.run_id = stage_counts.run_id
left join raw.latest_run on true
order by runs.started_at desc, stage_counts.run_id, stages.stage_number
