"""People's verdicts: what they are shown, what is refused, and what the next release makes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from flows.homes import home_lock
from schemas.ids import slugify
from tasks.authors.base import CodeDraft, DraftCode, Question
from tests.fakes import foreign
from tests.fakes.lending_shed import CODE
from tests.fakes.lending_shed_home import publish_shed
from tests.fakes.lending_shed_scenarios import SKELETON
from tests.integration.conftest import rows
from tests.integration.town import CLINIC, SHED, TownAuthor
from warehouse.store import Warehouse

Envmill = Callable[..., Result]
FOREIGN = Path(foreign.__file__).parent
VERDICTS = 'select item_id, verdict, note, reviewer, is_sampled, evaluation from reviews order by "at"'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A release with one environment and two scenarios, made without a run."""
    publish_shed(tmp_path / "home")
    return tmp_path / "home"


def _scenarios(home: Path) -> list[str]:
    return [row["scenario_id"] for row in rows(home, "select scenario_id from scenarios order by scenario_id")]


def _refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    for word in words:
        assert word in result.stderr


def test_the_list_shows_the_sample_and_what_was_said_of_it(envmill: Envmill, home: Path) -> None:
    before = envmill("review", "list", "--home", home)
    said = envmill("review", "accept", SKELETON.slug, "--reviewer", "ada", "--home", home)
    after = envmill("review", "list", "--home", home)
    everything = envmill("review", "list", "--all", "--home", home)

    assert before.exit_code == said.exit_code == after.exit_code == 0
    assert SKELETON.skeleton_id in before.stdout
    assert "0 of 2 sampled items reviewed" in before.stdout
    assert "accepted by ada" in after.stdout
    assert "1 of 2 sampled items reviewed" in after.stdout
    assert "agree in 100% of 1 verdicts (kappa not defined)" in after.stdout
    assert all(each in everything.stdout for each in [SKELETON.skeleton_id, *_scenarios(home)])
    assert "1 of 3 items reviewed" in everything.stdout


@pytest.mark.parametrize("name", [SKELETON.slug, SKELETON.environment_id, SKELETON.skeleton_id])
def test_an_environment_is_reviewed_by_any_of_its_names_as_the_version_that_is_published(
    envmill: Envmill, home: Path, name: str
) -> None:
    said = envmill("review", "reject", name, "--note", " fees are wrong ", "--reviewer", "ada", "--home", home)

    assert said.exit_code == 0
    assert "nor any scenario of it" in said.stdout
    assert rows(home, VERDICTS) == [
        {
            "item_id": SKELETON.skeleton_id,
            "verdict": "rejected",
            "note": "fees are wrong",
            "reviewer": "ada",
            "is_sampled": True,
            "evaluation": "accepted",
        }
    ]


def test_the_account_speaks_where_no_reviewer_is_named(
    envmill: Envmill, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "grace")

    assert envmill("review", "accept", _scenarios(home)[0], "--home", home).exit_code == 0

    assert rows(home, "select reviewer, kind from reviews") == [{"reviewer": "grace", "kind": "scenario"}]


def test_a_second_thought_is_told_as_one_and_another_persons_rejection_stays(envmill: Envmill, home: Path) -> None:
    item = _scenarios(home)[0]
    envmill("review", "reject", item, "--note", "vague", "--reviewer", "ada", "--home", home)
    envmill("review", "reject", item, "--note", "too easy", "--reviewer", "bob", "--home", home)

    first = envmill("review", "accept", item, "--reviewer", "ada", "--home", home)
    last = envmill("review", "accept", item, "--reviewer", "bob", "--home", home)

    assert "stays withdrawn, because others reject it (bob: too easy)" in first.stdout
    assert "Nobody rejects it any more" in last.stdout


def test_the_story_of_an_item_tells_what_people_said(envmill: Envmill, home: Path) -> None:
    item = _scenarios(home)[0]
    for each in (item, SKELETON.slug):
        envmill("review", "reject", each, "--note", f"not like that, {each}", "--reviewer", "ada", "--home", home)

    for command, name, said in (
        (("review", "show"), item, item),
        (("show",), item, item),
        (("show",), SKELETON.slug, SKELETON.slug),
    ):
        told = envmill(*command, name, "--home", home).stdout
        assert "What people said" in told
        assert f"not like that, {said}" in " ".join(told.split())


