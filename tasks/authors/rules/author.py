"""The built-in author: no model, no network, the same answers for the same questions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, cast

from schemas.ids import seed_for
from schemas.logic_models import LogicModel
from tasks.authors.base import (
    CodeDraft,
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    JudgeCalls,
    JudgeTasks,
    NotOffered,
    Question,
    RepairCode,
    RepairScenario,
    ReplyT,
    ScenariosDraft,
    StatesDraft,
    TestPlan,
    TopicBrief,
)
from tasks.authors.rules.compose import compose
from tasks.authors.rules.judge import NEAR, describe_topic, judge_tasks, nearest_theme
from tasks.authors.rules.logic import logic_model_of
from tasks.authors.rules.populate import populate
from tasks.authors.rules.profile import DEFAULT_PROFILE, ScenarioProfile
from tasks.authors.rules.render import render
from tasks.authors.rules.scenarios import Workplace, write_scenarios
from tasks.authors.rules.sketch import Known
from tasks.authors.rules.spec import Draft
from tasks.authors.rules.testing.guards import GUARDED_CLASS, with_guards
from tasks.authors.rules.testing.settled_session import SettledSession
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.writer import written_plan
from tasks.runtime.signature import tools_of
from tasks.sandbox.base import Sandbox

_REPAIRS_NOTHING = "The built-in author composes from tested parts and repairs nothing: what was found stands."
_DECLINED: dict[type[Question[Any]], str] = {
    RepairCode: _REPAIRS_NOTHING,
    RepairScenario: _REPAIRS_NOTHING,
    JudgeCalls: "The built-in author judges no calls: what it expects of one stands in its test plan, to the value.",
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

    It declines to repair and to judge calls, and answers every other question of
    `tasks.authors.base`. Whatever it executes runs in the given sandbox.
    """

    name = "rules"

    def __init__(self, sandbox: Sandbox, profile: ScenarioProfile = DEFAULT_PROFILE) -> None:
        """Write what runs in this sandbox, and scenarios of the kinds of this profile."""
        self._sandbox, self._profile = sandbox, profile

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Answer one question; the same question and seed give the same reply.

        Raises:
            NotOffered: this author declines questions of this kind; the text says why.
            KeyError: the question is of a kind that this author does not know.
        """
        if (why := _DECLINED.get(type(question))) is not None:
            raise NotOffered(why)
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
        with self._sandbox.environment(known.code, known.draft.class_name) as session:
            place = Workplace(Known(known.draft, known.logic_model), known.parameters, session, question.state)
            return ScenariosDraft(scenarios=write_scenarios(place, rng, question.lengths, self._profile))

    def _write_tests(self, question: DraftTestPlan, seed: int) -> TestPlan:
        known = environment_of(question.topic, seed)
        rng = Random(seed_for("tests", question.topic.slug, seed, question.state))
        code, guards = with_guards(known.code, known.draft.class_name)
        with self._sandbox.environment(code, GUARDED_CLASS) as session, self._sandbox.checks() as checks:
            settled = SettledSession(session)
            tries = Tries(known.draft, known.logic_model, known.parameters, guards, settled, checks, rng)
            return written_plan(tries, question.state)

    _answers: "dict[type[Question[Any]], Callable[[RuleAuthor, Any, int], Any]]" = {
        JudgeTasks: lambda self, question, seed: judge_tasks(question.texts),
        DescribeTopic: lambda self, question, seed: describe_topic(question.theme),
        DraftLogicModel: _plan_logic,
        DraftCode: _write_code,
        DraftInitialStates: _fill_states,
        DraftScenarios: _write_scenarios,
        DraftTestPlan: _write_tests,
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
