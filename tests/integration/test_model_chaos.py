"""200 questions through the real flow to a model behind a bad line: each ends, once, and with the true reason."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from prefect.settings import temporary_settings

from flows.mine_topics import mine_topics
from flows.order import Order
from flows.plan import RunPlan, plan_run
from flows.running import prefect_settings
from flows.server import Server
from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.model_server.transport import TROUBLES, Weather
from tests.fakes.sandbox import SANDBOX
from tests.integration.conftest import rows

KINDS = ("Library", "Pharmacy", "Hotel", "Bicycle workshop", "Theatre", "Gym", "Bakery", "Museum", "Car hire", "School")
PLACES = (
    "Accra", "Bergen", "Cork", "Dakar", "Essen", "Faro", "Graz", "Hanoi", "Izmir", "Jena",
    "Kyoto", "Lyon", "Malmo", "Nice", "Oslo", "Porto", "Quito", "Riga", "Sofia", "Turin",
)  # fmt: skip
THEMES = tuple(f"{kind} of {place}" for kind, place in product(KINDS, PLACES))
RUN_ID = "run_20260101-000000-000"
DECLINED = ("refusal",)
UNFIT = ("malformed_json", "wrong_schema", "empty", "truncated")
TIMEOUT_S = 4.0


@contextmanager
def _asking(server: ModelServer) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
        patch.setenv("ENVMILL_LLM_MODEL", MODEL)
        patch.setenv("ENVMILL_LLM_TIMEOUT_S", str(TIMEOUT_S))
        yield


def _plan(home: Path) -> RunPlan:
    order = Order(
        home=home,
        profile="tiny",
        corpora=[],
        task_column=None,
        topics=THEMES,
        uses_corpus=False,
        author="llm",
        seed=0,
        at_a_time=48,
    )
    return plan_run(RUN_ID, order)


def _mine(home: Path, prefect_server: Server, server: ModelServer) -> None:
    with _asking(server), temporary_settings(prefect_settings(prefect_server, home)):
        mine_topics(_plan(home))


def _fates(home: Path) -> Mapping[str, dict[str, Any]]:
    """Theme -> how its item ended. A topic is called by its title, which is the theme."""
    topics = {row["topic_id"]: row["title"] for row in _staged_topics(home)}
    found = rows(home, "select item_id, label, status, reason, detail from raw.attempts where stage = 'select_topics'")
    named = [(topics.get(row["item_id"], row["label"]), row) for row in found]
    assert len(named) == len({theme for theme, _ in named}), "an item is there twice"
    return dict(named)


def _staged_topics(home: Path) -> Sequence[dict[str, Any]]:
    import pyarrow.parquet as pq

    (file,) = home.rglob("topics.parquet")
    found: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return found


def _calls(home: Path) -> list[dict[str, Any]]:
    return rows(home, "select item, outcome, attempts, detail, is_cached from raw.llm_calls")


def test_under_30_percent_troubles_every_item_ends_once_and_with_the_true_reason(
    prefect_server: Server, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with ModelServer(SANDBOX, weather=Weather(rate=0.3, hang_s=2 * TIMEOUT_S)) as server:
        _mine(home, prefect_server, server)
        encounters, summary = server.journal.encounters, server.journal.summary()

    fates, calls = _fates(home), _calls(home)
    assert sorted(fates) == sorted(THEMES), "nothing is lost"
    assert set(summary.troubles) == set(TROUBLES), "everything that can go wrong did"
    assert summary.requests == sum(call["attempts"] for call in calls)
    assert summary.answered_twice == 0, "nothing is paid twice"
    met: dict[str, Counter[str]] = {theme: Counter() for theme in THEMES}
    for each in encounters:
        met[each.subject][each.trouble] += 1
    for theme, fate in fates.items():
        _assert_true(theme, fate, met[theme])
    answered = Counter(fate["status"] for fate in fates.values())
    assert answered["accepted"] + answered["duplicate"] > 180, "most troubles pass"
    assert answered["rejected"] > 0


def _assert_true(theme: str, fate: dict[str, Any], met: Counter[str]) -> None:
    """What the ledger says of an item is what the server did to it."""
    told = f"{theme}: {fate['status']}, {fate['reason']}, {fate['detail']}; met {dict(met)}"
    match fate["status"], fate["reason"]:
        case ("accepted", None) | ("duplicate", _):
            assert met["refusal"] == 0, told
        case "rejected", "reply_unusable" if "declined" in fate["detail"]:
            assert met["refusal"] > 0, told
        case "rejected", "reply_unusable":
            assert sum(met[kind] for kind in UNFIT) >= 2, told
        case "failed", "author_unavailable":
            assert sum(met.values()) >= 2, told
        case _:
            pytest.fail(told)


def test_a_model_that_vanishes_leaves_every_item_either_described_or_failed_by_name(
    prefect_server: Server, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with ModelServer(SANDBOX, weather=Weather(vanishes_after=100)) as server:
        _mine(home, prefect_server, server)
        summary = server.journal.summary()

    fates, calls = _fates(home), _calls(home)
    assert sorted(fates) == sorted(THEMES)
    failed = [fate for fate in fates.values() if fate["status"] == "failed"]
    assert len(failed) == len(THEMES) - 100
    assert {fate["reason"] for fate in failed} == {"author_unavailable"}
    assert all(MODEL in fate["detail"] for fate in failed)
    assert summary.requests == sum(call["attempts"] for call in calls) == len(THEMES)
