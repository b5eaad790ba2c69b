"""What one run does: the order, checked and filled in, as every flow gets it."""

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from flows.holdouts import NOTHING_HELD_OUT, Holdouts
from flows.homes import prepare_home
from flows.limits import Limits
from flows.order import Order, check_order
from flows.probing import USUAL_PROBES, Probes
from flows.taping import Taping
from schemas.lengths import USUAL_LENGTHS, Lengths, lengths_of
from schemas.settings import find_profile

BUNDLED_CORPUS = Path(__file__).resolve().parent.parent / "warehouse" / "seeds" / "seeds.jsonl"


class RunPlan(BaseModel):
    """Small enough to be a parameter of every flow; rows never travel in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    home: Path
    profile: str
    topic_limit: int | None
    state_count: int
    scenarios_per_state: int
    lengths: Lengths = USUAL_LENGTHS
    """Wished for calls of reference solutions."""
    author: str
    seed: int
    at_a_time: int
    corpora: tuple[Path, ...]
    task_column: str | None
    given_topics: tuple[str, ...]
    holdouts: Holdouts = NOTHING_HELD_OUT
    limits: Limits = Limits()
    taping: Taping = Taping()
    probes: Probes = USUAL_PROBES
    unsafe_no_sandbox: bool = False
    """Run code also where the system isolates nothing."""


def new_run_id(at: datetime) -> str:
    """Readable, and in the order of time: "run_20260731-101500-123". No two runs of a home start in the same ms."""
    return f"run_{at:%Y%m%d-%H%M%S}-{at.microsecond // 1000:03d}"


def plan_run(run_id: str, order: Order) -> RunPlan:
    """Check what was asked for and fill in the rest.

    Raises:
        UsageError: something asked for does not exist or contradicts itself.
        HomeNotWritable: nothing can be written into the home.
    """
    check_order(order)
    chosen = find_profile(order.profile)
    prepare_home(order.home)
    files = (order.corpora or [BUNDLED_CORPUS]) if order.uses_corpus else []
    return RunPlan(
        run_id=run_id,
        home=order.home.resolve(),
        profile=order.profile,
        topic_limit=chosen.topic_limit,
        state_count=chosen.state_count,
        scenarios_per_state=chosen.scenarios_per_state,
        lengths=USUAL_LENGTHS if order.lengths is None else lengths_of(order.lengths),
        author=order.author,
        seed=order.seed,
        at_a_time=order.at_a_time,
        corpora=tuple(dict.fromkeys(path.resolve() for path in files)),
        task_column=order.task_column,
        given_topics=tuple(dict.fromkeys(topic.strip() for topic in order.topics)),
        holdouts=order.holdouts.resolved(),
        limits=order.limits,
        taping=order.taping.resolved(),
        probes=order.probes,
        unsafe_no_sandbox=order.unsafe_no_sandbox,
    )
