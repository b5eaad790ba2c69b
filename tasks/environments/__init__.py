"""Environments in use: `open_environment` is the Python door to one of the catalogue, or of a Python file."""

from tasks.environments.door import OpenEnvironment, open_environment
from tasks.runtime.faults import EnvironmentBroken, EnvironmentFault, StateUnfit
from tasks.runtime.live_episode import EpisodeOver, LiveEpisode
from tasks.runtime.reward import CheckOutcome, Score

__all__ = [
    "CheckOutcome",
    "EnvironmentBroken",
    "EnvironmentFault",
    "EpisodeOver",
    "LiveEpisode",
    "OpenEnvironment",
    "Score",
    "StateUnfit",
    "open_environment",
]
