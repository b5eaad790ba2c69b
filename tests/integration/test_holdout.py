"""`--holdout`: what comes too close to a benchmark is refused, told, and nothing else is made again for it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.fakes.lending_shed_scenarios import EXTEND
from tests.integration.conftest import rows
from tests.integration.town import CLINIC, SHED, TownAuthor, write_corpus
from warehouse.store import Warehouse

Envmill = Callable[..., Result]
REWORDED = "Chiara Rossi needs the drill set longer. Please move the due date of her loan to Monday 28 April."
REASON = "too_close_to_holdout"
LATEST = "select holdouts from raw.latest_run"


def _holdout(path: Path, *texts: str) -> Path:
    path.write_text("\n".join(json.dumps({"question": text}) for text in texts), encoding="utf-8")
    return path


def _run(envmill: Envmill, home: Path, *options: object) -> Result:
    done = envmill("run", "--home", home, "--author", "town", "--profile", "tiny", *options)
    assert done.exit_code == 0, done.output
    return done


def _release(home: Path) -> str | None:
    release = Warehouse(home).current_release()
    return None if release is None else release.release_id


@pytest.mark.usefixtures("prefect_server")
def test_texts_and_scenarios_too_close_are_rows_with_a_reason_and_the_rest_is_reused(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    corpus = write_corpus(
        tmp_path / "c.jsonl",
        f"{SHED}: extend the loan of the welding set until Sunday",
        f"{SHED}: which tools were never lent out in all of last year?",
        f"{CLINIC}: move Rex to Tuesday",
    )
    far = _holdout(tmp_path / "far.jsonl", "Which moons of Jupiter were found by Galilei?")
    near = _holdout(tmp_path / "near.jsonl", "How tall is Everest?", f"{CLINIC}: please move Rex to Tuesday", REWORDED)
    _run(envmill, home, "--corpus", corpus)
    free, published = _release(home), rows(home, "select slug, task from scenarios order by slug, task")
    assert rows(home, LATEST) == [{"holdouts": []}]
    town.asked = []

    _run(envmill, home, "--corpus", corpus, "--holdout", far)

    assert town.asked == [] and _release(home) == free, "nothing is near, and nothing is made again"
    assert [row["holdouts"][0].split()[0] for row in rows(home, LATEST)] == ["far.jsonl"]

    _run(envmill, home, "--corpus", corpus, "--holdout", far, "--holdout", near)

    assert [prompt for prompt, _ in town.asked] == ["judge_tasks"], "one text less is judged, and no item made"
    texts = rows(home, "select line, detail from raw.seed_tasks where reason = ?", REASON)
    assert [row["line"] for row in texts] == [3]
    assert texts[0]["detail"].startswith("near.jsonl:2 says nearly the same (meaning ")
    tasks = rows(home, "select status, task, detail from raw.scenarios where reason = ?", REASON)
    assert [(row["status"], row["task"]) for row in tasks] == [("rejected", EXTEND.task)]
    assert tasks[0]["detail"].startswith("near.jsonl:3 says nearly the same (meaning ")
    left = rows(home, "select slug, task from scenarios order by slug, task")
    assert left == [each for each in published if "clinic" not in each["slug"] and each["task"] != EXTEND.task]
    told = rows(home, "select stage, status, item_count from rejections where reason = ? order by stage", REASON)
    assert told == [
        {"stage": "generate_scenarios", "status": "rejected", "item_count": 1},
        {"stage": "mine_topics", "status": "rejected", "item_count": 1},
    ]
    (run,) = rows(home, LATEST)
    assert [each.split()[0] for each in run["holdouts"]] == ["far.jsonl", "near.jsonl"]
    assert all(len(each.split()[1]) == 32 for each in run["holdouts"])

    _holdout(near, "How tall is Everest?")
    _run(envmill, home, "--corpus", corpus, "--holdout", near)

    assert _release(home) == free, "another content of the file decides anew"


@pytest.mark.usefixtures("prefect_server")
def test_a_topic_that_somebody_asked_for_is_held_out_too(envmill: Envmill, town: TownAuthor, tmp_path: Path) -> None:
    bench = tmp_path / "bench.csv"
    bench.write_text("far,near\nHow tall is Everest?,The front desk of a veterinary clinic\n", encoding="utf-8")
    order = ("--no-corpus", "--topic", SHED, "--topic", CLINIC, "--holdout", bench, "--holdout-column")

    _run(envmill, tmp_path, *order, "far")
    assert [row["status"] for row in rows(tmp_path, "select status from raw.topics")] == ["accepted", "accepted"]
    _run(envmill, tmp_path, *order, "near")

    fates = rows(tmp_path, "select slug, status, reason from raw.topics order by slug")
    assert [(row["status"], row["reason"]) for row in fates] == [("accepted", None), ("rejected", REASON)]
    (run,) = rows(tmp_path, LATEST)
    assert [each.split()[2:] for each in run["holdouts"]] == [["column", "near"]]
    alone = envmill(
        *("run", "--home", tmp_path, "--author", "town", "--no-corpus", "--topic", CLINIC, "--holdout", bench),
        *("--holdout-column", "near"),
    )
    assert alone.exit_code == 2
    assert f"1 {REASON}" in alone.stderr


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.jsonl", None, ("gone.jsonl", "does not exist")),
        ("empty.jsonl", b"", ("empty.jsonl", "empty")),
        ("blank.txt", b" \n\n", ("blank.txt", "no task text")),
        ("binary.csv", b"\x89PNG\x00\x00\xff", ("binary.csv", "binary")),
        (
            "half.jsonl",
            b'{"text": "Book a table"}\n{"text": 3}\n',
            ("half.jsonl", "has 1 line without", "line 2", "held out"),
        ),
        ("other.csv", b"id,ask\n1,Book a table\n", ("other.csv", "'ask'", "--holdout-column")),
    ],
)
def test_a_holdout_that_can_not_be_respected_is_refused_with_2_before_anything_is_written(
    envmill: Envmill, tmp_path: Path, name: str, content: bytes | None, words: tuple[str, ...]
) -> None:
    bench, home = tmp_path / name, tmp_path / "home"
    if content is not None:
        bench.write_bytes(content)

    refused = envmill("run", "--home", home, "--holdout", bench)

    assert refused.exit_code == 2, refused.output
    assert all(word in refused.stderr for word in words), refused.stderr
    assert not home.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [(("--holdout", "."), "is a folder"), (("--holdout-column", "ask"), "Add --holdout FILE")],
)
def test_a_holdout_option_that_makes_no_sense_is_refused_with_2(
    envmill: Envmill, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    refused = envmill("run", "--home", tmp_path / "home", *options)

    assert refused.exit_code == 2
    assert words in refused.stderr
    assert not (tmp_path / "home").exists()
