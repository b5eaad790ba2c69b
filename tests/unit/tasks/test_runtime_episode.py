"""Environments, episodes and rewards, through a real sandbox."""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest

from schemas.scenarios import Binding, CheckDraft, CheckKind, ReferenceStep
from schemas.skeletons import Tool
from tasks.runtime.environment import Environment, EnvironmentBroken, parameters_of
from tasks.runtime.episode import BindingError, Episode, play
from tasks.runtime.live_episode import LiveEpisode
from tasks.runtime.reward import CheckOutcome, run_checks, score
from tasks.runtime.signature import tools_of
from tasks.runtime.state import state_digest
from tasks.sandbox.base import Call, CodeRejected, EnvironmentSession, Played, Reads, Sandbox, StepResult
from tasks.sandbox.zygote import ZygoteSandbox

LIBRARY = '''
class Library:
    """Books and who has them."""

    def __init__(self, config: dict | None = None):
        config = config or {}
        self.books = config.get("books", {})
        self.loan_count = config.get("loan_count", 0)

    def find_books(self, title: str) -> dict:
        """Find books.

        Args:
            title: Part of the title.
        """
        return {"success": True, "data": [book for book in self.books.values() if title in book["title"]]}

    def lend(self, book_id: str, member: str, days: int = 14) -> dict:
        """Lend a book.

        Args:
            book_id: Which book.
            member: To whom.
            days: How long.
        """
        if self.books.get(book_id, {}).get("member"):
            return {"success": False, "error": "It is lent."}
        self.books[book_id]["member"] = member
        self.loan_count += 1
        return {"success": True, "data": {"days": days}}

    def broken_list(self) -> dict:
        return [1]

    def broken_state(self) -> dict:
        self.loan_count = {1}
        return {"success": True}

    def undeclared(self) -> dict:
        return {"success": True}
'''
STATE: dict[str, Any] = {
    "books": {
        "B1": {"book_id": "B1", "title": "Moby Dick", "member": None},
        "B2": {"book_id": "B2", "title": "Emma", "member": "Ann"},
    },
    "loan_count": 1,
}
CHECK = "def check(initial_state, final_state, trajectory):\n    return "


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    """A sandbox with short limits."""
    return ZygoteSandbox(wall_s=5, check_s=0.2)


@pytest.fixture
def library(sandbox: Sandbox) -> Iterator[Environment]:
    """A library with two books, one of them lent."""
    rows = [
        Tool(
            tool_id=f"tol_{number:016x}",
            skeleton_id="skl_x",
            name=tool.name,
            kind="query",
            description=tool.summary,
            parameters_json=json.dumps(tool.parameters),
            reads=[],
            writes=[],
            enforces=[],
        )
        for number, tool in enumerate(tools_of(LIBRARY, "Library"))
        if tool.name != "undeclared"
    ]
    with sandbox.environment(LIBRARY, "Library") as session:
        environment = Environment(session, parameters_of(rows))
        environment.reset(STATE)
        yield environment


def step(
    tool: str, bindings: dict[str, tuple[int, tuple[str | int, ...]]] | None = None, **literals: Any
) -> ReferenceStep:
    """A reference step."""
    bound = {name: Binding(step=number, path=path) for name, (number, path) in (bindings or {}).items()}
    return ReferenceStep(tool=tool, literals=literals, bindings=bound)


def outcome(kind: CheckKind, passed: bool | None, error: str | None = None) -> CheckOutcome:
    """What a check said."""
    return CheckOutcome(1, kind, passed, error)


# Environment


def test_a_call_returns_the_observation_and_changes_the_state(library: Environment) -> None:
    assert library.call("lend", {"book_id": "B1", "member": "Bo"}) == {"success": True, "data": {"days": 14}}
    assert library.state()["books"]["B1"]["member"] == "Bo"

    library.reset(STATE)

    assert library.state() == STATE


