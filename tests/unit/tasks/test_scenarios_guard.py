"""The automatic guard and the derived goals, run in a session for checks against right and wrong final states."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tasks.runtime.derive import goal_checks
from tasks.sandbox.base import CheckSession
from tasks.scenarios.guard import guard_check
from tests.fakes.lending_shed import LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX

State = dict[str, Any]
BEFORE = STATES[0]
NOW = BEFORE["now"]


def loan(key: str, member: str, item: str, **values: Any) -> State:
    given = {"lent_at": NOW, "due_on": "2025-04-14", "status": "open", "fee_due_cents": 0, "is_extended": False}
    return {"loan_id": key, "member_id": member, "item_id": item, **given, **values}


def member(key: str, name: str) -> State:
    email = f"{name.split()[0].lower()}@example.org"
    return {"member_id": key, "full_name": name, "email": email, "trainings": [], "joined_on": "2025-04-07"}


def edited(start: State, change: Callable[[State], object]) -> State:
    state = copy.deepcopy(start)
    change(state)
    return state


def reference(state: State) -> None:
    """Take back loan 2, drop item 7, register Dana and lend her the sander."""
    state["loans"]["LOA-0002"].update(status="returned", fee_due_cents=1200, lent_at=NOW)
    state["items"].pop("ITM-0007")
    state["members"]["MEM-0005"] = member("MEM-0005", "Dana Kim")
    state["loans"]["LOA-0005"] = loan("LOA-0005", "MEM-0005", "ITM-0003")
    state["counters"] = {"members": 5, "loans": 5}


AFTER = edited(BEFORE, reference)


@pytest.fixture(scope="module")
def session() -> Iterator[CheckSession]:
    with SANDBOX.checks() as opened:
        yield opened


def verdicts(session: CheckSession, before: State, after: State, final: State) -> tuple[list[bool], bool]:
    """What the goals and the guard of (before, after) say about a final state."""
    drafts = [*goal_checks(LOGIC_MODEL, before, after), guard_check(LOGIC_MODEL, before, after)]
    trajectory: dict[str, Any] = {"calls": [], "messages": [], "final_message": ""}
    answers = session.check([draft.code for draft in drafts], before, final, trajectory)
    assert [answer.error for answer in answers] == [None] * len(drafts)
    passed = [answer.passed for answer in answers]
    return passed[:-1], passed[-1]


def test_the_texts_say_what_was_done() -> None:
    assert [draft.text for draft in goal_checks(LOGIC_MODEL, BEFORE, AFTER)] == [
        "The loan LOA-0002 is returned and has fee due 12.00 euros.",
        "The item ITM-0007 (Paint sprayer) is gone.",
        'There is exactly one new member: it has full name "Dana Kim", has email "dana@example.org", has no trainings '
        "and has joined date 2025-04-07.",
        "There is exactly one new loan: it has item ITM-0003 (Orbital sander), has due date 2025-04-14, is open, has "
        "fee due 0.00 euros, is not extended and belongs to the new member.",
    ]
    assert guard_check(LOGIC_MODEL, BEFORE, AFTER).exempt == (
        "loans.LOA-0002.status",
        "loans.LOA-0002.fee_due_cents",
        "loans.LOA-0002.lent_at",
        "items.ITM-0007",
        "members.<new>, at most 1",
        "loans.<new>, at most 1",
        "counters",
    )


def test_the_reference_and_its_equal_with_other_ids_pass(session: CheckSession) -> None:
    def renumber(state: State) -> None:
        state["members"].pop("MEM-0005")
        state["members"]["MEM-0009"] = member("MEM-0009", "Dana Kim")
        state["loans"].pop("LOA-0005")
        state["loans"]["LOA-0007"] = loan("LOA-0007", "MEM-0009", "ITM-0003", lent_at="2025-04-07T10:05")
        state["counters"] = {"members": 9, "loans": 7}
        state["loans"]["LOA-0002"]["lent_at"] = "2025-04-07T10:02"

    assert verdicts(session, BEFORE, AFTER, AFTER) == ([True] * 4, True)
    assert verdicts(session, BEFORE, AFTER, edited(AFTER, renumber)) == ([True] * 4, True)


def test_doing_nothing_keeps_the_guard_and_reaches_no_goal(session: CheckSession) -> None:
    assert verdicts(session, BEFORE, AFTER, BEFORE) == ([False] * 4, True)


@pytest.mark.parametrize(
    ("missed", "change"),
    [
        (0, lambda state: state["loans"]["LOA-0002"].update(fee_due_cents=1050)),
        (2, lambda state: state["members"]["MEM-0005"].update(full_name="Dana King")),
        (3, lambda state: state["loans"]["LOA-0005"].update(member_id="MEM-0002")),
        (3, lambda state: state["loans"]["LOA-0005"].update(item_id="ITM-0004")),
    ],
)
def test_a_wrong_value_misses_its_goal(session: CheckSession, missed: int, change: Callable[[State], object]) -> None:
    goals, guard = verdicts(session, BEFORE, AFTER, edited(AFTER, change))

    assert guard and not goals[missed]


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["loans"].update({"LOA-0006": loan("LOA-0006", "MEM-0001", "ITM-0001")}),
        lambda state: state["loans"]["LOA-0003"].update(status="returned"),
        lambda state: state["loans"]["LOA-0002"].update(is_extended=True),
        lambda state: state["items"].pop("ITM-0001"),
        lambda state: state["settings"].update(loan_limit=9),
        lambda state: state.update(now="2025-04-08T10:00"),
        lambda state: state.update(notes={}),
    ],
)
def test_anything_else_that_changed_breaks_the_guard(session: CheckSession, change: Callable[[State], object]) -> None:
    goals, guard = verdicts(session, BEFORE, AFTER, edited(AFTER, change))

    assert not guard
    assert goals[:3] == [True] * 3


def test_equal_new_records_are_counted(session: CheckSession) -> None:
    def lend_twice(state: State) -> None:
        for key in ("LOA-0005", "LOA-0006"):
            state["loans"][key] = loan(key, "MEM-0002", "ITM-0001")

    after = edited(BEFORE, lend_twice)

    assert [draft.text[:38] for draft in goal_checks(LOGIC_MODEL, BEFORE, after)] == [
        "There are exactly 2 new loan records: "
    ]
    assert verdicts(session, BEFORE, after, after) == ([True], True)
    assert verdicts(session, BEFORE, after, edited(after, lambda state: state["loans"].pop("LOA-0006"))) == (
        [False],
        True,
    )


def test_texts_with_quotes_and_line_breaks_survive_in_the_code(session: CheckSession) -> None:
    name = 'O\'Neil "Bo"\n\\ \u2028 é 😀'
    after = edited(BEFORE, lambda state: state["members"]["MEM-0001"].update(full_name=name))

    assert verdicts(session, BEFORE, after, after) == ([True], True)
    assert verdicts(session, BEFORE, after, BEFORE) == ([False], True)


def test_only_timestamps_and_counters_make_no_goal() -> None:
    def touch(state: State) -> None:
        state["loans"]["LOA-0002"]["lent_at"] = NOW
        state["counters"]["loans"] = 9

    assert goal_checks(LOGIC_MODEL, BEFORE, edited(BEFORE, touch)) == ()
