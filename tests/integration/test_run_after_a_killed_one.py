"""One run, in a home where the run before was killed, seen from its ledger and from Prefect."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags, TaskRunFilter, TaskRunFilterTags
from prefect.client.schemas.objects import FlowRun
from prefect.states import Running
from typer.testing import CliRunner

from flows import composition
from flows.commands.registered import app
from flows.regenerate import regenerate
from flows.server import Server
from schemas.runs import Run
from tests.integration.conftest import rows
from tests.integration.town import CELLAR, CLINIC, SHED, TownAuthor, bad_code, gone
from warehouse.store import Warehouse

KILLED = Run(
    run_id="run_20250101-000000-000",
    profile="tiny",
    author="town",
    seed=0,
    corpora=[],
    given_topics=[SHED],
    sandbox="process",
    code_digest="0",
    status="running",
    started_at=datetime(2025, 1, 1, tzinfo=UTC),
)


@pytest.fixture(scope="module")
def dead_flow_run(prefect_server: Server) -> FlowRun:
    """What Prefect keeps of a process that was killed."""
    with get_client(sync_client=True) as client:
        return client.create_flow_run(regenerate, tags=[KILLED.run_id], state=Running())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, dead_flow_run: FlowRun) -> Path:
    """The home after the run."""
    home = tmp_path_factory.mktemp("home")
    Warehouse(home).replace_run(KILLED)
    order = ["run", "--home", str(home), "--author", "town", "--profile", "tiny", "--no-corpus"]
    given = [part for topic in (SHED, CLINIC, CELLAR) for part in ("--topic", topic)]
    with pytest.MonkeyPatch.context() as patch:
        author = TownAuthor({CLINIC: bad_code, CELLAR: gone})
        patch.setitem(composition.AUTHORS, "town", lambda _sandbox, _plan, _stage: author)
        done = CliRunner().invoke(app, [*order, *given], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return home


def test_a_run_that_was_killed_is_called_interrupted_and_crashed(home: Path, dead_flow_run: FlowRun) -> None:
    statuses = rows(home, "select status from raw.runs order by started_at")
    assert statuses == [{"status": "interrupted"}, {"status": "published"}]
    with get_client(sync_client=True) as client:
        assert client.read_flow_run(dead_flow_run.id).state_name == "Crashed"


def test_a_given_topic_that_breaks_is_a_failed_row_beside_the_others(home: Path) -> None:
    fates = rows(home, "select label, status, reason from raw.attempts where stage = 'select_topics' order by label")
    assert fates == [
        {"label": CELLAR, "status": "failed", "reason": "author_unavailable"},
        {"label": "neighbourhood-lending-shed", "status": "accepted", "reason": None},
        {"label": "veterinary-clinic-front-desk", "status": "accepted", "reason": None},
    ]


def test_the_prefect_ui_shows_flows_and_items_by_name_and_a_summary_per_stage(home: Path) -> None:
    (run,) = rows(home, "select run_id from raw.runs where status = 'published'")
    with get_client(sync_client=True) as client:
        flow_runs = client.read_flow_runs(flow_run_filter=FlowRunFilter(tags=FlowRunFilterTags(all_=[run["run_id"]])))
        task_runs = client.read_task_runs(
            task_run_filter=TaskRunFilter(tags=TaskRunFilterTags(all_=[run["run_id"], "skeleton"]))
        )
        artifacts = client.read_artifacts(
            flow_run_filter=FlowRunFilter(tags=FlowRunFilterTags(all_=[run["run_id"]])), limit=200
        )
    assert {each.name for each in flow_runs} == {
        "regenerate tiny",
        "mine topics: tiny",
        "build skeletons: 2 topics",
        "generate scenarios: 1 environment",
        "probe scenarios: tiny",
        f"publish {run['run_id']}",
    }
    assert {each.name: each.state_name for each in task_runs} == {
        "neighbourhood-lending-shed": "Completed",
        "veterinary-clinic-front-desk": "Completed",
    }
    of_this_run = {each.key: str(each.data) for each in artifacts if each.flow_run_id in {one.id for one in flow_runs}}
    assert set(of_this_run) == {
        "read-corpora",
        "mine-topics",
        "select-topics",
        "build-skeletons",
        "generate-states",
        "generate-scenarios",
        "probe-scenarios",
        "pass-rates",
    }
    assert "| no_op | 2 | 0 | 0.00% |" in of_this_run["pass-rates"]
    assert "| rejected | does_not_parse | 1 |" in of_this_run["build-skeletons"]
