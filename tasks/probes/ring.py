"""One environment class, alive, with everything that the episodes on its scenarios share."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from schemas.scenarios import Check, InitialState, ReferenceStep, Scenario
from schemas.skeletons import Skeleton, Tool
from tasks.probes.agents import Brief
from tasks.probes.episodes import Arena
from tasks.proof.trials import Asker
from tasks.runtime.environment import Environment, parameters_of
from tasks.runtime.faults import as_faults
from tasks.runtime.lasting_session import LastingSession
from tasks.sandbox.base import Sandbox

_REFERENCE = TypeAdapter(tuple[ReferenceStep, ...])


@dataclass(frozen=True, slots=True)
class Case:
    """A proven scenario, as it is played."""

    scenario: Scenario
    state: InitialState
    checks: tuple[Check, ...]
    """In their order."""

    @property
    def reference(self) -> tuple[ReferenceStep, ...]:
        """The steps of the reference solution."""
        return _REFERENCE.validate_json(self.scenario.reference_json)


class Ring:
    """Opens the class when it is first needed, once. Use it in a `with`; not for several threads."""

    def __init__(self, skeleton: Skeleton, tools: Sequence[Tool], sandbox: Sandbox) -> None:
        """Get ready.

        Args:
            skeleton: The class, with its policy.
            tools: Those that agents may call.
            sandbox: Where it runs.
        """
        self._skeleton, self._sandbox = skeleton, sandbox
        self._schemas = parameters_of(tools)
        self._descriptions = {each.name: each.description for each in tools}
        self._opened = ExitStack()
        self._environment: Environment | None = None
        self._states: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "Ring":
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def level(self) -> str:
        """Isolation level of the sandbox, for the rows."""
        return self._sandbox.level

    def brief(self, scenario: Scenario) -> Brief:
        """What an agent is told of a scenario."""
        return Brief(scenario.task, self._skeleton.policy, self._schemas, self._descriptions)

    @contextmanager
    def arena(self, case: Case, most_calls: int) -> Iterator[Arena]:
        """Where a scenario is played; its checks run in a process of their own.

        Args:
            case: The scenario.
            most_calls: After so many calls an agent has to end.

        Raises:
            EnvironmentFault: the class does not load.
            SandboxUnavailable: no process could be started.
        """
        if self._environment is None:
            with as_faults("the class does not load"):
                session = LastingSession(self._sandbox, self._skeleton.code, self._skeleton.class_name)
            self._opened.callback(session.close)
            self._environment = Environment(session, self._schemas, self._descriptions)
        with self._sandbox.checks() as checks:
            yield Arena(self._environment, self._state(case.state), Asker(case.checks, checks), most_calls)

    def _state(self, row: InitialState) -> dict[str, Any]:
        """One object per state: to begin with the same one again costs less."""
        if row.initial_state_id not in self._states:
            self._states[row.initial_state_id] = json.loads(row.state_json)
        return self._states[row.initial_state_id]
