-- One row per published scenario, agent and k: the chance that one of k attempts passes, unbiased, from all attempts.
-- 1 - C(n - c, k) / C(n, k), for n attempts of which c passed, and k up to n.
with counted as (
    select scenario_id, agent, model, count(reward) as n, count(*) filter (where success) as c
    from raw.trajectories
    group by scenario_id, agent, model
),

each_k as (
    select *, unnest(range(1, n + 1)) as k
    from counted
)

select
    each_k.scenario_id,
    skeletons.slug,
    each_k.agent,
    each_k.model,
    each_k.k,
    each_k.n as attempts,
    each_k.c as passes,
    case
        when c = 0 then 0.0
        when n - c < k then 1.0
        else 1 - list_product(list_transform(range(n - c + 1, n + 1), lambda i: 1 - k / i))
    end as pass_at_k
from each_k
inner join raw.scenarios on scenarios.scenario_id = each_k.scenario_id and scenarios.status = 'accepted'
left join raw.skeletons on skeletons.skeleton_id = scenarios.skeleton_id
order by skeletons.slug, each_k.scenario_id, each_k.agent, each_k.model, each_k.k
