"""What came of a test plan, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.evaluation.judging import Ruling


@dataclass(frozen=True)
class PlanReport:
    """What came of a test plan."""

    case_count: int
    passed_count: int
    invalid_count: int
    """Cases that the judge found wrong, as far as that was allowed; they count for nothing."""
    unjudged_count: int
    """Cases for which no usable verdict could be had; 0 without a judge."""
    is_judged: bool
    agreement: float | None
    """Share of the judged cases in which the judge passes exactly what came out as expected; null without a judge."""
    rules_untested: Mapping[str, str | None]
    """Rule -> why no case breaks it, for every rule that no executed case was refused for; null where one must be."""
    rulings: Mapping[str, Ruling]
    """All that the judge has said, for the next version of the class."""

    @property
    def strict_pass_rate(self) -> float:
        """Passed cases among those that count; 1 where none does."""
        counted = self.case_count - self.invalid_count
        return self.passed_count / counted if counted else 1.0
