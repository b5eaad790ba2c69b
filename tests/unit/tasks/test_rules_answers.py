"""Checks of answers: the fact in any usual form passes, and nothing else does."""

from typing import Any

import pytest

from schemas.logic_models import Attribute
from schemas.scenarios import CheckDraft
from tasks.authors.rules.answers import (
    Fact,
    answer_check,
    are_told_apart,
    day_patterns,
    number_patterns,
    text_patterns,
    time_patterns,
    values_of,
)
from tests.fakes.sandbox import SANDBOX


def passes(check: CheckDraft, message: str) -> bool | None:
    with SANDBOX.checks() as session:
        (verdict,) = session.check([check.code], {}, {}, {"calls": [], "messages": [], "final_message": message})
    assert verdict.error is None, verdict.error
    return verdict.passed


def told(value: Any, **attribute: Any) -> CheckDraft:
    values = values_of(Attribute(description="Any.", **attribute), value)
    return answer_check([Fact("what it is", "It is.", values, "what it is")])


def counted(what: str, value: int) -> Fact:
    return Fact(f"how many {what} there are", "", (("number", number_patterns(value)),), "how many there are")


def timed(what: str, value: str) -> Fact:
    return Fact(f"what the starting time of {what} is", "", (("time", time_patterns(value)),), "when it begins")


def priced(what: str, cents: int) -> Fact:
    return Fact(f"what the price of {what} is", "", (("number", number_patterns(cents / 100)),), "what it costs")


def dated(what: str, day: str) -> Fact:
    return Fact(f"what the expiry date of {what} is", "", (("day", day_patterns(day)),), "when it ends")


def named(what: str, name: str) -> Fact:
    return Fact(f"who looks after {what}", "", (("name", text_patterns(name)),), "who it is")


COURSES = answer_check(
    [
        counted("enrolments that are waiting", 5),
        counted("students with the full fee", 3),
        counted("minutes of the break", 30),
    ]
)
BOUND: list[tuple[CheckDraft, tuple[str, ...], tuple[str, ...]]] = [
    (
        COURSES,
        (
            "There are 5 waiting enrolments, 3 students with full fee, and 30 minutes of break.",
            "The break takes 30 minutes. Students with full fee: three. Waiting enrolments: five.",
            "- **Waiting enrolments**: 5\n- **Full fee**: 3\n- Break: 30 minutes",
            "1. Break: 30 minutes\n2. Full fee students: 3\n3. Enrolments waiting: 5",
            "| waiting | full fee | break |\n|---|---|---|\n| 5 | 3 | 30 |",
            "The numbers of waiting enrolments and full-fee students are 5 and 3 respectively; the break is 30 min.",
            "Out of 12 enrolments, 5 are waiting. 3 students pay the full fee, and the break lasts 30 minutes.",
            "5 enrolments are waiting: 2 in Drawing and 3 in Pottery. Full fee: 3 students. Break: 30 min.",
            "5, 3 and 30.",
        ),
        (
            "There are 3 waiting enrolments, 5 students with full fee, and 30 minutes.",
            "There are 3 waiting enrolments, 5 students with full fee, and 30 minutes of break.",
            "Waiting enrolments: 30\nFull fee: 3\nBreak: 5 minutes",
            "| waiting | full fee | break |\n|---|---|---|\n| 3 | 5 | 30 |",
            "1 2 3 4 5 6 7 8 9 10 30 45 60",
            "Waiting 1 2 3 4 5 6 7, full fee 1 2 3 4 5 6 7, break 10 20 30 40 50 60",
            "3, 5 and 30.",
            ", ".join(map(str, range(61))),
            "\n".join(map(str, range(61))),
            "There are 5 waiting enrolments and 3 students with full fee.",
        ),
    ),
    (
        answer_check([counted("booked sessions", 7)], "Move 17 units on 3 May 2025"),
        ("7", "There are seven of them.", "17 units are moved on 3 May 2025. 7 sessions are booked."),
        (
            ", ".join(map(str, range(61))),
            "\n".join(map(str, range(61))),
            "5, 6, 7, 8 or 9 sessions",
            "17 units on 7 May",
        ),
    ),
    (
        answer_check([timed("the tour of Anna", "12:00"), timed("the visit of Ben", "09:00")]),
        ("Anna's tour starts at noon, Ben's visit at 9 o'clock.", "Ben: 9 am\nAnna: 12:00", "Anna 12 pm; Ben 09:00"),
        ("Anna's tour starts at 9 o'clock, Ben's visit at noon.", "Ben: 12:00\nAnna: 9 am", "Anna 12 pm; Ben 9 pm"),
    ),
    (
        answer_check([priced("the red lamp", 1250), priced("the oak chair", 4000)]),
        ("The lamp costs 12.50 and the chair 40 euros.", "Chair: 40,00 \u20ac\nLamp: 12,50 \u20ac"),
        ("The lamp costs 40 and the chair 12.50 euros.", "Chair: 12,50 \u20ac\nLamp: 40,00 \u20ac"),
    ),
    (
        answer_check(
            [
                counted("devices of the bay", 4),
                priced("the stay that begins on Monday 5 April", 2500),
                timed("the bay", "08:02"),
            ]
        ),
        (
            "08:02 is the starting time of the bay, 4 devices, 25 euros for the stay.",
            "25 for the stay, 4 devices, 8:02 am",
        ),
        (
            "08:02 is the starting time of the bay, 25 devices, 4 euros for the stay.",
            "25 devices, 4 for the stay, 8:02 am",
        ),
    ),
    (
        answer_check([dated("the milk", "2025-06-19"), dated("the juice", "2025-07-02")]),
        ("The milk expires on 19 June, the juice on July 2nd.", "Juice: 2025-07-02\nMilk: 2025-06-19"),
        ("The milk expires on July 2nd, the juice on 19 June.", "Juice: 2025-06-19\nMilk: 2025-07-02"),
    ),
    (
        answer_check([named("the garden", "Ada Okoro"), named("the kitchen", "Bram de Wit")]),
        (
            "Ada Okoro looks after the garden and Bram de Wit after the kitchen.",
            "Kitchen: Bram de Wit, garden: Ada Okoro",
        ),
        (
            "Bram de Wit looks after the garden and Ada Okoro after the kitchen.",
            "Kitchen: Ada Okoro, garden: Bram de Wit",
        ),
    ),
]


