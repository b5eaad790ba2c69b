"""Grants: people get access to something, at a level and until a day; the higher the level, the shorter it lasts."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.grants_deeds import add_grant_deeds
from tasks.authors.rules.mechanics.grants_options import Grants
from tasks.authors.rules.nouns import joined, words_of
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder


def add_grants(draft: Draft, what: Grants) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    grant, who, target = what.grant, what.who, what.target
    draft.alias(f"{grant.title}Level", what.levels)
    draft.alias(f"{grant.title}Status", ("active", "revoked"))
    draft.settings[what.days_setting] = dict(what.most_days)
    draft.settings[what.limit] = what.most_per_target
    draft.entity(
        EntitySpec(
            grant,
            f"{grant.a.capitalize()} of one {who.spoken} {what.preposition} one {target.spoken}.",
            (
                Attribute(name=who.key, type="reference", to=who.many, description=f"The {who.spoken} who has it."),
                Attribute(name=target.key, type="reference", to=target.many, description=f"The {target.spoken}."),
                Attribute(name=what.level, type="enum", values=what.levels, description="How far it goes."),
                Attribute(name="expires_on", type="date", description="Last day on which it is in force."),
                Attribute(name="status", type="enum", values=("active", "revoked"), description="Revoked: ended."),
                Attribute(name="decided_at", type="datetime", description="Last decision on it."),
            ),
        )
    )
    retiring = [who, *((target,) if what.target_retires else ())]
    for noun in retiring:
        draft.hook(
            f"{noun.one}.retire",
            f"for {grant.one} in self.{grant.many}.values():",
            f'    if {grant.one}["{noun.key}"] == {noun.key} and self._{grant.one}_is_in_force({grant.one}):',
            f"        return _fail(f\"{{{grant.one}['{grant.key}']}} is in force; revoke it first.\")",
        )
    _add_rules(draft, what)
    draft.templates.append(("grants", {"what": what, "grant": grant, "who": who, "target": target}))
    person = Filter(who.key, who.key, "reference")
    thing = Filter(target.key, target.key, "reference")
    status = Filter("status", "status")
    own = f"{{{who.key}}}'s {grant.spoken} {what.preposition} {{{target.key}}}"
    for filters, says in (
        ((person, thing), own),
        ((person, thing, status), f"{own} that is {{status}}"),
        ((person, thing, Filter(what.level, what.level), status), f"{own} that is {{status}} ({{{what.level}}})"),
    ):
        draft.finders.append(Finder(grant.many, f"list_{grant.many}", filters, (says,)))
    add_grant_deeds(draft, what)


def _add_rules(draft: Draft, what: Grants) -> None:
    grant, who, target = what.grant, what.who, what.target
    grants = f'state["{grant.many}"]'
    in_force = f'[g for g in {grants}.values() if g["status"] == "active" and g["expires_on"] >= now[:10]]'
    days = f'state["settings"]["{what.days_setting}"]'
    give, change, extend = what.tool(what.give), what.tool("change") + f"_{what.level}", what.tool("extend")
    pairs = f'[(g["{who.key}"], g["{target.key}"]) for g in {in_force}]'
    draft.rule(
        f"one_{grant.one}_per_pair",
        "uniqueness",
        f"{who.a.capitalize()} has at most one {grant.spoken} in force {what.preposition} the same {target.spoken}.",
        f"len(set({pairs})) == len({pairs})",
        by=(give,),
    )
    spans = joined([f"{words_of(level)} {count} days" for level, count in what.most_days.items()])
    draft.rule(
        f"{grant.one}_lasts_at_most",
        "invariant",
        f"Counted from the day it was decided, {grant.a} lasts at most: {spans}.",
        f'all(date.fromisoformat(g["expires_on"]) <= date.fromisoformat(g["decided_at"][:10])'
        f' + timedelta(days={days}[g["{what.level}"]]) for g in {grants}.values())',
        by=(give, change, extend),
    )
    draft.rule(
        f"{grant.one}_expires_later",
        "precondition",
        f"{grant.a.capitalize()} is only extended while it is in force, and only to a later day.",
        f'{grants}[args["{grant.key}"]]["status"] == "active"'
        f' and now[:10] <= {grants}[args["{grant.key}"]]["expires_on"] < args["expires_on"]',
        by=(extend,),
    )
    draft.rule(
        f"{target.one}_few_{grant.many}",
        "invariant",
        f"At most {what.most_per_target} {grant.spoken_many} are in force {what.preposition} the same {target.spoken}.",
        f'all(sum(g["{target.key}"] == k for g in {in_force}) <= state["settings"]["{what.limit}"]'
        f' for k in state["{target.many}"])',
        by=(give,),
    )
    if what.owner:
        draft.rule(
            f"{grant.one}_not_for_owner",
            "precondition",
            f"The owner of {target.a} needs no {grant.spoken} {what.preposition} it.",
            f'state["{target.many}"][args["{target.key}"]]["{what.owner}"] != args["{who.key}"]',
            by=(give,),
        )
    draft.rule(
        f"{grant.one}_revoked_for_good",
        "transition",
        f"A revoked {grant.spoken} never comes back.",
        f'all(r["status"] == "active" or {grants}[k]["status"] == "revoked"'
        f' for k, r in before["{grant.many}"].items())',
        by=(what.tool("revoke"), extend, change),
    )
