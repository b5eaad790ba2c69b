"""`envmill estimate`: calls, tokens, time and, where the price is known, money of a run, before it starts."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from flows.composition import MODEL_BATCH, refuse_unusable_endpoint
from flows.forecast import Amounts, Forecast, Line, forecast
from flows.habits import ASSUMPTIONS, TEXTS_PER_TOPIC, habits_of
from flows.homes import prices_file
from flows.limits import Limits
from flows.order import Order
from flows.plan import BUNDLED_CORPUS
from schemas.settings import Settings, find_profile
from tasks.authors.llm.prices import price_of
from tasks.topics import judge_batches, read_corpus, refine

_KEPT = "Replies that are kept already cost nothing; how many of them the run will meet is not known before it."
_LOCAL = "Time is what the model is waited for; reading texts and running code come on top."


@dataclass(frozen=True, slots=True)
class Estimate:
    """A forecast, and what a person should know of it."""

    model: str | None
    at_a_time: int
    forecast: Forecast
    remarks: tuple[str, ...]


def estimate(order: Order) -> Estimate:
    """What a run with a model would take. Reads the corpora; asks no model and writes nothing.

    Raises:
        UsageError: a corpus or the file of prices can't be read, or the configured endpoint can't be one.
    """
    refuse_unusable_endpoint()
    home, limits = order.home, order.limits
    chosen, model = find_profile(order.profile), Settings().llm_model
    files = (order.corpora or [BUNDLED_CORPUS]) if order.uses_corpus else []
    records = [record for path in files for record in read_corpus(path, task_column=order.task_column).records]
    refined = refine(records)
    minable = -(-len(refined.originals) // TEXTS_PER_TOPIC)
    given = len({topic.strip() for topic in order.topics})
    amounts = Amounts(
        batches=len(judge_batches(refined, MODEL_BATCH)),
        given_topics=given,
        topics=min(minable, chosen.topic_limit or minable) + given,
        states_per_environment=chosen.state_count,
        scenarios_per_state=chosen.scenarios_per_state,
    )
    habits, price = habits_of(home, model), price_of(model, prices_file(home)) if model else None
    found = forecast(amounts, habits, price=price, at_a_time=order.at_a_time)
    remarks = [_known_from(habits.past_calls, found.lines)]
    if price is None:
        whose = f"The price of {model}" if model else "No model is chosen (ENVMILL_LLM_MODEL), so the price"
        remarks.append(f"{whose} is unknown; write it into {prices_file(home)} to see money.")
        if limits.max_usd is not None:
            remarks.append(f"--max-usd {limits.max_usd:g} can't be weighed without it, and `envmill run` refuses it.")
    remarks += [_LOCAL, _KEPT, *_short_of(found, limits)]
    return Estimate(model, order.at_a_time, found, tuple(remarks))


def to_json(found: Estimate) -> str:
    """One object; amounts are expected values and so seldom whole, unknown money is null."""
    totals = {
        "calls": found.forecast.calls,
        "tokens": found.forecast.tokens,
        "cost_usd": found.forecast.cost_usd,
        "duration_s": found.forecast.duration_s,
        "topics": found.forecast.topics,
        "environments": found.forecast.environments,
        "scenarios": found.forecast.scenarios,
    }
    lines = [asdict(line) for line in found.forecast.lines]
    head = {"model": found.model, "at_a_time": found.at_a_time}
    return json.dumps({**head, **totals, "lines": lines, "remarks": found.remarks}, indent=2, ensure_ascii=False)


def tell(found: Estimate, console: Console) -> None:
    """The questions of the run, their sum, and what it rests on."""
    whole = found.forecast
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=f"Estimate for {found.model or 'a model'}", show_footer=True)
    footers = (f"{whole.calls:,.0f}", _sum(whole.lines, "input_tokens"), _sum(whole.lines, "output_tokens"))
    table.add_column("stage", footer="all", no_wrap=True)
    table.add_column("prompt", no_wrap=True)
    for title, footer in zip(("calls", "tokens in", "out"), footers, strict=True):
        table.add_column(title, justify="right", footer=footer, no_wrap=True)
    if whole.cost_usd is not None:
        table.add_column("USD", justify="right", footer=f"{whole.cost_usd:,.2f}", no_wrap=True)
    for line in whole.lines:
        if line.questions:
            amounts = [f"{amount:,.0f}" for amount in (line.calls, line.input_tokens, line.output_tokens)]
            amounts += [] if line.cost_usd is None else [f"{line.cost_usd:,.2f}"]
            table.add_row(line.stage, line.prompt, *amounts)
    console.print(table)
    lines = [
        f"Topics: {whole.topics}. Environments that come of them: about {whole.environments:.0f}, with "
        f"{whole.scenarios:.0f} proven scenarios.",
        f"About {_minutes(whole.duration_s)} with {found.at_a_time} questions at a time.",
        *found.remarks,
    ]
    for text in lines:
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def _known_from(past_calls: int, lines: Sequence[Line]) -> str:
    if not past_calls:
        return f"No past calls: default assumptions ({ASSUMPTIONS})."
    assumed = [line.prompt for line in lines if line.questions and not line.past_calls]
    missing = f"; assumed for {', '.join(assumed)}" if assumed else ""
    return f"Known from {past_calls:,} past calls of this model in this home{missing}."


def _short_of(found: Forecast, limits: Limits) -> list[str]:
    """Which limits the run would probably meet."""
    spent = Limits(max_usd=found.cost_usd, max_tokens=round(found.tokens), max_calls=round(found.calls))
    return [
        f"--{name.replace('_', '-')} {limit:,} will probably not do: about {need:,} are needed."
        for name, limit in limits.model_dump().items()
        if limit is not None and (need := getattr(spent, name)) is not None and need > limit
    ]


def _sum(lines: Sequence[Line], name: str) -> str:
    return f"{sum(getattr(line, name) for line in lines):,.0f}"


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
