-- An episode has a reward, or it says what broke, and then it is nobody's failure.
-- table: trajectories
select trajectory_id, scenario_id, agent, reward, success, at_fault, problem
from trajectories
where
    (reward is null) <> (at_fault is not null)
    or (reward is null) <> (success is null)
    or (reward is null) <> (problem is not null)
    or (ended = 'broken' and at_fault is distinct from 'environment')
