"""Deeds that happen in the past of an initial state without using up what a task could ask for."""

from collections.abc import Callable
from dataclasses import replace

from tasks.authors.rules.spec import Deed, Pick, Record, World


def leaving_one(deed: Deed) -> tuple[Deed, Deed]:
    """The deed as it is asked for, and as it happens in the past: only while another record is left to do it with.

    Its first slot has to pick a record.
    """
    first, *others = deed.slots
    if not isinstance(first, Pick):
        raise ValueError(f"the first slot of {deed.tool} picks no record")
    thrifty = replace(first, where=_with_a_spare_one(first))
    return replace(deed, weight=0), replace(deed, slots=(thrifty, *others), in_tasks=False)


def _with_a_spare_one(slot: Pick) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        candidates = world.state[slot.collection].values()
        return _fits(slot, record, world) and sum(_fits(slot, each, world) for each in candidates) > 1

    return fits


def _fits(slot: Pick, record: Record, world: World) -> bool:
    return slot.where is None or slot.where(record, world)
