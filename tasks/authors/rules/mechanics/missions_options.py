"""What a theme says of the missions of its robots."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun

STATUSES = ("queued", "assigned", "running", "done", "aborted")
STEPS = (
    ("queued", "assigned"),
    ("assigned", "running"),
    ("running", "done"),
    ("queued", "aborted"),
    ("assigned", "aborted"),
    ("running", "aborted"),
)
"""Every allowed change of status."""


@dataclass(frozen=True)
class Missions:
    """Jobs that robots do in a zone; the robots are devices with a battery."""

    mission: Noun
    robot: Noun
    zone: Noun
    """Where missions take place and robots are: a registry."""
    jobs: dict[str, list[str]]
    """Kind of mission -> kinds of robots that can do it."""
    use: dict[str, int]
    """Kind of mission -> charge that it takes, in percent."""
    cargo: tuple[str, ...]
    """What missions are about, as it stands on the job sheet."""
    priorities: tuple[str, ...] = ("low", "normal", "express")
    reserve: int = 10
    """Charge that has to be left at the end of a mission."""
    room: str = ""
    """Integer attribute of a zone: most robots in it; empty for no limit."""
    queue: str = "queue"
    """Verb with which a mission is created."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of missions."""
        return tuple(self.jobs)
