"""Initial states, reached states, and what it takes to reach them."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tasks.evaluation.evaluate import Evaluation, evaluate
from tasks.evaluation.states import is_date, is_moment, state_problems
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX

Edit = Callable[[dict[str, Any]], Any]


def edited(edit: Edit) -> dict[str, Any]:
    state = copy.deepcopy(STATES[0])
    edit(state)
    return state


def evaluated(*states: dict[str, Any], code: str = CODE) -> Evaluation:
    return evaluate(code, CLASS_NAME, LOGIC_MODEL, states, sandbox=SANDBOX, seed=1)


EDITS: dict[str, tuple[Edit, str]] = {
    "a lax date": (lambda s: s["loans"]["LOA-0001"].update(due_on="20250310"), "loans[LOA-0001].due_on"),
    "a date that does not exist": (lambda s: s["loans"]["LOA-0001"].update(due_on="2025-02-30"), "due_on"),
    "a moment with a blank": (lambda s: s["loans"]["LOA-0001"].update(lent_at="2025-03-01 09:30"), "lent_at"),
    "true as a number": (lambda s: s["items"]["ITM-0001"].update(weight_kg=True), "weight_kg must be a number"),
    "a number below the minimum": (lambda s: s["items"]["ITM-0001"].update(weight_kg=-1), "at least 0"),
    "an unknown enum value": (lambda s: s["items"]["ITM-0001"].update(category="kitchen"), "must be one of"),
    "an unknown list item": (lambda s: s["members"]["MEM-0001"].update(trainings=["scuba"]), "holds an item"),
    "a null": (lambda s: s["items"]["ITM-0001"].update(name=None), "must not be null"),
    "a dangling reference": (lambda s: s["members"].pop("MEM-0002"), "refers to 'MEM-0002'"),
    "another id": (lambda s: s["items"]["ITM-0001"].update(item_id="ITM-0009"), "must repeat the id"),
    "a missing attribute": (lambda s: s["items"]["ITM-0001"].pop("name"), "lacks 'name'"),
    "an undeclared attribute": (lambda s: s["items"]["ITM-0001"].update(colour="red"), "does not declare"),
    "a missing collection": (lambda s: s.pop("items"), "'items' must be an object"),
    "a missing clock": (lambda s: s.pop("now"), "'now' must be a moment"),
    "a missing setting": (lambda s: s["settings"].pop("loan_limit"), "lacks 'loan_limit'"),
    "a long text": (lambda s: s["items"]["ITM-0001"].update(name="x" * 81), "longer than 80"),
    "a record that is none": (lambda s: s["items"].update({"ITM-0001": "chainsaw"}), "must be an object"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_state_that_contradicts_the_logic_model_is_described(name: str) -> None:
    edit, words = EDITS[name]

    problems = state_problems(LOGIC_MODEL, edited(edit))

    assert problems and any(words in problem for problem in problems), problems
    assert state_problems(LOGIC_MODEL, edited(edit), since=STATES[0]) == problems  # looking at the difference is enough


def test_valid_states_have_no_problems_and_unchanged_records_are_not_looked_at_again() -> None:
    broken = edited(lambda s: s["items"]["ITM-0001"].update(weight_kg="heavy"))

    assert [state_problems(LOGIC_MODEL, state) for state in STATES] == [(), ()]
    assert state_problems(LOGIC_MODEL, broken, since=broken) == ()


@pytest.mark.parametrize("text", ["2025-06-19", "2024-02-29"])
def test_strict_dates(text: str) -> None:
    assert is_date(text) and not is_moment(text)


@pytest.mark.parametrize(
    "text", ["20250619", "2025-6-19", "2025-02-29", "2025-06-19T10:00", "٢٠٢٥-٠٦-١٩", "", 20250619]
)
def test_lax_dates(text: Any) -> None:
    assert not is_date(text)


@pytest.mark.parametrize("text", ["2025-06-19 10:00", "2025-06-19T1000", "2025-06-19T10:00Z", "2025-06-19T25:00", None])
def test_lax_moments(text: Any) -> None:
    assert not is_moment(text)


@pytest.mark.parametrize("name", ["a lax date", "a dangling reference", "a missing clock", "a record that is none"])
def test_an_invalid_initial_state_is_not_explored(name: str) -> None:
    edit, words = EDITS[name]

    evaluation = evaluated(STATES[1], edited(edit))

    assert (evaluation.status, evaluation.reason) == ("rejected", "initial_state_invalid")
    assert {finding.reason for finding in evaluation.findings} == {"initial_state_invalid"}
    assert evaluation.detail is not None and "initial state 2" in evaluation.detail and words in evaluation.detail
    assert evaluation.call_count == 0


def test_an_initial_state_that_breaks_an_invariant_is_the_fault_of_the_state() -> None:
    twice = edited(lambda s: s["loans"]["LOA-0003"].update(item_id="ITM-0003"))

    evaluation = evaluated(twice)

    assert (evaluation.status, evaluation.reason) == ("rejected", "initial_state_invalid")
    assert evaluation.detail is not None and "item_lent_once" in evaluation.detail


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_an_initial_state_that_json_cannot_carry_is_refused(value: Any) -> None:
    evaluation = evaluated(edited(lambda s: s["settings"].update(rate=value)))

    assert (evaluation.status, evaluation.reason) == ("rejected", "initial_state_invalid")


def test_no_initial_state_is_not_enough() -> None:
    evaluation = evaluated()

    assert (evaluation.status, evaluation.reason) == ("rejected", "initial_state_invalid")


def test_a_constructor_that_drops_given_records_is_rejected() -> None:
    code = CODE.replace('self.loans = given.get("loans", {})', "self.loans = {}")

    evaluation = evaluated(*STATES, code=code)

    assert (evaluation.status, evaluation.reason) == ("rejected", "state_does_not_survive")
    assert evaluation.detail is not None and "loans" in evaluation.detail


def without_fees(state: dict[str, Any], due_on: str) -> dict[str, Any]:
    """The state with one open loan, due on a day, and nothing to pay."""
    loans = {"LOA-0002": {**state["loans"]["LOA-0002"], "status": "open", "due_on": due_on}}
    return {**state, "loans": loans}


def test_a_tool_that_needs_other_calls_first_is_worked_towards() -> None:
    overdue = without_fees(STATES[0], "2025-04-01")  # settle_fee only succeeds after return_item

    evaluation = evaluated(overdue)

    assert (evaluation.status, evaluation.tools_covered) == ("accepted", 8)
    assert any(trial.tool == "settle_fee" and trial.case == "positive" for trial in evaluation.trials)


def test_a_tool_that_cannot_succeed_on_the_given_states_is_reported_with_what_it_says() -> None:
    in_time = without_fees(STATES[0], "2025-04-20")  # the clock stands still, so nothing ever becomes overdue

    evaluation = evaluated(in_time)

    assert (evaluation.status, evaluation.reason) == ("rejected", "tool_never_succeeds")
    assert evaluation.detail is not None
    assert "settle_fee" in evaluation.detail and "no such loan with a fee due" in evaluation.detail


def test_a_predicate_that_cannot_be_evaluated_is_the_fault_of_the_predicate() -> None:
    rules = tuple(
        rule.model_copy(update={"predicate": "state['loans']['LOA-0001']['fee'] >= 0"})
        if rule.id == "loan_limit"
        else rule
        for rule in LOGIC_MODEL.rules
    )
    model = LOGIC_MODEL.model_copy(update={"rules": rules})

    evaluation = evaluate(CODE, CLASS_NAME, model, STATES, sandbox=SANDBOX, seed=1)

    assert (evaluation.status, evaluation.reason) == ("rejected", "predicate_fails")
    assert evaluation.detail is not None and "loan_limit" in evaluation.detail and "KeyError" in evaluation.detail


def test_code_that_ends_its_own_process_is_rejected() -> None:
    code = CODE.replace("        wanted = name_contains.lower()\n", "        re.enum.sys.modules['os']._exit(3)\n")

    evaluation = evaluated(*STATES, code=code)

    assert (evaluation.status, evaluation.reason) == ("rejected", "session_died")
    assert evaluation.detail is not None and "exit code 3" in evaluation.detail
