"""What isolation costs: the sandbox against plain `exec` in the own process, measured in the same run.

    python -m tests.benchmarks.sandbox [--sessions N] [--only WORD ...]

Nothing here fails: it prints what was measured, and whether the targets are met.
"""

import argparse
import itertools
import json
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial

from tasks.sandbox.base import Call
from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.measuring import Figure, in_turn, medians, milliseconds, rate, show
from tests.benchmarks.peer_session import copying_call, peer_call, peer_environment, peer_session
from tests.benchmarks.proof_cost import CHECKS, STEPS, TRIALS, ProofCost, proof_cost
from tests.benchmarks.repair_shop_visit import CLASS_NAME, CODE, LOOK_UP, SCRIPT, shop_state
from tests.benchmarks.sandbox_leaks import leaks
from tests.benchmarks.sandbox_sessions import (
    STATE,
    STEADY,
    Host,
    Work,
    plain_sessions,
    seconds_of,
    single_steps,
    steady_steps,
    timed_session,
    whole_session,
    whole_sessions,
)
from tests.contract.processes import children, memory_kib

_THEME = "veterinary-clinic"
_LIVE_SESSIONS = 50
_SMALL, _LARGE = 7, 903
"""Customers in a state of 4.5 KB and in one of 450 KB."""
_QUIET = Call("note_customer", {"customer_id": "CUS-0005", "note": "calls back"})


def steps(sandbox: ZygoteSandbox) -> Iterator[Figure]:
    """Steps per second of one worker."""
    count, rounds = 700, 9
    batch = list(itertools.islice(itertools.cycle(STEADY), count))
    with sandbox.environment(CODE, CLASS_NAME) as session, peer_environment(STATE) as instance:
        session.init(STATE)
        seconds = medians(
            {
                "look-up": lambda: single_steps(session, (LOOK_UP,), count),
                "mixed": lambda: single_steps(session, STEADY, count),
                "batch": lambda: session.steps(batch),
                "plain look-up": lambda: [peer_call(instance, LOOK_UP) for _ in range(count)],
                "plain mixed": lambda: [peer_call(instance, call) for call in batch],
            },
            rounds,
        )
    plain = f"in process: {rate(count, seconds['plain look-up'], 'steps')}"
    yield Figure("look-ups, one message each", rate(count, seconds["look-up"], "steps"), plain)
    plain = f"in process: {rate(count, seconds['plain mixed'], 'steps')}"
    yield Figure("mixed steps, one message each", rate(count, seconds["mixed"], "steps"), plain)
    yield Figure("mixed steps, in batches", rate(count, seconds["batch"], "steps"), plain)


def sessions(sandbox: ZygoteSandbox) -> Iterator[Figure]:
    """A whole session of 14 steps with its checks."""
    assert all(whole_session(sandbox)) and all(peer_session(STATE))
    seconds = in_turn(
        {
            "isolated": lambda: whole_session(sandbox),
            "plain": lambda: peer_session(STATE),
            "cached": lambda: peer_session(STATE, is_cached=True),
        },
        60,
    )
    for name, condense in (("median", statistics.median), ("fastest", min)):
        isolated, plain, cached = (condense(seconds[key]) for key in ("isolated", "plain", "cached"))
        ratio = isolated / plain
        yield Figure(
            f"whole session, {name}",
            f"{milliseconds(isolated)}, {ratio:.1f} x",
            f"in process, from source: {milliseconds(plain)}",
            "<= 5 x" if name == "median" else "",
            ratio <= 5 if name == "median" else None,
        )
        yield Figure("", f"{isolated / cached:.1f} x", f"in process, cached code object: {milliseconds(cached)}")


def parts(sandbox: ZygoteSandbox) -> Iterator[Figure]:
    """Where the time of a whole session goes."""
    laps = [timed_session(sandbox) for _ in range(60)]
    for name in laps[0]:
        yield Figure(name, milliseconds(statistics.median(each[name] for each in laps)))


