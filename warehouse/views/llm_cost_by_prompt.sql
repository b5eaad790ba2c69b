-- One row per run, stage and version of a prompt: what was asked of a model, what it took, and how often it was of use.
select
    llm_calls.run_id,
    coalesce(llm_calls.run_id = any_value(latest_run.run_id), false) as is_latest_run,
    stages.stage_number,
    llm_calls.stage,
    llm_calls.prompt,
    llm_calls.prompt_version,
    llm_calls.model,
    count(*) as questions,
    count(*) filter (where llm_calls.is_cached) as cached,
    sum(llm_calls.attempts)::bigint as calls,
    count(*) filter (where llm_calls.is_repeat) as repeats,
    count(*) filter (where llm_calls.outcome = 'answered') as answered,
    count(*) filter (where llm_calls.outcome = 'misfit') as misfits,
    count(*) filter (where llm_calls.outcome not in ('answered', 'misfit')) as unanswered,
    -- What a cached reply once took was paid by the call that got it.
    coalesce(sum(llm_calls.input_tokens) filter (where not llm_calls.is_cached), 0)::bigint as input_tokens,
    coalesce(sum(llm_calls.output_tokens) filter (where not llm_calls.is_cached), 0)::bigint as output_tokens,
    coalesce(sum(llm_calls.cached_tokens) filter (where not llm_calls.is_cached), 0)::bigint as cached_tokens,
    coalesce(sum(llm_calls.reasoning_tokens) filter (where not llm_calls.is_cached), 0)::bigint as reasoning_tokens,
    count(*) filter (
        where llm_calls.attempts > 0 and (llm_calls.input_tokens is null or llm_calls.output_tokens is null)
    ) as questions_of_unknown_tokens,
    case when bool_and(llm_calls.attempts = 0 or llm_calls.cost_usd is not null)
        then coalesce(sum(llm_calls.cost_usd) filter (where llm_calls.attempts > 0), 0)
    end as cost_usd,
    avg(llm_calls.latency_s) filter (where not llm_calls.is_cached) as mean_latency_s
from raw.llm_calls
left join raw.stages on stages.stage = llm_calls.stage
left join raw.latest_run on true
group by
    llm_calls.run_id, stages.stage_number, llm_calls.stage, llm_calls.prompt, llm_calls.prompt_version, llm_calls.model
order by
    llm_calls.run_id desc, stages.stage_number, llm_calls.prompt, llm_calls.prompt_version, llm_calls.model
