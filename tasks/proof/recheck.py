"""Proves published scenarios again, from their rows alone."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from schemas.logic_models import LogicModel
from schemas.scenarios import Check, InitialState, ReferenceStep, Scenario
from schemas.skeletons import Skeleton, Tool
from tasks.proof.extra import toolbox_of
from tasks.proof.identity import proof_digest
from tasks.proof.prove import Proof, prove
from tasks.proof.trials import Solution
from tasks.runtime.environment import Environment, parameters_of
from tasks.sandbox.base import CodeRejected, EnvironmentSession, Sandbox, SessionDied

_REFERENCE = TypeAdapter(tuple[ReferenceStep, ...])


@dataclass(frozen=True, slots=True)
class Published:
    """The rows of one scenario. Those of its environment are in `PublishedEnvironment`."""

    scenario: Scenario
    state: InitialState
    checks: tuple[Check, ...]
    final_digest: str | None
    """Of the final state of the reference, as it was when the scenario was proven; null where that was not kept."""


@dataclass(frozen=True, slots=True)
class PublishedEnvironment:
    """The rows of one environment class, and some of its scenarios."""

    skeleton: Skeleton
    logic_model: LogicModel
    tools: tuple[Tool, ...]
    scenarios: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a scenario does not hold any more."""

    reason: str
    """content_changed, final_state_differs, rows_unreadable, skeleton_not_loaded, session_died, or one of `prove`."""
    detail: str


@dataclass(frozen=True, slots=True)
class Rechecked:
    """A scenario that was proven again."""

    scenario: Scenario
    slug: str
    """Of its environment."""
    trial_count: int
    troubles: tuple[Trouble, ...]
    """Empty when it holds."""


def recheck(environment: PublishedEnvironment, sandbox: Sandbox) -> Iterator[Rechecked]:
    """Prove each scenario of one environment again, in processes of its own.

    Raises:
        SandboxUnavailable: no process could be started.
    """
    with _Bench(environment, sandbox) as bench:
        for published in environment.scenarios:
            yield bench.rechecked(published)


class _Bench:
    """The session with the class, which the scenarios share until one of them ends it."""

    def __init__(self, environment: PublishedEnvironment, sandbox: Sandbox) -> None:
        self._environment, self._sandbox = environment, sandbox
        self._toolbox = toolbox_of(environment.logic_model, environment.tools)
        self._sessions = ExitStack()
        self._live: Environment | None = None
        self._states: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "_Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self._sessions.close()

    def rechecked(self, published: Published) -> Rechecked:
        """Whether the rows are as they were, the proof holds, and the reference ends as it did."""
        troubles: list[Trouble] = []
        row, skeleton = published.scenario, self._environment.skeleton
        now = proof_digest(skeleton, published.state, row, published.checks)
        if row.proof_digest is not None and row.proof_digest != now:
            text = "Its code, state, task, reference or checks are not those that were proven."
            troubles.append(Trouble("content_changed", text))
        proof = self._proof(published)
        if isinstance(proof, Trouble):
            return Rechecked(row, skeleton.slug, 0, (*troubles, proof))
        if proof.reason is not None:
            troubles.append(Trouble(proof.reason, proof.detail or ""))
        final = next((each.final_digest for each in proof.trials if each.final_digest), None)
        if final is not None and published.final_digest is not None and final != published.final_digest:
            text = (
                f"The reference ends in another state than when it was proven: {final}, not {published.final_digest}."
            )
            troubles.append(Trouble("final_state_differs", text))
        return Rechecked(row, skeleton.slug, len(proof.trials), tuple(troubles))

    def _proof(self, published: Published) -> Proof | Trouble:
        try:
            solution = self._solution(published)
        except (ValueError, KeyError) as error:  # pydantic's and JSON's errors are ValueErrors
            return Trouble("rows_unreadable", f"{type(error).__name__}: {error}")
        try:
            with self._sandbox.checks() as checks:
                proof = prove(solution, self._opened(), checks, self._toolbox)
            if proof.status != "failed":
                return proof
            with self._sandbox.checks() as checks:  # a busy machine may have let a check run out of time
                return prove(solution, self._opened(), checks, self._toolbox)
        except CodeRejected as error:
            return Trouble("skeleton_not_loaded", f"{error.kind}: {error}")
        except SessionDied as died:
            self._sessions.close()
            self._live = None
            return Trouble("session_died", f"{died.reason}: {died}")

    def _solution(self, published: Published) -> Solution:
        row, state = published.scenario, published.state
        reference = _REFERENCE.validate_json(row.reference_json)
        kinds = {tool.name: tool.kind for tool in self._environment.tools}
        if state.initial_state_id not in self._states:
            self._states[state.initial_state_id] = json.loads(state.state_json)
        return Solution(
            scenario_id=row.scenario_id,
            state=self._states[state.initial_state_id],
            reference=reference,
            final_message=row.final_message,
            checks=published.checks,
            write_steps=tuple(at for at, step in enumerate(reference) if kinds[step.tool] == "state_change"),
            kind=row.kind,
            task=row.task,
        )

    def _opened(self) -> Environment:
        if self._live is None:
            skeleton = self._environment.skeleton
            opening = self._sandbox.environment(skeleton.code, skeleton.class_name)
            session: EnvironmentSession = self._sessions.enter_context(opening)
            self._live = Environment(session, parameters_of(self._environment.tools))
        return self._live


def in_portions(environment: PublishedEnvironment, size: int) -> Iterator[PublishedEnvironment]:
    """The same environment with a few of its scenarios each, so that several workers can share them."""
    scenarios: Sequence[Published] = environment.scenarios
    for start in range(0, len(scenarios), size):
        yield PublishedEnvironment(
            environment.skeleton, environment.logic_model, environment.tools, tuple(scenarios[start : start + size])
        )
