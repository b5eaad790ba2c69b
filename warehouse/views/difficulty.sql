-- One row per published scenario: an estimate of how hard it is, from 0 to 1, and what it is made from.
-- size: mean of calls / 15, tools / 8 and entities / 6 of the reference, each at most 1.
-- resistance: mean over the agents that played it, but the idle one, of 1 - (passes + 1) / (attempts + 2).
-- difficulty: mean of both; size alone where nobody played it. For putting scenarios in order, no more.
-- What a tool reads or writes beside the collections of the logic model, such as the clock, is no entity.
-- The model of a rejected topic need not be JSON.
with entities as (
    select
        skeletons.skeleton_id,
        unnest(from_json(models.model_json -> 'entities', '[{"collection": "VARCHAR"}]')).collection as entity
    from raw.skeletons
    inner join (
        select logic_model_id, case when json_valid(model_json) then model_json::json end as model_json
        from raw.logic_models
    ) as models
        on models.logic_model_id = skeletons.logic_model_id
),

touched as (
    select
        scenarios.scenario_id,
        count(distinct tools.entity) as entity_count
    from raw.scenarios
    inner join (select skeleton_id, name, unnest(list_concat(reads, writes)) as entity from raw.tools) as tools
        on tools.skeleton_id = scenarios.skeleton_id and list_contains(scenarios.tools_used, tools.name)
    inner join entities on entities.skeleton_id = tools.skeleton_id and entities.entity = tools.entity
    group by scenarios.scenario_id
),

played as (
    select
        scenario_id,
        agent,
        count(*) filter (where success) / nullif(count(reward), 0) as pass_rate,
        1 - (count(*) filter (where success) + 1) / (count(reward) + 2) as resistance
    from raw.trajectories
    group by scenario_id, agent, model
),

by_agent as (
    select
        scenario_id,
        avg(pass_rate) filter (where agent = 'random_valid') as random_pass_rate,
        avg(pass_rate) filter (where agent = 'greedy') as greedy_pass_rate,
        avg(pass_rate) filter (where agent = 'noisy_reference') as noisy_pass_rate,
        avg(pass_rate) filter (where agent = 'language_model') as model_pass_rate,
        avg(resistance) filter (where agent <> 'no_op' and pass_rate is not null) as resistance
    from played
    group by scenario_id
),

sized as (
    select
        scenario_id,
        skeleton_id,
        reference_length,
        len(tools_used) as distinct_tool_count,
        coalesce(touched.entity_count, 0) as entity_count,
        (
            least(reference_length / 15, 1)
            + least(len(tools_used) / 8, 1)
            + least(coalesce(touched.entity_count, 0) / 6, 1)
        ) / 3 as size
    from raw.scenarios
    left join touched using (scenario_id)
    where status = 'accepted'
)

select
    scenario_id,
    skeleton_id,
    round((size + coalesce(resistance, size)) / 2, 4) as difficulty,
    round(size, 4) as size,
    round(resistance, 4) as resistance,
    reference_length,
    distinct_tool_count,
    entity_count,
    random_pass_rate,
    greedy_pass_rate,
    noisy_pass_rate,
    model_pass_rate
from sized
left join by_agent using (scenario_id)
order by difficulty desc, scenario_id
