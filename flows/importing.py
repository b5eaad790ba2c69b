"""`envmill import`: reads what was named, runs the flow, tells what became of each thing."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.homes import home_lock, prepare_home, refuse_taken
from flows.interruption import NOT_IMPORTED
from flows.running import conducted, prefect_server, refuse_without_isolation
from flows.server import await_server
from flows.stories.page import FATES, Page
from schemas.errors import UsageError
from schemas.runs import Release
from tasks.evaluation.findings import shorten

if TYPE_CHECKING:
    from tasks.exchange.kept import KeptEnvironment

FORMATS = ("envscaler", "python-class")
_SHOWN = 20
_LONGEST = 400
_READ = """
select label, reason, detail from raw.attempts
where run_id = ? and stage = 'read_imports' and status <> 'accepted' order by attempts.at, item_id
"""
_ENVIRONMENTS = """
select label, status, reason, detail from raw.attempts
where run_id = ? and stage = 'import_environments' order by label
"""
_SCENARIOS = """
select status, reason, count(*) as scenarios, min(label) as example, min_by(detail, label) as detail from raw.attempts
where run_id = ? and stage = 'import_scenarios' group by status, reason order by scenarios desc, reason
"""
ADVICE = MappingProxyType(
    {
        "annotation_missing": "Annotate every parameter with a type that JSON can carry.",
        "check_missing": "Name the function check_func and let it take final_state.",
        "check_raises": "Let the check return False where what it looks for is not there yet.",
        "check_undefined_name": "Define or import every name inside the check; only initial_state is given.",
        "class_missing": "Name a class that the code defines at its top level.",
        "constructor_needs_arguments": "Give a state or 'arguments', see docs/how-to/bring-your-own-environments.md.",
        "docstring_missing": "Say in a docstring what the method does: it is all that an agent sees.",
        "does_not_load": "The class must start without a state, or with the one that was given.",
        "effect_missing": "The tool says that it succeeds and changes nothing: write the change into the state.",
        "entity_name_corrupted": "Nothing depends on it here; mend the name in the file for its other readers.",
        "environment_rejected": "Mend the environment first.",
        "environment_unknown": "Import the environment of this env_id too, in the same command or before.",
        "forbidden_import": "Use the standard library only, and of it what the message lists.",
        "no_op_passes": "Add a check that is false before anything is done.",
        "nondeterministic": "Sort what comes out of a set, and use no address of an object.",
        "nondeterministic_call": "Sort what comes out of a set, and use no id() and no hash().",
        "query_changes_state": "Let it change nothing, or say 'kinds: {tool: state_change}'.",
        "result_not_json": "Return texts, numbers, lists, dicts, or objects of classes of the same file.",
        "shared_object": "Keep state in attributes of the instance, and hand out copies.",
        "state_does_not_survive": "Keep all that matters in attributes of the instance, annotated with their types.",
        "state_not_json": "Annotate the attribute with the type of what it holds, or give 'load' and 'dump' methods.",
        "state_overwrites_method": "Rename the key: a state sets attributes.",
        "state_refused": "Give only attributes that the class has, with values that it takes.",
        "tool_never_succeeds": "Make sure that it can succeed; if it can, show how under 'examples'.",
        "tool_schema_disagrees": "The schema of the code is used; mend the declared one for its other readers.",
        "uncaught_exception": "Refuse such arguments, or announce the exception under Raises: in the docstring.",
        "unproven": "Nothing is wrong with it; it is not published until a reference solution proves it.",
    }
)
"""Reason code -> what an author can do."""


@dataclass(frozen=True)
class ImportOrder:
    """What was typed."""

    home: Path
    form: str | None
    sources: tuple[str, ...]
    options: Path | None = None
    states: tuple[Path, ...] = ()
    forgotten: tuple[str, ...] = ()
    concurrency: int | None = None
    unsafe_no_sandbox: bool = False


def check_import(order: ImportOrder) -> None:
    """Refuse what can't work, before anything is started or written.

    Raises:
        UsageError: something that was typed does not exist or contradicts itself.
    """
    if not order.sources and not order.forgotten:
        raise UsageError("Name what to import, such as: envmill import --format envscaler env_metadata.json")
    if not order.sources and (order.form or order.options or order.states):
        raise UsageError("--format, --options and --state are about what is imported, and nothing is: name a file.")
    if order.sources and order.form not in FORMATS:
        said = f"There is no format {order.form!r}" if order.form else "--format is missing"
        raise UsageError(f"{said}. Choose one of: {', '.join(FORMATS)}.")
    if order.form != "python-class" and (order.options or order.states):
        raise UsageError("--options and --state go with --format python-class.")
    if order.options and len(order.sources) > 1:
        raise UsageError("--options belongs to one class. Import one at a time, or put a .yaml file beside each.")
    if order.states and len(order.sources) > 1:
        raise UsageError(
            "--state belongs to one class. Import one at a time, or put 'states' into a .yaml beside each."
        )


def run_import(order: ImportOrder, console: Console) -> tuple[Release, str]:
    """Run the import against a real Prefect server; the release, and the id of the run.

    Raises:
        EnvmillError: it ended without a release.
        KeyboardInterrupt: a person stopped it; nothing was imported.
    """
    from warehouse.gate import warm_up

    check_import(order)
    files = _files(order)
    classes = _classes(order)
    _refuse_unknown(order)
    prepare_home(order.home)
    refuse_taken(order.home)
    refuse_without_isolation(console, allow_unsafe=order.unsafe_no_sandbox)
    with home_lock(order.home, "envmill import"), prefect_server(order.home, console) as server:
        warm_up()
        flows = importlib.import_module("flows.import_environments")
        await_server(server, order.home, say=console.print)

        def work() -> tuple[Release, str]:
            result = flows.import_environments(
                home=order.home,
                files=files,
                classes=classes,
                forgotten=list(order.forgotten),
                concurrency=order.concurrency,
                unsafe_no_sandbox=order.unsafe_no_sandbox,
            )
            return result.release, result.run_id

        return conducted(work, order.home, server, console, goodbye=NOT_IMPORTED)


def _files(order: ImportOrder) -> list[Path]:
    """The flow reads them again, and remembers; here one that is of no use is refused before anything is begun."""
    if order.form != "envscaler":
        return []
    from tasks.imports.intake import require_entry

    files = [Path(source) for source in order.sources]
    for file in files:
        require_entry(file)
    return files


def _classes(order: ImportOrder) -> "list[KeptEnvironment]":
    if order.form != "python-class":
        return []
    from tasks.exchange.python_class import read_python_class

    return [read_python_class(source, options_file=order.options, state_files=order.states) for source in order.sources]


def _refuse_unknown(order: ImportOrder) -> None:
    if order.forgotten:
        from tasks.imports.folder import ImportsFolder

        imports = ImportsFolder(order.home)
        for slug in order.forgotten:
            imports.named(slug)


def tell_import(run_id: str, home: Path, console: Console) -> None:
    """What became of everything in the import, with what its author can do."""
    page = Page(home, console)
    _tell_rows("Not used", page.ask(_READ, run_id), console)
    environments = page.ask(_ENVIRONMENTS, run_id)
    if environments:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, title="Imported environments", title_justify="left")
        for column in ("environment", "status", "reason"):
            table.add_column(column, overflow="fold")
        for row in environments:
            table.add_row(row["label"], Text(row["status"], FATES.get(row["status"], "")), row["reason"] or "")
        console.print(table)
        _tell_rows("What is wrong", [row for row in environments if row["reason"]], console)
    for row in page.ask(_SCENARIOS, run_id):
        words = f"{row['scenarios']} scenario{'' if row['scenarios'] == 1 else 's'} {row['status']}"
        if row["reason"] is None:
            console.print(words, markup=False, highlight=False)
        else:
            _tell(f"{words}: {row['reason']}, such as {row['example']}: {row['detail']}", row["reason"], console)


def _tell_rows(title: str, rows: Sequence[dict[str, str]], console: Console) -> None:
    if rows:
        console.print(title, style="bold")
    for row in rows[:_SHOWN]:
        _tell(f"{row['label']}: {row['reason']}: {row['detail']}", row["reason"], console)
    if len(rows) > _SHOWN:
        console.print(f"  and {len(rows) - _SHOWN} more; `envmill sql` shows all of raw.attempts", markup=False)


def _tell(text: str, reason: str, console: Console) -> None:
    console.print(f"  {shorten(text, _LONGEST)}", markup=False, highlight=False, soft_wrap=True)
    if reason in ADVICE:
        console.print(f"    -> {ADVICE[reason]}", markup=False, highlight=False, soft_wrap=True, style="dim")
