"""What the past of a desk leaves behind, what names imply, and that somebody new can be asked for."""

from collections import Counter
from importlib.resources import files
from random import Random
from typing import Any

import pytest

from tasks.authors.base import TopicBrief
from tasks.authors.rules.author import Environment, environment_of
from tasks.authors.rules.compose import compose, environment_section
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.populate import populate
from tasks.scenarios.said import Meaning, TaskText
from tests.fakes.sandbox import SANDBOX

THEMES = sorted(
    each.name.removesuffix(".yaml")
    for each in files("tasks.authors.rules").joinpath("environments").iterdir()
    if each.name.endswith(".yaml")
)


def known(theme: str, seed: int = 1) -> Environment:
    title = theme.replace("-", " ").capitalize()
    return environment_of(TopicBrief(slug=theme, title=title, summary="", introduction="", domain=""), seed)


def states(of: Environment, count: int) -> list[dict[str, Any]]:
    with SANDBOX.environment(of.code, of.draft.class_name) as session:
        return [populate(of.draft, session, of.parameters, seed) for seed in range(count)]


def stocks(theme: str) -> list[dict[str, Any]]:
    section = environment_section(theme)
    entries = [*section["mechanics"], *section.get("optional", [])]
    return [entry["stock"] for entry in entries if "stock" in entry]


@pytest.mark.parametrize("theme", [theme for theme in THEMES if stocks(theme)])
def test_every_category_of_a_stock_has_names_and_no_name_has_two(theme: str) -> None:
    for stock in stocks(theme):
        names = [name for listed in stock["items"].values() for name in listed]
        assert len(names) == len(set(names)) >= 10
        assert all(stock["items"].values())


def test_an_item_has_the_category_that_the_theme_gives_its_name() -> None:
    items = environment_section("warehouse-stock")["optional"]
    kept = next(entry["stock"]["items"] for entry in items if "stock" in entry)
    topic = TopicBrief(slug="warehouse-stock", title="Warehouse", summary="", introduction="", domain="")
    drafts = [compose(topic, "warehouse-stock", seed) for seed in range(1, 9)]
    make = next(draft.entities["supplies"].make for draft in drafts if "supplies" in draft.entities)
    assert make is not None

    state: dict[str, Any] = {"supplies": {}}
    for number in range(11):
        record = make(Random(number), state, f"SUP-{number:04d}")
        assert record is not None
        assert record["name"] in kept[record["category"]]
        state["supplies"][record["supply_id"]] = record
    assert make(Random(0), state, "SUP-0099") is None


def test_the_past_of_a_practice_leaves_appointments_in_every_status() -> None:
    found = Counter(
        record["status"] for state in states(known("dental-practice"), 4) for record in state["appointments"].values()
    )

    assert min(found[status] for status in ("booked", "checked_in", "completed", "cancelled")) >= 2, found
    assert found["completed"] >= 8, found


@pytest.mark.parametrize("theme", THEMES)
def test_a_new_record_is_asked_for_with_every_value_that_is_written(theme: str) -> None:
    environment = known(theme)
    deeds = [deed for deed in environment.draft.deeds if deed.tool.startswith("register_")]
    [state] = states(environment, 1) if deeds else [{}]
    for deed in deeds:
        with SANDBOX.environment(environment.code, environment.draft.class_name) as session:
            session.init(state)
            plan = Plan(environment.draft, session, environment.parameters, Random(3), session.snapshot())
            assert plan.carry_out(deed), deed.tool
        [done], call = plan.done, plan.steps[-1]
        text = TaskText(done.asks, plan.state["now"])
        assert {name: text.unsaid(value, Meaning(name, is_enum=True)) for name, value in call.literals.items()} == (
            dict.fromkeys(call.literals)
        )
        assert len(plan.state[str(deed.creates)]) == len(state[str(deed.creates)]) + 1
