-- Every counted trial that has to pass does; the reference earns the whole reward, and its final state is known.
-- table: scenario_validations
select trials.scenario_validation_id, trials.scenario_id, trials.trial, trials.what, trials.has_passed, trials.reward
from scenario_validations as trials
inner join scenarios on scenarios.scenario_id = trials.scenario_id
where
    scenarios.status = 'accepted'
    and trials.is_counted
    and trials.is_expected_to_pass
    and (
        (trials.has_passed is not true and trials.trial <> 'reference')
        or trials.reward is distinct from 1
        or (trials.trial = 'reference' and trials.final_digest is null)
    )
