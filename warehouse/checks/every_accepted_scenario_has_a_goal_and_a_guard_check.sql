-- Every accepted scenario has at least one goal and one guard check, and as many checks as it counts.
-- table: scenarios
select
    scenarios.scenario_id,
    scenarios.check_count,
    count(checks.check_id) as checks_found,
    count(*) filter (where checks.kind = 'goal') as goals,
    count(*) filter (where checks.kind = 'guard') as guards
from scenarios
left join checks on checks.scenario_id = scenarios.scenario_id
where scenarios.status = 'accepted'
group by scenarios.scenario_id, scenarios.check_count
having goals = 0 or guards = 0 or checks_found <> scenarios.check_count
