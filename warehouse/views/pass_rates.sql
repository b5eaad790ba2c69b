-- One row per published scenario and agent that played it: attempts, passes, pass rate with its 95 % Wilson interval.
-- An episode whose environment or check broke is counted apart and says nothing about its agent.
with counted as (
    select
        scenario_id,
        agent,
        model,
        count(reward) as attempts,
        count(*) filter (where success) as passes,
        avg(reward) as mean_reward,
        avg(call_count) filter (where reward is not null) as mean_calls,
        count(*) filter (where at_fault is not null) as broken
    from raw.trajectories
    group by scenario_id, agent, model
)

select
    counted.scenario_id,
    skeletons.slug,
    scenarios.kind,
    counted.agent,
    counted.model,
    counted.attempts,
    counted.passes,
    counted.passes / nullif(counted.attempts, 0) as pass_rate,
    wilson_low(passes, attempts) as pass_rate_low,
    wilson_high(passes, attempts) as pass_rate_high,
    counted.mean_reward,
    counted.mean_calls,
    counted.broken
from counted
inner join raw.scenarios on scenarios.scenario_id = counted.scenario_id and scenarios.status = 'accepted'
left join raw.skeletons on skeletons.skeleton_id = scenarios.skeleton_id
order by skeletons.slug, counted.scenario_id, counted.agent, counted.model
