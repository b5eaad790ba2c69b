-- Every accepted scenario has an accepted initial state, one of its own skeleton.
-- table: scenarios
select scenarios.scenario_id, scenarios.initial_state_id, initial_states.status as state_status
from scenarios
left join initial_states on initial_states.initial_state_id = scenarios.initial_state_id
where
    scenarios.status = 'accepted'
    and (
        initial_states.status is distinct from 'accepted'
        or initial_states.skeleton_id is distinct from scenarios.skeleton_id
    )