def test_what_can_not_be_said_is_refused_and_nothing_is_written(envmill: Envmill, home: Path, tmp_path: Path) -> None:
    item = _scenarios(home)[0]
    cases: list[tuple[tuple[object, ...], tuple[str, ...]]] = [
        (("reject", item), ("--note",)),
        (("reject", item, "--note", "  "), ("--note",)),
        (("accept", item, "--reviewer", " "), ("--reviewer",)),
        (("reject", item, "--note", "x" * 2001), ("2001", "2000")),
        (("accept", item, "--note", "caf\udce9"), ("--note", "UTF-8")),
        (("accept", "scn_0000000000000000"), ("scn_0000000000000000", "--all")),
        (("accept", "no-such-slug"), ("no-such-slug",)),
        (("accept", rows(home, "select tool_id from tools limit 1")[0]["tool_id"]), ("can't be reviewed",)),
    ]
    for arguments, words in cases:
        _refused(envmill("review", *arguments, "--home", home), *words)
    for arguments in (("list",), ("accept", "x")):
        _refused(envmill("review", *arguments, "--home", tmp_path / "empty"), "no release yet")

    assert rows(home, VERDICTS) == []
    assert not (tmp_path / "empty").exists()


def test_a_review_during_a_run_says_that_it_may_come_late(envmill: Envmill, home: Path) -> None:
    with home_lock(home):
        said = envmill("review", "reject", SKELETON.slug, "--note", "odd", "--home", home)

    assert said.exit_code == 0
    assert "A run is at work" in said.stdout


# From here on with runs.


def _order(home: Path, *options: object) -> tuple[object, ...]:
    given = ("--topic", SHED, "--topic", CLINIC)
    return ("run", "--home", home, "--author", "town", "--profile", "tiny", "--no-corpus", *given, *options)


def _run(envmill: Envmill, home: Path, *options: object) -> Result:
    done = envmill(*_order(home, *options))
    assert done.exit_code == 0, done.output
    return done


def _reject(envmill: Envmill, home: Path, item: str, note: str, reviewer: str = "ada") -> None:
    done = envmill("review", "reject", item, "--note", note, "--reviewer", reviewer, "--home", home)
    assert done.exit_code == 0, done.output


def _fates(home: Path, table: str) -> list[tuple[Any, ...]]:
    key = "scenario_id" if table == "scenarios" else "skeleton_id"
    found = rows(home, f"select {key} as id, status, reason, detail from raw.{table} order by {key}")
    return [tuple(row.values()) for row in found]


def _balances(home: Path) -> dict[str, tuple[int, int, int]]:
    sql = "select stage, items_in, accepted, rejected from yield_by_stage where is_latest_run"
    return {row["stage"]: (row["items_in"], row["accepted"], row["rejected"]) for row in rows(home, sql)}


