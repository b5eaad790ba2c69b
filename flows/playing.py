"""`envmill play`: an environment in the hands of a person, or of a script that writes lines."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from flows.composition import UNCONFINED
from flows.player import COMMANDS, Player
from schemas.errors import MachineryError, UsageError
from schemas.scenarios import Scenario
from tasks.environments import EnvironmentFault, LiveEpisode, OpenEnvironment, StateUnfit, open_environment
from tasks.sandbox.base import Sandbox


class EnvironmentUnusable(MachineryError):
    """The environment itself is at fault: it does not load or start."""


def play_environment(
    source: str,
    *,
    scenario: str | None,
    state: Path | None,
    home: Path,
    sandbox: Sandbox,
    console: Console,
    lines: TextIO,
) -> None:
    """Open an environment and obey line by line, until `quit` or the end of the lines.

    A command that can't be obeyed is answered and does not end it. Without a scenario or a state it begins with the
    first published initial state, or the class's own default where none is published.

    Raises:
        UsageError: no such environment, scenario or state.
        EnvironmentUnusable: the environment does not load or start.
    """
    if sandbox.level == "none":
        console.print(f"WARNING: {UNCONFINED}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    try:
        with open_environment(source, home=home, sandbox=sandbox) as environment:
            chosen = None if scenario is None else environment.find_scenario(scenario)
            episode, origin = _begun(environment, chosen, state)
            player = Player(environment, episode, chosen, console)
            player.greet(origin)
            for line in _typed(lines, environment):
                if not player.obey(line):
                    return
    except StateUnfit as misfit:
        said = f"{misfit} [{misfit.reason}]"
        if state is not None:
            said = (
                f"The state in {state} does not fit: {said}. Its keys set public attributes of the class. Mend it: "
                "played without --state, the command `state` shows one that fits."
            )
        raise UsageError(said) from misfit
    except EnvironmentFault as fault:
        raise EnvironmentUnusable(f"The environment is at fault: {fault} [{fault.reason}]") from fault


def _begun(environment: OpenEnvironment, scenario: Scenario | None, state: Path | None) -> tuple[LiveEpisode, str]:
    """The episode, and in words where it begins."""
    if scenario is not None:
        if state is not None:
            raise UsageError("--scenario begins with its own initial state: give it, or --state.")
        return environment.start(scenario), f"the initial state of {scenario.scenario_id}"
    if state is not None:
        return environment.start(state=_state_in(state)), f"the state in {state}"
    if environment.initial_states:
        first = environment.initial_states[0]
        return environment.start(state=json.loads(first.state_json)), f"the published state {first.initial_state_id}"
    return environment.start(), "the class's own default state"


def _state_in(path: Path) -> dict[str, Any]:
    try:
        state = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"Can't read {path}: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON: {error}.") from error
    if not isinstance(state, dict):
        raise UsageError(f"{path} must hold one JSON object: the public attributes of the class.")
    return state


def _typed(lines: TextIO, environment: OpenEnvironment) -> Iterator[str]:
    """The lines; at a terminal with a prompt, a history and completion by the tab key."""
    if not lines.isatty():
        yield from lines
        return
    _complete_with(environment)
    while True:
        try:
            yield input("> ")
        except EOFError:
            print()
            return


def _complete_with(environment: OpenEnvironment) -> None:
    try:
        import readline
    except ImportError:  # Python was built without it
        return
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in environment.tools}

    def complete(start: str, number: int) -> str | None:
        words = readline.get_line_buffer()[: readline.get_begidx()].split()
        found = [each for each in _candidates(words, tools) if each.startswith(start)]
        return found[number] if number < len(found) else None

    readline.set_completer_delims(" \t")
    readline.set_completer(complete)
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")


def _candidates(words: Sequence[str], tools: dict[str, dict[str, Any]]) -> list[str]:
    """What may stand after these words."""
    if not words:
        return [f"{name} " for name in [*COMMANDS, *tools]]
    if words[0] in ("call", "tool") and len(words) == 1:
        return [f"{name} " for name in tools]
    name = words[1] if words[0] == "call" else words[0]
    given = {word.partition("=")[0] for word in words}
    return [f"{each}=" for each in tools.get(name, {}).get("properties", {}) if each not in given]
