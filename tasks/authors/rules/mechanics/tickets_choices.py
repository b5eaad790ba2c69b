"""Which tickets, workers and values make sense for a deed."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tasks.authors.rules.mechanics.roster import is_available
from tasks.authors.rules.mechanics.tickets_options import EFFORTS, Tickets
from tasks.authors.rules.spec import Record, Told, World
from tasks.authors.rules.spoken import later_day, pick, told_day, told_word
from tasks.authors.rules.statuses import Where


def effort(world: World) -> Told:
    """Points of a piece of work."""
    points = EFFORTS[world.rng.randrange(len(EFFORTS))]
    return Told(points, "1 point" if points == 1 else f"{points} points")


def category_for(what: Tickets) -> Callable[[World], Told | None]:
    """A category; where a place has at most one unfinished ticket of each, one that the place still lacks."""

    def make(world: World) -> Told | None:
        taken: list[str] = []
        if what.once_per_place and what.place:
            here = [
                each
                for each in world.state[what.ticket.many].values()
                if each[what.place.key] == world.chosen[what.place.key] and each["status"] not in what.ended
            ]
            taken = [each[what.category] for each in here]
        free = [each for each in what.categories if each not in taken]
        return told_word(pick(world.rng, free)) if free else None

    return make


def due_day(what: Tickets) -> Callable[[World], Told | None]:
    """A day in the coming weeks, not after the deadline of the place."""

    def make(world: World) -> Told | None:
        day = later_day(world, 2, 40)
        ticket = world.records.get(what.ticket.key)
        if ticket is not None and ticket["due_on"] == day:
            return None
        if what.deadline and what.place:
            places = world.state[what.place.many]
            place = places[ticket[what.place.key]] if ticket else world.records[what.place.key]
            if day > place[what.deadline]:
                return None
        return told_day(day)

    return make


def other_priority(what: Tickets) -> Callable[[World], Told]:
    """A priority that the ticket does not have."""

    def make(world: World) -> Told:
        others = [each for each in what.priorities if each != world.records[what.ticket.key]["priority"]]
        return told_word(pick(world.rng, others))

    return make


def can_take(what: Tickets) -> Where:
    """Chooses workers who may get the ticket."""

    def fits(record: Record, world: World) -> bool:
        ticket = world.records[what.ticket.key]
        key = record[what.worker.key]
        others = [each for each in world.state[what.ticket.many].values() if each[what.worker.key] == key]
        load = sum(each["effort"] if what.effort else 1 for each in others if each["status"] in what.active)
        room = load + (ticket["effort"] if what.effort else 1) <= what.most_open
        is_new = key not in (ticket[what.worker.key], ticket.get(what.reviewer))
        return room and is_new and is_available(record, world) and ticket[what.category] in record[what.skill]

    return fits


def is_another(what: Tickets) -> Where:
    """Chooses workers who may review the ticket."""

    def fits(record: Record, world: World) -> bool:
        is_worker = record[what.worker.key] == world.records[what.ticket.key][what.worker.key]
        return is_available(record, world) and not is_worker

    return fits


def may_join(what: Tickets) -> Where:
    """Chooses requesters who may join the ticket."""

    def fits(record: Record, world: World) -> bool:
        ticket = world.records[what.ticket.key]
        key = record[what.requester.key] if what.requester else None
        is_new = key not in (*ticket["supporter_ids"], ticket[what.requester.key] if what.requester else None)
        return is_new and bool(record["status"] == what.active_requester)

    return fits


def may_reopen(what: Tickets) -> Where:
    """Chooses tickets that were done not too long ago."""

    def fits(record: Record, world: World) -> bool:
        if record["status"] not in what.ended:
            return False
        last = datetime.fromisoformat(record[f"{what.done}_at"]) + timedelta(days=what.reopen_days)
        return datetime.fromisoformat(world.now) <= last

    return fits


def can_come_first(what: Tickets) -> Where:
    """Chooses unfinished tickets that the ticket may wait for."""

    def fits(record: Record, world: World) -> bool:
        return record["status"] not in what.ended and record is not world.records[what.ticket.key]

    return fits
