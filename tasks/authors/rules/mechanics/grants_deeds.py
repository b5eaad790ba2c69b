"""What people ask for around grants."""

from collections.abc import Callable
from datetime import date, timedelta

from tasks.authors.rules.mechanics.grants_options import Grants
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_day, told_word
from tasks.authors.rules.statuses import Where


def add_grant_deeds(draft: Draft, what: Grants) -> None:
    """Giving, raising and lowering, extending, revoking."""
    grant, who, target, it = what.grant, what.who, what.target, f"{{{what.grant.key}}}"
    give = words_of(what.give)
    draft.deeds += [
        Deed(
            what.tool(what.give),
            (
                Pick(target.key, target.many, _is_open(what)),
                Pick(who.key, who.many, _may_get(what)),
                Value(what.level, lambda world: told_word(pick(world.rng, what.levels))),
                Value("expires_on", _last_day(what)),
            ),
            (
                f"{give} {{{who.key}}} {grant.a} {what.preposition} {{{target.key}}}:"
                f" {words_of(what.level)} {{{what.level}}}, until {{expires_on}}",
                f"{give} {{{who.key}}} {grant.a} ({{{what.level}}}) {what.preposition} {{{target.key}}}"
                " that ends on {expires_on}",
            ),
            f"{{{who.key}}} has {grant.a} {what.preposition} {{{target.key}}} until {{expires_on}}.",
            creates=grant.many,
            weight=8,
        ),
        Deed(
            what.tool("change") + f"_{what.level}",
            (Pick(grant.key, grant.many, _in_force), Value(what.level, _other_level(what))),
            (
                f"change {it} to the {words_of(what.level)} {{{what.level}}}",
                f"set the {words_of(what.level)} of {it} to {{{what.level}}}",
            ),
            f"{it} is at {{{what.level}}} now.",
            weight=1,
        ),
        Deed(
            what.tool("extend"),
            (Pick(grant.key, grant.many, _in_force), Value("expires_on", _later_day(what))),
            (f"extend {it} until {{expires_on}}", f"let {it} last until {{expires_on}}"),
            f"{it} lasts until {{expires_on}} now.",
            weight=1,
        ),
        Deed(
            what.tool("revoke"),
            (Pick(grant.key, grant.many, _in_force),),
            (f"revoke {it}", f"take back {it}"),
            f"{it} is revoked.",
            weight=1,
        ),
    ]


def _in_force(record: Record, world: World) -> bool:
    return bool(record["status"] == "active" and record["expires_on"] >= world.now[:10])


def _is_open(what: Grants) -> Where:
    return lambda record, world: not what.active_target or record["status"] == what.active_target


def _may_get(what: Grants) -> Where:
    def fits(record: Record, world: World) -> bool:
        target, key = world.records[what.target.key], record[what.who.key]
        has_one = any(
            each[what.who.key] == key and each[what.target.key] == target[what.target.key] and _in_force(each, world)
            for each in world.state[what.grant.many].values()
        )
        is_owner = what.owner != "" and target[what.owner] == key
        return is_active(what.active_who)(record, world) and not has_one and not is_owner

    return fits


def _last_day(what: Grants) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        today = date.fromisoformat(world.now[:10])
        most = what.most_days[world.chosen[what.level]]
        return told_day((today + timedelta(days=world.rng.randint(max(1, most // 2), most))).isoformat())

    return make


def _later_day(what: Grants) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        grant = world.records[what.grant.key]
        today = date.fromisoformat(world.now[:10])
        last = today + timedelta(days=what.most_days[grant[what.level]])
        room = (last - date.fromisoformat(grant["expires_on"])).days
        return told_day((last - timedelta(days=world.rng.randrange(room))).isoformat()) if room > 0 else None

    return make


def _other_level(what: Grants) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        grant = world.records[what.grant.key]
        left = (date.fromisoformat(grant["expires_on"]) - date.fromisoformat(world.now[:10])).days
        fitting = [level for level, days in what.most_days.items() if level != grant[what.level] and left <= days]
        return told_word(pick(world.rng, fitting)) if fitting else None

    return make
