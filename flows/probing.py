"""How often published scenarios are played by probe agents."""

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from schemas.errors import UsageError

USUAL_ATTEMPTS = 5
"""At one scenario, of each agent that draws its moves: 12 episodes in all."""
_MOST = 100
CAN_PLAY: Mapping[str, bool] = MappingProxyType({"rules": False, "llm": True})
"""Author on the command line -> whether it plays scenarios, known before it is made. One that is not named here is
found out when it is to play: see `flows.asking.player_in_tasks`."""


class Probes(BaseModel):
    """Attempts at each scenario."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempts: int = USUAL_ATTEMPTS
    """Of each agent that draws its moves; the others play once. 0 for no episode of an agent that needs no model."""
    model_attempts: int = 0
    """Of the language model; each costs requests."""


USUAL_PROBES = Probes()


def check_probes(probes: Probes, author: str) -> None:
    """Refuse what can't be played.

    Raises:
        UsageError: a number is out of range, or no model is there to play.
    """
    for option, number in (("--probes", probes.attempts), ("--probe-attempts", probes.model_attempts)):
        if not 0 <= number <= _MOST:
            raise UsageError(f"{option} {number} does not work. Take 0 to {_MOST}.")
    if probes.model_attempts and not CAN_PLAY.get(author, True):
        raise UsageError(
            f"--probe-attempts lets a language model play, and --author {author} is none. Add --author llm."
        )
