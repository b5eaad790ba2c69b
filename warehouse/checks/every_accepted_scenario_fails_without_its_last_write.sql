-- Every accepted scenario fails when nothing is done, and after every prefix of its reference that was played.
-- table: scenario_validations
select trials.scenario_validation_id, trials.scenario_id, trials.trial, trials.number, trials.has_passed
from scenario_validations as trials
inner join scenarios on scenarios.scenario_id = trials.scenario_id
where
    scenarios.status = 'accepted'
    and trials.trial in ('no_op', 'prefix')
    and (trials.has_passed is not false or trials.is_expected_to_pass or not trials.is_as_expected)
