-- Of an episode whose steps are kept there is one for each call, and none of any other.
-- table: trajectories
select trajectories.trajectory_id, trajectories.call_count, count(steps.trajectory_id) as step_count
from trajectories
left join trajectory_steps as steps on steps.trajectory_id = trajectories.trajectory_id
group by all
having count(steps.trajectory_id) <> case when any_value(trajectories.has_steps) then trajectories.call_count else 0 end
