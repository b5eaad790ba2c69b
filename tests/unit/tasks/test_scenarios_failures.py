"""What machinery breaks in the scenario stage is failed, to be tried again; what the author can't say is rejected."""

from contextlib import AbstractContextManager

from schemas.errors import SandboxUnavailable
from tasks.authors.base import BadReply, ScenariosDraft, StatesDraft
from tasks.sandbox.base import CheckSession, EnvironmentSession
from tasks.sandbox.zygote import ZygoteSandbox
from tasks.scenarios.generate import ScenarioOutcome, generate_scenarios
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import LOGIC_MODEL, STATES, TOPIC
from tests.fakes.lending_shed_scenarios import (
    EXTEND,
    REGISTER,
    SKELETON,
    TOOLS,
    check,
    fate,
    generate,
    shed_with,
    with_checks,
)
from tests.fakes.sandbox import SANDBOX


def test_a_check_without_an_end_fails_and_is_no_rejection() -> None:
    endless = with_checks(EXTEND, check("while True: pass", "answer"))
    outcome = generate(endless, sandbox=ZygoteSandbox(check_s=0.2))

    assert fate(outcome) == ("failed", "check_out_of_time")
    assert outcome.status == "failed"


def test_code_that_hangs_fails_its_scenario_and_leaves_the_next_one_alone() -> None:
    hanging = shed_with('        loan["due_on"] = due_on\n', "        while True:\n            pass\n")
    outcome = generate(EXTEND, REGISTER, skeleton=hanging, sandbox=ZygoteSandbox(wall_s=0.6))

    assert [fate(outcome, number) for number in (0, 1)] == [("failed", "session_died"), ("accepted", None)]
    assert outcome.status == "accepted"


class _FragileSandbox:
    """A process sandbox that can open only so many sessions for checks."""

    level = "process"

    def __init__(self, check_sessions: int) -> None:
        self._left = check_sessions
        self._real = SANDBOX

    def environment(
        self, code: str, class_name: str, *, hash_seed: int = 0
    ) -> AbstractContextManager[EnvironmentSession]:
        return self._real.environment(code, class_name, hash_seed=hash_seed)

    def checks(self) -> AbstractContextManager[CheckSession]:
        self._left -= 1
        if self._left < 0:
            raise SandboxUnavailable("no process could be started")
        return self._real.checks()


def test_a_sandbox_that_breaks_fails_what_it_could_not_try() -> None:
    outcome = generate(EXTEND, sandbox=_FragileSandbox(1))

    assert outcome.initial_states[0].status == "accepted"
    assert fate(outcome) == ("failed", "sandbox_unavailable")
    assert (outcome.status, outcome.reason) == ("failed", "no_scenario_accepted")

    outcome = generate(EXTEND, sandbox=_FragileSandbox(0))

    assert (outcome.initial_states[0].status, outcome.initial_states[0].reason) == ("failed", "sandbox_unavailable")
    assert (outcome.status, outcome.reason, outcome.scenarios) == ("failed", "no_state_accepted", ())


def _answered(author: ScriptedAuthor) -> ScenarioOutcome:
    return generate_scenarios(
        SKELETON,
        LOGIC_MODEL,
        TOOLS,
        TOPIC,
        author=author,
        sandbox=SANDBOX,
        seed=7,
        state_count=2,
        scenarios_per_state=9,
    )


def test_states_that_the_author_can_not_say_are_a_rejected_outcome() -> None:
    outcome = _answered(ScriptedAuthor({"draft_initial_states": [BadReply("no JSON, twice")]}))

    assert (outcome.status, outcome.reason, outcome.detail) == ("rejected", "reply_unusable", "no JSON, twice")


def test_an_unusable_reply_on_one_state_leaves_the_next_one_alone() -> None:
    author = ScriptedAuthor({"draft_initial_states": [StatesDraft(states=STATES[:2])]})
    author.enqueue("draft_scenarios", BadReply("cut off"), ScenariosDraft(scenarios=(EXTEND,)))

    outcome = _answered(author)

    assert [each.status for each in outcome.initial_states] == ["accepted", "accepted"]
    assert [each.initial_state_id for each in outcome.scenarios] == [outcome.initial_states[1].initial_state_id]
    assert "reply_unusable on state 1: cut off" in str(outcome.detail)
