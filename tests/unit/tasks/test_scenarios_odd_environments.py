"""Scenarios on environments that are hardly any, and checks that do what a check must not."""

import json
from typing import Any

import pytest

from schemas.ids import make_id
from schemas.logic_models import Attribute, Entity, LogicModel, Operation, Parameter
from schemas.scenarios import ScenarioDraft
from schemas.skeletons import Skeleton, Tool
from tasks.authors.base import ScenariosDraft, StatesDraft
from tasks.runtime.signature import tools_of
from tasks.sandbox.zygote import ZygoteSandbox
from tasks.scenarios.generate import ScenarioOutcome, generate_scenarios
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import TOPIC
from tests.fakes.lending_shed_scenarios import EXTEND, SKELETON, check, fate, generate, step, with_checks
from tests.fakes.sandbox import SANDBOX

_CODE = '''
import copy


class Cellar:
    """Bottles and where they lie."""

    def __init__(self, config: dict | None = None):
        given = copy.deepcopy(config or {})
        self.now = given.get("now", "2025-05-05T09:00:00")
        self.bottles = given.get("bottles", {})

    def find_bottles(self, label: str) -> dict:
        """Find bottles.

        Args:
            label: Part of the label.
        """
        found = [dict(each) for each in self.bottles.values() if label.lower() in each["label"].lower()]
        return {"success": True, "data": found}
{more}'''
_MOVE = '''
    def move_bottle(self, bottle_id: str, shelf: str) -> dict:
        """Move a bottle.

        Args:
            bottle_id: Which.
            shelf: Where to.
        """
        {refuse}if bottle_id not in self.bottles:
            return {"success": False, "error": "no such bottle"}
        self.bottles[bottle_id]["shelf"] = shelf
        return {"success": True, "message": "moved"}
'''
_ENTITY = Entity(
    name="bottle",
    collection="bottles",
    key="bottle_id",
    id_prefix="BOT",
    description="A bottle.",
    attributes=(
        Attribute(name="bottle_id", type="string", description="Own id."),
        Attribute(name="label", type="string", description="Label.", max_length=100_000),
        Attribute(name="shelf", type="string", description="Shelf."),
    ),
)
_FIND = Operation(
    name="find_bottles",
    kind="query",
    description="Find bottles.",
    parameters=(Parameter(name="label", type="string", description="Part of the label."),),
    reads=("bottles",),
)
_MOVES = Operation(
    name="move_bottle",
    kind="state_change",
    description="Move a bottle.",
    parameters=(
        Parameter(name="bottle_id", type="reference", to="bottles", description="Which."),
        Parameter(name="shelf", type="string", description="Where to."),
    ),
    reads=("bottles",),
    writes=("bottles",),
    errors=("no such bottle",),
)
QUESTION = ScenarioDraft(
    kind="question",
    task="On which shelf is the Barolo?",
    reference=(step("find_bottles", label="Barolo"),),
    final_message="The Barolo is on shelf north 3.",
    checks=(check('return "north 3" in trajectory["final_message"].lower()', "answer"),),
)
MOVE = ScenarioDraft(
    kind="single_goal",
    task="Please put the Barolo on shelf south 1.",
    reference=(
        step("find_bottles", label="Barolo"),
        step("move_bottle", bottle_id=(0, "data", 0, "bottle_id"), shelf="south 1"),
    ),
    final_message="Done: the Barolo is on shelf south 1.",
    checks=(),
)


def bottle(number: int, label: str, shelf: str) -> dict[str, Any]:
    return {"bottle_id": f"BOT-{number:04d}", "label": label, "shelf": shelf}


def cellar(*bottles: dict[str, Any]) -> dict[str, Any]:
    return {"now": "2025-05-05T09:00:00", "bottles": {each["bottle_id"]: each for each in bottles}}


BAROLO, MOSEL = bottle(1, "Barolo 2015", "north 3"), bottle(2, "Mosel Riesling 2019", "south 1")


