"""Compares what a run makes with its hold-outs: one Prefect task per hold-out, and per group of texts.

What is kept of a group is how close its texts come to hold-outs of one content: another content compares anew, and the
items that the texts belong to are made again for neither.
"""

from collections.abc import Mapping
from pathlib import Path

from prefect import task
from pydantic import TypeAdapter

from flows.composition import Kit
from flows.items import Item, kept, only_result, work_through
from flows.plan import RunPlan
from flows.stages import stop_if_asked
from flows.watching import watch
from schemas.errors import MachineryError
from tasks.fingerprint import MAKES_READINGS, item_key
from tasks.policies import ITEM
from tasks.topics import Closeness, HeldOut, hold_out, read_holdout, too_close

TITLE = "compare with hold-outs"
HELD_OUT = TypeAdapter(HeldOut)
FOUND = TypeAdapter(tuple[Closeness | None, ...])


@task(name="read hold-out", tags=["holdout"], **ITEM)
def read_one(key: str, label: str, path: Path, column: str | None, kit: Kit) -> str:
    """Read and embed the texts of one hold-out."""
    return kept(HELD_OUT, hold_out(read_holdout(path, task_column=column), kit.embedder))


@task(name=TITLE, tags=["holdout"], **ITEM)
def compare_one(key: str, label: str, texts: tuple[str, ...], held_out: tuple[HeldOut, ...], kit: Kit) -> str:
    """Say which texts of a group come too close."""
    return kept(FOUND, too_close(texts, held_out, kit.embedder))


def held_out_of(plan: RunPlan, kit: Kit) -> tuple[HeldOut, ...]:
    """The hold-outs of a run, read; none where the run has none.

    Raises:
        UnreadableCorpus: one can't be read.
        MachineryError: reading one broke.
    """
    found = []
    for path, content in zip(plan.holdouts.files, plan.holdouts.contents, strict=True):
        column = plan.holdouts.column
        key = item_key("read hold-out", MAKES_READINGS, path.name, content, column, kit.embedder.name)
        item = Item(str(path), path.name, key, {"path": path, "column": column, "kit": kit})
        found.append(only_result(read_one, item, read=HELD_OUT.validate_json)[0])
    return tuple(found)


def too_close_of(
    groups: Mapping[str, Mapping[str, str]], held_out: tuple[HeldOut, ...], plan: RunPlan, kit: Kit
) -> dict[str, str]:
    """Of texts in named groups, id -> text, those that come too close to a hold-out: id -> how close.

    Raises:
        MachineryError: a comparison broke, so that nobody knows.
        KeyboardInterrupt: the run was asked to stop.
    """
    if not held_out:
        return {}
    items = [
        Item(
            name,
            name,
            item_key(TITLE, MAKES_READINGS, list(texts.values()), plan.holdouts.named(), kit.embedder.name),
            {"texts": tuple(texts.values()), "held_out": held_out, "kit": kit},
        )
        for name, texts in groups.items()
        if texts
    ]
    watch().progress.stage_started(TITLE, len(items))
    found: dict[str, str] = {}
    for done in work_through(compare_one, items, read=FOUND.validate_json, at_a_time=plan.at_a_time):
        if done.outcome is None:
            raise MachineryError(
                f"{TITLE} ({done.item.label}) broke: {done.error}. Nothing was published: what is not compared may be "
                "too close."
            )
        pairs = zip(groups[done.item.place], done.outcome, strict=True)
        close = {item_id: each.detail for item_id, each in pairs if each is not None}
        found |= close
        words = f"{len(close)} of {len(done.outcome)} texts too close"
        watch().progress.item_finished(TITLE, done.item.label, done.note(words))
    stop_if_asked()
    return found
