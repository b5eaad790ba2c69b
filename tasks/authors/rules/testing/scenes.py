"""What a test case starts from: the state of the plan as it is, with values put in, or after some calls."""

from dataclasses import dataclass, field
from typing import Any

from schemas.logic_models import Rule
from tasks.authors.base import SetupCall, TestCase
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.expectations import expectation
from tasks.authors.rules.testing.guards import Attempt, attempt
from tasks.authors.rules.testing.tries import Tries
from tasks.runtime.paths import with_values

Given = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """A state, and how a case brings it about."""

    state: State
    given: Given = field(default_factory=dict)
    """Values that were put into the state of the plan, by path; this comes first."""
    setup: tuple[SetupCall, ...] = ()
    """Calls that were made then."""

    def edited(self, given: Given) -> "Scene":
        """With more values put in. Only where no call was made: values come first."""
        return Scene(with_values(self.state, given), {**self.given, **given})

    def after(self, state: State, call: SetupCall) -> "Scene":
        """After one more call, which has led to this state."""
        return Scene(state, self.given, (*self.setup, call))


def refused_case(scene: Scene, tried: Attempt, rule: Rule | None = None, *, why: str | None = None) -> TestCase:
    """The case of a call that must be refused; with a rule, because of it."""
    said = rule.text if rule is not None else str(tried.result.get("error"))
    return TestCase(
        tool=tried.tool,
        arguments=tried.arguments,
        given=scene.given,
        setup=scene.setup,
        expected="refused",
        rule_id=rule.id if rule is not None else None,
        why=why or said,
    )


def allowed_case(tries: Tries, scene: Scene, tried: Attempt, why: str) -> TestCase:
    """The case of a call that succeeds, with all that is true afterwards."""
    again = attempt(tries.session, scene.state, tried.tool, tried.arguments)
    holds = expectation(tries.model, scene.state, tries.session.snapshot(), again.result)
    return TestCase(
        tool=tried.tool,
        arguments=tried.arguments,
        given=scene.given,
        setup=scene.setup,
        expected="success",
        holds=holds,
        why=why,
    )
