"""How often published scenarios are played by probe agents."""

from pydantic import BaseModel, ConfigDict

from schemas.errors import UsageError

USUAL_ATTEMPTS = 5
"""At one scenario, of each agent that draws its moves: 12 episodes in all."""
_MOST = 100


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
    if probes.model_attempts and author == "rules":
        raise UsageError("--probe-attempts lets a language model play, and none is there. Add --author llm.")
