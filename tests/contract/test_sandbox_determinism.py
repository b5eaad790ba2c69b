"""Code in a sandbox sees a simulated clock and seeded chance: what it does, it does again in any other process."""

from typing import Any

import pytest

from tasks.sandbox.base import Call, EnvironmentSession, Sandbox, StepResult

DIARY = '''
import random
import secrets
import time
import uuid
from datetime import date, datetime

LOADED = [str(datetime.now()), random.random(), uuid.uuid4().hex]


class Diary:
    """Notes, each with all that clock and chance have to say."""

    def __init__(self, config: dict | None = None):
        config = config or {}
        self.now = config.get("now", "")
        self.notes = config.get("notes", {})
        self._draws = random.Random()
        self._made = str(datetime.now())

    def write(self, text: str) -> dict:
        """Keep a text."""
        words = {word: len(word) for word in text.split()}
        self.notes[str(uuid.uuid4())] = {
            "at": str(datetime.now()), "day": date.today().isoformat(), "time": time.time(), "up": time.monotonic(),
            "key": secrets.token_hex(4), "lot": random.randint(1, 10**9), "own": self._draws.random(),
            "node": str(uuid.uuid1()), "words": words, "distinct": sorted(set(words)), "loaded": LOADED,
        }
        return {"success": True, "data": self.notes}

    def moment(self) -> dict:
        """What the clock says."""
        return {"made": self._made, "now": str(datetime.now()), "text": time.strftime("%d.%m.%Y %H:%M:%S %Z")}

    def wait(self, seconds: float) -> dict:
        """Sleep."""
        time.sleep(seconds)
        return self.moment()

    def unstable(self, kind: str) -> dict:
        """What no simulation hides."""
        return {
            "order": lambda: ["".join({"ash", "beech", "cedar", "elm", "fir", "oak"})],
            "hash": lambda: [hash("ash")],
            "address": lambda: [id(self)],
            "print": lambda: [repr(object())],
        }[kind]()

    def late(self, expression: str) -> dict:
        """What modules load when they are first used."""
        return {"value": str(eval(expression))}
'''
STATE: dict[str, Any] = {"now": "2025-06-19T10:00", "notes": {}}
WRITES = [Call("write", {"text": text}) for text in ("oak elm oak ash", "fir", "elm beech ash")]

LATE = """
datetime.strptime("3 Mar 2025", "%d %b %Y")
time.strptime("2025", "%Y").tm_year
f"{datetime.now():%A %c}"
"\\N{BULLET}".encode("cp1252").decode("latin-1").encode("utf-16")
"ü".encode("idna")
10**4000 // 7**1000 % 1000
__import__("re").sub(r"\\N{LATIN SMALL LETTER A}", "b", "a")
__import__("hashlib").new("sha3_256", b"x").hexdigest()
__import__("hashlib").scrypt(b"a", salt=b"b", n=2, r=1, p=1)
__import__("collections").Counter("aab").most_common(1)
__import__("functools").singledispatch(len)("abc")
__import__("decimal").Decimal("1.5").__format__("n")
__import__("statistics").NormalDist(0, 1).samples(2)
__import__("calendar").LocaleTextCalendar(locale="C").formatmonth(2025, 1)
__import__("typing").get_type_hints(Diary.wait)
__import__("dataclasses").make_dataclass("Point", ["x"])(1)
__import__("json").loads('{"a": 1.5}')
uuid.uuid3(uuid.NAMESPACE_DNS, "a")
"""


def played(sandbox: Sandbox, calls: list[Call], *, hash_seed: int = 0, seed: int = 3) -> list[StepResult]:
    """Results of the calls in a process of their own."""
    with sandbox.environment(DIARY, "Diary", hash_seed=hash_seed) as session:
        session.init(STATE, seed=seed)
        return session.steps(calls, watch=True)


@pytest.fixture
def diary(sandbox: Sandbox) -> Any:
    """A session with an empty diary."""
    with sandbox.environment(DIARY, "Diary") as session:
        session.init(STATE, seed=3)
        yield session


