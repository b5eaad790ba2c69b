"""The Python door: environments of a release and of a file, and whose fault it is when something goes wrong."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UsageError
from tasks.environments import (
    EnvironmentBroken,
    EnvironmentFault,
    EpisodeOver,
    OpenEnvironment,
    StateUnfit,
    open_environment,
)
from tests.fakes.lending_shed import STATES
from tests.fakes.lending_shed_home import POLICY, publish_shed
from tests.fakes.lending_shed_scenarios import SKELETON
from tests.fakes.sandbox import SANDBOX

ROOT = Path(__file__).parents[3]
SHED = SKELETON.slug
COUNTER = '''"""Counts."""


class Counter:
    """A number."""

    def __init__(self, config: dict | None = None) -> None:
        given = config or {}
        self.number = given.get("number", 0) + 0
        self.names = list(given.get("names", []))

    def add(self, amount: int) -> dict:
        """Add to the number.

        Args:
            amount: What is added.
        """
        self.number += amount
        return {"success": True, "data": self.number}

    def read(self) -> dict:
        """Read the number."""
        return {"success": True, "data": self.number}

    def fail(self, how: str) -> dict:
        """Break.

        Args:
            how: In which way.
        """
        self.number += 100
        if how == "raise":
            raise KeyError(how)
        if how == "exit":
            import random
            random._os._exit(3)
        if how == "state":
            self.names = {1}
        if how == "result":
            return {1}
        if how == "list":
            return [1]
        return {"success": False, "error": "No."}
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the shed, and an environment that does not load."""
    home = tmp_path_factory.mktemp("home")
    lame = {"skeleton_id": "skl_00000000000000aa", "environment_id": "env_00000000000000aa", "slug": "lame-duck"}
    publish_shed(home, skeletons=[SKELETON.model_copy(update={**lame, "code": "class LendingShed:\n  x = 1 / 0\n"})])
    return home


@pytest.fixture
def shed(home: Path) -> Iterator[OpenEnvironment]:
    with open_environment(SHED, home=home, sandbox=SANDBOX) as environment:
        yield environment


@pytest.fixture
def counter(tmp_path: Path) -> Iterator[OpenEnvironment]:
    with opened(tmp_path, COUNTER) as environment:
        yield environment


def opened(folder: Path, code: str, class_name: str = "") -> OpenEnvironment:
    path = folder / "counter.py"
    path.write_text(code, encoding="utf-8")
    return open_environment(f"{path}:{class_name}" if class_name else path, sandbox=SANDBOX)


# The release


@pytest.mark.parametrize("name", [SHED, SKELETON.environment_id, SKELETON.skeleton_id])
def test_a_published_environment_goes_by_its_slug_and_its_ids(home: Path, name: str) -> None:
    with open_environment(name, home=home, sandbox=SANDBOX) as shed:
        assert shed.policy == POLICY
        assert [each["function"]["name"] for each in shed.tools][:4] == [
            "find_items",
            "find_members",
            "list_loans",
            "register_member",
        ]
        assert shed.tools[1] == {
            "type": "function",
            "function": {
                "name": "find_members",
                "description": "Find members by part of their name.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "name_contains": {
                            "type": "string",
                            "description": "Part of the full name, in any letter case.",
                        }
                    },
                    "required": ["name_contains"],
                    "additionalProperties": False,
                },
            },
        }


def test_a_row_is_opened_without_any_release(tmp_path: Path) -> None:
    with open_environment(SKELETON, home=tmp_path / "none", sandbox=SANDBOX) as shed:
        assert shed.call("find_members", {"name_contains": "a"}) == {"success": True, "data": []}
        assert shed.scenarios == ()

    assert not (tmp_path / "none").exists()


def test_the_reference_of_a_scenario_earns_the_whole_reward_and_less_of_it_earns_less(shed: OpenEnvironment) -> None:
    scores = {}
    for scenario in shed.scenarios:
        episode = shed.start(scenario.scenario_id)
        assert shed.difference() == ()
        for step in shed.reference(scenario):
            episode.follow(step)
        scores[scenario.kind] = episode.end(scenario.final_message)
        silent = episode.end("Done.")
        episode.undo()
        short = episode.end(scenario.final_message)
        assert (short.success, episode.record and episode.record.calls) == (False, episode.calls)
        assert short.reward is not None and short.reward < 1
        assert len(episode.calls) == scenario.reference_length - 1
        if scenario.kind == "several_goals":
            assert (silent.success, [each.kind for each in silent.outcomes if not each.passed]) == (False, ["answer"])

    assert {kind: (score.reward, score.success, score.problem) for kind, score in scores.items()} == {
        "single_goal": (1.0, True, None),
        "several_goals": (1.0, True, None),
    }


