"""What a person can do with an environment, command by command."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.text import Text

from flows.typed_arguments import typed_arguments
from schemas.errors import UsageError
from schemas.scenarios import Scenario
from tasks.environments import EnvironmentFault, LiveEpisode, OpenEnvironment

_LONGEST_VALUE = 100
_VERDICTS = MappingProxyType({True: ("holds", "green"), False: ("fails", "red"), None: ("broken", "magenta")})


class Player:
    """One person at one environment. All that is shown goes to the console as it is, never read as markup."""

    def __init__(
        self, environment: OpenEnvironment, episode: LiveEpisode, scenario: Scenario | None, console: Console
    ) -> None:
        """Go on with an episode that has just begun."""
        self._environment, self._episode, self._scenario = environment, episode, scenario
        self._console = console
        self._parameters = {each["function"]["name"]: each["function"]["parameters"] for each in environment.tools}
        self._descriptions = {tool.name: tool.description for tool in environment.subject.tools}
        self._message = ""
        self._is_hinted = False

    def greet(self, origin: str) -> None:
        """Say what was opened, and where it begins."""
        subject = self._environment.subject
        tools = "1 tool" if len(self._parameters) == 1 else f"{len(self._parameters)} tools"
        self._say(f"{subject.title} ({subject.name}): {tools}, starts from {origin}.", "bold")
        for key in self._environment.ignored:
            self._say(f"The class has no attribute {key!r}: that part of the state is not used as it is.", "yellow")
        if self._scenario is not None:
            self._show_task("")
        self._say("Type help for the commands.", "dim")

    def obey(self, line: str) -> bool:
        """Do what a line says. False when it says to leave."""
        name, _, rest = line.strip().partition(" ")
        if not name or name.startswith("#"):
            return True
        if name in ("quit", "exit") and not rest.strip():
            return False
        former = self._episode.fault
        try:
            if name in self._parameters and name not in COMMANDS:
                self._call(f"{name} {rest}")
            elif name in COMMANDS or name in ("quit", "exit"):
                self._order(name, rest.strip())
            else:
                raise UsageError(f"There is no command {name!r}. Type help for the commands, tools for the tools.")
        except UsageError as error:
            self._say(str(error), "red")
        except EnvironmentFault as fault:
            if former is None or name in RENEWING:
                self._say(f"The environment is at fault, not your call: {fault} [{fault.reason}]", "bold red")
                self._hint_at_import(is_plain=fault.reason == "result_no_object")
            else:
                self._say(f"Not done: the environment is broken{self._since()}.", "bold red")
            self._say("undo goes back to before it, reset starts over.", "dim")
        return True

    def _since(self) -> str:
        calls = self._episode.calls
        is_by_call = bool(calls) and calls[-1].outcome == "broken"
        return f" since call {len(calls)}, {calls[-1].tool}" if is_by_call else ""

    def _hint_at_import(self, *, is_plain: bool) -> None:
        """Say once that a hand-written class gets what it lacks from an import."""
        if is_plain and not self._is_hinted and self._environment.subject.skeleton_id is None:
            self._is_hinted = True
            subject = self._environment.subject
            self._say(
                'A tool answers {"success": true, "data": ...} or {"success": false, "error": ...}; this class returns '
                f"values of its own. `envmill import --format python-class {subject.name}:{subject.class_name}` puts "
                "an adapter around it, see docs/how-to/bring-your-own-environments.md.",
                "yellow",
            )

    def _order(self, name: str, rest: str) -> None:
        command = COMMANDS.get(name)
        if command is None or (rest and not command.usage):
            raise UsageError(f"{name} takes nothing behind it, so {_short(rest)} was not understood and nothing done.")
        command.run(self, rest)

    def _help(self, _rest: str) -> None:
        for name, command in COMMANDS.items():
            self._pair(f"{name} {command.usage}".rstrip(), command.help)
        self._pair("quit", "Leave.")

    def _tools(self, _rest: str) -> None:
        kinds = {tool.name: tool.kind for tool in self._environment.subject.tools}
        for name, schema in self._parameters.items():
            required = schema.get("required", ())
            shown = ", ".join(each if each in required else f"[{each}]" for each in schema.get("properties", {}))
            mark = "*" if kinds[name] == "state_change" else " "
            self._pair(f"{mark} {name}({shown})", self._descriptions[name])
        self._say("* changes the state; [optional]", "dim")

    def _tool(self, rest: str) -> None:
        name = self._known_tool(rest)
        self._say(self._descriptions[name])
        self._json(self._parameters[name])

    def _call(self, rest: str) -> None:
        first, _, arguments = rest.strip().partition(" ")
        name = self._known_tool(first)
        given = typed_arguments(arguments, self._parameters[name])
        result = self._episode.call(name, given)
        self._json(result)
        self._hint_at_import(is_plain=not isinstance(result.get("success"), bool))

    def _state(self, rest: str) -> None:
        value: Any = self._environment.state()
        path = [part for part in rest.split(".") if part]
        for number, part in enumerate(path):
            value = _inner(value, part, ".".join(path[:number]) or "the state")
        self._json(value)

    def _diff(self, _rest: str) -> None:
        changes = self._environment.difference()
        if not changes:
            self._say("Nothing has changed.")
        for change in changes:
            path = ".".join(change.path)
            match change.kind:
                case "added":
                    self._say(f"+ {path} = {_short(change.after)}", "green")
                case "removed":
                    self._say(f"- {path} = {_short(change.before)}", "red")
                case "changed":
                    self._say(f"~ {path}: {_short(change.before)} -> {_short(change.after)}", "yellow")

    def _undo(self, _rest: str) -> None:
        undone = self._episode.undo()
        if undone is None:
            self._say("No call was made yet.")
        else:
            self._say(f"Taken back: {undone.tool} {_short(undone.arguments)}")

    def _calls(self, _rest: str) -> None:
        for number, call in enumerate(self._episode.calls, start=1):
            self._say(f"{number:3}  {call.outcome:8} {call.tool} {_short(call.arguments)}")
        if not self._episode.calls:
            self._say("No call was made yet.")

    def _reset(self, _rest: str) -> None:
        self._episode.restart()
        self._message = ""
        self._say("Back at the start.")

    def _show_task(self, _rest: str) -> None:
        if self._scenario is None:
            raise UsageError("No scenario is being played. scenarios lists them; --scenario ID plays one.")
        self._say(f"Task {self._scenario.scenario_id}", "bold cyan")
        self._say(self._scenario.task)

    def _scenarios(self, _rest: str) -> None:
        for number, scenario in enumerate(self._environment.scenarios, start=1):
            self._pair(f"{number:3}  {scenario.scenario_id}", scenario.task)
        if not self._environment.scenarios:
            self._say("None is published for this environment.")

    def _policy(self, _rest: str) -> None:
        self._say(self._environment.policy or "This environment comes without a policy.")

    def _say_finally(self, rest: str) -> None:
        if not rest:
            raise UsageError("say needs the text of the final message.")
        self._message = rest
        self._say("Kept as the final message. score scores the episode with it.", "dim")

    def _score(self, rest: str) -> None:
        if self._scenario is None:
            raise UsageError("Only a scenario can be scored. scenarios lists them; --scenario ID plays one.")
        self._message = rest or self._message
        score = self._episode.end(self._message)
        for check, outcome in zip(self._episode.checks, score.outcomes, strict=False):
            word, style = _VERDICTS[outcome.passed]
            self._say(f"{outcome.number:3}  {word:6}  {outcome.kind:9}  {check.text}", style)
            if outcome.error is not None:
                self._say(f"     {outcome.error}", style)
        if score.problem is not None:
            self._say(f"No reward: {score.problem}", "bold magenta")
        else:
            self._say(f"Reward {score.reward:g}, {'solved' if score.success else 'not solved'}.", "bold")

    def _known_tool(self, name: str) -> str:
        if name in self._parameters:
            return name
        wanted = f"There is no tool {name!r}." if name else "Which tool?"
        raise UsageError(f"{wanted} The tools: {', '.join(self._parameters) or 'none'}.")

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)

    def _pair(self, left: str, right: str) -> None:
        self._console.print(Text.assemble((left, "cyan"), ("  ", ""), (right, "")), soft_wrap=True)

    def _json(self, value: Any) -> None:
        self._console.print_json(json.dumps(value, ensure_ascii=False), ensure_ascii=False)


def _inner(value: Any, part: str, place: str) -> Any:
    if isinstance(value, dict) and part in value:
        return value[part]
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        return value[int(part)]
    if isinstance(value, list):
        raise UsageError(f"There is no {part!r} in {place}, a list of {len(value)}.")
    known: Iterable[str] = value if isinstance(value, dict) else ()
    raise UsageError(f"There is no {part!r} in {place}. There: {_short(list(known))}")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


@dataclass(frozen=True, slots=True)
class Command:
    """What can be typed."""

    run: Callable[[Player, str], None]
    usage: str
    help: str


COMMANDS = MappingProxyType(
    {
        "tools": Command(Player._tools, "", "All tools."),
        "tool": Command(Player._tool, "NAME", "The schema of a tool's arguments."),
        "call": Command(Player._call, "NAME key=value ... | {json}", "Call a tool; its name alone does the same."),
        "state": Command(Player._state, "[path]", "The state, or a part of it, such as pets.PET-1.name."),
        "diff": Command(Player._diff, "", "What differs from the start."),
        "calls": Command(Player._calls, "", "The calls so far, and whose doing each result is."),
        "undo": Command(Player._undo, "", "Take the last call back."),
        "reset": Command(Player._reset, "", "Back to the start."),
        "task": Command(Player._show_task, "", "The task of the scenario."),
        "scenarios": Command(Player._scenarios, "", "The published scenarios of this environment."),
        "policy": Command(Player._policy, "", "The rules for the agent."),
        "say": Command(Player._say_finally, "TEXT", "Keep a final message for score."),
        "score": Command(Player._score, "[TEXT]", "Run the checks as if the episode ended here, with this message."),
        "help": Command(Player._help, "", "This list."),
    }
)
RENEWING = ("undo", "reset")
"""Commands that mend a broken environment, or break it anew."""
