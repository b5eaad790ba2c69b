"""What a person may ask for about lending."""

from collections.abc import Callable

from tasks.authors.rules.mechanics.lending_words import ON_SHELF, OUT, WAITING, WITHDRAWN, Lending
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, Record, Told, Value, World
from tasks.authors.rules.statuses import in_status

Fits = Callable[[Record, World], bool]


def add_lending_deeds(draft: Draft, what: Lending) -> None:
    """Adds the deeds of every tool of the lending."""
    draft.deeds += [_lend(what), _give_back(what), _renew(what), _place_hold(what), _cancel_hold(what), *_copies(what)]


def _lend(what: Lending) -> Deed:
    title, copy, member = what.title, what.copy, what.member
    query = ((title.key, title.key), (member.key, member.key))
    return Deed(
        what.lend_tool,
        (
            Pick(title.key, title.many, _has_copy(what, ON_SHELF)),
            Pick(member.key, member.many, is_active(what.comes)),
            FromQuery(copy.key, what.free_tool, query, ("data", 0, copy.key), f"the first {copy.spoken} that is free"),
        ),
        (
            f"{words_of(what.lend)} {{{title.key}}} to {{{member.key}}}, taking {{{copy.key}}}",
            f"{words_of(what.lend)} {{{member.key}}} {{{copy.key}}} of {{{title.key}}}",
        ),
        f"{{{title.key}}} is lent to {{{member.key}}}.",
        creates=what.loan.many,
        weight=10,
    )


def _give_back(what: Lending) -> Deed:
    loan = what.loan
    return Deed(
        what.back_tool,
        (Pick(loan.key, loan.many, in_status(OUT)),),
        (f"take back {{{loan.key}}}", f"book {{{loan.key}}} as returned"),
        f"{{{loan.key}}} is back.",
        weight=4,
    )


def _renew(what: Lending) -> Deed:
    loan = what.loan
    return Deed(
        what.renew_tool,
        (Pick(loan.key, loan.many, _may_be_renewed(what)),),
        (f"renew {{{loan.key}}}", f"give one more period to {{{loan.key}}}"),
        f"{{{loan.key}}} is renewed.",
        weight=2,
    )


def _place_hold(what: Lending) -> Deed:
    title, member, hold = what.title, what.member, what.hold
    return Deed(
        what.hold_tool,
        (Pick(title.key, title.many, _has_none_free(what)), Pick(member.key, member.many, _may_wait(what))),
        (
            f"place {hold.a} on {{{title.key}}} for {{{member.key}}}",
            f"put {{{member.key}}} down for {hold.a} on {{{title.key}}}",
        ),
        f"{{{member.key}}} is waiting for {{{title.key}}}.",
        creates=hold.many,
        weight=5,
    )


def _cancel_hold(what: Lending) -> Deed:
    hold = what.hold
    return Deed(
        what.cancel_tool,
        (Pick(hold.key, hold.many, in_status(WAITING)),),
        (f"cancel {{{hold.key}}}", f"drop {{{hold.key}}}"),
        f"{{{hold.key}}} is cancelled.",
        weight=1,
    )


def _copies(what: Lending) -> tuple[Deed, Deed]:
    title, copy, mark = what.title, what.copy, what.mark
    return (
        Deed(
            what.add_tool,
            (Pick(title.key, title.many), Value(mark, _fresh_mark(what))),
            (
                f"add a new {copy.spoken} of {{{title.key}}} with the {words_of(mark)} {{{mark}}}",
                f"enter one more {copy.spoken} of {{{title.key}}}, {words_of(mark)} {{{mark}}}",
            ),
            f"There is a new {copy.spoken} {{{mark}}} of {{{title.key}}}.",
            creates=copy.many,
            weight=0,
        ),
        Deed(
            what.withdraw_tool,
            (Pick(copy.key, copy.many, _may_be_withdrawn(what)),),
            (f"withdraw {{{copy.key}}}", f"take {{{copy.key}}} out of use"),
            f"{{{copy.key}}} is withdrawn.",
            weight=0,
        ),
    )


def _may_be_renewed(what: Lending) -> Fits:
    def fits(loan: Record, world: World) -> bool:
        is_in_time = (
            loan["status"] == OUT and loan["due_on"] >= world.now[:10] and loan["renewals"] < what.most_renewals
        )
        return bool(is_in_time and not _waiting(what, world, loan[what.title.key]))

    return fits


def _waiting(what: Lending, world: World, title_id: str) -> list[Record]:
    holds = world.state[what.hold.many].values()
    return [hold for hold in holds if hold["status"] == WAITING and hold[what.title.key] == title_id]


def _copies_of(what: Lending, world: World, title_id: str, status: str) -> list[Record]:
    copies = world.state[what.copy.many].values()
    return [copy for copy in copies if copy["status"] == status and copy[what.title.key] == title_id]


def _has_copy(what: Lending, status: str) -> Fits:
    return lambda title, world: bool(_copies_of(what, world, title[what.title.key], status))


def _has_none_free(what: Lending) -> Fits:
    def fits(title: Record, world: World) -> bool:
        title_id = title[what.title.key]
        copies = world.state[what.copy.many].values()
        in_use = [copy for copy in copies if copy[what.title.key] == title_id and copy["status"] != WITHDRAWN]
        free = len(_copies_of(what, world, title_id, ON_SHELF)) - len(_waiting(what, world, title_id))
        return bool(in_use and free <= 0)

    return fits


def _may_wait(what: Lending) -> Fits:
    """Members who neither have the chosen title nor wait for it."""

    def fits(member: Record, world: World) -> bool:
        title_id, key = world.chosen[what.title.key], what.member.key
        has_it = any(
            loan[key] == member[key] and loan[what.title.key] == title_id and loan["status"] == OUT
            for loan in world.state[what.loan.many].values()
        )
        waits = any(hold[key] == member[key] for hold in _waiting(what, world, title_id))
        return bool(member["status"] == what.comes and not has_it and not waits)

    return fits


def _may_be_withdrawn(what: Lending) -> Fits:
    return lambda copy, world: copy["status"] == ON_SHELF and not _waiting(what, world, copy[what.title.key])


def _fresh_mark(what: Lending) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        mark = f"{world.rng.choice('KLMNP')}-{world.rng.randrange(100, 999)}"
        taken = [copy[what.mark] for copy in world.state[what.copy.many].values()]
        return None if mark in taken else Told(mark, mark)

    return make