def test_an_episode_that_is_cut_off_has_a_reward(shed: OpenEnvironment) -> None:
    score = shed.start(shed.scenarios[0]).end(None)

    assert (score.reward, score.success, score.problem, score.at_fault) == (0.0, False, None, None)
    assert {(each.kind, each.passed) for each in score.outcomes} == {
        ("goal", False),
        ("answer", False),
        ("guard", True),
    }


def test_arguments_may_be_the_text_of_a_model_and_each_call_says_whose_doing_it_is(shed: OpenEnvironment) -> None:
    episode = shed.start(shed.scenarios[0])
    calls: list[tuple[Any, Any]] = [
        ("find_members", '{"name_contains": "Chiara"}'),
        ("find_items", ""),
        ("find_members", '{"name_contains": '),
        ("find_members", "[1]"),
        ("find_members", {"name_contains": 3}),
        ("list_loans", {"member_id": "MEM-9999"}),
        ("steal", {}),
        (None, {}),
    ]
    results = [episode.call(tool, arguments) for tool, arguments in calls]

    assert [call.outcome for call in episode.calls] == [*["done"] * 2, *["invalid"] * 3, "refused", *["invalid"] * 2]
    assert [call.arguments for call in episode.calls[:3]] == [{"name_contains": "Chiara"}, {}, {}]
    assert [result["success"] for result in results] == [True, True, *[False] * 6]
    assert results[2]["error"] == 'The arguments must be one JSON object, not {"name_contains": '
    assert results[4]["error"] == "Argument 'name_contains' must be a string, not 3."
    assert results[6]["error"].startswith("Unknown tool 'steal'. Available: find_items, find_members")
    assert shed.difference() == ()


def test_a_state_and_its_digest_say_what_was_changed(shed: OpenEnvironment) -> None:
    shed.reset(STATES[0])
    before = shed.digest()

    shed.call("return_item", {"loan_id": "LOA-0003", "condition": "worn"})

    assert [(".".join(each.path), each.before, each.after) for each in shed.difference()] == [
        ("items.ITM-0005.condition", "good", "worn"),
        ("loans.LOA-0003.status", "open", "returned"),
    ]
    assert shed.digest() != before
    assert shed.state()["items"]["ITM-0005"]["condition"] == "worn"
    shed.reset(STATES[0])
    assert (shed.digest(), shed.difference()) == (before, ())


def test_what_the_caller_does_with_its_state_later_changes_nothing(shed: OpenEnvironment) -> None:
    state = json.loads(json.dumps(STATES[0]))
    shed.reset(state)

    state["members"].clear()

    assert shed.difference() == ()


