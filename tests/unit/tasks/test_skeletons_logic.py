"""Logic models are judged before any code is written from them."""

from collections.abc import Callable
from typing import Any

import pytest

from schemas.logic_models import LogicModel
from tasks.skeletons.logic import logic_findings
from tasks.skeletons.policy import policy_text
from tasks.skeletons.predicates import predicate_problem
from tasks.skeletons.structure import structure_digest
from tests.fakes.lending_shed import LOGIC_MODEL

Edit = Callable[[dict[str, Any]], Any]


def edited(edit: Edit) -> LogicModel:
    """The shed's logic model after an edit of its fields."""
    fields = LOGIC_MODEL.model_dump(mode="json")
    edit(fields)
    return LogicModel.model_validate(fields)


def entity(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in fields["entities"] if each["name"] == name)


def attribute(fields: dict[str, Any], owner: str, name: str) -> dict[str, Any]:
    return next(each for each in entity(fields, owner)["attributes"] if each["name"] == name)


def operation(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in fields["operations"] if each["name"] == name)


def rule(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in fields["rules"] if each["id"] == name)


EDITS: dict[str, tuple[str, Edit]] = {
    "too few entities": ("logic_too_small", lambda m: m.update(entities=m["entities"][:1])),
    "no query": (
        "logic_too_small",
        lambda m: m.update(operations=[each for each in m["operations"] if each["kind"] != "query"]),
    ),
    "a name that is no identifier": ("logic_bad_name", lambda m: operation(m, "lend_item").update(name="lend item")),
    "a private tool": ("logic_bad_name", lambda m: operation(m, "lend_item").update(name="_lend_item")),
    "a keyword": ("logic_bad_name", lambda m: attribute(m, "item", "name").update(name="class")),
    "the same operation twice": ("logic_duplicate_name", lambda m: m["operations"].append(m["operations"][0])),
    "the same attribute twice": (
        "logic_duplicate_name",
        lambda m: attribute(m, "item", "category").update(name="condition"),
    ),
    "a tool named like a collection": ("logic_name_clash", lambda m: operation(m, "list_loans").update(name="loans")),
    "a reserved collection": ("logic_name_clash", lambda m: entity(m, "item").update(collection="counters")),
    "a missing key": ("logic_key_missing", lambda m: entity(m, "loan").update(key="number")),
    "a numeric key": ("logic_key_missing", lambda m: attribute(m, "loan", "loan_id").update(type="integer")),
    "a dangling reference": (
        "logic_dangling_reference",
        lambda m: attribute(m, "loan", "item_id").update(to="machines"),
    ),
    "a reference to nothing": ("logic_dangling_reference", lambda m: attribute(m, "loan", "item_id").update(to=None)),
    "a dangling parameter": (
        "logic_dangling_reference",
        lambda m: operation(m, "lend_item")["parameters"][0].update(to="people"),
    ),
    "an enum without values": ("logic_enum_without_values", lambda m: attribute(m, "loan", "status").update(values=())),
    "an enum with a value twice": (
        "logic_bad_enum",
        lambda m: attribute(m, "loan", "status").update(values=("a", "a")),
    ),
    "a list of nothing": ("logic_list_without_items", lambda m: attribute(m, "member", "trainings").update(items=None)),
    "bounds the wrong way round": ("logic_bad_bounds", lambda m: attribute(m, "item", "weight_kg").update(maximum=-1)),
    "an unknown state attribute": (
        "logic_unknown_state",
        lambda m: operation(m, "lend_item").update(writes=("rentals",)),
    ),
    "a query that writes": ("logic_query_writes", lambda m: operation(m, "find_items").update(writes=("items",))),
    "a change that writes nothing": (
        "logic_change_without_writes",
        lambda m: operation(m, "settle_fee").update(writes=()),
    ),
    "an unknown rule": ("logic_dangling_rule", lambda m: operation(m, "settle_fee").update(enforces=("no_rule",))),
    "an enforced policy": (
        "logic_policy_enforced",
        lambda m: operation(m, "settle_fee").update(enforces=("say_the_fee",)),
    ),
    "a precondition that nothing enforces": (
        "logic_rule_not_enforced",
        lambda m: operation(m, "extend_loan").update(enforces=()),
    ),
    "an invariant without predicate that nothing enforces": (
        "logic_rule_not_enforced",
        lambda m: m["rules"].append({"id": "tidy", "kind": "invariant", "text": "The shed is tidy."}),
    ),
    "a predicate that does not parse": (
        "logic_bad_predicate",
        lambda m: rule(m, "email_unique").update(predicate="len(state["),
    ),
    "a predicate on an unknown attribute": (
        "logic_bad_predicate",
        lambda m: rule(m, "email_unique").update(predicate="len(state['people']) > 0"),
    ),
    "a predicate on an unknown argument": (
        "logic_bad_predicate",
        lambda m: rule(m, "broken_stays").update(predicate="args['thing'] != ''"),
    ),
    "a predicate of a policy": ("logic_bad_predicate", lambda m: rule(m, "say_the_fee").update(predicate="True")),
    "an entity that no query reads": (
        "logic_entity_not_queried",
        lambda m: (
            operation(m, "find_members").update(reads=()),
            operation(m, "list_loans").update(reads=("items", "loans")),
        ),
    ),
    "settings that are no JSON": ("logic_not_json", lambda m: m["settings"].update(rate=float("nan"))),
    "a text that UTF-8 can't hold": ("logic_not_json", lambda m: m.update(title="Shed \ud800")),
}


