-- Every accepted scenario was tried by doing nothing at least once.
-- table: scenarios
select scenarios.scenario_id
from scenarios
where
    scenarios.status = 'accepted'
    and not exists (
        from scenario_validations as trials
        where trials.scenario_id = scenarios.scenario_id and trials.trial = 'no_op'
    )
