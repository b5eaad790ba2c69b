"""Which trips, carriers and values make sense for a deed."""

from collections.abc import Callable

from tasks.authors.rules.mechanics.dispatch_options import Dispatch
from tasks.authors.rules.mechanics.roster import is_available
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Record, Told, World
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import Where


def has_no_shift(what: Dispatch, noun: Noun) -> Where:
    """Chooses carriers (or vehicles) that are on no shift."""

    def fits(record: Record, world: World) -> bool:
        shifts = world.state[what.shift.many].values()
        return not any(each["status"] == "open" and each[noun.key] == record[noun.key] for each in shifts)

    return fits


def is_idle(what: Dispatch) -> Where:
    """Chooses shifts that go on and whose carrier has nothing."""

    def fits(record: Record, world: World) -> bool:
        return record["status"] == "open" and not carried_by(what, world, record[what.carrier.key])

    return fits


def can_carry(what: Dispatch) -> Where:
    """Chooses carriers who may get the trip."""

    def fits(record: Record, world: World) -> bool:
        trip, key = world.records[what.trip.key], record[what.carrier.key]
        shifts = [
            each
            for each in world.state[what.shift.many].values()
            if each["status"] == "open" and each[what.carrier.key] == key
        ]
        if not shifts or not is_available(record, world) or trip[what.served] not in record[what.skill]:
            return False
        loaded = carried_by(what, world, key)
        room = world.state[what.vehicle.many][shifts[0][what.vehicle.key]][what.size] - sum(loaded)
        return bool(trip[what.amount] <= room and (what.several or not loaded))

    return fits


def carried_by(what: Dispatch, world: World, carrier_id: str) -> list[int]:
    """Amounts of the trips that a carrier has now."""
    return [
        each[what.amount]
        for each in world.state[what.trip.many].values()
        if each[what.carrier.key] == carrier_id and each["status"] in what.active
    ]


def an_amount(what: Dispatch) -> Callable[[World], Told]:
    """How much a new trip takes; small amounts are the usual ones."""

    def make(world: World) -> Told:
        amount = min(world.rng.randint(1, what.most), world.rng.randint(1, what.most))
        return Told(amount, f"{amount} {what.unit.removesuffix('s') if amount == 1 else what.unit}")

    return make


def some_zone(what: Dispatch) -> Callable[[World], Told]:
    """One of the zones, not the one where the trip starts."""

    def make(world: World) -> Told:
        return told_word(pick(world.rng, [zone for zone in what.zones if zone != world.chosen.get("from_zone")]))

    return make


def another_zone(what: Dispatch) -> Callable[[World], Told]:
    """A zone where the trip neither starts nor ends."""

    def make(world: World) -> Told:
        trip = world.records[what.trip.key]
        taken = (trip["to_zone"], trip.get("from_zone"))
        return told_word(pick(world.rng, [zone for zone in what.zones if zone not in taken]))

    return make


def some_km(world: World) -> Told:
    """A distance within a city."""
    km = world.rng.randint(2, 38)
    return Told(km, f"{km} km")


def an_address(what: Dispatch) -> Callable[[World], Told]:
    """A street and a number."""
    return lambda world: told_text(f"{pick(world.rng, what.streets)} {world.rng.randint(1, 98)}")


def a_code(world: World) -> Told:
    """A new code of four digits."""
    code = world.rng.randint(1000, 9999)
    return Told(code, str(code))


def the_code(what: Dispatch) -> Callable[[World], Told]:
    """The code that the recipient of the trip has to show."""

    def make(world: World) -> Told:
        code = world.records[what.trip.key]["code"]
        return Told(code, str(code))

    return make
