"""The main job: corpora in, a gated release of environments and scenarios out."""

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.logging import get_run_logger
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.build_skeletons import build_skeletons
from flows.composition import UNCONFINED, compose, items_at_a_time, utc_now
from flows.generate_scenarios import generate_scenarios
from flows.holdouts import Holdouts
from flows.import_environments import include_imports
from flows.leftovers import left_undone, refuse_without_means
from flows.limits import Limits
from flows.mine_topics import mine_topics
from flows.order import Order
from flows.plan import new_run_id, plan_run
from flows.probe_scenarios import probe_scenarios
from flows.probing import USUAL_PROBES, Probes
from flows.publish_release import publish_release
from flows.runs import recorded_run
from flows.taping import Taping
from schemas.errors import MachineryError
from schemas.runs import Release
from schemas.settings import Settings
from tasks.imports.folder import ImportsFolder

NO_SKELETON = (
    "None of the {count} topics became an environment, so nothing was published and the release before stays current. "
    "`envmill show {run_id}` tells why each was refused."
)


@flow(name="regenerate", flow_run_name="regenerate {profile}")
def regenerate(
    profile: str = "default",
    corpora: list[Path] | None = None,
    task_column: str | None = None,
    topics: list[str] | None = None,
    uses_corpus: bool = True,
    holdouts: list[Path] | None = None,
    holdout_column: str | None = None,
    author: str = "rules",
    seed: int = 0,
    home: Path | None = None,
    concurrency: int | None = None,
    max_usd: float | None = None,
    max_tokens: int | None = None,
    max_calls: int | None = None,
    record: Path | None = None,
    replay: Path | None = None,
    lengths: str | None = None,
    probes: int = USUAL_PROBES.attempts,
    probe_attempts: int = 0,
    unsafe_no_sandbox: bool = False,
) -> Release:
    """Regenerate the catalogue: what is unchanged is reused, what is new or changed is made.

    Args:
        profile: How much to make: tiny, default or full.
        corpora: Corpus files; the bundled corpus when none is named.
        task_column: Column of the corpora that holds the task text; null to guess.
        topics: Themes that are wanted on top of those mined.
        uses_corpus: False to work on the given topics alone.
        holdouts: Benchmark files: what comes too close to one of their texts is not published.
        holdout_column: Column of the hold-outs that holds the text; null to guess.
        author: Who writes.
        seed: Decides every choice of the run; the same seed and inputs give the same release.
        home: Folder for everything that is written; null for ENVMILL_HOME or .envmill.
        concurrency: Items in work at a time, and questions to a model; null for one more than there are cores, and for
            16 where a model is asked.
        max_usd: Most money that is spent on a model; null for any amount.
        max_tokens: Most tokens of a model, input and output together; null for any number.
        max_calls: Most requests to a model, retries included; null for any number.
        record: Folder to keep every exchange with a model in; null to keep none.
        replay: Folder that `record` wrote: answers come from there, without a network; null to ask the model.
        lengths: Calls that reference solutions should have, weighted, "3-5:2,6-10:5"; null for the usual ones.
        probes: Episodes of each probe agent that draws its moves, at each scenario; 0 for no probe agents.
        probe_attempts: Episodes of the language model at each scenario, which cost requests.
        unsafe_no_sandbox: Run generated code also where the system isolates nothing; elsewhere it changes nothing.

    Raises:
        EnvmillError: see `schemas.errors`; the ledger row of the run says the same.
    """
    order = Order(
        home=home or Settings().home,
        profile=profile,
        corpora=corpora or [],
        task_column=task_column,
        topics=topics or [],
        uses_corpus=uses_corpus,
        author=author,
        seed=seed,
        at_a_time=items_at_a_time(author, concurrency),
        limits=Limits(max_usd=max_usd, max_tokens=max_tokens, max_calls=max_calls),
        taping=Taping(record=record, replay=replay),
        holdouts=Holdouts(files=tuple(holdouts or ()), column=holdout_column),
        lengths=lengths,
        probes=Probes(attempts=probes, model_attempts=probe_attempts),
        unsafe_no_sandbox=unsafe_no_sandbox,
    )
    plan = plan_run(new_run_id(utc_now()), order)
    kit = compose(plan)
    if kit.sandbox.level == "none":
        get_run_logger().warning(UNCONFINED)
    with recorded_run(kit, plan) as row:
        runner: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=plan.at_a_time)
        topic_ids = mine_topics.with_options(task_runner=runner)(plan)
        skeleton_ids = build_skeletons.with_options(
            task_runner=runner, flow_run_name=_named("build skeletons", topic_ids, "topic")
        )(plan, topic_ids)
        if not skeleton_ids:
            refuse_without_means(kit.store, plan)
            raise MachineryError(NO_SKELETON.format(run_id=plan.run_id, count=len(topic_ids)))
        generate_scenarios.with_options(
            task_runner=runner, flow_run_name=_named("generate scenarios", skeleton_ids, "environment")
        )(plan, skeleton_ids)
        imports = [each.slug for each in ImportsFolder(plan.home).kept()]
        if imports:
            include_imports.with_options(
                task_runner=runner, flow_run_name=_named("include imports", imports, "environment")
            )(plan)
        probe_scenarios.with_options(task_runner=runner)(plan)
        row.release = publish_release(plan)
        row.detail = left_undone(kit.store, plan)
    return row.release


def _named(title: str, item_ids: list[str], noun: str) -> str:
    return f"{title}: {len(item_ids)} {noun}{'' if len(item_ids) == 1 else 's'}"
