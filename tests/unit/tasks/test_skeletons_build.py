"""From a topic to rows, whatever the author writes and whatever breaks on the way."""

import json
from contextlib import AbstractContextManager

import pytest

from schemas.errors import AuthorUnavailable, SandboxUnavailable
from schemas.logic_models import LogicModel
from tasks.authors.base import (
    CodeDraft,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftTestPlan,
    RepairCode,
    StatesDraft,
)
from tasks.sandbox.base import CheckSession, EnvironmentSession
from tasks.sandbox.zygote import ZygoteSandbox
from tasks.skeletons.build import build_skeleton
from tasks.skeletons.outcome import SkeletonOutcome
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import CODE, LOGIC_MODEL, STATES, TOPIC
from tests.fakes.sandbox import SANDBOX


def shed_author(
    model: LogicModel = LOGIC_MODEL, code: str = CODE, states: StatesDraft | AuthorUnavailable | None = None
) -> ScriptedAuthor:
    return ScriptedAuthor(
        {
            "draft_logic_model": [model],
            "draft_code": [CodeDraft(code=code)],
            "draft_initial_states": [states or StatesDraft(states=STATES)],
        }
    )


class BrokenSandbox:
    """A sandbox that can't start."""

    level = "process"

    def environment(
        self, code: str, class_name: str, *, hash_seed: int = 0
    ) -> AbstractContextManager[EnvironmentSession]:
        """Fail."""
        raise SandboxUnavailable("no process can be started")

    def checks(self) -> AbstractContextManager[CheckSession]:
        """Fail."""
        raise SandboxUnavailable("no process can be started")


@pytest.fixture(scope="module")
def author() -> ScriptedAuthor:
    return shed_author()


@pytest.fixture(scope="module")
def outcome(author: ScriptedAuthor) -> SkeletonOutcome:
    return build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)


def test_an_accepted_topic_becomes_rows_in_every_table(outcome: SkeletonOutcome, author: ScriptedAuthor) -> None:
    assert (outcome.status, outcome.reason, outcome.detail) == ("accepted", None, None)
    (model,), (skeleton,), (validation,) = outcome.logic_models, outcome.skeletons, outcome.skeleton_validations
    assert (model.status, skeleton.status, validation.decision) == ("accepted",) * 3
    assert LogicModel.model_validate_json(model.model_json) == LOGIC_MODEL
    assert (skeleton.logic_model_id, skeleton.topic_id) == (model.logic_model_id, TOPIC.topic_id)
    assert (skeleton.tool_count, skeleton.query_count, skeleton.state_change_count) == (8, 3, 5)
    assert (skeleton.entity_count, skeleton.rule_count, skeleton.code) == (3, 10, CODE)
    assert [type(question) for question, _ in author.asked] == [
        DraftLogicModel,
        DraftCode,
        DraftInitialStates,
        DraftTestPlan,
    ]


def test_tools_are_described_as_the_code_has_them_and_classed_as_the_plan_has_them(outcome: SkeletonOutcome) -> None:
    lend = next(tool for tool in outcome.tools if tool.name == "lend_item")
    schema = json.loads(lend.parameters_json)
    assert list(schema["properties"]) == schema["required"] == ["member_id", "item_id", "days"]
    assert schema["properties"]["days"]["type"] == "integer"
    assert (lend.kind, lend.writes) == ("state_change", ["counters", "loans"])
    assert "fees_first" in lend.enforces


def test_every_tool_has_executed_cases_of_every_kind(outcome: SkeletonOutcome) -> None:
    (validation,) = outcome.skeleton_validations
    cases = {(test.tool, test.case) for test in outcome.tool_tests}
    for tool in outcome.tools:
        assert {(tool.name, "positive"), (tool.name, "unknown_argument"), (tool.name, "wrong_type")} <= cases
        assert ((tool.name, "missing_argument") in cases) == bool(json.loads(tool.parameters_json)["required"])
    assert all(test.is_passed and test.outcome == test.expected for test in outcome.tool_tests)
    assert len({test.tool_test_id for test in outcome.tool_tests}) == len(outcome.tool_tests) == validation.test_count
    assert all(len(test.arguments_json) < 2000 for test in outcome.tool_tests)  # long texts are shortened
    assert any("100008 characters" in test.arguments_json for test in outcome.tool_tests)


def test_the_same_topic_author_and_seed_give_the_same_outcome(outcome: SkeletonOutcome) -> None:
    assert build_skeleton(TOPIC, author=shed_author(), sandbox=SANDBOX, seed=3) == outcome