def test_a_sound_logic_model_has_no_findings() -> None:
    assert logic_findings(LOGIC_MODEL) == ()


@pytest.mark.parametrize("name", EDITS)
def test_each_flaw_of_a_logic_model_is_found_first(name: str) -> None:
    reason, edit = EDITS[name]

    findings = logic_findings(edited(edit))

    assert findings, "nothing was found"
    assert findings[0].reason == reason
    assert findings[0].detail


@pytest.mark.parametrize(
    "text",
    [
        "all(each['fee_due_cents'] >= 0 for each in state['loans'].values())",
        "date.fromisoformat(now[:10]) + timedelta(days=1) > date(2020, 1, 1)",
        "sorted(state['items'], key=lambda key: state['items'][key]['weight_kg'])[:1] != []",
        "{l['item_id'] for l in state['loans'].values()} <= set(state['items'])",
    ],
)
def test_what_a_predicate_may_say(text: str) -> None:
    assert predicate_problem(text, "invariant") is None


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getcwd()",
        "state.__class__",
        "state.update(items={})",
        "(found := state)",
        "open('/etc/passwd')",
        "args['item_id'] in state['items']",  # an invariant knows no call
        "x = 1",
        "9 ** 9 ** 9",
        "unknown_name",
        "(" * 500 + ")" * 500,
        "True or " * 1000 + "True",
    ],
)
def test_what_an_invariant_must_not_say(text: str) -> None:
    assert predicate_problem(text, "invariant")


def test_names_and_order_do_not_change_the_structure() -> None:
    renamed = LogicModel.model_validate_json(
        LOGIC_MODEL.model_dump_json().replace("member", "borrower").replace("loan", "rental").replace("ladder", "crane")
    )
    reordered = edited(
        lambda m: (
            m.update(entities=m["entities"][::-1], operations=m["operations"][::-1], rules=m["rules"][::-1]),
            entity(m, "loan").update(attributes=entity(m, "loan")["attributes"][::-1]),
        )
    )

    assert structure_digest(renamed) == structure_digest(reordered) == structure_digest(LOGIC_MODEL)


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: attribute(m, "loan", "due_on").update(type="string"),
        lambda m: attribute(m, "loan", "item_id").update(to="members"),
        lambda m: operation(m, "lend_item")["parameters"].pop(),
        lambda m: rule(m, "broken_stays").update(kind="invariant"),
    ],
    ids=["attribute type", "reference target", "parameter", "rule kind"],
)
def test_a_change_of_shape_changes_the_structure(edit: Edit) -> None:
    assert structure_digest(edited(edit)) != structure_digest(LOGIC_MODEL)


def test_the_policy_lists_every_rule_and_says_which_ones_no_tool_checks() -> None:
    text = policy_text(LOGIC_MODEL)

    own, enforced = text.split("## What the tools enforce")
    for each in LOGIC_MODEL.rules:
        assert f"- {each.text}" in (own if each.kind == "policy" else enforced)


def test_a_model_without_policies_has_no_empty_section() -> None:
    text = policy_text(edited(lambda m: m.update(rules=[each for each in m["rules"] if each["kind"] != "policy"])))

    assert "must observe" not in text
