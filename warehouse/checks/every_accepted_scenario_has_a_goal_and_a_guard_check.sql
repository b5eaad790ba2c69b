-- Every accepted scenario has a guard and a goal check, or an answer check where nothing is to change, all counted.
-- table: scenarios
select
    scenarios.scenario_id,
    scenarios.kind,
    scenarios.check_count,
    count(checks.check_id) as checks_found,
    count(*) filter (where checks.kind = 'goal') as goals,
    count(*) filter (where checks.kind = 'answer') as answers,
    count(*) filter (where checks.kind = 'guard') as guards
from scenarios
left join checks on checks.scenario_id = scenarios.scenario_id
where scenarios.status = 'accepted'
group by scenarios.scenario_id, scenarios.kind, scenarios.check_count
having
    guards = 0
    or checks_found <> scenarios.check_count
    or case when scenarios.kind in ('refusal', 'question') then answers else goals end = 0
