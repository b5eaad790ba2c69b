-- Every counted mutant fails, no mutant and no prefix earns the whole reward, and doing nothing earns nothing.
-- table: scenario_validations
select trials.scenario_validation_id, trials.scenario_id, trials.trial, trials.what, trials.has_passed, trials.reward
from scenario_validations as trials
inner join scenarios on scenarios.scenario_id = trials.scenario_id
where
    scenarios.status = 'accepted'
    and trials.is_counted
    and not trials.is_expected_to_pass
    and (
        (trials.has_passed is not false and trials.trial not in ('no_op', 'prefix'))
        or trials.reward is null
        or trials.reward >= 1
        or (trials.trial = 'no_op' and trials.reward > 0)
    )
