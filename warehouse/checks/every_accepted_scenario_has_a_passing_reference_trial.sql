-- Every accepted scenario has a reference trial, and its reference passed every time it was played.
-- table: scenarios
select
    scenarios.scenario_id,
    count(trials.scenario_id) as reference_trials,
    count(*) filter (where trials.has_passed and trials.is_expected_to_pass and trials.is_as_expected) as passing_trials
from scenarios
left join scenario_validations as trials
    on trials.scenario_id = scenarios.scenario_id and trials.trial = 'reference'
where scenarios.status = 'accepted'
group by scenarios.scenario_id
having reference_trials = 0 or passing_trials < reference_trials
