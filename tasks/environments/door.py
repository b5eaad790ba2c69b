"""Opens an environment and keeps its process."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from schemas.errors import UsageError
from schemas.scenarios import InitialState, ReferenceStep, Scenario
from schemas.skeletons import Skeleton, Tool
from tasks.environments.published import Material, find_published, material_of, near_matches
from tasks.runtime.environment import Environment, parameters_of
from tasks.runtime.faults import EnvironmentFault, StateUnfit, as_faults
from tasks.runtime.json_kinds import kind_of
from tasks.runtime.lasting_session import LastingSession
from tasks.runtime.live_episode import LiveEpisode
from tasks.runtime.signature import tools_of
from tasks.runtime.source_files import is_path, read_class, tool_rows
from tasks.runtime.state import Change
from tasks.sandbox.base import Sandbox
from tasks.sandbox.inside.plain import NotJson, require_plain


def open_environment(
    source: str | Path | Skeleton, *, home: Path | None = None, sandbox: Sandbox | None = None
) -> "OpenEnvironment":
    """Open one environment. Close it afterwards, or use it in a `with`: it holds a process.

    Args:
        source: Slug, environment id or skeleton id of the current release; a path of a Python file (`clinic.py`, or
            `clinic.py:Clinic` when it holds several environments); or a row.
        home: Where the release lies. Default: ENVMILL_HOME, else `.envmill`. Files need none.
        sandbox: Where the code runs. Default: one for all environments of this process.

    Raises:
        UsageError: there is no such environment or file; the message lists near matches.
        EnvironmentFault: its code does not load.
        SandboxUnavailable: this machine can't isolate the code.
    """
    from schemas.settings import Settings  # a quarter of what importing this module would cost

    place = home or Settings().home
    subject, material = _found(source, place)
    return OpenEnvironment(subject, material, place, sandbox or _default_sandbox())


@dataclass(frozen=True, slots=True)
class Subject:
    """What is opened."""

    name: str
    title: str
    class_name: str
    code: str
    policy: str
    skeleton_id: str | None
    """Null for a file, which has no scenarios."""
    tools: tuple[Tool, ...]
    """In the order of the source."""


class OpenEnvironment:
    """One live environment. Only declared tools can be called.

    A tool's own refusal, an unknown tool and unfit arguments are observations. When the environment itself breaks, an
    EnvironmentFault is raised that says how; `reset` and `start` go on in a new process. Not for several threads.
    """

    def __init__(self, subject: Subject, material: Material | None, home: Path, sandbox: Sandbox) -> None:
        """Load the class; see `open_environment`. Null material is looked up in the home when it is needed."""
        self.subject = subject
        self._known, self._home, self._sandbox = material, home, sandbox
        with as_faults(f"{subject.name} does not load"):
            self._session = LastingSession(sandbox, subject.code, subject.class_name)
        descriptions = {tool.name: tool.description for tool in subject.tools}
        self._environment = Environment(self._session, parameters_of(subject.tools), descriptions)
        self._is_begun = self._is_closed = False
        self.ignored: tuple[str, ...] = ()
        """Keys of the state given to the last `reset` that no public attribute of the class is named after."""

    @property
    def policy(self) -> str:
        """The rules as text for the agent, Markdown; empty for a file."""
        return self.subject.policy

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The declared tools, as an OpenAI-compatible endpoint takes them."""
        return self._environment.tools

    @cached_property
    def _material(self) -> Material:
        return self._known if self._known is not None else material_of(self._home, self.subject.skeleton_id or "")

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The published scenarios of this environment; none for a file."""
        return self._material.scenarios

    @property
    def initial_states(self) -> tuple[InitialState, ...]:
        """The published initial states of this environment; none for a file."""
        return self._material.initial_states

    def reset(self, state: Mapping[str, Any] | None = None) -> None:
        """Start over from a state; null starts from the class's own default.

        Raises:
            UsageError: the state is no JSON object.
            StateUnfit: the constructor raised on the state, with the line where it did.
            EnvironmentFault: the class can't start.
        """
        given = None if state is None else _plain_state(state)
        try:
            self._begin(given, is_complete=False)
        except EnvironmentFault as fault:
            if given is not None and fault.reason == "init_error":
                raise StateUnfit(fault.reason, str(fault)) from fault
            raise
        self.ignored = tuple(key for key in given or {} if key not in self._environment.initial_state)

    def call(self, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Call a tool, from the class's own default state if nothing else was begun.

        Args:
            tool: Name of a declared tool.
            arguments: Name -> value, or the JSON text of that, as models write it.

        Returns:
            The tool's own result, or {"success": false, "error": ...}.

        Raises:
            EnvironmentFault: the environment broke. It is not the caller's fault.
        """
        self._require_begun()
        with as_faults(f"tool {tool!r:.60}"):
            return self._environment.call(tool, arguments)

    def state(self) -> dict[str, Any]:
        """A copy of the state.

        Raises:
            EnvironmentFault: it is not plain JSON, or the process is gone.
        """
        self._require_begun()
        with as_faults("the state"):
            return self._environment.state()

    def digest(self) -> str:
        """Digest of the state: equal states have equal ones, on every machine.

        Raises:
            EnvironmentFault: it is not plain JSON, or the process is gone.
        """
        self._require_begun()
        with as_faults("the state"):
            return self._environment.digest()

    def difference(self) -> tuple[Change, ...]:
        """What differs from the state after the last `reset` or `start`, ordered by path.

        Raises:
            EnvironmentFault: the state is not plain JSON, or the process is gone.
        """
        self._require_begun()
        with as_faults("the state"):
            return self._environment.difference()

    def start(self, scenario: Scenario | str | None = None, *, state: Mapping[str, Any] | None = None) -> LiveEpisode:
        """Begin an episode. It ends the one before: there is one state at a time.

        Args:
            scenario: A published scenario or its id. Null: no task and no checks, just calls that can be undone.
            state: Where to begin without a scenario; null is the class's own default.

        Raises:
            UsageError: there is no such scenario, the state is no JSON object, or both are given.
            StateUnfit: the constructor raised on the given state.
            EnvironmentFault: the class can't start.
        """
        if scenario is None:
            self.reset(state)
            return LiveEpisode(self._environment, (), self._sandbox.checks)
        if state is not None:
            raise UsageError("A scenario begins with its own initial state: give one or the other.")
        chosen = scenario if isinstance(scenario, Scenario) else self.find_scenario(scenario)
        states = {each.initial_state_id: each for each in self.initial_states}
        if chosen.initial_state_id not in states:
            raise UsageError(f"{chosen.scenario_id} is no published scenario of {self.subject.name}.")
        self._begin(json.loads(states[chosen.initial_state_id].state_json), is_complete=True)
        checks = [check for check in self._material.checks if check.scenario_id == chosen.scenario_id]
        return LiveEpisode(self._environment, checks, self._sandbox.checks)

    def find_scenario(self, named: str) -> Scenario:
        """The published scenario of this id, or of this number in `scenarios`, counted from 1.

        Raises:
            UsageError: there is none; the message lists near matches, and all with their numbers.
        """
        numbered = dict(enumerate(self.scenarios, start=1))
        for number, each in numbered.items():
            if named == each.scenario_id or (named.isdecimal() and int(named) == number):
                return each
        there = [f"{number} ({each.scenario_id})" for number, each in numbered.items()]
        known = f"There are: {', '.join(there)}." if there else "None is published for it."
        if near := near_matches(named, [each.scenario_id for each in numbered.values()])[:4]:
            known = f"Did you mean {' or '.join(near)}? {known}"
        raise UsageError(f"{self.subject.name} has no published scenario {named!r}. {known}")

    def reference(self, scenario: Scenario | str) -> tuple[ReferenceStep, ...]:
        """The reference solution of a published scenario; `LiveEpisode.follow` makes its calls.

        Raises:
            UsageError: there is no such scenario.
        """
        chosen = scenario if isinstance(scenario, Scenario) else self.find_scenario(scenario)
        return tuple(ReferenceStep.model_validate(step) for step in json.loads(chosen.reference_json))

    def close(self) -> None:
        """End the process. May be called twice."""
        self._is_closed = True
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, state: dict[str, Any] | None, *, is_complete: bool) -> None:
        if self._is_closed:
            raise UsageError(f"{self.subject.name} is closed. Open it again with open_environment.")
        self._is_begun = False
        doing = "the class can't start" if state is None else "the class can't start from this state"
        with as_faults(doing):
            self._environment.reset(state, is_complete=is_complete)
        self._is_begun = True
        self.ignored = ()

    def _require_begun(self) -> None:
        if self._is_closed or not self._is_begun:
            self.reset()


