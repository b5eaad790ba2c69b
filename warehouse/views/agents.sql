-- One row per agent, and level of noise, of the current release: how often it passes, with a 95 % Wilson interval.
-- The interval takes all attempts for independent; those at one scenario are not, so it is a little too narrow.
with counted as (
    select
        agent,
        model,
        noise,
        count(distinct scenario_id) as scenario_count,
        count(distinct scenario_id) filter (where success) as passed_scenario_count,
        count(reward) as attempts,
        count(*) filter (where success) as passes,
        avg(reward) as mean_reward,
        avg(call_count) filter (where reward is not null) as mean_calls,
        count(*) filter (where at_fault is not null) as broken
    from raw.trajectories
    group by agent, model, noise
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
    agent,
    model,
    noise,
    scenario_count,
    passed_scenario_count,
    attempts,
    passes,
    passes / nullif(attempts, 0) as pass_rate,
    round((middle - spread) / (attempts + 3.8416), 6) as pass_rate_low,
    round((middle + spread) / (attempts + 3.8416), 6) as pass_rate_high,
    mean_reward,
    mean_calls,
    broken
from intervals
order by agent, model, noise
