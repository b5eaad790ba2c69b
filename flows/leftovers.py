"""What a run left undone because its budget ran out, and how to go on."""

from flows.plan import RunPlan
from schemas.errors import BudgetExhausted
from schemas.row import Stage
from warehouse.query import query
from warehouse.store import Warehouse

_ITEMS: dict[Stage, str] = {
    "mine_topics": "text",
    "select_topics": "given topic",
    "build_skeletons": "topic",
    "generate_states": "initial state",
    "generate_scenarios": "scenario",
    "probe_scenarios": "scenario probe",
}
_COUNTS = """
select attempts.stage, count(*) as items
from raw.attempts
inner join raw.stages on stages.stage = attempts.stage
where attempts.run_id = ? and attempts.reason = ?
group by attempts.stage, stages.stage_number
order by stages.stage_number
"""


def left_undone(store: Warehouse, plan: RunPlan) -> str | None:
    """What a run had to leave, in words, with what to type; null when its budget lasted."""
    counts = query(store.home, _COUNTS, [plan.run_id, BudgetExhausted.reason]).to_pylist()
    if not counts:
        return None
    left = ", ".join(_counted(row["items"], _ITEMS[row["stage"]]) for row in counts)
    return (
        f"The budget ({plan.limits.options()}) ran out. Left undone: {left}, and what would have come of them. "
        "Run the same command again with a larger budget to go on: what is finished is not paid for again."
    )


def refuse_without_means(store: Warehouse, plan: RunPlan) -> None:
    """Say plainly that the budget was too small to finish anything that could be published.

    Raises:
        BudgetExhausted: the budget ran out.
    """
    left = left_undone(store, plan)
    if left is not None:
        raise BudgetExhausted(f"Nothing is finished, so nothing was published. {left}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