def _found(source: str | Path | Skeleton, home: Path) -> tuple[Subject, Material | None]:
    """What is opened, and what is published of it: null where nobody has looked yet."""
    if isinstance(source, Skeleton):
        with as_faults(f"{source.slug} does not load"):
            return _subject(source, tool_rows(source.code, source.class_name, source.skeleton_id)), None
    if isinstance(source, Path) or is_path(source):
        file = read_class(source)
        name = str(file.path)
        return Subject(name, file.class_name, file.class_name, file.code, "", None, file.tools), Material()
    row, material = find_published(home, source)
    with as_faults(f"{row.slug} does not load"):
        order = {each.name: number for number, each in enumerate(tools_of(row.code, row.class_name))}
    tools = sorted(material.tools, key=lambda tool: (order.get(tool.name, len(order)), tool.name))
    return _subject(row, tuple(tools)), material


def _subject(row: Skeleton, tools: tuple[Tool, ...]) -> Subject:
    return Subject(row.slug, row.title, row.class_name, row.code, row.policy, row.skeleton_id, tools)


def _plain_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A copy, so that the caller may do with the state what it likes."""
    if not isinstance(state, Mapping):
        raise UsageError(f"A state is a JSON object, and this is {kind_of(state)}.")
    given = dict(state)
    try:
        require_plain(given)
    except NotJson as flaw:
        raise UsageError(f"The state is no plain JSON: {flaw}.") from flaw
    return copy.deepcopy(given)


@cache
def _default_sandbox() -> Sandbox:
    """Its process is started once, and ends with this one."""
    from tasks.sandbox.zygote import ZygoteSandbox

    return ZygoteSandbox(wall_s=10, cpu_s=3)  # somebody waits for the answer
