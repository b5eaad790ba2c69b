"""The built-in author: no model, no network, the same answers for the same questions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, cast

from schemas.ids import seed_for
from schemas.logic_models import LogicModel
from schemas.scenarios import ScenarioDraft
from tasks.authors.base import (
    BadReply,
    CodeDraft,
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    JudgeCalls,
    JudgeTasks,
    Question,
    RepairCode,
    RepairScenario,
    ReplyT,
    ScenariosDraft,
    StatesDraft,
    TopicBrief,
)
from tasks.authors.rules.compose import compose
from tasks.authors.rules.judge import NEAR, describe_topic, judge_tasks, nearest_theme
from tasks.authors.rules.logic import logic_model_of
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.populate import populate
from tasks.authors.rules.render import render
from tasks.authors.rules.spec import Deed, Draft
from tasks.authors.rules.tell import task_text
from tasks.runtime.derive import goal_checks
from tasks.runtime.signature import tools_of
from tasks.sandbox.base import EnvironmentSession, Sandbox

_SHORTEST, _LONGEST = 3, 8
"""Calls of a reference solution."""
_TRIES_PER_SCENARIO = 12

_REPAIRS_NOTHING = "The built-in author composes from tested parts and repairs nothing: what was found stands."
_DECLINED: dict[type[Question[Any]], str] = {
    RepairCode: _REPAIRS_NOTHING,
    RepairScenario: _REPAIRS_NOTHING,
    DraftTestPlan: "The built-in author writes no test plans so far: the evaluation's own calls are its tests.",
    JudgeCalls: "The built-in author judges no calls so far: what the evaluation finds by itself is the judgement.",
}
"""What this author does not do, and why."""


@dataclass(frozen=True)
class Environment:
    """What the author knows of one environment that it has written."""

    draft: Draft
    code: str
    logic_model: LogicModel
    parameters: dict[str, frozenset[str]]
    """Tool -> names of its parameters."""


class RuleAuthor:
    """Composes environments from mechanics and vocabularies, and plans scenarios by acting in them.

    It declines to repair, to write test plans and to judge calls, and answers every other question of
    `tasks.authors.base`. Whatever it executes runs in the given sandbox.
    """

    name = "rules"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Answer one question; the same question and seed give the same reply.

        Raises:
            BadReply: this author declines questions of this kind; the text says why.
            KeyError: the question is of a kind that this author does not know.
        """
        if (why := _DECLINED.get(type(question))) is not None:
            raise BadReply(why)
        answer = self._answers[type(question)]
        return cast(ReplyT, answer(self, question, seed))

    def _plan_logic(self, question: DraftLogicModel, seed: int) -> LogicModel:
        return environment_of(question.topic, seed).logic_model

    def _write_code(self, question: DraftCode, seed: int) -> CodeDraft:
        return CodeDraft(code=environment_of(question.topic, seed).code)

    def _fill_states(self, question: DraftInitialStates, seed: int) -> StatesDraft:
        known = environment_of(question.topic, seed)
        with self._sandbox.environment(known.code, known.draft.class_name) as session:
            return StatesDraft(
                states=tuple(
                    populate(
                        known.draft, session, known.parameters, seed_for("state", question.topic.slug, seed, number)
                    )
                    for number in range(question.count)
                )
            )

    def _write_scenarios(self, question: DraftScenarios, seed: int) -> ScenariosDraft:
        known = environment_of(question.topic, seed)
        rng = Random(seed_for("scenarios", question.topic.slug, seed, question.state))
        used: list[str] = []
        drafts: list[ScenarioDraft] = []
        with self._sandbox.environment(known.code, known.draft.class_name) as session:
            for _ in range(question.count * _TRIES_PER_SCENARIO):
                if len(drafts) == question.count:
                    break
                draft = _scenario(known, session, question.state, rng, used)
                if draft is not None:
                    drafts.append(draft)
        return ScenariosDraft(scenarios=tuple(drafts))

    _answers: "dict[type[Question[Any]], Callable[[RuleAuthor, Any, int], Any]]" = {
        JudgeTasks: lambda self, question, seed: judge_tasks(question.texts),
        DescribeTopic: lambda self, question, seed: describe_topic(question.theme),
        DraftLogicModel: _plan_logic,
        DraftCode: _write_code,
        DraftInitialStates: _fill_states,
        DraftScenarios: _write_scenarios,
    }


@lru_cache(maxsize=64)
def environment_of(topic: TopicBrief, seed: int) -> Environment:
    """The environment that this author writes for a topic."""
    theme, nearness = nearest_theme(topic.title, topic.summary, topic.introduction)
    draft = compose(topic, theme if nearness >= NEAR else None, seed)
    code = render(draft)
    tools = tools_of(code, draft.class_name)
    return Environment(
        draft=draft,
        code=code,
        logic_model=logic_model_of(draft, code),
        parameters={tool.name: frozenset(tool.parameters["properties"]) for tool in tools},
    )


def _scenario(
    known: Environment, session: EnvironmentSession, state: dict[str, Any], rng: Random, used: list[str]
) -> ScenarioDraft | None:
    """One scenario on the state, or null when this try came to nothing. `used` collects the tools asked for so far."""
    session.init(state)
    plan = Plan(known.draft, session, known.parameters, rng, session.snapshot())
    before = plan.state
    wanted = rng.choice((1, 1, 2, 2, 3))
    for _ in range(wanted * 3):
        if len(plan.done) == wanted and len(plan.steps) >= _SHORTEST:
            break
        deed = _next_deed(known.draft, plan, rng, used)
        if deed is not None:
            plan.carry_out(deed)
    if not plan.done or not _SHORTEST <= len(plan.steps) <= _LONGEST:
        return None
    if plan.steps[0].tool == plan.done[0].deed.tool:
        return None  # nothing to look up before the first change
    used += [each.deed.tool for each in plan.done]
    return ScenarioDraft(
        kind="single_goal" if len(plan.done) == 1 else "several_goals",
        task=task_text(rng, [each.asks for each in plan.done]),
        reference=tuple(plan.steps),
        final_message=" ".join(_capitalised(each.reports) for each in plan.done),
        checks=goal_checks(known.logic_model, before, plan.state),
    )


def _next_deed(draft: Draft, plan: Plan, rng: Random, used: list[str]) -> Deed | None:
    """A deed to add: one that goes on with a new record where there is one, else the ones asked for least so far."""
    last = plan.done[-1].deed.tool if plan.done else None
    follow = [deed for deed in draft.deeds if deed.in_tasks and last in deed.follows]
    if follow:
        return follow[rng.randrange(len(follow))]
    told = {each.deed.tool for each in plan.done}
    open_deeds = [deed for deed in draft.deeds if deed.in_tasks and deed.tool not in told and not deed.follows]
    if not open_deeds:
        return None
    weights = [1 / (1 + 2 * used.count(deed.tool)) for deed in open_deeds]
    return rng.choices(open_deeds, weights)[0]


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
