"""How often a model is asked each question, and what an answer takes: from past calls, else from stated assumptions."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from prompts.library import load
from schemas.row import Stage
from warehouse.query import query

Unit = Literal["batch of texts", "given topic", "topic", "environment", "initial state"]
"""What a question is asked for."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question of one stage, and what is assumed of it where there are no past calls."""

    stage: Stage
    prompt: str
    unit: Unit
    data_tokens: int
    """Filled into the prompt."""
    output_tokens: int
    is_fixed: bool = True
    """Asked once per unit, whatever comes of it. Else the past tells how often."""
    questions: float = 1.0
    """Per unit, where no past tells."""


STEPS = (
    Step("mine_topics", "judge_tasks", "batch of texts", 1000, 1600),
    Step("mine_topics", "describe_topic", "given topic", 20, 200),
    Step("build_skeletons", "draft_logic_model", "topic", 200, 4000),
    Step("build_skeletons", "draft_code", "topic", 4000, 6000, is_fixed=False),
    Step("build_skeletons", "draft_initial_states", "topic", 10_000, 3000, is_fixed=False),
    Step("build_skeletons", "draft_test_plan", "topic", 7000, 8000, is_fixed=False),
    Step("build_skeletons", "judge_calls", "topic", 30_000, 4000, is_fixed=False, questions=2.0),
    Step("build_skeletons", "repair_code", "topic", 11_000, 6000, is_fixed=False),
    Step("generate_scenarios", "draft_initial_states", "environment", 10_000, 3000),
    Step("generate_scenarios", "draft_scenarios", "initial state", 12_000, 3000, is_fixed=False),
    Step("generate_scenarios", "repair_scenario", "initial state", 13_000, 1000, is_fixed=False),
)
"""In the order of asking."""
_TURNS = 1.1
"""One reply in ten is assumed not to fit, and asked for once more."""
_TOKENS_PER_SECOND, _FIRST_TOKEN_S = 50, 1.0
"""How fast a model is assumed to write, and how long until it begins."""
_CHARACTERS_PER_TOKEN = 4
TEXTS_PER_TOPIC = 20
"""The 682 different texts of the bundled corpus give 34 topics."""
_ACCEPTED_TOPICS, _ACCEPTED_SCENARIOS = 0.8, 0.7
"""Shares that are assumed to come through."""
ASSUMPTIONS = (
    f"every question once per item, the judge's twice, {_TURNS - 1:.0%} of them asked again; prompts as long as their "
    f"files, and replies of 200 to 8,000 tokens at {_TOKENS_PER_SECOND} tokens per second; {_ACCEPTED_TOPICS:.0%} of "
    f"the topics and {_ACCEPTED_SCENARIOS:.0%} of the scenarios come through"
)


@dataclass(frozen=True, slots=True)
class Habit:
    """What one question takes on average."""

    questions: float
    """Per unit."""
    requests: float
    """Per question: asked again for a reply that did not fit, sent again after trouble."""
    input_tokens: float
    """Per question."""
    output_tokens: float
    """Per question."""
    latency_s: float
    """Per question."""
    past_calls: int
    """From how many it is known; 0 for an assumption."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What is known of a model."""

    of: Mapping[Step, Habit]
    accepted_topics: float
    """Share of topics that become environments."""
    accepted_scenarios: float
    """Share of the scenarios asked for that are proven."""

    @property
    def past_calls(self) -> int:
        """From how many calls all of it is known; 0 where everything is assumed."""
        return sum(habit.past_calls for habit in self.of.values())


_PAST_CALLS = "select * from main.llm_habits where model = ? and stage is not null"
_PAST_YIELD = """
select stage, sum(accepted) / sum(items_in) as share
from raw.stage_counts
where run_id in (select run_id from raw.llm_calls where model = ?)
group by stage
having sum(items_in) > 0
"""


def habits_of(home: Path, model: str | None) -> Habits:
    """What the ledger of a home knows of a model, filled up with assumptions.

    Args:
        home: Its ledger is asked.
        model: Name of the model; null where none is chosen yet.
    """
    past = {(row["stage"], row["prompt"]): row for row in query(home, _PAST_CALLS, [model]).to_pylist()}
    shares = {row["stage"]: row["share"] for row in query(home, _PAST_YIELD, [model]).to_pylist()}
    return Habits(
        of={step: _habit(step, past.get((step.stage, step.prompt))) for step in STEPS},
        accepted_topics=shares.get("build_skeletons", _ACCEPTED_TOPICS),
        accepted_scenarios=shares.get("generate_scenarios", _ACCEPTED_SCENARIOS),
    )


def _habit(step: Step, past: Mapping[str, Any] | None) -> Habit:
    assumed = _assumed(step)
    if past is None:
        return assumed
    turns, per_item = past["turns"], past["questions_per_item"]

    def known(name: str, otherwise: float) -> float:
        return otherwise if past[name] is None else past[name] * turns

    return Habit(
        questions=step.questions if step.is_fixed or per_item is None else per_item,
        requests=turns * past["requests_per_turn"],
        input_tokens=known("input_tokens", assumed.input_tokens),
        output_tokens=known("output_tokens", assumed.output_tokens),
        latency_s=known("latency_s", assumed.latency_s),
        past_calls=past["past_calls"],
    )


def _assumed(step: Step) -> Habit:
    prompt_tokens = len(load(step.prompt).text) / _CHARACTERS_PER_TOKEN
    return Habit(
        questions=step.questions,
        requests=_TURNS,
        input_tokens=(prompt_tokens + step.data_tokens) * _TURNS,
        output_tokens=step.output_tokens * _TURNS,
        latency_s=(_FIRST_TOKEN_S + step.output_tokens / _TOKENS_PER_SECOND) * _TURNS,
        past_calls=0,
    )