@pytest.mark.usefixtures("prefect_server")
def test_a_rejected_scenario_is_withdrawn_though_nothing_is_made_again_and_comes_back_when_accepted(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    _run(envmill, home)
    before = Warehouse(home).current_release()
    published = _scenarios(home)
    gone = published[1]
    _reject(envmill, home, gone, "the date is ambiguous")
    _reject(envmill, home, gone, "and unfair", "bob")
    town.asked = []

    told = _run(envmill, home)

    assert town.asked == [], "everything is kept from the run before"
    assert "1 withdrawn by people" in told.output
    assert _scenarios(home) == [each for each in published if each != gone]
    assert (gone, "rejected", "rejected_by_person", "the date is ambiguous; and unfair") in _fates(home, "scenarios")
    assert rows(
        home, "select stage, status, item_count, example_detail from rejections where reason like '%person'"
    ) == [
        {
            "stage": "generate_scenarios",
            "status": "rejected",
            "item_count": 1,
            "example_detail": "the date is ambiguous; and unfair",
        }
    ]
    attempts = rows(
        home,
        "select attempts.status, reason from raw.attempts inner join raw.latest_run using (run_id) where item_id = ?",
        gone,
    )
    assert attempts == [{"status": "rejected", "reason": "rejected_by_person"}]
    release = Warehouse(home).current_release()
    assert release is not None and release.scenario_count == _balances(home)["generate_scenarios"][1] == 3

    for reviewer in ("ada", "bob"):
        envmill("review", "accept", gone, "--reviewer", reviewer, "--home", home)
    _run(envmill, home)

    assert _scenarios(home) == published
    assert before is not None
    assert Warehouse(home).current_release().release_id == before.release_id  # type: ignore[union-attr]


@pytest.mark.usefixtures("prefect_server")
def test_a_rejected_environment_goes_with_all_its_scenarios_and_a_changed_version_is_another_item(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    _run(envmill, home)
    shed, clinic = rows(home, "select slug, skeleton_id from environments order by slug")
    _reject(envmill, home, shed["slug"], "fees are wrong")

    _run(envmill, home)

    assert rows(home, "select slug, skeleton_id from environments") == [clinic]
    assert (shed["skeleton_id"], "rejected", "rejected_by_person", "fees are wrong") in _fates(home, "skeletons")
    assert rows(
        home,
        "select status, reason, detail, count(*) as scenarios from raw.scenarios where skeleton_id = ? group by all",
        shed["skeleton_id"],
    ) == [
        {
            "status": "rejected",
            "reason": "rejected_by_person",
            "detail": "its environment was rejected: fees are wrong",
            "scenarios": 2,
        }
    ]
    assert _balances(home)["build_skeletons"] == (2, 1, 1)
    assert _balances(home)["generate_scenarios"][1] == 2
    assert rows(home, "select stage, item_count from rejections where reason = 'rejected_by_person'") == [
        {"stage": "build_skeletons", "item_count": 1},
        {"stage": "generate_scenarios", "item_count": 2},
    ]
    assert rows(home, "select count(*) as bad from raw.gate_results where not has_passed") == [{"bad": 0}]
    assert "fees are wrong" in envmill("show", shed["slug"], "--home", home).stdout

    assert (shed["slug"], clinic["slug"]) == (slugify(SHED), slugify(CLINIC))
    town.moods = {SHED: _changed}
    _run(envmill, home, "--seed", 1)

    (changed,) = rows(home, "select skeleton_id from environments where slug = ?", shed["slug"])
    assert changed["skeleton_id"] != shed["skeleton_id"]
    assert rows(home, "select slug from scenarios group by slug") == [{"slug": shed["slug"]}, {"slug": clinic["slug"]}]


@pytest.mark.usefixtures("prefect_server")
def test_when_people_reject_everything_the_release_is_empty(envmill: Envmill, town: TownAuthor, tmp_path: Path) -> None:
    home = tmp_path / "home"
    _run(envmill, home)
    for row in rows(home, "select slug from environments"):
        _reject(envmill, home, row["slug"], "no")

    _run(envmill, home)

    assert rows(home, "select environment_count, scenario_count from raw.current_release") == [
        {"environment_count": 0, "scenario_count": 0}
    ]
    again = envmill("review", "accept", rows(home, "select slug from raw.skeletons")[0]["slug"], "--reviewer", "ada",
                    "--home", home)  # fmt: skip
    assert "may hold it again" in again.stdout


def _changed(question: Question[Any]) -> CodeDraft | None:
    """A mood: the same class with another first line."""
    return CodeDraft(code=f"# Fees are right.\n{CODE}") if isinstance(question, DraftCode) else None


@pytest.mark.usefixtures("prefect_server")
def test_an_import_is_withdrawn_from_the_release_of_a_later_import(envmill: Envmill, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert (
        envmill("import", "--format", "python-class", f"{FOREIGN}/file_system.py:FileSystem", "--home", home).exit_code
        == 0
    )
    (files,) = rows(home, "select slug, skeleton_id from environments")
    _reject(envmill, home, files["slug"], "nobody files like that")

    assert (
        envmill("import", "--format", "python-class", f"{FOREIGN}/ticketing.py:HelpDesk", "--home", home).exit_code == 0
    )

    assert [row["slug"] != files["slug"] for row in rows(home, "select slug from environments")] == [True]
    assert (files["skeleton_id"], "rejected", "rejected_by_person", "nobody files like that") in _fates(
        home, "skeletons"
    )
    assert rows(home, "select stage, item_count from rejections where reason = 'rejected_by_person'") == [
        {"stage": "import_environments", "item_count": 1}
    ]
