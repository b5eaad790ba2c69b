"""Arguments are drawn so that calls have a chance to succeed, on any valid state."""

from random import Random
from typing import Any

import pytest

from schemas.logic_models import Attribute, LogicModel, Operation, Parameter
from tasks.evaluation.arguments import ArgumentMaker
from tasks.evaluation.states import is_date
from tasks.evaluation.wrong_values import odd_values, wrong_values
from tasks.runtime.arguments import problem_with
from tasks.runtime.signature import tools_of
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES

_TOOLS = {tool.name: tool for tool in tools_of(CODE, CLASS_NAME)}
_LEND = next(each for each in LOGIC_MODEL.operations if each.name == "lend_item")
_EXTEND = next(each for each in LOGIC_MODEL.operations if each.name == "extend_loan")


def draws(operation: Operation, state: dict[str, Any], *, count: int = 50, model: LogicModel = LOGIC_MODEL) -> Any:
    maker = ArgumentMaker(model, Random(1))
    return [maker.draw(operation, state, optional=0.5) for _ in range(count)]


@pytest.mark.parametrize("operation", LOGIC_MODEL.operations, ids=lambda operation: operation.name)
def test_drawn_arguments_fit_the_schema(operation: Operation) -> None:
    for arguments in draws(operation, STATES[0]):
        assert problem_with(arguments, _TOOLS[operation.name].parameters) is None


def test_references_name_records_of_the_state() -> None:
    for arguments in draws(_LEND, STATES[1]):
        assert arguments["member_id"] in STATES[1]["members"]
        assert arguments["item_id"] in STATES[1]["items"]


def test_a_text_that_is_described_as_an_id_is_one() -> None:
    described = Parameter(name="borrower", type="string", description="Id of the member who borrows.")
    operation = _LEND.model_copy(update={"parameters": (described,)})

    assert {each["borrower"] for each in draws(operation, STATES[0])} <= set(STATES[0]["members"])


def test_a_chosen_record_is_used() -> None:
    arguments = ArgumentMaker(LOGIC_MODEL, Random(1)).draw(
        _LEND, STATES[0], optional=0, chosen={"items": "ITM-0004", "members": "MEM-0002"}
    )

    assert (arguments["item_id"], arguments["member_id"]) == ("ITM-0004", "MEM-0002")


def test_what_a_refusal_names_is_tried() -> None:
    maker = ArgumentMaker(LOGIC_MODEL, Random(1))
    maker.hints.learn(_LEND, {}, "days must be one of 731, 735.")
    maker.hints.learn(_EXTEND, {}, "due_on must be a date after 2031-05-06.")

    days = {maker.draw(_LEND, STATES[0], optional=0)["days"] for _ in range(40)}
    dates = {maker.draw(_EXTEND, STATES[0], optional=0)["due_on"] for _ in range(40)}

    assert {731, 735} <= days
    assert "2031-05-06" in dates and all(map(is_date, dates))


@pytest.mark.parametrize("now", ["0001-01-01T00:00", "9999-12-31T23:59", "2024-02-29T23:45:10"])
def test_dates_at_the_edges_of_the_calendar_can_be_drawn(now: str) -> None:
    loans = {"LOA-0001": {**STATES[0]["loans"]["LOA-0001"], "due_on": now[:10], "lent_at": now}}

    assert all(is_date(each["due_on"]) for each in draws(_EXTEND, {**STATES[0], "now": now, "loans": loans}))


def test_empty_collections_still_give_arguments_of_the_right_form() -> None:
    empty = {**STATES[0], "members": {}, "items": {}, "loans": {}}

    assert {each["item_id"] for each in draws(_LEND, empty)} == {"ITM-0001"}


def test_a_start_comes_before_its_end() -> None:
    span = (
        Parameter(name="start_on", type="date", description="First day."),
        Parameter(name="end_on", type="date", description="Last day."),
    )

    for arguments in draws(_LEND.model_copy(update={"parameters": span}), STATES[0]):
        assert arguments["start_on"] <= arguments["end_on"]


@pytest.mark.parametrize("tool", _TOOLS.values(), ids=lambda tool: tool.name)
def test_wrong_values_never_fit(tool: Any) -> None:
    for name, schema in tool.parameters["properties"].items():
        values = wrong_values(schema)
        single = {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}
        assert len(values) >= 3
        assert all(problem_with({name: value}, single) is not None for value in values)


def test_dates_are_also_written_laxly() -> None:
    parameter = next(each for each in _EXTEND.parameters if each.name == "due_on")

    values = odd_values(LOGIC_MODEL, parameter, "2025-04-20")

    assert {"20250420", "2025-W16-7", "2025-04-20 10:00", "9999-12-31"} <= set(values)


def test_ids_of_other_entities_are_tried() -> None:
    assert "MEM-0001" in odd_values(LOGIC_MODEL, _LEND.parameters[1], "ITM-0001")


def test_bounds_of_an_attribute_guide_its_parameter() -> None:
    loan = LOGIC_MODEL.entities[2]
    days = Attribute(name="days", type="integer", description="Length.", minimum=500, maximum=502)
    bounded = loan.model_copy(update={"attributes": (*loan.attributes, days)})
    model = LOGIC_MODEL.model_copy(update={"entities": (*LOGIC_MODEL.entities[:2], bounded)})

    assert {500, 501, 502} & {each["days"] for each in draws(_LEND, STATES[0], model=model)}
