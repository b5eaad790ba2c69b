-- Doing nothing passes no scenario and earns nothing.
-- table: trajectories
select trajectory_id, scenario_id, final_message, reward
from trajectories
where agent = 'no_op' and (success or reward > 0)
