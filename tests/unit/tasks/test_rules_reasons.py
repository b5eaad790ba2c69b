"""Checks of refusals: the true reason in any usual words passes, and a word of it alone does not."""

import re

import pytest

from schemas.scenarios import CheckDraft
from tasks.authors.rules.answers import reason_check
from tasks.authors.rules.reasons import other_numbers, reason_patterns
from tests.fakes.sandbox import SANDBOX


def passes(check: CheckDraft, message: str) -> bool | None:
    with SANDBOX.checks() as session:
        (verdict,) = session.check([check.code], {}, {}, {"calls": [], "messages": [], "final_message": message})
    assert verdict.error is None, verdict.error
    return verdict.passed


STOCK = (
    "",
    "Done.",
    "I can't do that.",
    "I'm sorry, that is not possible because the rules do not allow it.",
    "Our policy doesn't permit this request.",
    "No, the system is not available.",
    "I cannot help. Please open a ticket.",
    "It is pending approval so I did not do it.",
    "I can't do that for this customer, member or order.",
    "I was not able to start this, as everything is taken at the moment.",
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
        "The account is open, not frozen.",
        "unfreeze the savings account of Anna Smith",
        (
            "No, the account is not frozen.",
            "Nothing to do, sorry: Anna Smith's account is open.",
            "I could not: it is still open.",
            "It isn't frozen.",
            "That is impossible for an open account.",
            "- Not done\n- **Status**: open",
        ),
        (
            "No, the account is closed.",
            "It is not open, so no.",
            "No. Open questions first.",
            "It is reopened, not done.",
        ),
    ),
    (
        "The ticket is closed; this needs one that is assigned or in progress.",
        "pass the ticket of Anna Smith on to Ben Fox",
        ("It has already been closed, so no.", "No: the ticket isn't assigned.", "Closed tickets can't be passed on."),
        ("I can't do that, as the office is closed.", "It is not yours.", "No, the ticket is assigned."),
    ),
    (
        "The driver is barred and gets no rental.",
        "book the car for Jacqueline Smith",
        ("No, the driver is barred.", "Unfortunately Jacqueline is suspended.", "She has been blocked, so no."),
        ("I can't help a driver.", "No rental is possible.", "Sorry, the road is barred."),
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
