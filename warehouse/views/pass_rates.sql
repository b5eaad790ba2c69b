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
),

-- Wilson's interval for z = 1.96: z²/2 = 1.9208, z²/4 = 0.9604, z² = 3.8416. Null without an attempt.
intervals as (
    select
        *,
        passes + 1.9208 as middle,
        1.96 * sqrt(passes * (attempts - passes) / nullif(attempts, 0) + 0.9604) as spread
    from counted
)

select
    intervals.scenario_id,
    skeletons.slug,
    scenarios.kind,
    intervals.agent,
    intervals.model,
    intervals.attempts,
    intervals.passes,
    intervals.passes / nullif(intervals.attempts, 0) as pass_rate,
    round((middle - spread) / (attempts + 3.8416), 6) as pass_rate_low,
    round((middle + spread) / (attempts + 3.8416), 6) as pass_rate_high,
    intervals.mean_reward,
    intervals.mean_calls,
    intervals.broken
from intervals
inner join raw.scenarios on scenarios.scenario_id = intervals.scenario_id and scenarios.status = 'accepted'
left join raw.skeletons on skeletons.skeleton_id = scenarios.skeleton_id
order by skeletons.slug, intervals.scenario_id, intervals.agent, intervals.model
