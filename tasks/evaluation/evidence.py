"""Everything that executing a class has shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from schemas.logic_models import LogicModel
from tasks.evaluation.explore import Record
from tasks.evaluation.findings import Finding
from tasks.evaluation.observed import shown_arguments
from tasks.evaluation.terms import PLANNED, Terms
from tasks.evaluation.trials import Trial


@dataclass(frozen=True)
class Evidence:
    """The record of all calls, the single calls among them with what was expected, and what the rules said."""

    model: LogicModel
    record: Record
    trials: tuple[Trial, ...]
    findings: tuple[Finding, ...]
    """What was found while exploring, replaying and executing predicates."""
    terms: Terms = PLANNED

    def details(self, reason: str) -> Iterator[str]:
        """The findings of one reason."""
        return (each.detail for each in self.findings if each.reason == reason)

    def shown(self, trial: Trial) -> str:
        """The arguments of a trial as text."""
        return shown_arguments(dict(trial.arguments))
