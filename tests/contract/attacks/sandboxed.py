"""Runs all attacks in the sandbox and writes what each got: `python -m tests.contract.attacks.sandboxed FILE`.

This process is the host that they are after: it has the key among its variables, and files and servers open. After each
attack the world must be as it was, and the same sandbox must serve an honest session as before.
"""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from schemas.errors import SandboxUnavailable
from schemas.ids import digest
from tasks.sandbox.base import Call, CodeRejected, EnvironmentSession, Sandbox, SessionDied, StepResult
from tasks.sandbox.selftest import HONEST_ANSWER
from tasks.sandbox.zygote import ZygoteSandbox
from tests.contract.attacks.attack import Attack, Goal
from tests.contract.attacks.catalogue import ATTACKS
from tests.contract.attacks.checks import FALSE_CHECK
from tests.contract.attacks.checks import STATE as CHECKED
from tests.contract.attacks.outcome import MIB, Outcome, why_not_plain, write_outcomes
from tests.contract.attacks.world import SECRET, World
from tests.contract.sandbox_samples import SHELF, STATE

_AT_ONCE = 8
_TOGETHER = (Goal.OUTLIVES, Goal.ANSWERS)
"""What may take all the time that it is given."""


def main() -> None:
    """Try them all; those that take their time side by side."""
    with closing(World()) as world:
        outcomes = _all_tried(world)
    write_outcomes(Path(sys.argv[1]), outcomes)


def _all_tried(world: World) -> list[Outcome]:
    patient = ZygoteSandbox(wall_s=10, cpu_s=2, memory_mib=256, frame_mib=1, check_s=1.0)
    hasty = ZygoteSandbox(wall_s=1, cpu_s=2, memory_mib=256, frame_mib=1)
    slow = [attack for attack in ATTACKS if attack.goal in _TOGETHER]
    quick = [attack for attack in ATTACKS if attack.goal not in _TOGETHER]
    expected = _honest_session(patient)
    with patient.environment(SHELF, "Shelf") as neighbour:
        neighbour.init(STATE)
        before = neighbour.snapshot()
        outcomes = [_tried(attack, patient, world, expected) for attack in quick]
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            outcomes += threads.map(lambda attack: _judged(attack, hasty, {}), slow)
        if neighbour.snapshot() != before or _honest_session(hasty) != expected or world.damage():
            raise SystemExit("an attack reached a session that was open all the time, or what came later")
    patient.close()
    hasty.close()
    return outcomes


def _tried(attack: Attack, sandbox: Sandbox, world: World, expected: Any) -> Outcome:
    lures = world.lures
    outcome = _judged(attack, sandbox, {name: lures[name] for name in attack.takes})
    flaws = world.damage()
    if flaws:
        world.repair()
    if _honest_session(sandbox) != expected:
        flaws.append("an honest session behaves differently afterwards")
    if flaws:
        return Outcome(attack.name, True, f"{outcome.detail}; {'; '.join(flaws)}", outcome.ended)
    return outcome


def _judged(attack: Attack, sandbox: Sandbox, arguments: dict[str, Any]) -> Outcome:
    """What the host is left with."""
    if attack.goal in (Goal.PASSES_BESIDE, Goal.PASSES_LATER):
        return _judged_check(attack, sandbox)
    try:
        with _session(attack, sandbox) as session:
            (step,) = _steps(session, arguments)
            state: Any = session.snapshot() if attack.goal in (Goal.NOT_PLAIN, Goal.BREAKS) else None
            honest = [session.step("honest", {}).result for _ in range(2)] if attack.goal is Goal.ANSWERS else None
        if attack.goal is Goal.REMEMBERS:
            with _session(attack, sandbox) as session:
                (step,) = _steps(session, arguments)
    except SessionDied as death:
        return Outcome(attack.name, death.reason not in attack.may_end, f"{death.reason}: {death}"[:300], death.reason)
    except CodeRejected as rejected:
        return Outcome(attack.name, len(str(rejected)) > MIB, f"{rejected.kind}: {rejected}"[:300])
    except (SandboxUnavailable, Unexpected) as error:
        return Outcome(attack.name, True, f"{type(error).__name__}: {error}"[:300])
    return Outcome(attack.name, _is_reached(attack, step, state, honest), _ascii(step.error or step.result)[:300])


def _ascii(value: Any) -> str:
    return value.encode("ascii", "backslashreplace").decode() if isinstance(value, str) else ascii(value)


class Unexpected(Exception):
    """A call raised what no call may raise."""


def _steps(session: EnvironmentSession, arguments: dict[str, Any]) -> list[StepResult]:
    try:
        return session.steps([Call("run", arguments)], watch=True)
    except CodeRejected as rejected:
        raise Unexpected(f"CodeRejected by a call: {rejected.kind}: {rejected}") from rejected


@contextmanager
def _session(attack: Attack, sandbox: Sandbox) -> Iterator[EnvironmentSession]:
    with sandbox.environment(attack.code, "Attack") as session:
        session.init(None)
        try:
            yield session
        except SessionDied as death:
            _require_dead(session, death)
            raise


def _require_dead(session: EnvironmentSession, death: SessionDied) -> None:
    """Whoever goes on using a session that has died meets the same death at once."""
    try:
        session.step("honest", {})
    except SessionDied as again:
        if again.reason == death.reason and death.usage is not None:
            return
    raise Unexpected(f"a session that had died ({death.reason}: {death}) was still there")


def _is_reached(attack: Attack, step: StepResult, state: Any, honest: Any) -> bool:
    size = len(json.dumps(step.result)) + len(step.error or "")
    if (
        SECRET in f"{step.result}{step.error}"
        or any(map(why_not_plain, (step.result, step.error, state)))
        or size > MIB
    ):
        return True
    match attack.goal:
        case Goal.SAYS | Goal.REMEMBERS:
            return isinstance(step.result, dict) and step.result["success"] is True
        case Goal.ANSWERS:
            return bool(honest != [HONEST_ANSWER] * 2)
    return False


def _judged_check(attack: Attack, sandbox: Sandbox) -> Outcome:
    """Whether a false check passes after it: beside it, in another group of the session, or in a later session."""
    with sandbox.checks() as session:
        (own,) = session.check([attack.code], CHECKED, CHECKED, {"calls": []}, group="author")
        said = session.check([FALSE_CHECK], CHECKED, CHECKED, {"calls": []}, group="derived")
    if attack.goal is Goal.PASSES_LATER:
        with sandbox.checks() as session:
            said = session.check([FALSE_CHECK], CHECKED, CHECKED, {"calls": []})
    wrong = [verdict.error or "it passed" for verdict in said if verdict.passed or verdict.error]
    return Outcome(attack.name, bool(wrong), "; ".join(wrong) or f"its own verdict: {own.error or own.passed}")


def _honest_session(sandbox: Sandbox) -> Any:
    """All that a well-behaved class and a check give the host."""
    with sandbox.environment(SHELF, "Shelf") as session:
        session.init(STATE)
        calls = [Call("add_book", {"title": "New"}), Call("draw", {}), Call("dates", {})]
        results = session.steps(calls, watch=True)
        state = session.snapshot()
    with sandbox.checks() as checks:
        (verdict,) = checks.check([FALSE_CHECK], state, CHECKED, {"calls": []})
    if results[-1].digest != digest(state):
        raise SystemExit("digests of the session and of the host disagree")
    return results, state, verdict


if __name__ == "__main__":
    main()
