-- Episodes are played on accepted scenarios only.
-- table: trajectories
select trajectories.trajectory_id, trajectories.scenario_id, scenarios.status
from trajectories
inner join scenarios on scenarios.scenario_id = trajectories.scenario_id
where scenarios.status <> 'accepted'
