-- One row per run and stage in which a model was asked: what it took, and how many items the stage accepted.
with stage_calls as (
    select
        run_id,
        stage,
        count(*) as questions,
        count(*) filter (where is_cached) as cached,
        sum(attempts)::bigint as calls,
        coalesce(sum(input_tokens) filter (where not is_cached), 0)::bigint as input_tokens,
        coalesce(sum(output_tokens) filter (where not is_cached), 0)::bigint as output_tokens,
        count(*) filter (
            where attempts > 0 and (input_tokens is null or output_tokens is null)
        ) as questions_of_unknown_tokens,
        case when bool_and(attempts = 0 or cost_usd is not null)
            then coalesce(sum(cost_usd) filter (where attempts > 0), 0)
        end as cost_usd
    from raw.llm_calls
    group by run_id, stage
)

select
    stage_calls.run_id,
    coalesce(stage_calls.run_id = latest_run.run_id, false) as is_latest_run,
    runs.status as run_status,
    stages.stage_number,
    stage_calls.* exclude (run_id),
    stage_counts.accepted as items_accepted,
    stage_counts.reused as items_reused,
    stage_counts.duration_s
from stage_calls
left join raw.stages on stages.stage = stage_calls.stage
left join raw.stage_counts on stage_counts.run_id = stage_calls.run_id and stage_counts.stage = stage_calls.stage
left join raw.runs on runs.run_id = stage_calls.run_id
left join raw.latest_run on true
order by runs.started_at desc, stage_calls.run_id, stages.stage_number