def workers() -> Iterator[Figure]:
    """Two host processes against one; work without a sandbox shows what the machine has to give at the moment."""
    loads: tuple[tuple[str, Work, int], ...] = (
        ("steps", steady_steps, 1500),
        ("sessions", whole_sessions, 15),
        ("plain sessions", plain_sessions, 30),
    )
    with Host() as first, Host() as second:
        works: dict[str, Callable[[], float]] = {}
        for name, work, count in loads:
            seconds_of([first, second], work, count // 5)
            works[f"one {name}"] = partial(seconds_of, [first], work, count)
            works[f"two {name}"] = partial(seconds_of, [first, second], work, count)
        seconds = medians(works, 15)
    for name, work, count in loads:
        one, two = seconds[f"one {name}"], seconds[f"two {name}"]
        has_target = work is not plain_sessions
        yield Figure(
            f"two workers, {name}",
            f"{rate(2 * count, two, name)}, {2 * one / two:.2f} x",
            f"one worker: {rate(count, one, name)}",
            ">= 1.7 x" if has_target else "",
            2 * one / two >= 1.7 if has_target else None,
        )


def state_sizes(sandbox: ZygoteSandbox) -> Iterator[Figure]:
    """Steps that go through no collection, on a small and on a large state."""
    small, large = shop_state(_SMALL), shop_state(_LARGE)
    sizes = [f"{len(json.dumps(each)) / 1000:.1f} KB" for each in (small, large)]
    calls, count = (LOOK_UP, _QUIET), 400
    with (
        sandbox.environment(CODE, CLASS_NAME) as little,
        sandbox.environment(CODE, CLASS_NAME) as big,
        peer_environment(small) as little_peer,
        peer_environment(large) as big_peer,
    ):
        little.init(small)
        big.init(large)
        seconds = medians(
            {
                "small": lambda: single_steps(little, calls, count),
                "large": lambda: single_steps(big, calls, count),
                "small init": lambda: little.init(small),
                "large init": lambda: big.init(large),
                "small copy": lambda: [copying_call(little_peer, each) for each in calls * 4],
                "large copy": lambda: [copying_call(big_peer, each) for each in calls],
            },
            7,
        )
    share = seconds["small"] / seconds["large"]
    yield Figure(
        f"steps on {sizes[1]}",
        f"{rate(count, seconds['large'], 'steps')}, {share:.0%}",
        f"on {sizes[0]}: {rate(count, seconds['small'], 'steps')}",
        ">= 50 %",
        share >= 0.5,
    )
    slow, fast = seconds["large copy"] / 2, seconds["small copy"] / 8
    yield Figure(
        "the same in process, copying the state",
        f"{rate(1, slow, 'steps')}, {fast / slow:.1%}",
        f"on {sizes[0]}: {rate(1, fast, 'steps')}",
    )
    yield Figure(
        f"init with {sizes[1]}",
        milliseconds(seconds["large init"]),
        f"{sizes[0]}: {milliseconds(seconds['small init'])}",
    )


def proofs() -> Iterator[Figure]:
    """The proof of one scenario on one core."""
    cores = frozenset([min(os.sched_getaffinity(0))]) if hasattr(os, "sched_getaffinity") else frozenset()
    with Host(cores) as host:
        host.ask(proof_cost, _THEME)
        cost: ProofCost = host.answer()
    yield Figure(
        f"proof of a {_THEME} scenario",
        milliseconds(cost.seconds),
        f"{cost.trials} trials, {cost.steps} steps, {cost.checks} checks, {cost.state_kib:.0f} KiB",
        "<= 150 ms",
        cost.seconds <= 0.15,
    )
    yield Figure(
        "the same, repeated to the size of the target",
        milliseconds(cost.padded_s),
        f"{TRIALS} trials of {STEPS} steps with {CHECKS} checks",
        "<= 150 ms",
        cost.padded_s <= 0.15,
    )


def footprint() -> Iterator[Figure]:
    """Start of the zygote, and the memory of live sessions."""

    def start() -> None:
        fresh = ZygoteSandbox()
        assert fresh.level
        fresh.close()

    yield Figure("start and stop of a zygote", milliseconds(medians({"start": start}, 7)["start"]))
    others = children(os.getpid())
    sandbox = ZygoteSandbox()
    with ExitStack() as live:
        for _ in range(_LIVE_SESSIONS):
            session = live.enter_context(sandbox.environment(CODE, CLASS_NAME))
            session.init(STATE)
            session.steps(SCRIPT)
        (zygote,) = (child for child in children(os.getpid()) if child not in others)
        measured = [memory_kib(session) for session in children(zygote)]
        for name in ("Pss", "Private", "Rss"):
            median = statistics.median(each[name] for each in measured) / 1024
            yield Figure(f"{name} of a session, {_LIVE_SESSIONS} alive", f"{median:.1f} MiB")
        yield Figure("Rss of the zygote", f"{memory_kib(zygote)['Rss'] / 1024:.1f} MiB")
    sandbox.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What isolation costs.")
    parser.add_argument("--sessions", type=int, default=10_000, help="Sessions of the search for leaks; 0 for none.")
    parser.add_argument("--only", nargs="*", default=(), help="Words of the titles of the tables to measure.")
    options = parser.parse_args(arguments)
    sandbox = ZygoteSandbox()
    tables: dict[str, Callable[[], Iterator[Figure]]] = {
        "Steps, 20 KB state": lambda: steps(sandbox),
        "Whole session: 14 steps, 20 KB state, 4 checks": lambda: sessions(sandbox),
        "Where a session's time goes": lambda: parts(sandbox),
        "Two workers": workers,
        "State size": lambda: state_sizes(sandbox),
        "Proof of one scenario, one core": proofs,
        "Footprint": footprint,
    }
    if options.sessions:
        tables[f"Leaks after {options.sessions:,} sessions"] = lambda: leaks(options.sessions)
    print(f"sandbox level {sandbox.level}; medians")
    for title, measure in tables.items():
        if not options.only or any(word.lower() in title.lower() for word in options.only):
            show(title, list(measure()))
    sandbox.close()


if __name__ == "__main__":
    main()
