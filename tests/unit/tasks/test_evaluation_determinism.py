"""What differs from process to process is found; what only looks as if it did, because it is simulated, is not."""

import pytest

from tasks.evaluation.evaluate import Evaluation, evaluate
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX

_NUMBER = "{self.counters[collection]:04d}"
_TODAY = "date.fromisoformat(self.now[:10])"

# name: (text in the code, its replacement), none of which reading alone can find
DIFFERENT = {
    "the order of a set in a refusal": ("{', '.join(_CATEGORIES)}", "{', '.join({*_CATEGORIES})}"),
    "the order of a set in a record": ("list(trainings or [])", "[*{*(trainings or [])}]"),
    "the address of a printed object": (_NUMBER, _NUMBER + "{object()}"),
    "the address of an object": (_NUMBER, "{__builtins__['id'](self)}"),
    "the hash of a text": (_NUMBER, _NUMBER + "{prefix.__hash__() % 9999}"),
}

SIMULATED = {
    "time.time": _NUMBER + "{__import__('time').time()}",
    "datetime.now": _NUMBER + "{__import__('datetime').datetime.now()}",
    "uuid4": _NUMBER + "{__import__('uuid').uuid4()}",
    "random": _NUMBER + "{__import__('random').random()}",
    "an unseeded generator": _NUMBER + "{__import__('random').Random().random()}",
    "secrets": _NUMBER + "{__import__('secrets').token_hex(4)}",
}


def evaluated(old: str, new: str) -> Evaluation:
    """The lending shed with one change."""
    assert old in CODE, f"the fixture has changed: {old!r}"
    return evaluate(CODE.replace(old, new), CLASS_NAME, LOGIC_MODEL, STATES, sandbox=SANDBOX, seed=1)


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_from_process_to_process_is_rejected(name: str) -> None:
    evaluation = evaluated(*DIFFERENT[name])

    assert (evaluation.status, evaluation.reason) == ("rejected", "nondeterministic"), evaluation.detail


@pytest.mark.parametrize("name", SIMULATED)
def test_ids_from_clock_or_chance_are_the_same_in_every_process_but_no_part_of_the_state(name: str) -> None:
    evaluation = evaluated(_NUMBER, SIMULATED[name])

    assert [*dict.fromkeys(each.reason for each in evaluation.findings)] == ["state_does_not_survive"]


def test_a_time_stamp_on_every_answer_is_the_same_in_every_process() -> None:
    stamped = '"data": copy.deepcopy(data), "at": str(__import__("datetime").datetime.now())'
    evaluation = evaluated('"data": copy.deepcopy(data)', stamped)

    assert [*dict.fromkeys(each.reason for each in evaluation.findings)] == ["state_does_not_survive"]


def test_a_class_may_ask_the_clock_for_the_day_as_it_starts_at_the_now_of_the_state() -> None:
    evaluation = evaluated(_TODAY, "date.today()")

    assert (evaluation.status, evaluation.findings) == ("accepted", ())


def test_a_constructor_that_stamps_the_instance_shares_nothing() -> None:
    stamped = 'given.get("now") or __import__("datetime").datetime.now().isoformat()[:16]'
    evaluation = evaluated('given.get("now", "2025-04-07T10:00")', stamped)

    assert (evaluation.status, evaluation.findings) == ("accepted", ())
