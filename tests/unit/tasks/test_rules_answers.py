"""Checks of answers: the fact in any usual form passes, and nothing else does."""

import re
from typing import Any

import pytest

from schemas.logic_models import Attribute
from schemas.scenarios import CheckDraft
from tasks.authors.rules.answers import Fact, answer_check, patterns_of, reason_check
from tasks.authors.rules.reasons import other_numbers, reason_patterns
from tests.fakes.sandbox import SANDBOX


def passes(check: CheckDraft, message: str) -> bool | None:
    with SANDBOX.checks() as session:
        (verdict,) = session.check([check.code], {}, {}, {"calls": [], "messages": [], "final_message": message})
    assert verdict.error is None, verdict.error
    return verdict.passed


def told(value: Any, **attribute: Any) -> CheckDraft:
    patterns = patterns_of(Attribute(description="Any.", **attribute), value)
    return answer_check([Fact("what it is", "It is.", patterns, "what it is")])


RIGHT: list[tuple[CheckDraft, tuple[str, ...]]] = [
    (
        told("2025-06-19", name="due_on", type="date"),
        ("2025-06-19", "Thursday 19 June 2025", "June 19th", "the 19th of June", "19.06.2025", "6/19/2025"),
    ),
    (
        told("2025-06-19T14:30", name="start", type="datetime"),
        ("19 June at 14:30", "2:30 pm on June 19", "2025-06-19T14:30", "2.30 p.m., Thursday 19th of June"),
    ),
    (told(605050, name="price_cents", type="integer"), ("6050.50 euros", "6,050.50", "\u20ac6.050,50", "6050,5 EUR")),
    (told(6000, name="price_cents", type="integer"), ("60 euros", "60.00", "60,00 \u20ac", "It costs 60.")),
    (told(12, name="seats", type="integer"), ("12 seats", "twelve seats", "There are 12.")),
    (told("Anna O'Neill", name="full_name", type="string"), ("it is anna o'neill", "O: Anna O\u2019Neill.")),
]
WRONG: list[tuple[CheckDraft, tuple[str, ...]]] = [
    (told("2025-06-19", name="due_on", type="date"), ("Done.", "20 June 2025", "119 June", "2025-06-18", "19 July")),
    (told("2025-06-19T14:30", name="start", type="datetime"), ("19 June at 15:30", "14:30", "at 4:30 pm on 19 June")),
    (told(605050, name="price_cents", type="integer"), ("605050", "6050.55", "16,050.50", "6050")),
    (told(6000, name="price_cents", type="integer"), ("160 euros", "60.50", "600", "6000")),
    (told(12, name="seats", type="integer"), ("112", "12.5", "two", "1 and 2", "120")),
    (told("Anna O'Neill", name="full_name", type="string"), ("Anna", "Joanna O'Neill", "Anna Neill")),
]


@pytest.mark.parametrize(("check", "messages"), RIGHT, ids=range(len(RIGHT)))
def test_a_fact_is_accepted_in_every_usual_form(check: CheckDraft, messages: tuple[str, ...]) -> None:
    assert [passes(check, each) for each in messages] == [True] * len(messages)


@pytest.mark.parametrize(("check", "messages"), WRONG, ids=range(len(WRONG)))
def test_another_fact_is_not_accepted(check: CheckDraft, messages: tuple[str, ...]) -> None:
    assert [passes(check, each) for each in messages] == [False] * len(messages)


def test_what_can_not_be_recognised_has_no_check() -> None:
    assert patterns_of(Attribute(name="is_open", type="boolean", description="Any."), True) == ()
    assert patterns_of(Attribute(name="tags", type="list", items="string", description="Any."), ["a"]) == ()


STOCK = (
    "",
    "Done.",
    "I can't do that.",
    "I'm sorry, that is not possible because the rules do not allow it.",
    "Our policy doesn't permit this request.",
    "No, the system is not available.",
)
REASONS: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = [
    (
        "The appointment is completed; only a booked one can be moved or cancelled.",
        "cancel Anna Smith's appointment",
        ("It can't be called off, as it has been completed.", "No: that visit is over.", "No, it is finished."),
        ("I can't cancel it, because it was never booked in at all: it is frozen.",),
    ),
    (
        "The appointment starts in less than 24 hours.",
        "move the appointment of Anna Smith to Monday",
        ("Sorry, it begins too soon.", "That is less than 24 hours away, so no.", "No, that is too short notice."),
        ("It can't be moved: it starts in less than 35 hours.", "No, it is completed."),
    ),
    (
        "The account has a balance of 7828.15 euros; it must be zero.",
        "close the savings account of Anna Smith",
        ("Not yet: there are still funds on it.", "No, 7,828.15 euros are left.", "No, its balance isn't zero."),
        ("It can't be closed: a balance of 12.30 euros is left.", "No, it is frozen."),
    ),
    (
        "The dentist does not do checkup, only root canal.",
        "book Anna Smith in for checkup with Ben Fox",
        ("He doesn't do check-ups.", "Not with him: only root canals.", "Ben Fox isn't qualified for that."),
        ("I can't book that, he is away.",),
    ),
]


@pytest.mark.parametrize(("reason", "task", "right", "wrong"), REASONS, ids=range(len(REASONS)))
def test_a_refusal_passes_with_the_true_reason_only(
    reason: str, task: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    check = reason_check(reason, reason_patterns(reason, task), other_numbers(reason))

    assert passes(check, f"That can't be done. {reason}")
    assert [passes(check, each) for each in right] == [True] * len(right)
    assert [passes(check, each) for each in (*wrong, *STOCK)] == [False] * len((*wrong, *STOCK))


def test_a_reason_without_a_no_is_no_refusal() -> None:
    reason = "The appointment is completed; only a booked one can be moved."
    check = reason_check(reason, reason_patterns(reason, "move the appointment"))

    assert passes(check, "I have moved the completed appointment.") is False


def test_a_reason_that_the_task_gives_away_has_no_patterns() -> None:
    assert reason_patterns("The loan is returned.", "book the loan as returned") == ()
    assert not [each for each in reason_patterns("It is not possible.", "do it") if re.search(each, "not possible")]
