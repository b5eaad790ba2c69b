"""Flow: what others wrote is judged like everything else, and joins the rows of a run.

An import run stages the current release without its imports, and all kept imports anew; every later run includes the
kept ones again, at no cost where nothing has changed. What is imported and forgotten is kept so when it is published:
after an import that was stopped, killed or refused, the home holds what it held before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from prefect import flow, task
from prefect.logging import get_run_logger
from pydantic import TypeAdapter

from flows.composition import UNCONFINED, Kit, compose, items_at_a_time, utc_now
from flows.holding_out import held_out_of, too_close_of
from flows.homes import prepare_home
from flows.items import Done, Item, kept, work_through
from flows.ledger import Entry, StageLedger
from flows.plan import RunPlan, new_run_id
from flows.probe_scenarios import probe_scenarios
from flows.publish_release import publish_release
from flows.runs import recorded_run
from flows.settling import held_out_fates, imported, reopen_rows, settle_imports, settle_rows, similar_imports
from flows.stages import books_of, stop_if_asked
from flows.watching import watch
from flows.withdrawing import rejections, withdraw_imports, withdraw_rows
from schemas.catalog import CATALOGUE_TABLES
from schemas.errors import MachineryError, UsageError
from schemas.ids import make_id
from schemas.row import Row, Table
from schemas.runs import Release
from tasks.exchange.kept import KeptEnvironment
from tasks.fingerprint import MAKES_IMPORTS, item_key
from tasks.imports.folder import ImportsFolder, KeptFolder
from tasks.imports.importing import judge_import
from tasks.imports.intake import Intake, take_in
from tasks.imports.judging import AUTHOR
from tasks.imports.merging import Batch, merged, without_imports
from tasks.imports.outcome import ImportOutcome
from tasks.policies import ITEM
from warehouse.arrow import from_arrow, read_parquet
from warehouse.store import Warehouse

TITLE = "import environments"
OUTCOME = TypeAdapter(ImportOutcome)
SEED = 0
"""Draws the calls of the evaluations: the same in every run, so that what is unchanged is not judged again."""


class Nobody:
    """The author of a run in which nothing is asked."""

    name = AUTHOR

    def ask(self, question: Any, *, seed: int) -> NoReturn:
        """Nobody answers.

        Raises:
            MachineryError: always.
        """
        raise MachineryError(f"An import asks no author, but {question.prompt} was asked.")


@task(name="import environment", tags=["import"], **ITEM)
def import_one(key: str, label: str, folder: KeptFolder, kit: Kit) -> str:
    """Adapt and evaluate one environment, and judge its scenarios."""
    outcome = judge_import(folder, sandbox=kit.sandbox, seed=SEED)
    failed = next((each.reason for each in outcome.fates if each.status == "failed"), None)
    return kept(OUTCOME, outcome, failure=outcome.reason if outcome.status == "failed" else failed)


@dataclass(frozen=True)
class ImportResult:
    """How an import run ended."""

    release: Release
    run_id: str


@flow(name=TITLE)
def import_environments(
    home: Path,
    files: list[Path] | None = None,
    classes: list[KeptEnvironment] | None = None,
    forgotten: list[str] | None = None,
    concurrency: int | None = None,
    unsafe_no_sandbox: bool = False,
) -> ImportResult:
    """Take in, judge and publish what others wrote.

    Args:
        home: Folder for everything that is written.
        files: Files of EnvScaler's form.
        classes: Hand-written classes, read already.
        forgotten: Slugs of imports to drop first.
        concurrency: Environments in work at a time; null for one more than there are cores.
        unsafe_no_sandbox: Run code also where the system isolates nothing.

    Raises:
        EnvmillError: see `schemas.errors`; the ledger row of the run says the same.
    """
    prepare_home(home)
    plan = _plan(home, concurrency, unsafe_no_sandbox)
    kit = replace(compose(plan), author=Nobody())
    if kit.sandbox.level == "none":
        get_run_logger().warning(UNCONFINED)
    with recorded_run(kit, plan) as row, ImportsFolder(plan.home).drafted() as imports:
        for slug in forgotten or []:
            imports.forget(slug)
        _read(kit, plan, imports, files or [], classes or [])
        if not imports.kept() and kit.store.current_release() is None:
            raise UsageError(
                f"Nothing could be imported, so nothing was published. `envmill show {plan.run_id}` tells why."
            )
        before = {table.name: kit.store.rows(table) for table in CATALOGUE_TABLES}
        standing = without_imports(withdraw_rows(reopen_rows(before), rejections(plan.home)))
        _include(kit, plan, imports, settle_rows(standing))
        probe_scenarios(plan)
        row.release = publish_release(plan)
    return ImportResult(row.release, plan.run_id)


@flow(name="include imports")
def include_imports(plan: RunPlan) -> None:
    """Judge the kept imports of the home, and add their rows to what the run has staged."""
    kit = compose(plan)
    _include(kit, plan, ImportsFolder(plan.home), _staged(kit.store, plan.run_id))


def _plan(home: Path, concurrency: int | None, unsafe_no_sandbox: bool) -> RunPlan:
    return RunPlan(
        run_id=new_run_id(utc_now()),
        home=home.resolve(),
        profile="import",
        topic_limit=0,
        state_count=0,
        scenarios_per_state=0,
        author="rules",
        seed=SEED,
        at_a_time=items_at_a_time("rules", concurrency),
        corpora=(),
        task_column=None,
        given_topics=(),
        unsafe_no_sandbox=unsafe_no_sandbox,
    )


def _read(
    kit: Kit, plan: RunPlan, imports: ImportsFolder, files: Sequence[Path], classes: Sequence[KeptEnvironment]
) -> None:
    """Keep everything that is of use; one attempt per entry, and per part of an entry that is of none."""
    with books_of(kit, plan, "read_imports") as books:
        intake: Intake = take_in(files, imports)
        for each in classes:
            intake.keep_environment(imports, each)
        for number, (source, item) in enumerate(intake.taken):
            place = make_id("imp", source, item, number)
            books.enter(Entry(place, f"{source}: {item}"))
            books.book(place, "accepted")
        for number, trouble in enumerate(intake.troubles):
            place = make_id("imp", trouble.source, trouble.item, "trouble", number)
            books.enter(Entry(place, trouble.item))
            books.book(place, "rejected", reason=trouble.reason, detail=trouble.detail)


def _include(kit: Kit, plan: RunPlan, imports: ImportsFolder, rows: Batch) -> None:
    outcomes: list[ImportOutcome] = []
    with books_of(kit, plan, "import_environments") as books, books_of(kit, plan, "import_scenarios") as scenarios:
        items = [_item(folder, kit) for folder in imports.kept()]
        for item in items:
            books.enter(Entry(item.place, item.label))
        watch().progress.stage_started(TITLE, len(items))
        reused: set[str] = set()
        for done in work_through(
            import_one,
            items,
            read=OUTCOME.validate_json,
            at_a_time=plan.at_a_time,
        ):
            watch().progress.item_finished(TITLE, done.item.label, done.note(_words(done)))
            if done.outcome is None:
                books.book(done.item.place, done.status, reason=done.reason, detail=done.error)
                continue
            outcomes.append(done.outcome)
            reused |= {done.outcome.slug} if done.is_reused else set()
        stop_if_asked()
        joined = merged(rows, sorted(outcomes, key=lambda each: each.slug))
        joined = withdraw_imports(joined, rejections(plan.home))
        texts = {row.scenario_id: row.task for row in imported(joined)}
        close = too_close_of({"imported scenarios": texts}, held_out_of(plan, kit), plan, kit)
        joined = settle_imports(joined, held_out_fates(close))
        joined = settle_imports(joined, similar_imports(joined))
        for before, outcome in zip(sorted(outcomes, key=lambda each: each.slug), joined.outcomes, strict=True):
            _book(books, scenarios, outcome, place=before.slug, is_reused=before.slug in reused)
    for table in CATALOGUE_TABLES:
        kit.store.stage(plan.run_id, table, joined.rows.get(table.name, ()))


def _item(folder: KeptFolder, kit: Kit) -> Item:
    return Item(
        place=_place(folder.slug),
        label=folder.slug,
        key=item_key("import environment", MAKES_IMPORTS, folder.content_digest(), kit.sandbox.level, SEED),
        arguments={"folder": folder, "kit": kit},
    )


def _place(slug: str) -> str:
    return make_id("imp", "environment", slug)


def _book(books: StageLedger, scenarios: StageLedger, outcome: ImportOutcome, *, place: str, is_reused: bool) -> None:
    books.book(
        _place(place),
        outcome.status,
        reason=outcome.reason,
        detail=outcome.detail,
        item_id=outcome.skeleton.skeleton_id if outcome.status != "duplicate" else None,
        label=f"{outcome.slug} ({outcome.source}: {outcome.name})",
        is_reused=is_reused,
    )
    used: set[str] = set()
    for number, fate in enumerate(outcome.fates):
        entry = make_id("imp", place, fate.name, number)
        scenarios.enter(Entry(entry, f"{outcome.slug}: {fate.name}", outcome.skeleton.skeleton_id))
        is_own = fate.scenario_id is not None and fate.status != "duplicate" and fate.scenario_id not in used
        used |= {fate.scenario_id} if fate.scenario_id is not None else set()
        scenarios.book(
            entry,
            fate.status,
            reason=fate.reason,
            detail=fate.detail,
            item_id=fate.scenario_id if is_own else None,
            is_reused=is_reused,
        )


def _words(done: Done[ImportOutcome]) -> str:
    outcome = done.outcome
    if outcome is None:
        return ""
    proven = sum(each.status == "accepted" for each in outcome.fates)
    words = f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status
    return f"{words}; {proven} of {len(outcome.fates)} scenarios proven" if outcome.fates else words


def _staged(store: Warehouse, run_id: str) -> Batch:
    """What the stages before have left."""
    files = store.staged(run_id)
    return {table.name: _rows(table, files[table.name]) for table in CATALOGUE_TABLES if table.name in files}


def _rows(table: Table, path: Path) -> tuple[Row, ...]:
    return tuple(from_arrow(table, read_parquet(path)))
