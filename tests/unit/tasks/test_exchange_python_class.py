"""Hand-written classes through the adapter: the right ones are accepted, each known fault is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UsageError
from tasks.exchange.adapter import Adapted, adapt
from tasks.exchange.adapter_options import AdapterOptions
from tasks.exchange.foreign_class import read_class
from tasks.exchange.python_class import read_python_class
from tasks.imports.folder import ImportsFolder
from tasks.imports.importing import judge_import
from tasks.imports.outcome import ImportOutcome
from tasks.runtime.source_files import read_class as read_class_to_play
from tasks.sandbox.base import EnvironmentSession
from tests.fakes.foreign.catalogue import CASES, ForeignCase
from tests.fakes.sandbox import SANDBOX


def imported(home: Path, target: str, **options: Any) -> ImportOutcome:
    folder = ImportsFolder(home).keep(read_python_class(target, **options))
    return judge_import(folder, sandbox=SANDBOX, seed=0)


def module(tmp_path: Path, code: str, name: str = "Thing") -> str:
    path = tmp_path / "thing.py"
    path.write_text(code)
    return f"{path}:{name}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.target.partition(".")[0])
def test_each_known_fault_is_named_and_the_right_ones_are_accepted(case: ForeignCase, tmp_path: Path) -> None:
    outcome = imported(tmp_path, case.path)

    assert outcome.reason == case.fault, outcome.detail
    assert outcome.status == ("rejected" if case.fault else "accepted")
    assert case.said in (outcome.detail or "")
    assert outcome.skeleton.author == outcome.topic.author == outcome.logic_model.author == "import"
    if case.fault is None:
        assert outcome.skeleton_validation.tools_covered == outcome.skeleton.tool_count == len(outcome.tools)
        assert [each.status for each in outcome.initial_states] == ["accepted"]


def test_what_is_known_of_a_class_is_stored_with_it(tmp_path: Path) -> None:
    outcome = imported(tmp_path, CASES[1].path)

    kinds = {tool.name: tool.kind for tool in outcome.tools}
    assert kinds["list_tickets"] == "query" and kinds["resolve_ticket"] == "state_change"
    (assign,) = [tool for tool in outcome.tools if tool.name == "assign_ticket"]
    assert assign.writes == ["tickets"] and assign.description == "Give a ticket to an agent who is available."
    assert json.loads(assign.parameters_json)["properties"]["agent_id"] == {
        "type": "string",
        "description": "Id of the agent.",
    }
    entities = json.loads(outcome.logic_model.model_json)["entities"]
    assert [(each["name"], each["collection"], each["key"]) for each in entities] == [
        ("agent", "agents", "agent_id"),
        ("ticket", "tickets", "ticket_id"),
    ]


DO = "  def do(self) -> int:\n    'Do it.'\n"
FLAWED = {
    "a foreign module": (f"import requests\nclass Thing:\n{DO}    return 1\n", "forbidden_import", "requests"),
    "no method": ("class Thing:\n  x = 1\n", "no_tools", "no public method"),
    "no type": (
        "class Thing:\n  def do(self, what):\n    'Do it.'\n",
        "annotation_missing",
        "do (line 2): parameter 'what'",
    ),
    "a star": ("class Thing:\n  def do(self, *what: int):\n    'Do it.'\n", "annotation_missing", "*what"),
    "a coroutine": ("class Thing:\n  async def do(self) -> int:\n    'Do it.'\n", "annotation_missing", "async"),
    "no docstring": ("class Thing:\n  def do(self) -> int:\n    return 1\n", "docstring_missing", "do (line 2)"),
    "an argument of its own": (
        f"class Thing:\n  def __init__(self, a):\n    print(a)\n{DO}",
        "constructor_needs_arguments",
        "needs a",
    ),
    "a function as state": (f"class Thing:\n  def __init__(self):\n    self.a = open\n{DO}", "state_not_json", "['a']"),
    "an object as result": (f"class Thing:\n{DO}    return object()\n", "result_not_json", "do("),
    "a missing key": (f"class Thing:\n{DO}    return {{}}['x']\n", "uncaught_exception", "KeyError"),
    "state in the module": (
        f"_all = []\nclass Thing:\n{DO}    _all.append(1)\n    return len(_all)\n",
        "state_does_not_survive",
        "do(",
    ),
}


@pytest.mark.parametrize("name", FLAWED)
def test_what_keeps_a_class_from_being_used_is_one_reason(name: str, tmp_path: Path) -> None:
    code, reason, said = FLAWED[name]
    outcome = imported(tmp_path, module(tmp_path, code))

    assert (outcome.status, outcome.reason) == ("rejected", reason), outcome.detail
    assert said in (outcome.detail or "")


@pytest.mark.parametrize(
    ("code", "refused", "reason", "said"),
    [
        ("class Thing:\n  def do(self\n", r"thing\.py: .*\(line 2\)\. Mend", "does_not_parse", "line"),
        ("class Other:\n  pass\n", "no class 'Thing'. It has Other", "class_missing", "Thing"),
    ],
)
def test_code_without_the_class_is_refused_in_a_file_and_judged_where_it_comes_in_an_entry(
    tmp_path: Path, code: str, refused: str, reason: str, said: str
) -> None:
    kept = read_python_class(module(tmp_path, f"class Thing:\n{DO}    return 1\n"))
    with pytest.raises(UsageError, match=refused):
        read_python_class(module(tmp_path, code))

    entry = ImportsFolder(tmp_path).keep(kept.model_copy(update={"code": code}))
    outcome = judge_import(entry, sandbox=SANDBOX, seed=0)

    assert (outcome.status, outcome.reason) == ("rejected", reason), outcome.detail
    assert said in (outcome.detail or "")


COMPANY = f"""
from dataclasses import dataclass
from enum import Enum

