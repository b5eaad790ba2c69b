"""From a topic to an evaluated skeleton: logic model, its validation, code, initial states, evaluation."""

from dataclasses import replace
from typing import Any

from schemas.errors import AuthorUnavailable, SandboxUnavailable
from schemas.logic_models import LogicModel, LogicModelRow
from schemas.row import Status
from schemas.skeletons import Skeleton
from schemas.topics import Topic
from tasks.authors.base import (
    Author,
    BadReply,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    Evidence,
    RepairCode,
    TopicBrief,
)
from tasks.evaluation.evaluate import Evaluation, evaluate, of_source
from tasks.evaluation.findings import shorten, summary
from tasks.evaluation.planned import TESTERS_FAULT
from tasks.evaluation.source import Source, read_source
from tasks.sandbox.base import Sandbox
from tasks.skeletons.logic import logic_findings
from tasks.skeletons.outcome import SkeletonOutcome
from tasks.skeletons.rows import (
    logic_model_row,
    skeleton_row,
    skeleton_validation_row,
    storable,
    tool_rows,
    tool_test_rows,
)
from tasks.skeletons.testing import Tester

EVALUATION_STATES = 2
"""Initial states that a class is evaluated on. They are asked for, used and thrown away."""
REPAIR_ROUNDS = 3
"""How often evidence goes back to the author."""
_BAD_STATES = "initial_state_invalid"
"""Nothing is wrong with the code, as far as it could be seen on such states."""
_NOT_THE_CODE = (_BAD_STATES, BadReply.reason, *TESTERS_FAULT)
"""Reasons for which a class is rejected and not repaired: what was asked of it is at fault, or who was to judge it."""
_FINDINGS_SHOWN = 12


def build_skeleton(topic: Topic, *, author: Author, sandbox: Sandbox, seed: int) -> SkeletonOutcome:
    """Draft, evaluate and repair one skeleton. Never raises for what an author wrote, or for what was not available.

    Every version is kept, the last one decides. Repairing ends when a version is accepted, after `REPAIR_ROUNDS`, or
    when the author has nothing new to say.

    Args:
        topic: An accepted topic.
        author: Asked for a logic model, code, initial states, and for repairs of what was found wrong.
        sandbox: Where the code is evaluated.
        seed: Goes with every question and draws the calls of the evaluation; the same seed, author and topic give the
            same outcome.
    """
    build = _Build(topic, author, sandbox, seed)
    failed = SkeletonOutcome(topic.topic_id, "failed", None, None)
    try:
        return build.run()
    except BadReply as error:
        return build.outcome("rejected", error.reason, f"topic '{topic.slug}': {error}")
    except (AuthorUnavailable, SandboxUnavailable) as error:
        return replace(failed, reason=error.reason, detail=f"topic '{topic.slug}': {error}")


