"""Wrong commands: refused at once, with what is allowed; no server is started for them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings
from typer.testing import Result

from flows.homes import home_lock, prepare_home, usable_home
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
        (("--task-column", "foo"), ("no column 'foo'", "task", "--task-column")),
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
    _fails(envmill("sql", "--home", tmp_path, "drop view runs"), 2, "SELECT", "`show tables` lists the tables.")
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


def _answers(envmill: Envmill, home: Path, query: str) -> tuple[dict[str, object], str, str]:
    """One row as JSON, its line as CSV, and the table."""
    forms = {form: envmill("sql", "--home", home, query, "--format", form).stdout for form in ("json", "csv", "table")}
    (row,) = json.loads(forms["json"])
    return row, forms["csv"].splitlines()[1], forms["table"]


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("(select sum(n) from (values (390)) as of_counts(n))", 390),
        ("12345678901234567890::hugeint", 12345678901234567890),
        ("-170141183460469231731687303715884105727::hugeint", -170141183460469231731687303715884105727),
        ("18446744073709551615::ubigint", 18446744073709551615),
        ("12345678901234567890::decimal(20, 0)", 12345678901234567890),
    ],
)
def test_whole_numbers_are_exact_in_every_form_wherever_they_stand(
    envmill: Envmill, tmp_path: Path, value: str, exact: int
) -> None:
    row, line, table = _answers(
        envmill, tmp_path, f"select {value} as n, [{value}] as list, {{'n': {value}}} as record"
    )

    assert row == {"n": exact, "list": [exact], "record": {"n": exact}}
    assert type(row["n"]) is int
    assert line == f'{exact},[{exact}],"{{""n"": {exact}}}"'
    assert str(exact) in table.split()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("interval 14 month", "1 year 2 months"),
        ("interval 1 day", "1 day"),
        ("'101'::bit", "101"),
        ("timetz '10:00:00+01'", "10:00:00+01"),
        ("340282366920938463463374607431768211455::uhugeint", "340282366920938463463374607431768211455"),
    ],
)
def test_what_arrow_has_no_form_for_is_the_text_that_duckdb_shows(
    envmill: Envmill, tmp_path: Path, value: str, text: str
) -> None:
    query = f"select {value} as v, [{value}] as list, {{'a b': {value}}} as record, map {{'k': {value}}} as map"

    row, line, table = _answers(envmill, tmp_path, query)

    assert row == {"v": text, "list": [text], "record": {"a b": text}, "map": [["k", text]]}
    assert line.startswith(f"{text},")
    assert text in table


def test_columns_of_one_name_are_all_answered(envmill: Envmill, tmp_path: Path) -> None:
    row, line, _ = _answers(envmill, tmp_path, "select 1 as a, 2 as a, 3 as a_1")

    assert row == {"a": 1, "a_2": 2, "a_1": 3}
    assert line == "1,2,3"


def test_a_query_may_begin_with_a_comment(envmill: Envmill, tmp_path: Path) -> None:
    told = envmill("sql", "-- how many = 1\nselect 1 as one", "--home", tmp_path, "--format", "csv")

    assert (told.exit_code, told.stdout) == (0, "one\n1\n")
    _fails(envmill("sql", "--fromat", "json", "select 1", "--home", tmp_path), 2, "No such option", "--fromat")


def test_a_table_that_is_not_there_is_not_guessed_to_be_one_of_duckdb(envmill: Envmill, tmp_path: Path) -> None:
    odd = envmill("sql", "--home", tmp_path, "select * from nothing")

    _fails(odd, 2, "nothing does not exist", "`show tables` lists the tables")
    assert "Did you mean" not in odd.stderr
    _fails(envmill("sql", "--home", tmp_path, "select * from enviroments"), 2, 'Did you mean "environments"?')


def test_a_home_that_is_not_there_is_no_empty_one(envmill: Envmill, tmp_path: Path) -> None:
    _fails(envmill("sql", "--home", tmp_path / "nowhere", "select 1"), 2, "There is no home at", "nowhere")


def test_what_a_home_without_a_release_is_asked_for_is_answered_with_how_to_make_one(
    envmill: Envmill, tmp_path: Path
) -> None:
    for item in ("retail-bank", "scn_0000000000000000", "1"):
        _fails(envmill("show", item, "--home", tmp_path), 2, item, "no release", f"`envmill run --home {tmp_path}`")


def test_estimate_refuses_the_address_that_run_refuses(
    envmill: Envmill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVMILL_LLM_BASE_URL", "foo")

    _fails(envmill("estimate", "--home", tmp_path, "--no-corpus", "--topic", "a shop"), 2, "base URL", "http://")


def test_an_export_into_a_file_is_refused_before_anything_is_looked_at(envmill: Envmill, tmp_path: Path) -> None:
    (tmp_path / "clinic.py").touch()

    for place in ("clinic.py", "clinic.py/below"):
        _fails(envmill("export", "--home", tmp_path, "--to", tmp_path / place), 2, place, "is a file; name a folder")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("run", "--no-corpus", "--topic", "a shop"), "envmill import, process"),
        (("import", "--forget", "x"), "envmill import, process"),
    ],
)
def test_a_command_that_meets_another_one_is_told_at_once_which(
    envmill: Envmill, tmp_path: Path, arguments: tuple[str, ...], what: str
) -> None:
    (tmp_path / "imports" / "x").mkdir(parents=True)
    with home_lock(tmp_path, "envmill import"), temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        _fails(envmill(*arguments, "--home", tmp_path), 1, "Another run is at work", what, str(os.getpid()), " UTC")


def test_an_id_nobody_knows_is_refused_with_2(envmill: Envmill, tmp_path: Path) -> None:
    _fails(envmill("show", "--home", tmp_path, "scn_0000000000000000"), 2, "scn_0000000000000000", "ledger")
    _fails(envmill("show", "--home", tmp_path, "no-such-environment"), 2, "no-such-environment")


def test_status_of_a_fresh_home_says_what_to_do(envmill: Envmill, tmp_path: Path) -> None:
    told = envmill("status", "--home", tmp_path / "home")

    assert told.exit_code == 0
    assert "envmill run" in told.stdout
    assert not (tmp_path / "home").exists()
