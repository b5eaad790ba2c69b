"""Published scenarios are played by probe agents: episodes, pass rates, what is reused, and what is done again."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from flows import composition
from schemas.errors import AuthorUnavailable
from tasks.authors.playing import Conversation, Said, ToolUse
from tests.integration.conftest import rows
from tests.integration.town import SHED, TownAuthor, write_corpus

pytestmark = pytest.mark.usefixtures("prefect_server")
Envmill = Callable[..., Result]
EXTENDING = (
    Said("", (ToolUse("a", "find_members", '{"name_contains": "Chiara Rossi"}'), ToolUse("b", "find_items", "{}"))),
    Said("", (ToolUse("c", "extend_loan", '{"loan_id": "LOA-0003", "due_on": "2025-04-20"}'),)),
    Said("The welding set is now due on 20 April."),
)
AGENTS = "select agent, scenario_count, attempts, passes from agents where agent <> 'noisy_reference' order by agent"


class TownPlayer(TownAuthor):
    """Solves one task of the town in every second attempt, and has no word to say about the others."""

    name = "town"
    is_gone = False

    def __init__(self) -> None:
        super().__init__()
        self.begun: Counter[str] = Counter()
        """Scenario -> episodes that were begun."""

    def turn(self, conversation: Conversation, *, seed: int) -> Said:
        """See `Player`."""
        if self.is_gone:
            raise AuthorUnavailable("nobody answers")
        turns = sum(isinstance(turn, Said) for turn in conversation.turns)
        self.begun[conversation.scenario_id] += not turns
        knows = "welding set" in conversation.task and self.begun[conversation.scenario_id] % 2
        return EXTENDING[turns] if knows else Said("No.")


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> TownPlayer:
    """The author "town", who can play."""
    author = TownPlayer()
    monkeypatch.setitem(composition.AUTHORS, "town", lambda _sandbox, _plan, _stage: author)
    return author


def _order(tmp_path: Path, *options: object) -> tuple[object, ...]:
    corpus = write_corpus(tmp_path / "wishes.jsonl", f"{SHED}: extend the loan of the welding set")
    return "run", "--home", tmp_path / "home", "--author", "town", "--profile", "tiny", "--corpus", corpus, *options


def _balance(home: Path) -> dict[str, Any]:
    (row,) = rows(
        home,
        "select items_in, accepted, failed, reused from yield_by_stage "
        "where stage = 'probe_scenarios' and is_latest_run",
    )
    return row


def test_every_published_scenario_is_played_and_what_is_unchanged_is_not_played_again(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"

    first = envmill(*_order(tmp_path))

    assert first.exit_code == 0, first.output
    assert rows(home, AGENTS) == [
        {"agent": "greedy", "scenario_count": 2, "attempts": 2, "passes": 1},
        {"agent": "no_op", "scenario_count": 2, "attempts": 2, "passes": 0},
        {"agent": "random_valid", "scenario_count": 2, "attempts": 10, "passes": 0},
    ]
    assert rows(home, "select agent, noise, attempts from agents where agent = 'noisy_reference' order by noise") == [
        {"agent": "noisy_reference", "noise": noise, "attempts": 2} for noise in (0.1, 0.2, 0.3, 0.4, 0.5)
    ]
    assert rows(home, "select count(*) as n from trajectories where sandbox = 'none'") == [{"n": 0}]
    (solved,) = rows(home, "select task, difficulty, greedy_pass_rate from scenarios where greedy_pass_rate = 1")
    assert "welding set" in solved["task"]
    assert _balance(home) == {"items_in": 2, "accepted": 2, "failed": 0, "reused": 0}

    second = envmill(*_order(tmp_path))

    assert second.exit_code == 0, second.output
    assert _balance(home) == {"items_in": 2, "accepted": 2, "failed": 0, "reused": 2}
    releases = rows(home, "select release_id from raw.releases")
    assert releases[0] == releases[1]

    without = envmill(*_order(tmp_path, "--probes", 0))

    assert without.exit_code == 0, without.output
    assert rows(home, "select count(*) as n from trajectories") == [{"n": 0}]
    assert rows(home, "select count(*) as n from scenarios where difficulty is not null") == [{"n": 2}]
    assert _balance(home)["items_in"] == 0


def test_a_model_plays_where_it_is_asked_to_and_what_it_could_not_play_is_done_by_the_next_run(
    envmill: Envmill, player: TownPlayer, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    order = _order(tmp_path, "--probes", 1, "--probe-attempts", 6)
    player.is_gone = True

    first = envmill(*order)

    assert first.exit_code == 0, first.output
    assert _balance(home) == {"items_in": 4, "accepted": 2, "failed": 2, "reused": 0}
    left = rows(
        home, "select status, reason, item_count, example_detail from rejections where stage = 'probe_scenarios'"
    )
    assert left == [
        {"status": "failed", "reason": "author_unavailable", "item_count": 2, "example_detail": "nobody answers"}
    ]
    assert rows(home, "select count(*) as n from trajectories where agent = 'language_model'") == [{"n": 0}]
    assert rows(home, "select scenario_count from environments") == [{"scenario_count": 2}]

    player.is_gone = False
    second = envmill(*order)

    assert second.exit_code == 0, second.output
    assert _balance(home) == {"items_in": 4, "accepted": 4, "failed": 0, "reused": 2}
    played = rows(
        home,
        "select attempt, success, has_steps, model, call_count from trajectories inner join raw.scenarios "
        "using (scenario_id) where agent = 'language_model' and task like '%welding set%' order by attempt",
    )
    assert [(row["attempt"], row["success"], row["call_count"]) for row in played] == [
        (1, True, 3), (2, False, 0), (3, True, 3), (4, False, 0), (5, True, 3), (6, False, 0)
    ]  # fmt: skip
    assert {(row["has_steps"], row["model"]) for row in played} == {(True, "town")}
    rates = rows(home, "select passes, attempts from pass_rates where agent = 'language_model' order by passes")
    assert rates == [{"passes": 0, "attempts": 6}, {"passes": 3, "attempts": 6}]
    chances = rows(
        home, "select k, round(pass_at_k, 3) as p from pass_at_k where agent = 'language_model' and passes = 3"
    )
    assert [(row["k"], row["p"]) for row in chances][:4] == [(1, 0.5), (2, 0.8), (3, 0.95), (4, 1.0)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--probes", -1), ("--probes -1", "0 to 100")),
        (("--probe-attempts", 101), ("--probe-attempts 101",)),
        (("--probe-attempts", 2), ("--author llm",)),
    ],
)
def test_probes_that_can_not_be_played_are_refused_with_2(
    envmill: Envmill, tmp_path: Path, options: tuple[object, ...], words: tuple[str, ...]
) -> None:
    refused = envmill("run", "--home", tmp_path / "home", *options)

    assert refused.exit_code == 2, refused.output
    for word in words:
        assert word in refused.stderr
    assert not (tmp_path / "home").exists()