def test_clock_and_chance_say_the_same_in_two_processes_with_different_hash_seeds(sandbox: Sandbox) -> None:
    first, second = played(sandbox, WRITES), played(sandbox, WRITES, hash_seed=1)

    assert [each.error for each in first] == [None] * 3
    assert first == second
    notes = list(first[-1].result["data"].values())
    assert len(notes) == 3
    for name in ("at", "time", "up", "key", "lot", "own", "node"):
        assert len({note[name] for note in notes}) == 3, name


def test_another_seed_brings_other_chance_at_the_same_time(sandbox: Sandbox) -> None:
    (one,), (other,) = (played(sandbox, WRITES[:1], seed=seed) for seed in (3, 4))

    ((key, note),), ((other_key, other_note),) = one.result["data"].items(), other.result["data"].items()
    assert note["at"] == other_note["at"]
    assert key != other_key
    assert all(note[name] != other_note[name] for name in ("key", "lot", "own", "node"))


@pytest.mark.parametrize("kind", ["order", "hash", "address", "print"])
def test_what_hangs_on_hashes_and_addresses_shows_itself_under_another_hash_seed(sandbox: Sandbox, kind: str) -> None:
    call = Call("unstable", {"kind": kind})
    first, second = played(sandbox, [call]), played(sandbox, [call], hash_seed=1)

    assert first[0].error is None
    assert first[0].result != second[0].result


def test_the_clock_begins_at_the_now_of_the_state_and_moves_a_second_per_call(diary: EnvironmentSession) -> None:
    first, second = (diary.step("moment", {}).result for _ in range(2))

    assert first == {
        "made": "2025-06-19 10:00:00.000001",
        "now": "2025-06-19 10:00:01.000002",
        "text": "19.06.2025 10:00:01 UTC",
    }
    assert second["now"] == "2025-06-19 10:00:02.000004"


@pytest.mark.parametrize("state", [None, {}, {"now": None}, {"now": 7}, {"now": "yesterday"}])
def test_a_state_that_names_no_moment_begins_with_the_year_2025(
    diary: EnvironmentSession, state: dict[str, Any] | None
) -> None:
    diary.init(state)

    assert diary.step("moment", {}).result["text"] == "01.01.2025 00:00:01 UTC"


def test_a_sleep_moves_the_clock_and_takes_no_time(diary: EnvironmentSession) -> None:
    assert diary.step("wait", {"seconds": 7 * 86_400}).result["text"] == "26.06.2025 10:00:01 UTC"


def test_a_reset_and_a_second_init_bring_the_same_stream_again(diary: EnvironmentSession) -> None:
    first = diary.steps(WRITES, watch=True)
    diary.reset()
    again = diary.steps(WRITES, watch=True)
    diary.init(STATE, seed=3)
    once_more = diary.steps(WRITES, watch=True)

    assert first == again == once_more


@pytest.mark.parametrize("expression", LATE.strip().splitlines())
def test_what_a_module_loads_late_is_there(diary: EnvironmentSession, expression: str) -> None:
    step = diary.step("late", {"expression": expression})

    assert step.error is None


def test_checks_read_a_simulated_clock_and_draw_the_same_each_time(sandbox: Sandbox) -> None:
    code = """
import random, time, uuid
from datetime import date

def check(initial_state, final_state, trajectory):
    drawn = f"{random.random()} {uuid.uuid4()} {time.time()}"
    assert trajectory.get("drawn") == drawn, drawn
    return date.today().isoformat() == "2025-06-19"
"""
    verdicts = []
    for _ in range(2):
        with sandbox.checks() as checks:
            verdicts += checks.check([code, code], STATE, STATE, {})

    assert len({each.error for each in verdicts}) == 1
    assert verdicts[0].error is not None
    drawn = verdicts[0].error.removeprefix("AssertionError: ").partition(" (line")[0]
    with sandbox.checks() as checks:
        assert checks.check([code], STATE, STATE, {"drawn": drawn})[0].passed
