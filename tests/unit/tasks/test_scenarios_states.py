"""Which drafted initial states are accepted, on the lending shed."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.lending_shed import STATES
from tests.fakes.lending_shed_scenarios import EXTEND, SKELETON, generate, shed_with

State = dict[str, Any]


def changed(change: Callable[[State], object]) -> State:
    state = copy.deepcopy(STATES[0])
    change(state)
    return state


def put(collection: str, key: str, **values: Any) -> Callable[[State], object]:
    return lambda state: state[collection][key].update(values)


BAD_STATES: list[tuple[str, Callable[[State], object]]] = [
    ("state_not_json", lambda state: state["items"]["ITM-0001"].update(weight_kg=float("nan"))),
    ("state_not_json", put("items", "ITM-0001", name="\ud800")),
    ("collection_missing", lambda state: state.pop("loans")),
    ("collection_missing", lambda state: state.update(loans=[])),
    ("now_invalid", lambda state: state.update(now="2025-04-07")),
    ("settings_missing", lambda state: state["settings"].pop("loan_limit")),
    ("state_empty", lambda state: state.update(members={}, items={}, loans={})),
    ("record_not_object", lambda state: state["items"].update({"ITM-0001": "chainsaw"})),
    ("key_mismatch", put("items", "ITM-0001", item_id="ITM-0002")),
    ("id_pattern", lambda state: state["items"].update({"SAW-1": {**state["items"]["ITM-0001"], "item_id": "SAW-1"}})),
    ("attribute_unknown", put("items", "ITM-0001", colour="red")),
    ("attribute_missing", lambda state: state["items"]["ITM-0001"].pop("condition")),
    ("wrong_type", put("members", "MEM-0001", full_name=7)),
    ("wrong_type", put("members", "MEM-0001", full_name=None)),
    ("wrong_type", put("members", "MEM-0001", trainings="ladder")),
    ("wrong_type", put("members", "MEM-0001", joined_on="20230502")),
    ("wrong_type", put("members", "MEM-0001", joined_on="2023-02-30")),
    ("wrong_type", put("loans", "LOA-0001", lent_at="2025-03-01 09:30")),
    ("wrong_type", put("loans", "LOA-0001", fee_due_cents=True)),
    ("wrong_type", put("loans", "LOA-0001", fee_due_cents=4.5)),
    ("not_in_enum", put("members", "MEM-0001", trainings=["ladder", "sewing"])),
    ("not_in_enum", put("items", "ITM-0001", condition="new")),
    ("out_of_bounds", put("items", "ITM-0001", weight_kg=200.5)),
    ("out_of_bounds", put("loans", "LOA-0001", fee_due_cents=-1)),
    ("too_long", put("items", "ITM-0001", name="x" * 81)),
    ("dangling_reference", put("loans", "LOA-0001", member_id="MEM-0099")),
    ("invariant_broken", put("members", "MEM-0002", email="ada.okoro@example.org")),
    ("state_not_kept", lambda state: state.update(opening_hours="9 to 5")),
]


def test_a_bad_state_is_rejected_with_its_reason() -> None:
    outcome = generate(EXTEND, states=tuple(changed(change) for _, change in BAD_STATES))

    assert [(row.reason, row.status) for row in outcome.initial_states] == [
        (each[0], "rejected") for each in BAD_STATES
    ]
    assert (outcome.status, outcome.reason, outcome.scenarios) == ("rejected", "no_state_accepted", ())


def test_a_broken_rule_is_named() -> None:
    outcome = generate(EXTEND, states=(changed(put("members", "MEM-0002", email="ada.okoro@example.org")),))

    assert outcome.initial_states[0].detail == "email_unique: An email address belongs to one member."


@pytest.mark.parametrize(
    ("reason", "old", "new"),
    [
        ("skeleton_not_loaded", "import copy\n", "import copy\nimport subprocess\n"),
        ("state_refused", "        self.now = ", '        self.owner = config["owner"]\n        self.now = '),
    ],
)
def test_a_state_that_the_class_does_not_take_is_rejected(reason: str, old: str, new: str) -> None:
    outcome = generate(EXTEND, skeleton=shed_with(old, new))

    assert (outcome.initial_states[0].status, outcome.initial_states[0].reason) == ("rejected", reason)


def test_states_must_differ_from_one_another() -> None:
    nearly = changed(put("members", "MEM-0001", full_name="Ada Obi"))  # 14 of 15 records are the same
    other = copy.deepcopy(STATES[0])
    for key in ("ITM-0001", "ITM-0002"):
        other["items"][key]["weight_kg"] = 9.5
    outcome = generate(EXTEND, states=(STATES[0], STATES[0], nearly, other, STATES[1]), state_count=2)

    assert [(row.number, row.status, row.reason) for row in outcome.initial_states] == [
        (1, "accepted", None),
        (2, "duplicate", "same_state"),
        (3, "rejected", "state_not_distinct"),
        (4, "accepted", None),
        (5, "rejected", "beyond_count"),
    ]
    assert outcome.initial_states[2].detail == "93% of its records are in another state too."
    assert len({row.initial_state_id for row in outcome.initial_states}) == 5
    assert {row.skeleton_id for row in outcome.initial_states} == {SKELETON.skeleton_id}


def test_an_author_without_any_state_leaves_a_reason() -> None:
    outcome = generate(states=())

    assert (outcome.status, outcome.reason) == ("rejected", "no_state_accepted")
    assert outcome.detail == "The author drafted no state."
