"""`envmill play` as a script uses it, and the page that tells people how to use an environment."""

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from flows.commands.registered import app
from flows.typed_arguments import typed_arguments
from schemas.errors import UsageError
from tests.fakes.lending_shed import STATES
from tests.fakes.lending_shed_environment import __file__ as SHED_FILE
from tests.fakes.lending_shed_home import POLICY, publish_shed
from tests.fakes.lending_shed_scenarios import SKELETON

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-an-environment.md"
Play = Callable[..., Result]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    publish_shed(home)
    return home


@pytest.fixture
def play(home: Path) -> Play:
    """Play with these lines; no option but the home is given."""

    def call(environment: object, *options: object, lines: str = "") -> Result:
        arguments = ["play", str(environment), "--home", str(home), *map(str, options)]
        return CliRunner().invoke(app, arguments, input=lines, catch_exceptions=False)

    return call


def test_a_scenario_is_played_scored_and_taken_back(play: Play) -> None:
    played = play(
        SKELETON.slug,
        "--scenario",
        2,
        lines="""
            task
            # the welding set of Chiara Rossi
            score
            find_members name_contains="Chiara Rossi"
            call extend_loan loan_id=LOA-0003 due_on=2025-04-20
            extend_loan {"loan_id": "LOA-0003", "due_on": "2025-04-21"}
            extend_loan loan_id=LOA-0003
            diff
            state loans.LOA-0003.due_on
            score Done.
            calls
            undo
            undo
            undo
            diff
            score
            reset
            calls
            quit
            nobody reads this
        """,
    )

    assert played.exit_code == 0
    said = played.stdout
    assert said.startswith(f"{SKELETON.title} ({SKELETON.slug}): 8 tools, starts from the initial state of scn_")
    assert said.count("Chiara Rossi needs the welding set longer.") == 2
    assert _in_order(
        said,
        "Reward 0, not solved.",
        '"full_name": "Chiara Rossi"',
        '"due_on": "2025-04-20"',
        '"error": "Only an open loan',
        '"error": "Missing argument \'due_on\': a string."',
        '~ loans.LOA-0003.due_on: "2025-04-12" -> "2025-04-20"',
        "~ loans.LOA-0003.is_extended: false -> true",
        '"2025-04-20"\n',
        "  1  holds   goal",
        "Reward 1, solved.",
        '  2  done     extend_loan {"loan_id": "LOA-0003", "due_on": "2025-04-20"}',
        "  3  refused  extend_loan",
        "  4  invalid  extend_loan",
        'Taken back: extend_loan {"loan_id": "LOA-0003"}',
        "Nothing has changed.",
        "Reward 0, not solved.",
        "Back at the start.",
        "No call was made yet.",
    )
    assert "nobody" not in said
    assert "> " not in said.replace("-> ", "")


def test_tools_scenarios_and_policy_are_told(play: Play) -> None:
    said = play(SKELETON.slug, lines="help\ntools\ntool lend_item\nscenarios\npolicy\nsay Bye\n").stdout

    assert "starts from the published state sta_" in said
    assert "call NAME key=value ... | {json}" in said
    assert "* lend_item(member_id, item_id, days)  Lend an item" in said
    assert "  find_items([name_contains], [category], [is_available])" in said
    assert '"description": "Length of the loan in days, 1 to the longest loan of the shed."' in said
    assert len(re.findall(r"^ +\d  scn_[0-9a-f]{16}  \w", said, re.MULTILINE)) == 2
    assert POLICY in said
    assert "Kept as the final message." in said


def test_what_can_not_be_obeyed_is_answered_and_ends_nothing(play: Play) -> None:
    played = play(
        SKELETON.slug,
        lines="""
            dance
            call steal
            call
            lend_item days
            lend_item {"days": 3
            lend_item item_id="x
            state members.MEM-0001.shoe
            state loans.LOA-0001.lent_at.0
            task
            score
            find_items name_contains=[red]
        """,
    )

    assert played.exit_code == 0
    assert _in_order(
        played.stdout,
        "There is no command 'dance'.",
        "There is no tool 'steal'. The tools: find_items, find_members",
        "Which tool?",
        "'days' is no key=value.",
        "The arguments are no JSON",
        "Can't read the arguments: No closing quotation.",
        "There is no 'shoe' in members.MEM-0001. There: ",
        "There is no '0' in loans.LOA-0001.lent_at.",
        "No scenario is being played.",
        "Only a scenario can be scored.",
        '"data": []',
    )


