"""An environment of the built-in author at work: calls go through the sandbox, and its rules are watched."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from schemas.logic_models import LogicModel
from tasks.authors.base import TopicBrief
from tasks.authors.rules.compose import compose
from tasks.authors.rules.logic import logic_model_of
from tasks.authors.rules.populate import populate
from tasks.authors.rules.render import render
from tasks.runtime.signature import tools_of
from tasks.sandbox.base import CheckSession, EnvironmentSession
from tests.fakes.sandbox import SANDBOX

State = dict[str, Any]


class Desk:
    """One environment with a state; every success must leave its rules unbroken, every refusal the state unchanged."""

    def __init__(self, model: LogicModel, session: EnvironmentSession, checks: CheckSession) -> None:
        self._model, self._session, self._checks = model, session, checks

    def do(self, tool: str, **arguments: Any) -> Any:
        """The data of a call that succeeds; null when it only says that it is done."""
        before = self._session.snapshot()
        assert self._broken_preconditions(tool, arguments, before) == []
        step = self._session.step(tool, arguments)
        assert step.error is None, step.error
        assert step.result["success"], f"{tool}: {step.result}"
        after = self._session.snapshot()
        assert self._false(("invariant", "uniqueness"), state=after, now=after["now"]) == []
        assert self._false(("transition",), before=before, state=after, now=after["now"]) == []
        return step.result.get("data")

    def refuses(self, tool: str, **arguments: Any) -> str:
        """Why a call is refused."""
        before = self._session.snapshot()
        step = self._session.step(tool, arguments)
        assert step.error is None, step.error
        assert not step.result["success"], f"{tool} was not refused: {step.result}"
        assert self._session.snapshot() == before
        return str(step.result["error"])

    def breaks(self, rule: str, tool: str, **arguments: Any) -> str:
        """Why a call is refused that breaks this precondition."""
        broken = self._broken_preconditions(tool, arguments, self._session.snapshot())
        assert rule in broken, f"{rule} is not among {broken}"
        return self.refuses(tool, **arguments)

    def set_clock(self, now: str) -> None:
        """Let time pass, which no tool does."""
        self._session.init({**self._session.snapshot(), "now": now})

    def record(self, collection: str, key: str) -> dict[str, Any]:
        """A record as it is now."""
        found: dict[str, Any] = self._session.snapshot()[collection][key]
        return found

    def _broken_preconditions(self, tool: str, arguments: dict[str, Any], state: State) -> list[str]:
        operation = next(each for each in self._model.operations if each.name == tool)
        bound = {parameter.name: arguments.get(parameter.name) for parameter in operation.parameters}
        return self._false(("precondition",), state=state, args=bound, now=state["now"], among=operation.enforces)

    def _false(self, kinds: tuple[str, ...], among: tuple[str, ...] | None = None, **names: Any) -> list[str]:
        rules = [each for each in self._model.rules if each.kind in kinds and (among is None or each.id in among)]
        verdicts = self._checks.evaluate([str(rule.predicate) for rule in rules], names)
        return [rule.id for rule, verdict in zip(rules, verdicts, strict=True) if not verdict.passed]


@contextmanager
def desk(theme: str, seed: int, state: State) -> Iterator[Desk]:
    """The environment of a theme with a hand-made state."""
    draft = compose(_brief(theme), theme, seed)
    code = render(draft)
    sandbox = SANDBOX
    with sandbox.environment(code, draft.class_name) as session, sandbox.checks() as checks:
        session.init(state)
        yield Desk(logic_model_of(draft, code), session, checks)


def has_entity(theme: str, seed: int, collection: str) -> bool:
    """Whether the environment of a theme and a seed has this collection; optional mechanics come and go."""
    return collection in compose(_brief(theme), theme, seed).entities


def lived_in_states(theme: str, seed: int) -> tuple[LogicModel, list[State]]:
    """The logic model of a theme, and two states with a past."""
    draft = compose(_brief(theme), theme, seed)
    code = render(draft)
    parameters = {each.name: frozenset(each.parameters["properties"]) for each in tools_of(code, draft.class_name)}
    with SANDBOX.environment(code, draft.class_name) as session:
        return logic_model_of(draft, code), [populate(draft, session, parameters, 10 * seed + n) for n in range(2)]


def _brief(theme: str) -> TopicBrief:
    title = theme.replace("-", " ").capitalize()
    return TopicBrief(slug=theme, title=title, summary=title, introduction=title, domain="any")