def outcome_of(
    draft: ScenarioDraft, *operations: Operation, more: str = "", state: dict[str, Any] | None = None
) -> ScenarioOutcome:
    """The stage on a cellar with these tools."""
    code = _CODE.replace("{more}", more)
    model = LogicModel(
        title="Cellar", class_name="Cellar", summary="Bottles.", entities=(_ENTITY,), rules=(), operations=operations
    )
    skeleton = Skeleton.model_validate(
        {**SKELETON.model_dump(), "skeleton_id": make_id("skl", code), "class_name": "Cellar", "code": code}
    )
    kinds = {each.name: each.kind for each in operations}
    tools = tuple(
        Tool(
            tool_id=make_id("tol", each.name),
            skeleton_id=skeleton.skeleton_id,
            name=each.name,
            kind=kinds[each.name],
            description=each.summary,
            parameters_json=json.dumps(each.parameters),
            reads=list(each.reads),
            writes=list(each.writes),
            enforces=[],
        )
        for each in tools_of(code, "Cellar")
    )
    author = ScriptedAuthor()
    author.enqueue("draft_initial_states", StatesDraft(states=(state or cellar(BAROLO, MOSEL),)))
    author.enqueue("draft_scenarios", ScenariosDraft(scenarios=(draft,)))
    return generate_scenarios(
        skeleton, model, tools, TOPIC, author=author, sandbox=SANDBOX, seed=1, state_count=1, scenarios_per_state=1
    )


def test_an_environment_that_can_only_be_asked_has_questions() -> None:
    outcome = outcome_of(QUESTION, _FIND)

    (row,) = outcome.scenarios
    assert (row.status, row.reason, row.write_count, row.kind) == ("accepted", None, 0, "question")
    assert {each.trial for each in outcome.scenario_validations} >= {"reference", "no_op"}


def test_what_wants_to_change_an_environment_without_such_a_tool_is_rejected() -> None:
    assert fate(outcome_of(MOVE, _FIND)) == ("rejected", "unknown_tool")


@pytest.mark.parametrize("bottles", [(BAROLO,), (BAROLO, MOSEL)], ids=["one record", "two records"])
def test_an_environment_with_one_entity_has_scenarios(bottles: tuple[dict[str, Any], ...]) -> None:
    outcome = outcome_of(MOVE, _FIND, _MOVES, more=_MOVE.replace("{refuse}", ""), state=cellar(*bottles))

    assert fate(outcome) == ("accepted", None)
    # Without another bottle there is no neighbour to mistake it for.
    assert ("neighbour_entity" in {each.trial for each in outcome.scenario_validations}) is (len(bottles) > 1)


def test_a_state_of_a_megabyte_is_worked_with() -> None:
    many = [bottle(number, f"Wine {number} {'long ago ' * 10}", f"west {number}") for number in range(3, 7_000)]
    state = cellar(BAROLO, MOSEL, *many)
    assert len(json.dumps(state)) > 1_000_000
    outcome = outcome_of(MOVE, _FIND, _MOVES, more=_MOVE.replace("{refuse}", ""), state=state)

    assert fate(outcome) == ("accepted", None)
    assert (outcome.initial_states[0].record_count, outcome.initial_states[0].status) == (6_999, "accepted")


def test_a_tool_that_can_never_succeed_solves_nothing() -> None:
    never = _MOVE.replace("{refuse}", 'if True:\n            return {"success": False, "error": "closed"}\n        ')

    assert fate(outcome_of(MOVE, _FIND, _MOVES, more=never)) == ("rejected", "reference_call_refused")


@pytest.mark.parametrize(
    ("line", "status", "reason", "says"),
    [
        ("while True: pass", "failed", "check_out_of_time", ""),
        ("raise SystemExit(0)", "rejected", "check_raises", "SystemExit"),
        ("import os; os._exit(0)", "rejected", "check_raises", "module 'os' is not available here"),
        ('final_state["loans"].clear(); return True', "rejected", "check_raises", "changed_inputs"),
        ('trajectory["calls"].append(1); return True', "rejected", "check_raises", "changed_inputs"),
        ('open("/etc/passwd").read(); return True', "rejected", "check_raises", "Permission denied"),
        ("return True if final_state else None", "rejected", "no_op_passes", ""),
    ],
)
def test_a_check_that_misbehaves_is_one_row_with_a_reason(line: str, status: str, reason: str, says: str) -> None:
    outcome = generate(with_checks(EXTEND, check(line)), sandbox=ZygoteSandbox(check_s=0.3))

    assert fate(outcome) == (status, reason), outcome.scenarios[0].detail
    assert len(outcome.scenarios) == 1
    assert says in str(outcome.scenarios[0].detail)
