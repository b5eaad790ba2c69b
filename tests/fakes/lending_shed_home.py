"""A home whose release holds the lending shed with two proven scenarios."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from schemas.catalog import CATALOGUE_TABLES
from schemas.logic_models import LogicModelRow
from schemas.row import Row
from schemas.skeletons import Skeleton
from tests.fakes.lending_shed import LOGIC_MODEL, STATES
from tests.fakes.lending_shed_scenarios import EXTEND, REGISTER, SKELETON, TOOLS, check, generate, with_checks
from warehouse.store import Warehouse

POLICY = "Tell the member what the fee will be before you take back an overdue item."
ANSWERED = with_checks(REGISTER, check('return "14 April" in trajectory["final_message"]', "answer"))

_MODEL = LogicModelRow(
    logic_model_id=SKELETON.logic_model_id,
    topic_id=SKELETON.topic_id,
    author="scripted",
    title=LOGIC_MODEL.title,
    entity_count=len(LOGIC_MODEL.entities),
    operation_count=len(LOGIC_MODEL.operations),
    rule_count=len(LOGIC_MODEL.rules),
    model_json=LOGIC_MODEL.model_dump_json(),
    status="accepted",
)


def publish_shed(home: Path, *, slug: str = SKELETON.slug, skeletons: Iterable[Skeleton] = ()) -> None:
    """Publish the shed under this slug, with more skeletons beside it that have nothing but their row."""
    shed = SKELETON.model_copy(update={"slug": slug, "policy": POLICY})
    made = generate(EXTEND, ANSWERED, states=STATES[:1], state_count=1)
    assert [each.status for each in made.scenarios] == ["accepted", "accepted"], made.scenarios
    rows: dict[str, Iterable[Row]] = {
        "logic_models": [_MODEL],
        "skeletons": [shed, *skeletons],
        "tools": TOOLS,
        "initial_states": made.initial_states,
        "scenarios": made.scenarios,
        "checks": made.checks,
        "scenario_validations": made.scenario_validations,
    }
    store = Warehouse(home)
    for table in CATALOGUE_TABLES:
        store.stage("run_shed", table, rows.get(table.name, ()))
    store.publish("run_shed", published_at=datetime(2026, 3, 1, tzinfo=UTC))