def test_a_file_is_played_from_a_state_of_ones_own(play: Play, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text(json.dumps({**STATES[0], "membres": {}}))

    said = play(f"{SHED_FILE}:LendingShed", "--state", state, lines="find_members name_contains=Ada\ndiff\n").stdout

    assert "8 tools, starts from the state in" in said
    assert "The class has no attribute 'membres'" in said
    assert _in_order(said, '"full_name": "Ada Okoro"', "Nothing has changed.")


def test_an_environment_that_breaks_is_named_as_faulty_and_can_be_taken_back(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text("class Odd:\n    def ok(self): return {}\n    def bad(self): return 1 / 0\n")

    played = play(path, lines="ok\nbad\nok\ndiff\nundo\nok\n")

    assert played.exit_code == 0
    fault = "The environment is at fault, not your call: tool 'bad': ZeroDivisionError"
    since = "Not done: the environment is broken since call 2, bad."
    assert _in_order(
        played.stdout, fault, "(line 3) [tool_raised]", since, "Nothing has changed.", "Taken back: bad", "{}"
    )
    assert played.stdout.count("ZeroDivisionError") == 1


def test_a_process_that_died_is_told_once_and_its_words_are_not_said_again(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "class Odd:\n    def ok(self): return {'success': True}\n    def bad(self):\n        while True: pass\n"
    )

    said = play(path, lines="bad\nok\nstate\nreset\nok\n").stdout

    assert said.count("not your call") == 1
    assert said.count("Not done: the environment is broken since call 1, bad.") == 2
    assert _in_order(said, "Back at the start.", '"success": true')


def test_a_class_of_plain_values_is_told_once_what_adapts_it(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("class Plain:\n    def one(self): return 1\n    def two(self): return {'data': 2}\n")

    said = play(path, lines="two\none\nundo\none\n").stdout

    assert said.count(f"`envmill import --format python-class {path}:Plain` puts an adapter around it") == 1
    assert said.count("returned 1, which is no object [result_no_object]") == 2


@pytest.mark.parametrize("line", ["undo 2", "reset now", "diff members", "tools x", "policy x", "quit now", "calls 1"])
def test_words_that_a_command_does_not_take_are_refused_and_nothing_is_done(play: Play, line: str) -> None:
    said = play(
        SKELETON.slug, "--scenario", 2, lines=f"extend_loan loan_id=LOA-0003 due_on=2025-04-20\n{line}\ncalls\n"
    )

    name, _, rest = line.partition(" ")
    assert f'{name} takes nothing behind it, so "{rest}" was not understood and nothing done.' in said.stdout
    assert "  1  done     extend_loan" in said.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("lending-shed",), 2, ("Did you mean", SKELETON.slug)),
        (("./none.py",), 2, ("none.py", "No such file")),
        ((SKELETON.slug, "--scenario", "9"), 2, ("'9'", "There are: 1 (scn_", "), 2 (scn_")),
        ((SKELETON.slug, "--scenario", "0"), 2, ("'0'", "There are: 1 (scn_")),
        ((SKELETON.slug, "--scenario", "x"), 2, ("'x'", "There are: 1 (scn_", "), 2 (scn_")),
        ((SKELETON.slug, "--scenario", "-1"), 2, ("'-1'", "There are: 1 (scn_")),
        ((f"{SHED_FILE}:LendingShed", "--scenario", "1"), 2, ("'1'", "None is published")),
        ((SKELETON.slug, "--scenario", "1", "--state", "x.json"), 2, ("--state",)),
        ((SKELETON.slug, "--state", "none.json"), 2, ("none.json", "No such file")),
        ((SKELETON.slug, "--state", str(PAGE)), 2, ("no JSON",)),
        ((SHED_FILE.replace("_environment", ""),), 2, ("no public class",)),
        ((f"{SHED_FILE}:Zed",), 2, ("'Zed'", "It has LendingShed")),
        ((str(PAGE),), 2, (str(PAGE), "no Python file")),
    ],
)
def test_what_can_not_be_opened_is_refused_with_what_there_is(
    play: Play, arguments: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    refused = play(*arguments, lines="tools\n")

    assert (refused.exit_code, refused.stdout) == (code, "")
    assert all(word in refused.stderr for word in words), refused.stderr


def test_a_state_that_does_not_fit_is_refused_with_the_line(play: Play, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text('{"settings": [1]}')

    refused = play(f"{SHED_FILE}:LendingShed", "--state", state)

    assert refused.exit_code == 2
    assert re.search(r"can't start from this state: TypeError: .*\(line \d+\) \[init_error\]", refused.stderr)
    assert f"The state in {state} does not fit" in refused.stderr and "without --state" in refused.stderr


@pytest.mark.parametrize("number", ["1e400", "NaN", "-Infinity"])
@pytest.mark.parametrize("form", ["days={}", '{{"days": {}}}'])
def test_a_number_that_json_has_not_is_named_with_its_argument(play: Play, number: str, form: str) -> None:
    played = play(SKELETON.slug, lines=f"lend_item {form.format(number)}\n")

    assert re.search(
        r"The arguments are no plain JSON: (inf|nan|-inf) is not a JSON number at \['days'\]", played.stdout
    )


def test_of_two_classes_that_build_on_each_other_the_last_is_the_environment_of_others_one_is_named(
    play: Play, tmp_path: Path
) -> None:
    file, tool = tmp_path / "two.py", '    def look(self) -> dict:\n        return {"success": True}\n'
    file.write_text(f"class A:\n{tool}\n\nclass B(A):\n    pass\n")
    built_upon = play(file)
    file.write_text(f"class A:\n{tool}\n\nclass B:\n{tool}")
    apart = play(file)

    assert built_upon.exit_code == 0 and built_upon.stdout.startswith("B (")
    assert apart.exit_code == 2 and f"{file}:A, {file}:B" in apart.stderr


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("x=7", {"type": "integer"}, 7),
        ("x=7", {"type": "string"}, "7"),
        ("x=7", {"type": ["string", "null"]}, "7"),
        ("x=null", {"type": ["string", "null"]}, None),
        ("x=null", {"type": "string"}, "null"),
        ("x=seven", {"type": "integer"}, "seven"),
        ("x='[\"a\", 1]'", {"type": "array"}, ["a", 1]),
        ('x="two words"', {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]}, "two words"),
        ("x=a=b", {}, "a=b"),
        ("x=", {"type": "string"}, ""),
        ('{"x": true}', {"type": "string"}, True),
    ],
)
def test_typed_values_become_what_the_tool_takes(text: str, schema: dict[str, Any], value: Any) -> None:
    assert typed_arguments(text, {"properties": {"x": schema}}) == {"x": value}


