"""Tasks, goals and final messages read as a person would write them, in every theme."""

import re
from functools import cache
from importlib.resources import files
from random import Random

import pytest

from schemas.scenarios import ScenarioDraft
from tasks.authors.base import DraftInitialStates, DraftLogicModel, DraftScenarios, TopicBrief
from tasks.authors.rules.author import RuleAuthor
from tasks.authors.rules.compose import compose
from tasks.authors.rules.describe import attribute_words, known_detail
from tasks.authors.rules.plan import changes_nothing
from tasks.authors.rules.profile import ScenarioProfile
from tasks.authors.rules.spec import Draft, Value, World
from tasks.authors.rules.tell import AGREED, task_text
from tasks.authors.rules.vague import vague_wish
from tests.fakes.sandbox import SANDBOX

THEMES = sorted(
    file.name.removesuffix(".yaml")
    for file in files("tasks.authors.rules").joinpath("environments").iterdir()
    if file.name.endswith(".yaml")
)
WRITTEN = ("retail-bank", "event-box-office", "greenhouse-control", "mobile-plans")
STRAY = re.compile(r",\s*[.,;:?!]| ,|,$|  ", re.MULTILINE)
SUFFIXES = ("_on", "_at", "_kg", "_km", "_cents", "_for", "_day", "_zone")
"""Of parameters whose names are no words."""
DOUBLED = re.compile(r"\b([a-z]{4,}) (?:a certain |of a certain )?\1\b|\ba certain [a-z]+s\b(?<!ss|us)")
SAME_DAY = re.compile(r" on (\w+day \d+ \w+ \d{4}) to (?:the first free time on )?\1")


def brief(theme: str) -> TopicBrief:
    return TopicBrief(slug=theme, title=theme.replace("-", " "), summary="", introduction="", domain="")


@cache
def known(theme: str) -> Draft:
    return compose(brief(theme), theme, 1)


@cache
def written(theme: str) -> tuple[ScenarioDraft, ...]:
    author = RuleAuthor(SANDBOX, ScenarioProfile(kinds={"aggregation": 3, "several_goals": 2, "conditional": 1}))
    model = author.ask(DraftLogicModel(topic=brief(theme)), seed=1)
    states = author.ask(DraftInitialStates(topic=brief(theme), logic_model=model, code="", count=1), seed=1).states
    question = DraftScenarios(topic=brief(theme), logic_model=model, code="", state=states[0], lengths=(4, 5, 6, 7, 8))
    return author.ask(question, seed=1).scenarios


@pytest.mark.parametrize("theme", WRITTEN)
def test_no_text_has_stray_commas_or_moves_something_to_where_it_is(theme: str) -> None:
    texts = [f"{each.task}\n{each.user_goal}\n{each.final_message}" for each in written(theme)]

    assert len(texts) >= 4
    assert [text for text in texts if STRAY.search(text)] == []
    assert [text for text in texts if SAME_DAY.search(text)] == []


def test_the_one_at_an_end_is_said_without_a_clause_that_needs_a_comma() -> None:
    ends = [each for theme in WRITTEN for each in written(theme) if re.search(r"with the \w+est ", each.task)]

    assert ends
    for each in ends:
        assert re.search(
            r"the [a-z ]+ with the (lowest|highest|earliest|latest) [a-z ]+", each.final_message + each.task
        )
        assert "the one with" not in each.task


@pytest.mark.parametrize("theme", THEMES)
def test_a_wish_without_details_leaks_no_names_of_parameters(theme: str) -> None:
    draft = known(theme)
    wishes = [vague_wish(draft, deed, template) for deed in draft.deeds for template in deed.asks]
    params = {slot.param for deed in draft.deeds for slot in deed.slots if isinstance(slot, Value)}
    leaks = [f"certain {each.replace('_', ' ')}" for each in params if each.endswith(SUFFIXES)]

    assert [each for each in wishes if "the some" in each or any(leak in each for leak in leaks)] == []
    assert [each for each in wishes if DOUBLED.search(each) or STRAY.search(each)] == []


@pytest.mark.parametrize("theme", THEMES)
def test_what_a_person_knows_goes_by_a_name_that_people_use(theme: str) -> None:
    params = {slot.param for deed in known(theme).deeds for slot in deed.slots if isinstance(slot, Value)}
    labels = [known_detail(param, "X") for param in sorted(params)]

    assert [each for each in labels if re.search(r"_| (on|at|kg|km|cents): ", each)] == []


@pytest.mark.parametrize("theme", THEMES)
def test_attributes_that_can_be_asked_for_are_called_by_a_noun(theme: str) -> None:
    bare = re.compile(r"(included|used|paid|spent|reserved|stocked|snoozed|.* (kg|km)|\w+ed (time|date)|\w+ for)")
    told = [
        attribute_words(each.name)
        for spec in known(theme).entities.values()
        for each in spec.attributes
        if each.type not in ("list", "boolean") and each.name not in ("changed_at", "works_on")
    ]

    assert [each for each in told if bare.fullmatch(each) and not each.endswith((" in kg", " in km"))] == []


def test_a_move_to_the_same_day_and_a_value_that_is_there_already_change_nothing() -> None:
    move = next(each for each in known("dental-practice").deeds if each.tool == "reschedule_appointment")
    level = next(each for each in known("dental-practice").deeds if each.tool == "set_supply_reorder_level")

    def world(param: str, value: object, record: dict[str, object]) -> World:
        return World(Random(1), {}, {param: value}, {"any": record})

    assert changes_nothing(move, world("day", "2025-09-18", {"start": "2025-09-18T09:00"}))
    assert not changes_nothing(move, world("day", "2025-09-19", {"start": "2025-09-18T09:00"}))
    assert changes_nothing(level, world("reorder_level", 5, {"reorder_level": 5}))
    assert not changes_nothing(level, world("reorder_level", 6, {"reorder_level": 5}))


def test_consent_has_many_wordings_and_stands_only_where_it_is_asked_for() -> None:
    said = [task_text(Random(seed), ["close the account"], is_agreed=True) for seed in range(200)]
    unsaid = [task_text(Random(seed), ["close the account"]) for seed in range(200)]
    found = {each for each in AGREED if any(each in text for text in said)}

    assert len(AGREED) >= 12
    assert found == set(AGREED)
    assert all(any(each in text for each in AGREED) for text in said)
    assert not any(each in text for each in AGREED for text in unsaid)


@pytest.mark.parametrize("theme", THEMES)
def test_tools_that_need_consent_are_tools_of_the_theme(theme: str) -> None:
    tools = {deed.tool for seed in range(6) for deed in compose(brief(theme), theme, seed).deeds if deed.in_tasks}

    assert set(known(theme).asks_before) <= tools
