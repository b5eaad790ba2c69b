"""What a planned run would ask of a model, and what that takes. Arithmetic alone; `flows.estimate` says it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from flows.habits import STEPS, Habits, Unit
from schemas.row import Stage
from tasks.authors.llm.budget import Price


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much is asked for."""

    batches: int
    """Of texts that are judged together."""
    given_topics: int
    topics: int
    """That will be built, given ones included."""
    states_per_environment: int
    scenarios_per_state: int


@dataclass(frozen=True, slots=True)
class Line:
    """One prompt in one stage. Expected values: they are seldom whole."""

    stage: Stage
    prompt: str
    questions: float
    calls: float
    """Requests that go out."""
    input_tokens: float
    output_tokens: float
    waiting_s: float
    """Of all questions, one after the other."""
    cost_usd: float | None
    """Null where the price is unknown."""
    past_calls: int
    """From how many it is known; 0 for an assumption."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A planned run."""

    lines: tuple[Line, ...]
    topics: int
    environments: float
    scenarios: float
    duration_s: float
    """Waiting for the model, with so many questions at a time; what is computed here comes on top."""

    @property
    def calls(self) -> float:
        """Requests that go out."""
        return math.fsum(line.calls for line in self.lines)

    @property
    def tokens(self) -> float:
        """Input and output together."""
        return math.fsum(line.input_tokens + line.output_tokens for line in self.lines)

    @property
    def cost_usd(self) -> float | None:
        """Null where the price is unknown."""
        costs = [line.cost_usd for line in self.lines if line.cost_usd is not None]
        return math.fsum(costs) if len(costs) == len(self.lines) else None


def forecast(amounts: Amounts, habits: Habits, *, price: Price | None, at_a_time: int) -> Forecast:
    """Add up what the steps of a run take.

    Args:
        amounts: How much is asked for.
        habits: What the model is like.
        price: Null where it is unknown.
        at_a_time: Questions at a time.
    """
    environments = amounts.topics * habits.accepted_topics
    states = environments * amounts.states_per_environment
    units: dict[Unit, float] = {
        "batch of texts": amounts.batches,
        "given topic": amounts.given_topics,
        "topic": amounts.topics,
        "environment": environments,
        "initial state": states,
    }
    lines = []
    for step in STEPS:
        habit, count = habits.of[step], units[step.unit] * habits.of[step].questions
        tokens = count * habit.input_tokens, count * habit.output_tokens
        cost = price.cost(input_tokens=round(tokens[0]), output_tokens=round(tokens[1])) if price is not None else None
        waiting_s = count * habit.latency_s
        lines.append(
            Line(step.stage, step.prompt, count, count * habit.requests, *tokens, waiting_s, cost, habit.past_calls)
        )
    chains: dict[Stage, float] = {
        "mine_topics": amounts.batches + amounts.given_topics,
        "build_skeletons": amounts.topics,
        "generate_scenarios": environments,
    }
    return Forecast(
        lines=tuple(lines),
        topics=amounts.topics,
        environments=environments,
        scenarios=states * amounts.scenarios_per_state * habits.accepted_scenarios,
        duration_s=_duration_s(lines, chains, at_a_time),
    )


def _duration_s(lines: list[Line], chains: Mapping[Stage, float], at_a_time: int) -> float:
    """The stages follow one another; in a stage, the questions of one item do, and so many items are in work."""
    total = 0.0
    for stage, items in chains.items():
        waiting_s = math.fsum(line.waiting_s for line in lines if line.stage == stage)
        rounds = math.ceil(items / at_a_time)
        total += waiting_s / items * rounds if items else 0.0
    return total
