"""Imports through the command line: judged, published, kept by later runs, dropped when asked; and exports."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings
from typer.testing import Result

from flows import import_environments
from flows.server import Server
from tests.fakes.foreign.catalogue import CASES
from tests.integration.conftest import rows
from tests.unit.tasks.test_exchange_envscaler import environment, scenario

Envmill = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("prefect_server")


def run(envmill: Envmill, home: Path) -> Result:
    """A small release of the built-in author."""
    return envmill("run", "--home", home, "--profile", "tiny", "--no-corpus", "--topic", "gym memberships and classes")


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def slugs(home: Path) -> dict[str, str]:
    return {
        row["slug"]: row["author"]
        for row in rows(home, "select slug, author from raw.skeletons where status = 'accepted'")
    }


def test_an_import_joins_the_release_stays_in_later_runs_and_leaves_when_forgotten(
    envmill: Envmill, prefect_server: Server, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    made = run(envmill, home)
    assert made.exit_code == 0, made.output
    before, episodes = slugs(home), rows(home, "select * from trajectories order by trajectory_id")
    good, bad = CASES[1], CASES[7]
    file = write(tmp_path / "published.json", [environment(), scenario(), {"neither": 1}])

    first = envmill("import", "--home", home, "--format", "python-class", good.path, bad.path)
    second = envmill("import", "--home", home, "--format", "envscaler", file)

    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert str(bad.fault) in first.output and bad.said in first.output
    assert "entry_of_no_known_form" in second.output and "unproven" in second.output
    assert slugs(home) == {**before, "help-desk": "import", "clinic-ward": "import"}
    assert rows(home, "select * from trajectories order by trajectory_id") == episodes != [], "played once, kept"
    played = envmill("play", "help-desk", "--home", home)
    assert played.exit_code == 0 and "8 tools" in played.output

    assert run(envmill, home).exit_code == 0
    assert slugs(home) == {**before, "help-desk": "import", "clinic-ward": "import"}
    (count,) = rows(home, "select * from stage_counts where stage = 'import_environments' order by run_id desc limit 1")
    assert (count["items_in"], count["accepted"], count["rejected"], count["reused"]) == (3, 2, 1, 3)
    reasons = rows(home, "select distinct status, reason from raw.scenarios where author = 'import'")
    assert reasons == [{"status": "rejected", "reason": "unproven"}]

    forgotten = envmill("import", "--home", home, "--forget", "help-desk")
    assert forgotten.exit_code == 0, forgotten.output
    assert slugs(home) == {**before, "clinic-ward": "import"}
    assert envmill("import", "--home", home, "--forget", "help-desk").exit_code == 2


def test_an_export_is_imported_with_the_same_ids_and_verdicts(
    envmill: Envmill, prefect_server: Server, tmp_path: Path
) -> None:
    home, other, folder = tmp_path / "home", tmp_path / "other", tmp_path / "files"
    assert envmill("export", "--home", home).exit_code == 2
    assert run(envmill, home).exit_code == 0
    assert envmill("export", "--home", home, "--format", "envscaler", "--to", folder).exit_code == 0
    files = sorted(folder.iterdir())
    assert [each.name for each in files] == ["env_metadata.json", "rl_scenario_metadata.json"]

    assert envmill("import", "--home", other, "--format", "envscaler", *files).exit_code == 0
    for sql in (
        "select skeleton_id, slug, code, policy, status from raw.skeletons where status = 'accepted' order by 1",
        "select tool_id, name, kind, parameters_json, reads, writes, enforces from raw.tools order by 1",
        "select scenario_id, task, reference_json, check_count from raw.scenarios where status = 'accepted' order by 1",
        "select checks.* from raw.checks join raw.scenarios using (scenario_id) where status = 'accepted' "
        "order by check_id",
    ):
        assert rows(other, sql) == rows(home, sql)
    (played,) = rows(other, "select scenario_count, attempts, passes from agents where agent = 'no_op'")
    (known,) = rows(other, "select count(*) as n from scenarios")
    assert played == {"scenario_count": known["n"], "attempts": known["n"], "passes": 0}

    again = envmill("import", "--home", home, "--format", "envscaler", *files)
    assert again.exit_code == 0 and "same_environment" in again.output
    assert set(slugs(home).values()) == {"rules"}


@pytest.mark.parametrize("step", ["_include", "publish_release"])
def test_an_import_that_never_finished_leaves_the_imports_as_they_were(
    envmill: Envmill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    home = tmp_path / "home"
    files = [write(tmp_path / f"{number}.json", [entry]) for number, entry in enumerate((environment(), scenario()))]
    first = envmill("import", "--home", home, "--format", "envscaler", files[0])
    assert first.exit_code == 0, first.output
    before = {each.name: each.read_text() for each in (home / "imports").rglob("*.json*")}

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(import_environments, step, stopped)
        more = envmill("import", "--home", home, "--format", "envscaler", files[1])
        other = envmill("import", "--home", home, "--format", "python-class", CASES[1].path)
        dropped = envmill("import", "--home", home, "--forget", "clinic-ward")

    for each in (more, other, dropped):
        assert each.exit_code == 130 and "Nothing was imported or forgotten" in each.output, each.output
    assert {each.name: each.read_text() for each in (home / "imports").rglob("*.json*")} == before
    assert [each.name for each in home.glob("imports*")] == ["imports"]
    unknown = envmill("import", "--home", home, "--forget", "help-desk")
    assert unknown.exit_code == 2 and "There are: clinic-ward." in unknown.stderr


FILES = {
    "empty.json": ("", "is empty"),
    "prose.json": ("Dear reader", "holds no list and no object at line 1"),
    "bytes.json": ("\udcff\udcfe", "no UTF-8"),
    "list.json": ("[]", "no entry"),
    "others.json": ('[{"question": "?"}]', "entry 1: it is neither an environment nor a scenario"),
    "odd.json": ('[{"env_id": "a"}]', "it has env_id; an environment has env_class_code and env_class_name"),
    "numbers.json": ("[1, null, 3]", "entry 1: it is a number, not an object; nor is any of the other 2 entries."),
    "null.json": ("[null, 3]", "entry 1: it is null, not an object; nor is the other entry."),
    "cut.json": ('[{"env_id": "a", "env_cl', "cut.json"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_no_use_is_refused_by_name_before_a_server_is_started(
    envmill: Envmill, tmp_path: Path, name: str
) -> None:
    text, words = FILES[name]
    (tmp_path / name).write_text(text, "utf-8", "surrogateescape")

    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):  # whoever asks for a server fails otherwise
        refused = envmill("import", "--home", tmp_path / "home", "--format", "envscaler", tmp_path / name)

    assert refused.exit_code == 2, refused.output
    assert name in refused.stderr and words in refused.stderr
    assert not (tmp_path / "home").exists()


def test_what_can_not_work_is_refused_before_anything_is_written(envmill: Envmill, tmp_path: Path) -> None:
    home, options = tmp_path / "home", tmp_path / "options.yaml"
    options.write_text("tools: [nosuch]\n")
    for arguments in (
        ("--format", "python-class", f"{CASES[1].path}:Zed"),
        ("--format", "python-class", "--state", "a.json", CASES[1].path, CASES[7].path),
        ("--format", "envscaler", "--forget", "help-desk"),
        ("--forget", "help-desk"),
        (),
        ("--format", "csv", "a.json"),
        ("a.json",),
        ("--format", "envscaler", tmp_path / "none.json"),
        ("--format", "envscaler", "--state", "a.json", __file__),
        ("--format", "python-class", tmp_path / "none.py"),
        ("--format", "python-class", "--options", options, CASES[1].path),
    ):
        assert envmill("import", "--home", home, *arguments).exit_code == 2, arguments
    assert envmill("export", "--home", home, "--format", "csv").exit_code == 2
    assert not home.exists()
