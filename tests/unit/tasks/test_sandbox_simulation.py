"""Simulated clock and chance, installed in a process that is thrown away."""

import json
import os
import random
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[3]
_PRELUDE = """
import collections, copy, datetime, json, os, pickle, queue, random, secrets, sys, time, uuid
from datetime import date, timedelta, timezone
from tasks.sandbox.inside import simulation
simulation.install()
def refusal(function, *given):
    try:
        function(*given)
    except Exception as error:
        return [type(error).__name__, str(error)]
"""
_DRAWS = (
    "random.random()",
    "random.gauss(0, 1)",
    "random.Random().random()",
    "random.Random(None).random()",
    "(random.seed(), random.random())[1]",
    "random.SystemRandom().random()",
    "secrets.token_hex(8)",
    "secrets.randbelow(10**9)",
    "secrets.choice(range(10**9))",
    "os.urandom(8).hex()",
    "str(uuid.uuid1())",
    "str(uuid.uuid4())",
    "uuid.getnode()",
)


def simulated(code: str) -> Any:
    """What the code leaves in `answer`."""
    script = f"{_PRELUDE}\n{code}\nprint(json.dumps(answer))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=_ROOT, env={"TZ": "Asia/Tokyo"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(function: Any, *given: Any) -> list[str]:
    """How the real function refuses."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is, it is compared
        function(*given)
    return [caught.type.__name__, str(caught.value)]


def test_the_clock_starts_where_it_is_told_to_and_at_a_fixed_moment_otherwise() -> None:
    starts = {
        "2025-03-04T09:30": "2025-03-04 09:30:00.000001",
        "2025-03-04T09:30:15.000250": "2025-03-04 09:30:15.000251",
        "2025-03-04": "2025-03-04 00:00:00.000001",
        "2025-03-04T09:30:00Z": "2025-03-04 09:30:00.000001",
        "2025-03-04T09:30:00+02:00": "2025-03-04 07:30:00.000001",
        "0001-01-01T00:00:00+14:00": "0001-01-01 00:00:00.000001",
        "9999-12-31T23:59:59": "9999-12-31 00:00:00.000001",
        "yesterday": "2025-01-01 00:00:00.000001",
        "": "2025-01-01 00:00:00.000001",
    }
    answer = simulated(
        f"answer = []\nfor start in (*{[*starts]!r}, None):\n"
        "    simulation.begin(start, 0)\n    answer.append(str(datetime.datetime.now()))"
    )

    assert answer == [*starts.values(), "2025-01-01 00:00:00.000001"]


def test_every_reading_moves_every_clock_by_a_microsecond_a_tick_by_a_second_and_a_sleep_by_its_length() -> None:
    answer = simulated("""
simulation.begin("2025-03-04T09:30", 0)
answer = [time.time_ns(), time.time()]
for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
    answer += [getattr(time, name)(), getattr(time, name + "_ns")()]
answer += [time.clock_gettime(time.CLOCK_REALTIME), time.clock_gettime_ns(time.CLOCK_MONOTONIC)]
simulation.tick()
answer.append(str(datetime.datetime.utcnow()))
time.sleep(90.5)
time.sleep(True)
answer.append(str(datetime.datetime.today()))
time.sleep(9e9)
answer += [str(date.today()), *(refusal(time.sleep, given) for given in (-1, "1", float("nan")))]
answer.append(refusal(time.sleep, 1e11)[0])
""")

    start = 1_741_080_600_000_001
    up = 86_400_000_001
    expected: list[Any] = [start * 1000, (start + 1) / 1e6]
    for microsecond in (2, 4, 6, 8):
        expected += [(up + microsecond) / 1e6, (up + microsecond + 1) * 1000]
    expected += [(start + 10) / 1e6, (up + 11) * 1000]
    expected += ["2025-03-04 09:30:01.000013", "2025-03-04 09:31:32.500014", "2310-05-17"]
    expected += [refusal(time.sleep, given) for given in (-1, "1", float("nan"))]
    assert answer == [*expected, "OverflowError"]


def test_texts_and_parts_of_a_moment_are_of_the_clock_and_the_zone_is_utc_wherever_the_machine_is() -> None:
    answer = simulated("""
simulation.begin("2025-03-04T09:30", 0)
answer = [time.ctime(), time.asctime(), time.strftime("%Y-%m-%d %H:%M:%S %Z")]
answer += [list(time.localtime()), list(time.gmtime())]
answer += [time.ctime(0), time.localtime(None).tm_year, time.strftime("%H", time.gmtime(3600))]
answer += [time.mktime(time.gmtime(7))]
answer += [str(datetime.datetime.now().astimezone()), datetime.datetime.fromtimestamp(0).hour, list(time.tzname)]
answer += [refusal(time.strftime, "%Y", None), refusal(time.asctime, None)]
""")

    parts = [2025, 3, 4, 9, 30, 0, 1, 63, 0]
    assert answer == [
        "Tue Mar  4 09:30:00 2025", "Tue Mar  4 09:30:00 2025", "2025-03-04 09:30:00 UTC", parts, parts,
        "Thu Jan  1 00:00:00 1970", 2025, "01", 7.0,
        "2025-03-04 09:30:00.000007+00:00", 0, ["UTC", "UTC"],
        refusal(time.strftime, "%Y", None), refusal(time.asctime, None),
    ]  # fmt: skip


def test_a_moment_of_the_simulated_clock_is_an_ordinary_datetime() -> None:
    answer = simulated("""
