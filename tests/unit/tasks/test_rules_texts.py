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
from tasks.authors.rules.describe import attribute_words, known_detail, phrase, with_unit
from tasks.authors.rules.nouns import with_article
from tasks.authors.rules.plan import changes_nothing
from tasks.authors.rules.profile import ScenarioProfile
from tasks.authors.rules.sketch import single_pick
from tasks.authors.rules.spec import Draft, Value, World
from tasks.authors.rules.tell import AGREED, Wish, task_text, user_goal
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
ARTICLE = re.compile(
    r"\ba (?:[aio](?!ne\b)|e(?!u)|u(?!ni[^nm]|s[ae]|ti)|hour|hono|heir|[AEIO]|8)"
    r"|\ban (?![aiouAEFHILMNORSX8]|e(?!u)|hour|hono|heir|1[18]\b)"
)
"""An article that does not go with the sound after it."""
GLUED = re.compile(r"\} (?:again|now|altogether|back|off|on|out|for good)$")
SAME_DAY = re.compile(r" on (\w+day \d+ \w+ \d{4}) to (?:the first free time on )?\1")


def brief(theme: str) -> TopicBrief:
    return TopicBrief(slug=theme, title=theme.replace("-", " "), summary="", introduction="", domain="")


@cache
def known(theme: str) -> Draft:
    return compose(brief(theme), theme, 1)


@cache
def written(theme: str) -> tuple[ScenarioDraft, ...]:
    return drafts(theme, ScenarioProfile(kinds={"aggregation": 3, "several_goals": 2, "conditional": 1}), 5)


def drafts(theme: str, profile: ScenarioProfile, count: int) -> tuple[ScenarioDraft, ...]:
    author = RuleAuthor(SANDBOX, profile)
    model = author.ask(DraftLogicModel(topic=brief(theme)), seed=1)
    states = author.ask(DraftInitialStates(topic=brief(theme), logic_model=model, code="", count=1), seed=1).states
    lengths = tuple(range(4, 4 + count))
    question = DraftScenarios(topic=brief(theme), logic_model=model, code="", state=states[0], lengths=lengths)
    return author.ask(question, seed=1).scenarios


@cache
def asked(theme: str) -> tuple[ScenarioDraft, ...]:
    """Questions, conditions and corrections."""
    return drafts(theme, ScenarioProfile(kinds={"question": 6, "conditional": 2, "correction": 2}), 10)


def unquoted(text: str) -> str:
    return " ".join(text.split('"')[::2])


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


@pytest.mark.parametrize("theme", WRITTEN)
def test_an_article_goes_with_the_sound_after_it(theme: str) -> None:
    texts = [f"{each.task}\n{each.user_goal}\n{each.final_message}" for each in (*written(theme), *asked(theme))]

    assert len(texts) >= 8
    assert [text for text in texts if ARTICLE.search(unquoted(text))] == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_value_in_a_wording_takes_the_article_that_it_needs(theme: str) -> None:
    wordings = [text for deed in known(theme).deeds for text in (*deed.asks, deed.reports)]
    slots = {slot.param for deed in known(theme).deeds for slot in deed.slots}
    said = [phrase(each, dict.fromkeys(slots, word)) for each in wordings for word in ("investment", "savings")]

    assert [each for each in said if ARTICLE.search(unquoted(each))] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("unit", "a unit"),
        ("uninsured ride", "an uninsured ride"),
        ("European tour", "a European tour"),
        ("one-day pass", "a one-day pass"),
        ("hour", "an hour"),
        ("SMS", "an SMS"),
        ("USB stick", "a USB stick"),
        ("X-ray", "an X-ray"),
        ("8 seat table", "an 8 seat table"),
        ("18 seat table", "an 18 seat table"),
        ("180 seat hall", "a 180 seat hall"),
    ],
)
def test_articles_follow_the_sound_and_not_the_letter(words: str, said: str) -> None:
    assert with_article(words) == said


def test_what_is_quoted_keeps_its_articles() -> None:
    assert phrase('say "a apple" to a {kind}', {"kind": "owl"}) == 'say "a apple" to an owl'


@pytest.mark.parametrize("theme", THEMES)
def test_no_wording_puts_a_lone_word_behind_a_record_where_it_would_belong_to_the_clause(theme: str) -> None:
    """ "open the course whose level is beginner again"."""
    about_one = [(deed, slot) for deed in known(theme).deeds if (slot := single_pick(deed))]
    glued = [asks for deed, slot in about_one for asks in deed.asks if GLUED.search(asks)]

    assert about_one
    assert glued == []


@pytest.mark.parametrize("theme", WRITTEN)
def test_each_detail_of_a_goal_has_a_name_of_its_own_or_says_which_wish_it_belongs_to(theme: str) -> None:
    goals = [str(each.user_goal) for each in (*written(theme), *asked(theme))]
    details = [[line for line in goal.splitlines() if line.startswith("- ")] for goal in goals]
    several = [each for goal, each in zip(goals, details, strict=True) if "\nWish 2: " in goal]

    assert several
    for each in details:
        names = [line.split(":")[0] for line in each]
        assert [name for name in names if names.count(name) > 1] == []
    for each in several:
        assert [line for line in each if not re.match(r"- (for wish \d+, |what you want to be told)", line)] == []


@pytest.mark.parametrize("theme", WRITTEN)
def test_what_is_to_be_told_is_among_the_details_in_full(theme: str) -> None:
    asking = [each for each in asked(theme) if each.kind == "question"]

    assert asking
    for each in asking:
        told = re.findall(r"- what you want to be told.*?: (.*)", str(each.user_goal))
        assert told
        assert [words for words in told if words not in each.task] == []


def test_a_goal_with_one_wish_needs_no_numbers() -> None:
    goal = user_goal([Wish("close an account", ("account: the savings account of Ann Lee",))])

    assert goal.splitlines()[0] == "You want the agent to close an account."
    assert "- account: the savings account of Ann Lee" in goal.splitlines()


def test_numbers_are_said_with_what_they_count() -> None:
    wordings = ("drain {amount} litres from {tank_id}", "empty {tank_id} by {amount}")

    assert with_unit("amount", "40", wordings) == "40 litres"
    assert with_unit("amount", "1", wordings) == "1 litre"
    assert with_unit("amount", "40 euros", wordings) == "40 euros"
    assert phrase(wordings[0], {"amount": "1", "tank_id": "tank B"}) == "drain 1 litre from tank B"
    weigh = next(
        each for each in known("pet-grooming-salon").deeds if "{weight_kg}" in each.asks[0] and not each.creates
    )
    told = next(slot for slot in weigh.slots if isinstance(slot, Value)).make(
        World(Random(1), {"now": "2025-06-01T09:00"}, {}, {"dog_id": {"weight_kg": 0}})
    )
    assert told is not None
    assert told.words == f"{told.value} kg"


@pytest.mark.parametrize("theme", WRITTEN)
def test_how_many_there_are_is_asked_the_way_people_ask(theme: str) -> None:
    stiff = re.compile(r"how many [^.;?]*(?:that are|whose)[^.;?]* there are\b|whose ([a-z ]+) is the \1 ")

    assert [each.task for each in (*written(theme), *asked(theme)) if stiff.search(each.task)] == []


@pytest.mark.parametrize("theme", WRITTEN)
def test_a_condition_compares_money_with_an_amount_that_somebody_would_name(theme: str) -> None:
    limits = [
        limit
        for each in (*written(theme), *asked(theme))
        for limit in re.findall(r"more than ([\d.]+) euro", each.task)
    ]

    assert [limit for limit in limits if float(limit) < 0.5] == []