def test_an_unsound_logic_model_is_rejected_and_no_code_is_asked_for() -> None:
    model = LOGIC_MODEL.model_copy(update={"operations": LOGIC_MODEL.operations[:-3]})
    author = shed_author(model)

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=1)

    assert (outcome.status, outcome.reason) == ("rejected", "logic_rule_not_enforced")
    assert outcome.detail is not None and "extended_in_time" in outcome.detail
    (row,) = outcome.logic_models
    assert (row.status, row.reason, row.detail) == ("rejected", outcome.reason, outcome.detail)
    assert (outcome.skeletons, outcome.tools, outcome.tool_tests, outcome.skeleton_validations) == ((), (), (), ())
    assert len(author.asked) == 1


def test_a_logic_model_that_utf_8_cannot_hold_is_still_a_row() -> None:
    model = LOGIC_MODEL.model_copy(update={"title": "Shed \ud800"})

    outcome = build_skeleton(TOPIC, author=shed_author(model), sandbox=SANDBOX, seed=1)

    (row,) = outcome.logic_models
    assert (row.status, row.reason, row.title) == ("rejected", "logic_not_json", "Shed \\ud800")
    row.model_dump_json().encode("utf-8")


@pytest.mark.parametrize(
    ("code", "reason", "tool_count"),
    [
        ("def", "does_not_parse", 0),
        ("x = '\ud800'", "class_missing", 0),
        (CODE.replace("def settle_fee", "def _settle_fee"), "tool_missing", 7),
    ],
)
def test_code_that_fails_by_reading_is_a_rejected_row_and_no_state_is_asked_for(
    code: str, reason: str, tool_count: int
) -> None:
    author = shed_author(code=code)

    outcome = build_skeleton(TOPIC, author=author, sandbox=BrokenSandbox(), seed=1)

    assert (outcome.status, outcome.reason) == ("rejected", reason)
    (skeleton,), (validation,) = outcome.skeletons, outcome.skeleton_validations
    assert (skeleton.status, skeleton.reason, skeleton.tool_count) == ("rejected", reason, tool_count)
    assert (validation.decision, validation.checks_failed, validation.call_count) == ("rejected", [reason], 0)
    assert list(json.loads(validation.evidence_json)) == [reason]
    assert len(outcome.tools) == tool_count
    assert [type(question) for question, _ in author.asked] == [DraftLogicModel, DraftCode, RepairCode]


def test_a_class_that_fails_by_running_keeps_its_tests_and_evidence() -> None:
    code = CODE.replace("if self._is_lent(item_id):", "if False:")

    outcome = build_skeleton(TOPIC, author=shed_author(code=code), sandbox=SANDBOX, seed=1)

    (validation,) = outcome.skeleton_validations
    assert (outcome.status, validation.reason) == ("rejected", "invariant_broken")
    assert any("item_lent_once" in detail for detail in json.loads(validation.evidence_json)["invariant_broken"])
    assert outcome.tool_tests
    assert validation.test_passed_count == validation.test_count


@pytest.mark.parametrize("prompt", ["draft_logic_model", "draft_code", "draft_initial_states"])
def test_an_author_who_does_not_answer_makes_the_topic_failed_never_rejected(prompt: str) -> None:
    author = shed_author()
    author.clear(prompt)
    author.enqueue(prompt, AuthorUnavailable("the endpoint answers 503"))

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=1)

    assert (outcome.status, outcome.reason) == ("failed", "author_unavailable")
    assert outcome.detail is not None and TOPIC.slug in outcome.detail and "503" in outcome.detail
    assert outcome.skeletons == ()


def test_a_broken_sandbox_makes_the_topic_failed_never_rejected() -> None:
    outcome = build_skeleton(TOPIC, author=shed_author(), sandbox=BrokenSandbox(), seed=1)

    assert (outcome.status, outcome.reason) == ("failed", "sandbox_unavailable")
    assert outcome.skeletons == ()


def test_a_call_that_hangs_makes_the_skeleton_failed_never_rejected() -> None:
    code = CODE.replace("        wanted = name_contains.lower()\n", "        while True:\n            pass\n")

    outcome = build_skeleton(TOPIC, author=shed_author(code=code), sandbox=ZygoteSandbox(wall_s=0.5), seed=1)

    assert (outcome.status, outcome.reason) == ("failed", "session_died")
    (skeleton,), (validation,) = outcome.skeletons, outcome.skeleton_validations
    assert (skeleton.status, validation.decision) == ("failed", "failed")
    assert outcome.detail is not None and "find_" in outcome.detail