class _Build:
    def __init__(self, topic: Topic, author: Author, sandbox: Sandbox, seed: int) -> None:
        self._topic, self._author, self._sandbox, self._seed = topic, author, sandbox, seed
        self._rows = SkeletonOutcome(topic.topic_id, "failed", None, None)
        self._states: tuple[dict[str, Any], ...] | None = None
        self._tester = Tester(self._brief(), author, sandbox, seed)

    def run(self) -> SkeletonOutcome:
        model = self._author.ask(DraftLogicModel(self._brief()), seed=self._seed)
        findings = logic_findings(model)
        row = logic_model_row(self._topic, model, author=self._author.name, findings=findings)
        self._rows = replace(self._rows, logic_models=(row,))
        if findings:
            return self.outcome("rejected", findings[0].reason, summary(findings))
        code: str | None = self._code(DraftCode(self._brief(), model))
        skeleton: Skeleton | None = None
        number = 0
        while code is not None:
            evaluation = self._tested(self._evaluate(model, code), model, code)
            skeleton = self._keep(row, model, code, evaluation, skeleton)
            number += 1
            code = self._repaired(model, code, evaluation, number)
        return self.outcome(evaluation.status, evaluation.reason, evaluation.detail)

    def outcome(self, status: Status, reason: str | None, detail: str | None) -> SkeletonOutcome:
        """The decision, with the rows made so far."""
        return replace(self._rows, status=status, reason=reason, detail=detail)

    def _code(self, question: DraftCode | RepairCode) -> str:
        return storable(self._author.ask(question, seed=self._seed).code)

    def _evaluate(self, model: LogicModel, code: str) -> Evaluation:
        """Evaluate one version, on the states of the first; bad states are asked for anew, once per version."""
        source = read_source(Source(code, model.class_name, model))
        if source.findings:  # no state is asked for a class that will not run
            return of_source(source, sandbox=self._sandbox.level)
        evaluation = self._run(model, code, self._states or self._ask_states(model, code, ()))
        if evaluation.reason == _BAD_STATES:
            evaluation = self._run(model, code, self._ask_states(model, code, evidence_of(evaluation)))
        return evaluation

    def _tested(self, evaluation: Evaluation, model: LogicModel, code: str) -> Evaluation:
        try:
            return self._tester.tested(evaluation, model, code)
        except BadReply as error:  # nothing is wrong with the class, but who can't be tested is not accepted
            return replace(evaluation, status="rejected", reason=error.reason, detail=f"no test plan: {error}")

    def _run(self, model: LogicModel, code: str, states: tuple[dict[str, Any], ...]) -> Evaluation:
        return evaluate(code, model.class_name, model, states, sandbox=self._sandbox, seed=self._seed)

    def _ask_states(self, model: LogicModel, code: str, evidence: tuple[Evidence, ...]) -> tuple[dict[str, Any], ...]:
        question = DraftInitialStates(self._brief(), model, code, EVALUATION_STATES, evidence)
        self._states = self._author.ask(question, seed=self._seed).states
        return self._states

    def _repaired(self, model: LogicModel, code: str, evaluation: Evaluation, number: int) -> str | None:
        """The next version; null when none is needed, allowed, or to be had."""
        if evaluation.status != "rejected" or evaluation.reason in _NOT_THE_CODE or number > REPAIR_ROUNDS:
            return None
        try:
            repaired = self._code(RepairCode(self._brief(), model, code, evidence_of(evaluation), number))
        except BadReply:
            return None
        return None if repaired in {row.code for row in self._rows.skeletons} else repaired

    def _keep(
        self, row: LogicModelRow, model: LogicModel, code: str, evaluation: Evaluation, parent: Skeleton | None
    ) -> Skeleton:
        skeleton = skeleton_row(self._topic, row, model, code, evaluation, parent)
        tests = tool_test_rows(skeleton.skeleton_id, evaluation.trials, evaluation.states)
        validation = skeleton_validation_row(skeleton.skeleton_id, evaluation, tests)
        rows = self._rows
        self._rows = replace(
            rows,
            skeletons=(*rows.skeletons, skeleton),
            tools=(*rows.tools, *tool_rows(skeleton.skeleton_id, model, evaluation.tools)),
            tool_tests=(*rows.tool_tests, *tests),
            skeleton_validations=(*rows.skeleton_validations, validation),
        )
        return skeleton

    def _brief(self) -> TopicBrief:
        topic = self._topic
        return TopicBrief(
            slug=topic.slug,
            title=topic.title,
            summary=topic.summary,
            introduction=topic.introduction,
            domain=topic.domain,
        )


def evidence_of(evaluation: Evaluation) -> tuple[Evidence, ...]:
    """What an author is told to repair: the first findings, those that explain the others first."""
    found = [each for each in evaluation.findings if each.reason not in TESTERS_FAULT]
    return tuple(Evidence(reason=each.reason, detail=shorten(each.detail)) for each in found[:_FINDINGS_SHOWN])
