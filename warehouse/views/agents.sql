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
    wilson_low(passes, attempts) as pass_rate_low,
    wilson_high(passes, attempts) as pass_rate_high,
    mean_reward,
    mean_calls,
    broken
from counted
order by agent, model, noise
