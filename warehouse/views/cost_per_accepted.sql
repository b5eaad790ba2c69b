-- One row per run of a model and kind of item, environment or scenario: what it took to get one accepted.
with products (product, counted_stage) as (
    values ('environment', 'build_skeletons'), ('scenario', 'generate_scenarios')
),

-- Topics are mined, and states asked for evaluation, to get environments; other states to get scenarios. What is
-- played is accepted already.
product_calls as (
    select
        *,
        case when stage in ('generate_states', 'generate_scenarios') then 'scenario' else 'environment' end as product
    from raw.llm_calls
    where stage is distinct from 'probe_scenarios'
),

-- A run that asked nothing for a kind of item spent nothing on it; one unknown amount makes the sum unknown.
spent as (
    select
        model_runs.run_id,
        products.product,
        products.counted_stage,
        coalesce(sum(product_calls.attempts), 0)::bigint as calls,
        count(*) filter (where product_calls.is_cached) as cached,
        case when coalesce(bool_and(input_tokens + output_tokens is not null) filter (where attempts > 0), true)
            then coalesce(sum(input_tokens + output_tokens) filter (where attempts > 0), 0)
        end as tokens,
        case when coalesce(bool_and(cost_usd is not null) filter (where attempts > 0), true)
            then coalesce(sum(cost_usd) filter (where attempts > 0), 0)
        end as cost_usd
    from (select distinct run_id from raw.llm_calls) as model_runs
    cross join products
    left join product_calls
        on product_calls.run_id = model_runs.run_id and product_calls.product = products.product
    group by model_runs.run_id, products.product, products.counted_stage
)

select
    spent.run_id,
    coalesce(spent.run_id = latest_run.run_id, false) as is_latest_run,
    runs.status as run_status,
    spent.product,
    coalesce(stage_counts.accepted, 0) as accepted,
    coalesce(stage_counts.reused, 0) as items_reused,
    spent.calls,
    spent.cached,
    spent.cost_usd,
    spent.calls / nullif(stage_counts.accepted, 0) as calls_per_accepted,
    spent.tokens / nullif(stage_counts.accepted, 0) as tokens_per_accepted,
    spent.cost_usd / nullif(stage_counts.accepted, 0) as cost_usd_per_accepted
from spent
left join raw.stage_counts on stage_counts.run_id = spent.run_id and stage_counts.stage = spent.counted_stage
left join raw.runs on runs.run_id = spent.run_id
left join raw.latest_run on true
order by runs.started_at desc, spent.run_id, spent.product