def test_a_name_that_is_not_published_is_refused_with_near_matches(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"Did you mean {SHED}"):
        open_environment("lending-shed", home=home)
    with pytest.raises(UsageError, match=f"Published are: lame-duck, {SHED}"):
        open_environment("xyzzy", home=home)
    with pytest.raises(UsageError, match="nothing is published"):
        open_environment("lending-shed", home=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_scenario_that_is_not_published_is_refused_with_those_that_are(shed: OpenEnvironment) -> None:
    known = shed.scenarios[0].scenario_id

    with pytest.raises(UsageError, match=known):
        shed.start(known[:-1])
    with pytest.raises(UsageError, match="one or the other"):
        shed.start(known, state={})


def test_an_environment_that_does_not_load_says_so_with_the_line(home: Path) -> None:
    with pytest.raises(EnvironmentFault, match="lame-duck does not load: ZeroDivisionError") as caught:
        open_environment("lame-duck", home=home, sandbox=SANDBOX)

    assert (caught.value.reason, caught.value.line) == ("load_error", 2)


def test_the_door_needs_no_orchestrator_and_a_file_needs_no_warehouse(home: Path, tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    program = f"""
import sys
from pathlib import Path
from tasks.environments import open_environment
assert "duckdb" not in sys.modules and "pyarrow" not in sys.modules
with open_environment({str(tmp_path / "counter.py")!r}) as counter:
    print(counter.call("add", {{"amount": 2}})["data"])
assert "duckdb" not in sys.modules and "pyarrow" not in sys.modules
with open_environment({SHED!r}, home=Path({str(home)!r})) as shed:
    print(shed.start(shed.scenarios[0]).end("").reward)
assert "prefect" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("2\n0.0\n", 0), done.stderr


# A file


def test_a_file_is_an_environment(counter: OpenEnvironment) -> None:
    assert [each["function"]["name"] for each in counter.tools] == ["add", "read", "fail"]
    assert (counter.policy, counter.scenarios) == ("", ())
    assert counter.call("add", {"amount": 2}) == {"success": True, "data": 2}
    counter.reset({"number": 5, "names": ["x"], "nmaes": []})
    assert counter.ignored == ("nmaes",)
    assert counter.difference() == ()
    counter.call("add", {"amount": 1})
    assert [(each.path, each.before, each.after) for each in counter.difference()] == [(("number",), 5, 6)]


def test_what_the_class_adds_to_a_given_state_is_no_difference(counter: OpenEnvironment) -> None:
    counter.reset({"number": 5})

    assert counter.state() == {"number": 5, "names": []}
    assert counter.difference() == ()


@pytest.mark.parametrize(
    ("code", "class_name", "reason", "line", "words"),
    [
        ("class A:\n    def x(self:\n", "", "syntax_error", 2, "never closed"),
        ("import socket\nclass A:\n    def t(self): ...\n", "", "import_refused", 1, "socket"),
        ("class A:\n    def t(self): ...\n\nraise ValueError('no')\n", "", "load_error", 4, "ValueError: no"),
    ],
)
def test_code_that_does_not_load_is_a_fault_with_its_line(
    tmp_path: Path, code: str, class_name: str, reason: str, line: int | None, words: str
) -> None:
    with pytest.raises(EnvironmentFault, match=re.escape(words)) as caught:
        opened(tmp_path, code, class_name)

    assert (caught.value.reason, caught.value.line) == (reason, line)


@pytest.mark.parametrize(
    ("code", "class_name", "words"),
    [
        ("", "", "There is nothing in"),
        ("x = 1\n", "", "no public class"),
        ("class A:\n    pass\n", "", "no public class"),
        ("class A:\n    def t(self): ...\nclass C: ...\n", "B", "no class 'B'. It has A, C."),
        ("", "B", "no class at all"),
    ],
)
def test_a_file_without_the_class_is_refused_with_those_it_has(
    tmp_path: Path, code: str, class_name: str, words: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        opened(tmp_path, code, class_name)


def test_a_class_that_others_build_on_is_not_the_environment_and_of_several_one_must_be_named(tmp_path: Path) -> None:
    base = "class Base:\n    def t(self): return {}\n\nclass Mine(Base):\n    pass\n"
    with opened(tmp_path, base) as mine:
        assert mine.subject.class_name == "Mine"
    with pytest.raises(UsageError, match=r"Choose one: .*counter.py:Mine, .*counter.py:Other"):
        opened(tmp_path, base + "\nclass Other:\n    def t(self): return {}\n")
    with opened(tmp_path, base + "\nclass Other:\n    def t(self): return {}\n", "Other") as other:
        assert other.subject.class_name == "Other"


def test_a_file_that_can_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(bytes(range(256)))

    with pytest.raises(UsageError, match="no UTF-8"):
        open_environment(tmp_path / "binary.py")
    for source in (tmp_path, tmp_path / "none.py", "./none.py"):
        with pytest.raises(UsageError, match="Can't read"):
            open_environment(source)


@pytest.mark.parametrize(
    ("statement", "reason", "line"),
    [
        ("raise SystemExit(2)", "init_error", 3),
        ("self.x = {1}", "state_not_json", None),
        ("import random; random._os._exit(3)", "exit", None),
        ("self.x = config['x']", "init_error", 3),
    ],
)
def test_a_constructor_that_fails_is_a_fault(tmp_path: Path, statement: str, reason: str, line: int | None) -> None:
    code = f"class A:\n    def __init__(self, config=None):\n        {statement}\n    def t(self): return {{}}\n"
    with opened(tmp_path, code) as environment:
        for begin in (environment.reset, environment.start, lambda: environment.call("t", {})):
            with pytest.raises(EnvironmentFault, match="the class can't start") as caught:
                begin()
            assert (caught.value.reason, caught.value.line) == (reason, line)


def test_a_state_that_does_not_fit_is_told_from_a_class_that_does_not_start(counter: OpenEnvironment) -> None:
    with pytest.raises(StateUnfit, match="from this state: TypeError") as caught:
        counter.reset({"number": "five"})
    assert caught.value.line == 9
    not_states: list[Any] = [[1], "x", {"number": {1}}, {"number": float("nan")}]
    for state in not_states:
        with pytest.raises(UsageError):
            counter.reset(state)

    counter.reset({"number": 5})

    assert counter.call("read", {})["data"] == 5


# When the environment breaks


@pytest.mark.parametrize(
    ("how", "reason", "line"),
    [("raise", "tool_raised", 33), ("exit", "exit", None), ("result", "result_not_json", None)]
    + [("list", "result_no_object", None)],
)
def test_an_environment_that_breaks_is_not_scored_and_goes_on_after_an_undo(
    counter: OpenEnvironment, how: str, reason: str, line: int | None
) -> None:
    episode = counter.start()
    episode.call("add", {"amount": 2})
    for tool, arguments in (("fail", {"how": how}), ("read", {})):
        with pytest.raises(EnvironmentFault) as caught:
            episode.call(tool, arguments)
        assert (caught.value.reason, caught.value.line) == (reason, line)
    score = episode.end("Done.")

    assert (score.reward, score.success, score.at_fault, score.outcomes) == (None, None, "environment", ())
    assert score.problem is not None and score.problem.startswith("the environment is at fault, not the agent: tool")
    assert episode.end("Done.") == score
    assert [call.outcome for call in episode.calls] == ["done", "broken"]
    undone = episode.undo()
    assert undone is not None and undone.arguments == {"how": how}
    assert episode.call("read", {}) == {"success": True, "data": 2}
    assert episode.end("Done.").at_fault == "scenario"


def test_a_state_that_can_no_longer_be_read_is_found_at_the_end(counter: OpenEnvironment) -> None:
    episode = counter.start()
    assert episode.call("fail", {"how": "state"})["success"] is False

    score = episode.end()

    assert (score.reward, score.at_fault) == (None, "environment")
    with pytest.raises(EnvironmentFault) as caught:
        counter.state()
    assert caught.value.reason == "state_not_json"


def test_calls_without_an_episode_raise_the_fault_and_a_reset_goes_on(counter: OpenEnvironment) -> None:
    counter.reset({"number": 1})
    with pytest.raises(EnvironmentBroken) as caught:
        counter.call("fail", {"how": "raise"})
    assert (caught.value.tool, caught.value.line) == ("fail", 33)
    for _ in range(2):
        with pytest.raises(EnvironmentFault):
            counter.call("fail", {"how": "exit"})
    with pytest.raises(EnvironmentFault):
        counter.state()

    counter.reset({"number": 1})

    assert counter.call("add", {"amount": 1})["data"] == 2


def test_an_environment_that_does_not_do_the_same_again_is_found_by_undo(tmp_path: Path) -> None:
    code = """
class Odd:
    seen = []

    def look(self) -> dict:
        self.seen.append(1)
        return {"success": True, "data": len(self.seen)}
"""
    with opened(tmp_path, code) as odd:
        episode = odd.start()
        episode.call("look", {})
        episode.call("look", {})
        with pytest.raises(EnvironmentFault) as caught:
            episode.undo()
        assert caught.value.reason == "not_deterministic"
        assert episode.end().at_fault == "environment"


def test_an_episode_does_not_go_on_in_an_environment_that_was_used_by_others(shed: OpenEnvironment) -> None:
    first = shed.start(shed.scenarios[0])
    ended = first.end()
    second = shed.start(shed.scenarios[1])
    for forbidden in (lambda: first.call("find_items", {}), first.undo, first.restart):
        with pytest.raises(EpisodeOver):
            forbidden()
    assert first.end() == ended, "what was read at its end still stands"
    second.call("find_items", {})
    shed.call("find_items", {})
    with pytest.raises(EpisodeOver):
        second.end()


def test_an_episode_can_be_taken_back_call_by_call_and_as_a_whole(shed: OpenEnvironment) -> None:
    scenario = shed.scenarios[0]
    episode = shed.start(scenario)
    before = shed.digest()
    marks = []
    for step in shed.reference(scenario):
        marks.append(shed.digest())
        episode.follow(step)
    end = shed.digest()
    episode.call("steal", {})
    episode.undo()
    assert (len(episode.calls), shed.digest()) == (len(marks), end)
    while marks:
        episode.undo()
        assert shed.digest() == marks.pop()
    assert (episode.undo(), shed.digest()) == (None, before)
    for step in shed.reference(scenario):
        episode.follow(step)

    episode.restart()

    assert (episode.calls, shed.digest()) == ((), before)


def test_a_closed_environment_says_that_it_is_closed(counter: OpenEnvironment) -> None:
    counter.close()
    counter.close()

    for use in (counter.state, counter.reset, lambda: counter.call("read", {})):
        with pytest.raises(UsageError, match="is closed"):
            use()
