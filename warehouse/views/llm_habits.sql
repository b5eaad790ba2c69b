-- One row per model, stage and prompt: what a question takes on average, and how often it is asked per item.
with stage_items as (
    -- Topics for the building of environments, initial states for the writing of scenarios.
    select
        run_id,
        case stage when 'generate_states' then 'generate_scenarios' else stage end as stage,
        items_in - reused as items
    from raw.stage_counts
    where stage in ('build_skeletons', 'generate_states')
),

-- Of a stage that was killed, nobody knows how many items its questions were for.
closed_calls as (
    select llm_calls.model, llm_calls.run_id, llm_calls.stage, llm_calls.prompt, llm_calls.is_repeat, stage_items.items
    from raw.llm_calls
    inner join stage_items on stage_items.run_id = llm_calls.run_id and stage_items.stage = llm_calls.stage
    where llm_calls.outcome <> 'unavailable' and stage_items.items > 0
),

model_items as (
    select model, stage, sum(items) as items
    from (select distinct model, run_id, stage, items from closed_calls) as runs
    group by model, stage
),

rates as (
    select
        closed_calls.model,
        closed_calls.stage,
        closed_calls.prompt,
        count(*) filter (where not closed_calls.is_repeat) / any_value(model_items.items) as questions_per_item
    from closed_calls
    inner join model_items on model_items.model = closed_calls.model and model_items.stage = closed_calls.stage
    group by closed_calls.model, closed_calls.stage, closed_calls.prompt
)

select
    llm_calls.model,
    llm_calls.stage,
    llm_calls.prompt,
    count(*) as past_calls,
    count(*) / count(*) filter (where not llm_calls.is_repeat) as turns,
    sum(llm_calls.attempts) / count(*) as requests_per_turn,
    avg(llm_calls.input_tokens) as input_tokens,
    avg(llm_calls.output_tokens) as output_tokens,
    avg(llm_calls.latency_s) as latency_s,
    any_value(rates.questions_per_item) as questions_per_item
from raw.llm_calls
left join rates
    on rates.model = llm_calls.model and rates.stage = llm_calls.stage and rates.prompt = llm_calls.prompt
where not llm_calls.is_cached and llm_calls.outcome <> 'unavailable'
group by llm_calls.model, llm_calls.stage, llm_calls.prompt
having count(*) filter (where not llm_calls.is_repeat) > 0
order by llm_calls.model, llm_calls.stage, llm_calls.prompt