@pytest.mark.parametrize("text", ["x", "=1", "x=1 x=2", "[1]", '{"x"', 'x="', "{} {}"])
def test_what_is_no_argument_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        typed_arguments(text, {})


def test_the_code_of_the_how_to_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    page = PAGE.read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (slug,) = set(re.findall(r'open_environment\("([a-z-]+)"\)', page))
    publish_shed(tmp_path / "home", slug=slug)
    monkeypatch.setenv("ENVMILL_HOME", str(tmp_path / "home"))
    said = []
    for number, program in enumerate(programs):
        path = tmp_path / f"program_{number}.py"
        path.write_text(program, encoding="utf-8")
        runpy.run_path(str(path))
        said.append(capsys.readouterr().out)

    assert len(programs[0].strip().splitlines()) <= 11
    assert "reward=1.0, success=True, problem=None" in said[0]
    assert said[1] == "0.0 False None\n"
    command = re.search(r"^envmill (play .*)$", page, re.MULTILINE)
    assert command
    assert CliRunner().invoke(app, command[1].split(), input="task\n").exit_code == 0


def _in_order(said: str, *words: str) -> bool:
    place = 0
    for word in words:
        place = said.find(word, place)
        assert place >= 0, f"{word!r} is missing or comes too early:\n{said}"
        place += len(word)
    return True