def test_the_environments_own_refusal_passes_through(library: Environment) -> None:
    assert library.call("lend", {"book_id": "B2", "member": "Bo"}) == {"success": False, "error": "It is lent."}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("steal", {}, "Unknown tool 'steal'. Available: find_books, lend, broken_list, broken_state."),
        ("undeclared", {}, "Unknown tool 'undeclared'."),
        ("_private", {}, "Unknown tool '_private'."),
        ("lend", {"book_id": "B1"}, "Missing argument 'member': a string."),
        ("lend", {"book_id": "B1", "member": "Bo", "days": True}, "Argument 'days' must be an integer, not True."),
        ("lend", {"book_id": "B1", "member": "Bo", "x": 1}, "Unknown argument 'x'. Allowed: book_id, member, days."),
    ],
)
def test_calls_that_are_not_declared_so_are_refused_before_any_code_runs(
    library: Environment, tool: str, arguments: dict[str, Any], error: str
) -> None:
    observation = library.call(tool, arguments)

    assert observation["success"] is False
    assert observation["error"].startswith(error)
    assert library.state() == STATE


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("lend", {"book_id": "B9", "member": "Bo"}, "KeyError: 'B9'"),
        ("broken_list", {}, "returned [1], which is no object"),
    ],
)
def test_a_tool_that_breaks_its_contract_is_not_the_callers_fault(
    library: Environment, tool: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(EnvironmentBroken) as caught:
        library.call(tool, arguments)

    assert caught.value.tool == tool
    assert message in caught.value.message


# Episodes


def test_arguments_are_bound_to_earlier_results(library: Environment) -> None:
    steps = [
        step("find_books", title="Moby"),
        step("lend", {"book_id": (0, ("data", 0, "book_id"))}, member="Bo"),
        step("find_books", {"title": (0, ("data", 0, "title"))}),
    ]

    episode = play(library, steps, final_message="Done.")

    assert episode.initial_state == STATE
    assert episode.final_state["books"]["B1"]["member"] == "Bo"
    assert episode.trajectory == {
        "calls": [
            {
                "tool": "find_books",
                "arguments": {"title": "Moby"},
                "result": {"success": True, "data": [STATE["books"]["B1"]]},
            },
            {
                "tool": "lend",
                "arguments": {"book_id": "B1", "member": "Bo"},
                "result": {"success": True, "data": {"days": 14}},
            },
            {
                "tool": "find_books",
                "arguments": {"title": "Moby Dick"},
                "result": {"success": True, "data": [{**STATE["books"]["B1"], "member": "Bo"}]},
            },
        ],
        "messages": [],
        "final_message": "Done.",
    }


def test_no_steps_make_an_episode_in_which_nothing_happens(library: Environment) -> None:
    assert play(library, []) == Episode(STATE, STATE, (), "")


def test_a_refused_call_does_not_end_the_episode(library: Environment) -> None:
    episode = play(library, [step("lend", book_id="B2", member="Bo"), step("lend", book_id="B1", member="Bo")])

    assert [call.result["success"] for call in episode.calls] == [False, True]


@pytest.mark.parametrize(
    ("bound_step", "path", "why"),
    [
        (1, ("data",), "that step comes later"),
        (0, ("data", 1, "book_id"), "there is no 1"),
        (0, ("data", -1, "book_id"), "there is no -1"),
        (0, ("data", 0, "owner"), "there is no 'owner'"),
        (0, ("data", "0"), "there is no '0'"),
        (0, ("success", "x"), "there is no 'x'"),
    ],
)
def test_a_binding_that_leads_nowhere_names_the_step_and_the_path(
    library: Environment, bound_step: int, path: tuple[str | int, ...], why: str
) -> None:
    with pytest.raises(BindingError) as caught:
        play(library, [step("find_books", title="Moby"), step("lend", {"book_id": (bound_step, path)}, member="Bo")])

    assert (caught.value.step, caught.value.argument, caught.value.binding.path) == (1, "book_id", path)
    assert why in str(caught.value)
    assert str(list(path)) in str(caught.value)


def test_a_state_that_is_no_json_is_not_played(library: Environment) -> None:
    with pytest.raises(CodeRejected) as caught:
        play(library, [step("broken_state")])

    assert caught.value.kind == "state_not_json"


# Rewards


def test_checks_are_run_and_scored_against_doing_nothing(sandbox: Sandbox, library: Environment) -> None:
    checks = [
        CheckDraft(kind="goal", text="Bo has it.", code=CHECK + "final_state['books']['B1']['member'] == 'Bo'"),
        CheckDraft(kind="goal", text="B2 is there.", code=CHECK + "'B2' in final_state['books']"),
        CheckDraft(kind="answer", text="Says so.", code=CHECK + "'Bo' in trajectory['final_message']"),
        CheckDraft(
            kind="guard",
            text="B2 unchanged.",
            code=CHECK + "initial_state['books']['B2'] == final_state['books']['B2']",
        ),
        CheckDraft(kind="procedure", text="One call.", code=CHECK + "len(trajectory['calls']) <= 1"),
    ]
    idle = play(library, [], final_message="Done.")
    silent = play(library, [step("lend", book_id="B1", member="Bo")], final_message="Done.")
    library.reset(STATE)
    full = play(library, [step("lend", book_id="B1", member="Bo")], final_message="Bo has it.")
    library.reset(STATE)
    busy = play(
        library, [step("find_books", title=""), step("lend", book_id="B1", member="Bo")], final_message="Bo has it."
    )

    with sandbox.checks() as session:
        no_op = run_checks(session, checks, idle)
        scores = [score(run_checks(session, checks, each), no_op) for each in (idle, silent, full, busy)]

    assert [(each.reward, each.success) for each in scores] == [(0.0, False), (0.5, False), (1.0, True), (0.0, False)]


def test_a_broken_check_is_reported_and_never_scored() -> None:
    good, idle = outcome("goal", True), outcome("goal", False)

    found = score([good, outcome("guard", None, "KeyError: 'x'")], [idle, outcome("guard", True)])
    assert (found.reward, found.success, found.problem) == (None, None, "check 1 is broken: KeyError: 'x'")
    assert score([good], [outcome("goal", None, "timeout")]).reward is None
    assert (found.at_fault, found.outcomes[0]) == ("check", good)


def test_checks_that_doing_nothing_fulfils_cannot_be_scored() -> None:
    found = score([outcome("goal", True)], [outcome("goal", True)])

    assert (found.reward, found.success) == (None, None)
    assert found.problem is not None


def test_a_check_that_ends_its_process_is_broken_and_the_others_are_asked_all_the_same(sandbox: Sandbox) -> None:
    leave = "import random\ndef check(initial_state, final_state, trajectory):\n    random._os._exit(0)\n"
    codes = [CHECK + "True", leave, CHECK + "1", CHECK + "False"]
    checks = [CheckDraft(kind="guard", text="", code=code) for code in codes]

    with sandbox.checks() as session:
        outcomes = run_checks(session, checks, Episode({}, {}, (), ""))
        assert run_checks(session, [], Episode({}, {}, (), "")) == ()

    assert [each.passed for each in outcomes] == [True, None, None, False]
    assert (outcomes[1].error or "").startswith("exit: ")
    assert [each.number for each in outcomes] == [1, 2, 3, 4]


# What reading the state costs


class CountingSession:
    """A session that counts how often the state is read."""

    def __init__(self, session: EnvironmentSession) -> None:
        self._session = session
        self.reads = 0

    def init(self, state: dict[str, Any] | None, *, seed: int = 0) -> None:
        self._session.init(state, seed=seed)

    def reset(self) -> None:
        self._session.reset()

    def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        return self._session.step(tool, arguments)

    def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        self.reads += len(calls) if watch else 0
        return self._session.steps(calls, watch=watch)

    def snapshot(self) -> dict[str, Any]:
        self.reads += 1
        return self._session.snapshot()

    def play(
        self, state: dict[str, Any] | None, calls: Sequence[Call], *, watch: bool = False, reads: Reads = "nothing"
    ) -> Played:
        self.reads += (len(calls) if watch else 0) + {"nothing": 0, "after": 1, "both": 2}[reads]
        return self._session.play(state, calls, watch=watch, reads=reads)

    def branch(self, *, seed: int = 0) -> AbstractContextManager[EnvironmentSession]:
        return self._session.branch(seed=seed)


def test_a_call_reads_no_state_and_every_question_about_it_reads_it_once(sandbox: Sandbox) -> None:
    parameters = {tool.name: tool.parameters for tool in tools_of(LIBRARY, "Library")}
    with sandbox.environment(LIBRARY, "Library") as opened:
        session = CountingSession(opened)
        environment = Environment(session, parameters)
        environment.reset(STATE)
        episode = LiveEpisode(environment, (), sandbox.checks)
        for title in ("Moby", "Emma", ""):
            episode.call("find_books", {"title": title})
        episode.call("lend", {"book_id": "B1", "member": "Bo"})
        assert session.reads == 0

        for reads, ask in enumerate((environment.state, environment.digest, environment.difference), start=1):
            ask()
            assert session.reads == reads

        episode.end()
        episode.end("Done.")
        assert session.reads == 4
        assert environment.digest() == state_digest(environment.state())


def test_without_a_state_the_difference_starts_from_the_default_of_the_class(library: Environment) -> None:
    library.reset(None)
    assert (library.initial_state, library.difference()) == ({"books": {}, "loan_count": 0}, ())

    library.reset({"books": STATE["books"]}, is_complete=False)

    assert library.difference() == ()
    library.call("lend", {"book_id": "B1", "member": "Bo"})
    assert [each.path for each in library.difference()] == [("books", "B1", "member"), ("loan_count",)]
    library.restart()
    assert library.difference() == ()


def test_the_tools_are_declared_as_an_endpoint_takes_them(library: Environment) -> None:
    library.tools[0]["function"]["parameters"].clear()

    first = library.tools[0]

    assert (first["type"], first["function"]["name"], first["function"]["description"]) == (
        "function",
        "find_books",
        "",
    )
    assert first["function"]["parameters"]["required"] == ["title"]