class Colour(Enum):
  RED = "red"

@dataclass
class Item:
  name: str = ""

class Base:
{DO}    return 1

class Shop(Base):
  pass
"""


def test_only_classes_with_tools_that_no_other_builds_on_are_a_choice(tmp_path: Path) -> None:
    path = Path(module(tmp_path, COMPANY).removesuffix(":Thing"))
    assert read_python_class(str(path)).class_name == read_class_to_play(path).class_name == "Shop"

    path.write_text(f"{COMPANY}\nclass Bar(Base):\n  pass\n")
    for read in (lambda: read_python_class(str(path)), lambda: read_class_to_play(path)):
        with pytest.raises(UsageError, match=r"Choose one: \S+:Shop, \S+:Bar$"):
            read()

    path.write_text("class A(:\n")
    with pytest.raises(UsageError, match=r"invalid syntax \(line 1\)"):
        read_python_class(str(path))


BANK = '''
class Refused(Exception):
    pass

class Thing:
    def __init__(self) -> None:
        self.money = 10
        self.log: list[str] = []
        self._secret = {"a": 1}

    def pay(self, amount: int, words: list[str] = []) -> dict:
        """Pay.

        Args:
            amount: How much.
            words: Notes.
        """
        self.money -= amount
        self.log.extend(words)
        if amount > 10:
            raise Refused("too much")
        if amount == 7:
            return {"error": "unlucky", "at": 7}
        if amount == 8:
            return "Error: eight"
        if amount == 0:
            1 / amount
        return self._secret

    def read(self, name: str) -> int:
        """Read.

        Args:
            name: What.

        Raises:
            KeyError: there is none.
        """
        return self._secret[name]
'''


def adapted(**options: Any) -> Adapted:
    made = adapt(read_class(BANK, "Thing"), AdapterOptions(**options))
    assert isinstance(made, Adapted)
    return made


def after(session: EnvironmentSession, tool: str, **arguments: Any) -> tuple[Any, Any]:
    """Result and state of one call on a fresh instance."""
    session.init(None)
    step = session.step(tool, arguments)
    return step.error if step.error else step.result, session.snapshot()


def test_an_adapter_keeps_the_contract_whatever_the_class_does() -> None:
    start = {"money": 10, "log": [], "secret": {"a": 1}}
    made = adapted()
    with SANDBOX.environment(made.code, made.class_name) as session:
        assert after(session, "pay", amount=3) == ({"success": True, "data": {"a": 1}}, {**start, "money": 7})
        assert after(session, "pay", amount=11, words=["x"]) == ({"success": False, "error": "too much"}, start)
        assert after(session, "pay", amount=7) == ({"success": False, "error": "unlucky"}, start)
        assert after(session, "pay", amount=8) == ({"success": False, "error": "Error: eight"}, start)
        assert after(session, "pay", amount=True)[0]["error"] == "argument 'amount' must be of type integer"
        assert after(session, "read", name="a") == ({"success": True, "data": 1}, start)
        assert after(session, "read", name="b") == ({"success": False, "error": "b"}, start)
        crash, state = after(session, "pay", amount=0)
        assert crash == "ZeroDivisionError: division by zero (line 27)" and state == start


def test_which_exceptions_are_refusals_can_be_told() -> None:
    made = adapted(exceptions=("ArithmeticError",))
    with SANDBOX.environment(made.code, made.class_name) as session:
        assert after(session, "pay", amount=0)[0] == {"success": False, "error": "division by zero"}


def test_a_state_is_set_by_attribute_and_nothing_else() -> None:
    made = adapted()
    with SANDBOX.environment(made.code, made.class_name) as session:
        session.init({"money": 3, "secret": {"b": 2}})
        assert session.snapshot() == {"money": 3, "log": [], "secret": {"b": 2}}
        for state, words in (({"pay": 1}, "would overwrite a method"), ({"mony": 1}, "is no attribute of the class")):
            with pytest.raises(Exception, match=words):
                session.init(state)


def test_options_that_can_not_be_understood_are_refused_with_what_is_known(tmp_path: Path) -> None:
    target = module(tmp_path, BANK)
    (tmp_path / "thing.yaml").write_text("laod: attributes\n")
    with pytest.raises(UsageError, match="laod.*Known are: tools, load"):
        read_python_class(target)


@pytest.mark.parametrize(
    "options",
    ["tools: [pay, nosuch]", "kinds: {nosuch: query}", "examples: {nosuch: [{}]}", "load: nosuch", "dump: nosuch"],
)
def test_options_that_name_a_method_which_is_not_there_are_refused_with_those_that_are(
    tmp_path: Path, options: str
) -> None:
    target = module(tmp_path, BANK)
    (tmp_path / "thing.yaml").write_text(f"{options}\n")
    option = options.partition(":")[0]
    with pytest.raises(UsageError, match=rf"thing.yaml: .*{option}: 'nosuch'\. Its public methods are: pay"):
        read_python_class(target)
