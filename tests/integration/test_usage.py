"""Wrong commands: refused at once, with what is allowed; no server is started for them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings
from typer.testing import Result

from flows.homes import prepare_home, usable_home
from schemas.errors import HomeNotWritable, UsageError
from tests.integration.conftest import rows

Envmill = Callable[..., Result]


def _fails(result: Result, code: int, *words: str) -> None:
    assert result.exit_code == code, result.output
    for word in words:
        assert word in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--profile", "huge"), ("'huge'", "tiny, default, full")),
        (("--author", "bard"), ("'bard'", "rules")),
        (("--no-corpus",), ("--topic",)),
        (("--no-corpus", "--corpus", __file__), ("contradict",)),
        (("--no-corpus", "--topic", "a shop", "--task-column", "task"), ("--task-column", "--no-corpus")),
        (("--max-usd", "3"), ("--max-usd 3", "--author llm")),
        (("--max-calls", "0", "--max-tokens", "9"), ("--max-tokens 9 --max-calls 0", "--author llm")),
        (("--record", "tapes"), ("--record", "--author llm")),
        (("--replay", "tapes"), ("--replay", "--author llm")),
        (("--topic", "???"), ("says nothing",)),
        (("--topic", "x" * 201), ("200",)),
        (("--concurrency", "0"), ("--concurrency",)),
        (("--seed", "soon"), ("--seed",)),
        (("--corpus", "no/such/file.jsonl"), ("no/such/file.jsonl", "does not exist")),
        (("--corpus", "."), ("is a folder",)),
        (("--corpus", os.devnull), (os.devnull, "no regular file")),
        (("--holdout", os.devnull), (os.devnull, "no regular file")),
    ],
)
def test_a_wrong_option_is_refused_with_2_and_writes_nothing(
    envmill: Envmill, tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    home = tmp_path / "home"

    _fails(envmill("run", "--home", home, *arguments), 2, *words)

    assert not home.exists()


def test_estimate_refuses_a_column_of_no_corpus(envmill: Envmill, tmp_path: Path) -> None:
    refused = envmill("estimate", "--home", tmp_path, "--no-corpus", "--topic", "a shop", "--task-column", "task")

    _fails(refused, 2, "--task-column", "--no-corpus")


@pytest.mark.usefixtures("prefect_server")
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.jsonl", b"", ("empty.jsonl",)),
        ("binary.jsonl", bytes(range(256)) * 8, ("binary.jsonl",)),
        ("latin.jsonl", '{"task": "Café buchen"}\n'.encode("latin-1"), ("latin.jsonl",)),
        ("columns.jsonl", b'{"colour": "red", "size": 4}\n', ("columns.jsonl", "colour")),
        ("columns.csv", b"colour,size\nred,4\n", ("columns.csv", "colour")),
        ("broken.jsonl", b"{oops\n{again\n", ("broken.jsonl",)),
        ("tasks.docx", b"Book a table\n", ("tasks.docx",)),
    ],
)
def test_a_corpus_that_can_not_be_read_is_refused_with_2_and_its_name(
    envmill: Envmill, tmp_path: Path, name: str, content: bytes, words: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    _fails(envmill("run", "--home", tmp_path / "home", "--corpus", path), 2, *words)


@pytest.mark.usefixtures("prefect_server")
def test_a_task_column_that_is_not_there_is_refused_with_those_that_are(envmill: Envmill, tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text("wish,who\nBook a table for two,Ada\n", encoding="utf-8")

    refused = envmill("run", "--home", tmp_path / "home", "--corpus", path, "--task-column", "prompt")

    _fails(refused, 2, "prompt", "wish")


COMMANDS = (
    *(("run",), ("estimate",), ("status",), ("sql", "select 1"), ("show", "x"), ("play", "x"), ("verify",)),
    *(("review", "list"), ("review", "accept", "x"), ("import", "--forget", "x"), ("export",)),
    *(("ui",), ("deploy",), ("worker",)),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_home_that_can_not_be_one_is_refused_by_every_command_with_2(
    envmill: Envmill, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    for home in ("file", "file/home", "link"):
        _fails(envmill(*command, "--home", tmp_path / home), 2, home, "no folder", "--home")


@pytest.mark.parametrize(("mode", "name", "word"), [(0o500, "locked/home", "made"), (0o000, "locked", "read")])
def test_a_home_that_may_not_be_made_or_read_is_refused_with_what_to_do(
    tmp_path: Path, mode: int, name: str, word: str
) -> None:
    (tmp_path / "locked").mkdir(mode)
    if os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("this account may write everywhere")

    with pytest.raises(HomeNotWritable, match=f"{word}.*choose another --home"):
        usable_home(tmp_path / name)


def test_a_home_whose_name_is_too_long_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="too long.*Choose another --home"):
        prepare_home(tmp_path / ("x" * 300))


def test_a_variable_that_can_not_be_used_is_named(envmill: Envmill, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVMILL_CONCURRENCY", "many")

    _fails(envmill("status"), 2, "ENVMILL_CONCURRENCY", "integer", "unset")


def test_a_configured_server_that_does_not_answer_is_refused_with_1(envmill: Envmill, tmp_path: Path) -> None:
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        _fails(envmill("run", "--home", tmp_path), 1, "PREFECT_API_URL", "http://127.0.0.1:9/api")


def test_a_query_may_only_read(envmill: Envmill, tmp_path: Path) -> None:
    _fails(envmill("sql", "--home", tmp_path, "drop view runs"), 2, "SELECT")
    _fails(envmill("sql", "--home", tmp_path, "selec 1"), 2, "syntax")
    _fails(envmill("sql", "--home", tmp_path, "select 1", "--format", "xml"), 2, "table, csv, json")


def test_queries_answer_in_three_formats_on_an_empty_home(envmill: Envmill, tmp_path: Path) -> None:
    query = "select 1 as a, [1, 2] as b, null as c, 'x,\"y\"' as d"

    assert json.loads(envmill("sql", "--home", tmp_path, query, "--format", "json").stdout) == [
        {"a": 1, "b": [1, 2], "c": None, "d": 'x,"y"'}
    ]
    assert envmill("sql", "--home", tmp_path, query, "--format", "csv").stdout == 'a,b,c,d\n1,"[1, 2]",,"x,""y"""\n'
    moment = envmill("sql", "--home", tmp_path, "select timestamptz '2026-01-02 03:04:05+01' as t", "--format", "csv")
    assert moment.stdout == "t\n2026-01-02 02:04:05.000000Z\n"
    assert "(1 row)" in envmill("sql", "--home", tmp_path, query).stdout
    assert rows(tmp_path, "select count(*) as n from scenarios") == [{"n": 0}]


def test_an_id_nobody_knows_is_refused_with_2(envmill: Envmill, tmp_path: Path) -> None:
    _fails(envmill("show", "--home", tmp_path, "scn_0000000000000000"), 2, "scn_0000000000000000", "ledger")
    _fails(envmill("show", "--home", tmp_path, "no-such-environment"), 2, "no-such-environment")


def test_status_of_a_fresh_home_says_what_to_do(envmill: Envmill, tmp_path: Path) -> None:
    told = envmill("status", "--home", tmp_path / "home")

    assert told.exit_code == 0
    assert "envmill run" in told.stdout
    assert not (tmp_path / "home").exists()