@pytest.mark.parametrize(("check", "right", "wrong"), BOUND, ids=range(len(BOUND)))
def test_each_of_several_facts_is_told_of_what_it_is_about(
    check: CheckDraft, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    assert [each for each in right if not passes(check, each)] == []
    assert [each for each in wrong if passes(check, each)] == []


def test_facts_without_words_of_their_own_or_that_give_one_another_away_are_not_told_apart() -> None:
    assert are_told_apart([counted("waiting enrolments", 5), counted("sponsored students", 3)])
    assert not are_told_apart([counted("students", 5), counted("sponsored students", 3)])
    assert not are_told_apart([counted("waiting enrolments", 5), counted("seats in rooms with 5 windows", 8)])
    assert are_told_apart([counted("students", 5), timed("the students", "09:00")])


def test_all_names_that_would_be_an_answer_are_none() -> None:
    names = ("Ada Okoro", "Bram de Wit", "Cem Ak", "Dana Kim", "Eli Fox")
    forms = {name: text_patterns(name) for name in names}
    others = tuple(form for name in names[1:] for form in forms[name])
    check = answer_check([Fact("who has most", "", (("name", forms["Ada Okoro"]),), "who has most", others)])

    assert passes(check, "Ada Okoro, ahead of Dana Kim.")
    assert passes(check, ", ".join(names)) is False


RIGHT: list[tuple[CheckDraft, tuple[str, ...]]] = [
    (
        told("2025-06-19", name="due_on", type="date"),
        ("2025-06-19", "Thursday 19 June 2025", "June 19th", "the 19th of June", "19.06.2025", "6/19/2025"),
    ),
    (
        told("2025-06-19T14:30", name="start", type="datetime"),
        ("19 June at 14:30", "2:30 pm on June 19", "2025-06-19T14:30", "2.30 p.m., Thursday 19th of June"),
    ),
    (
        told("2025-06-19T09:00", name="start", type="datetime"),
        ("19 June, 9 o'clock", "9 am on June 19", "June 19, 9.00 a.m."),
    ),
    (
        told("2025-06-19T12:00", name="start", type="datetime"),
        ("19 June at noon", "midday on June 19", "12 pm, June 19"),
    ),
    (told(605050, name="price_cents", type="integer"), ("6050.50 euros", "6,050.50", "\u20ac6.050,50", "6050,5 EUR")),
    (told(6000, name="price_cents", type="integer"), ("60 euros", "60.00", "60,00 \u20ac", "It costs 60.")),
    (told(12, name="seats", type="integer"), ("12 seats", "twelve seats", "There are 12.")),
    (told("Anna O'Neill", name="full_name", type="string"), ("it is anna o'neill", "O: Anna O\u2019Neill.")),
]
WRONG: list[tuple[CheckDraft, tuple[str, ...]]] = [
    (told("2025-06-19", name="due_on", type="date"), ("Done.", "20 June 2025", "119 June", "2025-06-18", "19 July")),
    (told("2025-06-19T14:30", name="start", type="datetime"), ("19 June at 15:30", "14:30", "at 4:30 pm on 19 June")),
    (
        told("2025-06-19T09:00", name="start", type="datetime"),
        ("19 June, 9 pm", "19 June at noon", "the 9th of June, 19:00"),
    ),
    (told(605050, name="price_cents", type="integer"), ("605050", "6050.55", "16,050.50", "6050")),
    (told(6000, name="price_cents", type="integer"), ("160 euros", "60.50", "600", "6000")),
    (told(12, name="seats", type="integer"), ("112", "12.5", "room e12", "two", "1 and 2", "120")),
    (told("Anna O'Neill", name="full_name", type="string"), ("Anna", "Joanna O'Neill", "Anna Neill")),
]


@pytest.mark.parametrize(("check", "messages"), RIGHT, ids=range(len(RIGHT)))
def test_a_fact_is_accepted_in_every_usual_form(check: CheckDraft, messages: tuple[str, ...]) -> None:
    assert [passes(check, each) for each in messages] == [True] * len(messages)


@pytest.mark.parametrize(("check", "messages"), WRONG, ids=range(len(WRONG)))
def test_another_fact_is_not_accepted(check: CheckDraft, messages: tuple[str, ...]) -> None:
    assert [passes(check, each) for each in messages] == [False] * len(messages)


def test_what_can_not_be_recognised_has_no_check() -> None:
    assert values_of(Attribute(name="is_open", type="boolean", description="Any."), True) == ()
    assert values_of(Attribute(name="tags", type="list", items="string", description="Any."), ["a"]) == ()