simulation.begin("2025-03-04T09:30", 0)
now, same = datetime.datetime.now(), datetime.datetime(2025, 3, 4, 9, 30, 0, 1)
others = [now + timedelta(1), now.replace(hour=1), datetime.datetime.strptime("2025", "%Y"), copy.deepcopy(now),
          datetime.datetime.fromisoformat("2025-03-04"), pickle.loads(pickle.dumps(now)), datetime.datetime(2025, 1, 1),
          datetime.datetime.now(timezone.utc), datetime.datetime.utcnow(), datetime.datetime.today()]
answer = [repr(now), type(now).__name__, all(type(each) is datetime.datetime for each in others)]
answer += [isinstance(now, date), now == copy.deepcopy(now) == same, hash(now) == hash(same)]
answer += [refusal(json.dumps, now), repr(date.today()), type(date.today()) is date, f"{now:%H:%M}"]
answer.append(repr(datetime.datetime))
""")

    assert answer == [
        "datetime.datetime(2025, 3, 4, 9, 30, 0, 1)", "datetime", True, True, True, True,
        refusal(json.dumps, datetime(2025, 3, 4)), "datetime.date(2025, 3, 4)", True, "09:30",
        "<class 'datetime.datetime'>",
    ]  # fmt: skip


def test_zones_and_subclasses_are_honoured_by_now() -> None:
    answer = simulated("""
simulation.begin("2025-03-04T09:30", 0)
class Moment(datetime.datetime):
    def __new__(cls, *given, **named):
        made.append(len(given) + len(named))
        return super().__new__(cls, *given, **named)
    @classmethod
    def now(cls, tz=None):
        return super().now(tz)
made = []
zone = timezone(timedelta(hours=2))
moments = [Moment.now(), Moment.now(zone), Moment.utcnow(), Moment.today()]
answer = [[type(each).__name__ for each in moments], str(moments[1]), len(made) >= 4]
answer += [repr(datetime.datetime.now(tz=zone)), refusal(datetime.datetime.now, 5)]
""")

    assert answer == [
        ["Moment"] * 4, "2025-03-04 11:30:00.000002+02:00", True,
        "datetime.datetime(2025, 3, 4, 11, 30, 0, 5, tzinfo=datetime.timezone(datetime.timedelta(seconds=7200)))",
        refusal(datetime.now, 5),
    ]  # fmt: skip


def test_names_that_were_copied_before_are_simulated_too_and_a_class_may_keep_them_as_attributes() -> None:
    answer = simulated("""
class Shelf:
    clock, moment, draw = time.time, datetime.datetime.now, random.random
    def read(self):
        return [self.clock(), str(self.moment()), self.draw()]
simulation.begin(None, 0)
random.seed(5)
answer = [queue.time(), *Shelf().read(), os.getpid()]
""")

    assert answer[:3] == [86_400.000001, 1_735_689_600.000002, "2025-01-01 00:00:00.000003"]
    assert answer[3:] == [random.Random(5).random(), 4_194_304]


def test_the_same_seed_brings_the_same_chance_in_every_process_and_another_seed_another_one() -> None:
    code = f"""
def drawn(seed):
    simulation.begin(None, seed)
    return [{", ".join(_DRAWS)}]
answer = [drawn(seed) for seed in (0, 1, 2**64 - 1, -2, 0)]
"""
    answer = simulated(code)

    assert answer == simulated(code)
    assert answer[0] == answer[-1]
    for position in range(len(_DRAWS)):
        assert len({draws[position] for draws in answer}) == 4, _DRAWS[position]


def test_begin_forgets_what_was_drawn_and_read_before() -> None:
    answer = simulated("""
def stream():
    simulation.begin("2025-03-04T09:30", 7)
    return [random.gauss(0, 1), uuid.uuid1(), uuid.uuid4(), secrets.token_hex(), time.time(), random.Random().random()]
first = stream()
random.gauss(0, 1), uuid.uuid1(), random.Random(), secrets.token_hex(3), time.sleep(9), simulation.tick()
answer = [first == stream()]
""")

    assert answer == [True]


def test_generators_with_a_seed_draw_what_they_always_drew() -> None:
    answer = simulated(
        "random.seed('a')\n"
        "answer = [random.Random(7).random(), random.Random('x').getrandbits(64), random.random(), "
        "str(uuid.uuid5(uuid.NAMESPACE_DNS, 'a'))]"
    )

    drawn = [random.Random(7).random(), random.Random("x").getrandbits(64), random.Random("a").random()]
    assert answer == [*drawn, "4f3f2898-69e3-5a0d-820a-c4e87987dbce"]


def test_bytes_of_the_system_are_asked_for_as_ever() -> None:
    answer = simulated(
        "answer = [len(os.urandom(0)), len(os.urandom(33)), refusal(os.urandom, -1), refusal(os.urandom, 'x'), "
        "refusal(random.seed, [])[0], uuid.uuid4().version, uuid.uuid1().version]"
    )

    assert answer == [0, 33, refusal(os.urandom, -1), refusal(os.urandom, "x"), "TypeError", 4, 1]
