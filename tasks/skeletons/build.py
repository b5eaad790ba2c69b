"""From a topic to an evaluated skeleton: logic model, its validation, code, initial states, evaluation."""

from dataclasses import dataclass, replace

from schemas.errors import AuthorUnavailable, SandboxUnavailable
from schemas.logic_models import LogicModel, LogicModelRow
from schemas.row import Status
from schemas.topics import Topic
from tasks.authors.base import Author, BadReply, DraftCode, DraftInitialStates, DraftLogicModel, TopicBrief
from tasks.evaluation.evaluate import Evaluation, evaluate, of_source
from tasks.evaluation.findings import summary
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

EVALUATION_STATES = 2
"""Initial states that a class is evaluated on. They are asked for, used and thrown away."""


def build_skeleton(topic: Topic, *, author: Author, sandbox: Sandbox, seed: int) -> SkeletonOutcome:
    """Draft and evaluate one skeleton. Never raises for what an author wrote, or because something was not available.

    Args:
        topic: An accepted topic.
        author: Asked at most three questions: logic model, code, initial states.
        sandbox: Where the code is evaluated.
        seed: Goes with every question and draws the calls of the evaluation; the same seed, author and topic give the
            same outcome.
    """
    outcome = SkeletonOutcome(topic.topic_id, "failed", None, None)
    try:
        return _Build(topic, author, sandbox, seed).run()
    except BadReply as error:
        return replace(outcome, status="rejected", reason=error.reason, detail=f"topic '{topic.slug}': {error}")
    except AuthorUnavailable as error:
        return replace(outcome, reason="author_unavailable", detail=f"topic '{topic.slug}': {error}")
    except SandboxUnavailable as error:
        return replace(outcome, reason="sandbox_unavailable", detail=f"topic '{topic.slug}': {error}")


@dataclass(frozen=True)
class _Build:
    topic: Topic
    author: Author
    sandbox: Sandbox
    seed: int

    def run(self) -> SkeletonOutcome:
        model = self.author.ask(DraftLogicModel(self._brief()), seed=self.seed)
        findings = logic_findings(model)
        row = logic_model_row(self.topic, model, author=self.author.name, findings=findings)
        if findings:
            return self._outcome("rejected", findings[0].reason, summary(findings), row)
        try:
            code = storable(self.author.ask(DraftCode(self._brief(), model), seed=self.seed).code)
            evaluation = self._evaluate(model, code)
        except BadReply as error:
            return self._outcome("rejected", error.reason, str(error), row)
        return self._evaluated(row, model, code, evaluation)

    def _evaluate(self, model: LogicModel, code: str) -> Evaluation:
        source = read_source(Source(code, model.class_name, model))
        if source.findings:  # no state is asked for a class that will not run
            return of_source(source, sandbox=self.sandbox.level)
        question = DraftInitialStates(self._brief(), model, code, EVALUATION_STATES)
        states = self.author.ask(question, seed=self.seed).states
        return evaluate(code, model.class_name, model, states, sandbox=self.sandbox, seed=self.seed)

    def _evaluated(self, row: LogicModelRow, model: LogicModel, code: str, evaluation: Evaluation) -> SkeletonOutcome:
        skeleton = skeleton_row(self.topic, row, model, code, evaluation)
        tests = tool_test_rows(skeleton.skeleton_id, evaluation.trials)
        return replace(
            self._outcome(evaluation.status, evaluation.reason, evaluation.detail, row),
            skeletons=(skeleton,),
            tools=tool_rows(skeleton.skeleton_id, model, evaluation.tools),
            tool_tests=tests,
            skeleton_validations=(skeleton_validation_row(skeleton.skeleton_id, evaluation, tests),),
        )

    def _outcome(self, status: Status, reason: str | None, detail: str | None, row: LogicModelRow) -> SkeletonOutcome:
        return SkeletonOutcome(self.topic.topic_id, status, reason, detail, logic_models=(row,))

    def _brief(self) -> TopicBrief:
        topic = self.topic
        return TopicBrief(
            slug=topic.slug,
            title=topic.title,
            summary=topic.summary,
            introduction=topic.introduction,
            domain=topic.domain,
        )
