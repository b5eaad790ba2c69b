"""The test plan of one environment: asked for once, executed on every version of its class, and judged."""

from collections.abc import Collection
from typing import Any

from schemas.logic_models import LogicModel
from tasks.authors.base import (
    Author,
    BadReply,
    CallJudgements,
    DraftTestPlan,
    ExecutedCall,
    JudgeCalls,
    NotOffered,
    TopicBrief,
)
from tasks.evaluation.evaluate import Evaluation
from tasks.evaluation.judging import Judge, Ruling
from tasks.evaluation.plan_runs import StatedPlan
from tasks.evaluation.planned import needs_plan, with_plan
from tasks.sandbox.base import Sandbox


class Tester:
    """Knows the plans and what the judge has said; nothing is asked for twice."""

    def __init__(self, topic: TopicBrief, author: Author, sandbox: Sandbox, seed: int) -> None:
        self._topic, self._author, self._sandbox, self._seed = topic, author, sandbox, seed
        self._plans: list[StatedPlan] = []
        self._is_offered = True
        self._rulings: dict[str, Ruling] = {}

    def tested(self, evaluation: Evaluation, model: LogicModel, code: str) -> Evaluation:
        """The evaluation of one version with the plan executed.

        The plan is asked for when the first version has passed the deterministic checks; from then on it is executed on
        every version that runs, so that a repair is told all that is wrong with it. Where rules are left that no case
        breaks and the plan gives no reason for (`rule_untested`), cases are asked for on the next initial state.

        Raises:
            AuthorUnavailable: no plan or no judgement could be had.
            BadReply: the plan can't be read.
            SandboxUnavailable: the sandbox is broken.
        """
        if needs_plan(evaluation) and not self._plans and self._is_offered:
            self._plan(model, evaluation.states[0], None)
        if not self._plans or not evaluation.tools_covered or evaluation.status == "failed":
            return evaluation
        tested = self._executed(evaluation, model, code)
        if tested.reason == "rule_untested" and tested.plan is not None and len(self._plans) < len(evaluation.states):
            self._plan(model, evaluation.states[len(self._plans)], tested.plan.rules_untested)
            tested = self._executed(evaluation, model, code)
        return tested

    def _executed(self, evaluation: Evaluation, model: LogicModel, code: str) -> Evaluation:
        tested = with_plan(
            evaluation,
            code,
            model,
            self._plans,
            sandbox=self._sandbox,
            judge=self._judge(model, code),
            known=self._rulings,
        )
        if tested.plan is not None:
            self._rulings |= tested.plan.rulings
        return tested

    def _plan(self, model: LogicModel, state: dict[str, Any], rules: Collection[str] | None) -> None:
        """Ask for a plan on this state; with `rules`, only its cases that break one of them are of use."""
        try:
            plan = self._author.ask(DraftTestPlan(self._topic, model, state), seed=self._seed)
        except NotOffered:
            self._is_offered = False
            return
        if rules is not None:
            plan = plan.model_copy(update={"cases": tuple(each for each in plan.cases if each.rule_id in rules)})
        self._plans.append(StatedPlan(state, plan))

    def _judge(self, model: LogicModel, code: str) -> Judge:
        def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements | None:
            try:
                return self._author.ask(JudgeCalls(model, code, calls), seed=self._seed)
            except NotOffered:
                raise
            except BadReply:  # asked once more by the author itself
                return None

        return judge
