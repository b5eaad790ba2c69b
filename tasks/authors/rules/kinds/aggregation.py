"""Aggregation: "every ... that is ...", "the ... with the lowest ...": the task names no record, a look-up finds it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from schemas.scenarios import Binding, ReferenceStep
from tasks.authors.rules.describe import Found, attribute_of, attribute_words, phrase, value_words
from tasks.authors.rules.kinds.facts import is_untold
from tasks.authors.rules.nouns import joined
from tasks.authors.rules.plan import Done, Plan
from tasks.authors.rules.populate import at_path
from tasks.authors.rules.sketch import Known, Sketch, shuffled, single_pick, untouched
from tasks.authors.rules.spec import Deed, Filter, Pick, Record, Told, World

_FEWEST, _MOST = 2, 4
"""Records that "every" stands for."""
_LARGEST_CROWD = 15
_SEEDS = 5
_ORDERED = ("integer", "number", "date", "datetime")


@dataclass(frozen=True)
class Crowd:
    """Records that a query returns together."""

    collection: str
    members: tuple[str, ...]
    """In the order of the result."""
    step: int
    status: str
    """ "booked"; empty where they have others."""
    whose: str
    """What else they share: " whose patient is Anna Smith"; may be empty."""

    @property
    def words(self) -> str:
        """What singles them out: " that is booked and whose patient is Anna Smith"; may be empty."""
        return " and".join(filter(None, (f" that is {self.status}" if self.status else "", self.whose)))

    def found(self, key: str, key_name: str, words: str) -> Found:
        """One of them."""
        return Found(key, Binding(step=self.step, path=("data", self.members.index(key), key_name)), words)


def begin_aggregation(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Do something to all records of a crowd, or to the one at an end of it."""
    deeds = [deed for deed in known.draft.deeds if deed.in_tasks and not deed.follows and single_pick(deed)]
    for deed in shuffled(rng, deeds):
        slot = single_pick(deed)
        if slot is None:
            continue
        fitting = [key for key, record in untouched(plan, slot.collection) if _fits(slot, record, plan)]
        for key in shuffled(rng, fitting)[:_SEEDS]:
            mark = plan.mark()
            for crowd in crowds(known, plan, rng, slot.collection, key):
                done = _every(known, plan, deed, slot, crowd) or _outermost(known, plan, rng, deed, slot, crowd)
                if done:
                    return Sketch(plan)
            plan.back_to(mark)
    return None


def crowds(known: Known, plan: Plan, rng: Random, collection: str, key: str) -> Iterator[Crowd]:
    """Crowds that a record belongs to, by up to two of its attributes; what was looked up for one is forgotten."""
    record = plan.state[collection][key]
    filters = _filters(known, collection, record)
    choices: list[tuple[tuple[str, Filter], ...]] = [(each,) for each in filters]
    choices += [(one, other) for one in filters for other in filters if one[1].param < other[1].param]
    choices = [choice for choice in choices if len({tool for tool, _ in choice}) == 1]
    for choice in shuffled(rng, choices):
        by = [each for _, each in choice]
        members = [at for at, each in plan.state[collection].items() if all(_same(each, record, one) for one in by)]
        if len(members) < _FEWEST or len(members) > _LARGEST_CROWD:
            continue
        mark = plan.mark()
        crowd = _looked_up(known, plan, collection, record, choice[0][0], by, members)
        if crowd is not None:
            yield crowd
        plan.back_to(mark)


def crowd_noun(known: Known, crowd: Crowd) -> str:
    """ "appointment that is booked"."""
    return f"{known.draft.entities[crowd.collection].noun.spoken}{crowd.words}"


def extremes(known: Known, plan: Plan, crowd: Crowd) -> Iterator[tuple[str, Attribute, str]]:
    """The members that are alone at an end of an attribute: key, attribute, "lowest", "highest", ..."""
    records = plan.state[crowd.collection]
    rows: list[Record] = plan.results[crowd.step]["data"]
    for attribute in known.draft.entities[crowd.collection].attributes:
        if attribute.type not in _ORDERED or is_untold(attribute.name):
            continue
        values = [records[key].get(attribute.name) for key in crowd.members]
        if any(value is None for value in values) or any(attribute.name not in row for row in rows):
            continue
        low, high = ("earliest", "latest") if attribute.type in ("date", "datetime") else ("lowest", "highest")
        for end, word in ((min(values), low), (max(values), high)):
            if values.count(end) == 1:
                yield crowd.members[values.index(end)], attribute, word


def _every(known: Known, plan: Plan, deed: Deed, slot: Pick, crowd: Crowd) -> bool:
    records = plan.state[crowd.collection]
    if not _FEWEST <= len(crowd.members) <= _MOST:
        return False
    if any(plan.is_touched(key) or not _fits(slot, records[key], plan) for key in crowd.members):
        return False
    noun = known.draft.entities[slot.collection].noun
    # Nothing may be left of it when one of the calls is refused, so it is tried elsewhere first.
    with plan.elsewhere() as trial:
        if not _all_done(trial, deed, slot, crowd, noun.key):
            return False
        values = _values(trial.done[len(plan.done)], slot)
    first = len(plan.done)
    if not _all_done(plan, deed, slot, crowd, noun.key, values):
        return False
    plan.merge(first, _merged(plan.done[first:], slot, f"every {crowd_noun(known, crowd)}", len(crowd.members)))
    return True


def _all_done(
    plan: Plan, deed: Deed, slot: Pick, crowd: Crowd, key_name: str, values: dict[str, Told] | None = None
) -> bool:
    for key in crowd.members:
        if not plan.carry_out(deed, {**(values or {}), slot.param: crowd.found(key, key_name, key)}):
            return False
        values = values or _values(plan.done[-1], slot)
    return True


def _values(done: Done, slot: Pick) -> dict[str, Told]:
    return {param: Told(value, done.words[param]) for param, value in done.world.chosen.items() if param != slot.param}


def _merged(dones: list[Done], slot: Pick, words: str, count: int) -> Done:
    last = dones[-1]
    said = {**last.words, slot.param: words}
    knows = tuple(each for each in last.knows if not each.endswith(f": {last.words[slot.param]}"))
    return replace(
        last,
        asks=phrase(last.template, said),
        reports=f"{phrase(last.deed.reports, said).removesuffix('.')}, {count} in all.",
        words=said,
        knows=(*knows, f"which ones: {words}"),
    )


def _outermost(known: Known, plan: Plan, rng: Random, deed: Deed, slot: Pick, crowd: Crowd) -> bool:
    noun = known.draft.entities[slot.collection].noun
    for key, attribute, word in shuffled(rng, list(extremes(known, plan, crowd))):
        record = plan.state[crowd.collection][key]
        if plan.is_touched(key) or not _fits(slot, record, plan):
            continue
        words = f"the {noun.spoken} with the {word} {attribute_words(attribute.name)}{_among(crowd)}"
        if plan.carry_out(deed, {slot.param: crowd.found(key, noun.key, words)}):
            return True
    return False


def _among(crowd: Crowd) -> str:
    return f" among those{crowd.words.replace(' that is ', ' that are ', 1)}" if crowd.words else ""


def _fits(slot: Pick, record: Record, plan: Plan) -> bool:
    return slot.where is None or slot.where(record, World(plan.rng, plan.state, {}, {}))


def _filters(known: Known, collection: str, record: Record) -> list[tuple[str, Filter]]:
    """Tool and argument by which records like this one can be listed: enums and references that it has."""
    found: dict[tuple[str, str], Filter] = {}
    tools = dict.fromkeys(each.tool for each in known.draft.finders if each.collection == collection)
    for tool in tools:
        for parameter in known.query(tool).parameters:
            attribute = attribute_of(known.draft, collection, parameter.name)
            if attribute is None or record.get(attribute.name) is None:
                continue
            if attribute.type == "enum" and parameter.type == "enum":
                found[tool, parameter.name] = Filter(parameter.name, attribute.name)
            elif attribute.type == "reference" and parameter.to == attribute.to:
                found[tool, parameter.name] = Filter(parameter.name, attribute.name, "reference")
    return [(tool, each) for (tool, _), each in found.items()]


def _same(record: Record, other: Record, by: Filter) -> bool:
    return bool(record.get(by.attribute) == other[by.attribute])


def _looked_up(
    known: Known, plan: Plan, collection: str, record: Record, tool: str, by: list[Filter], members: list[str]
) -> Crowd | None:
    """The crowd as the query returns it; null when that is not what the words say."""
    literals: dict[str, Any] = {}
    bindings: dict[str, Binding] = {}
    said: list[str] = []
    status = ""
    for each in by:
        attribute = attribute_of(known.draft, collection, each.attribute)
        if attribute is None:
            return None
        if each.form == "reference":
            target = plan.find(str(attribute.to), record[each.attribute])
            if target is None:
                return None
            bindings[each.param] = target.binding
            name = attribute_words(each.attribute)
            said.append(f"whose {name} is {target.words.removeprefix(f'the {name} ')}")
        else:
            literals[each.param] = record[each.attribute]
            words = value_words(attribute, record[each.attribute])
            if each.attribute == "status":
                status = words
            else:
                said.append(f"whose {attribute_words(each.attribute)} is {words}")
    step = plan.look_up(ReferenceStep(tool=tool, literals=literals, bindings=bindings))
    rows = at_path(plan.results[step], ("data",)) if step is not None else None
    if step is None or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    keys = [str(row.get(known.draft.entities[collection].noun.key)) for row in rows]
    if sorted(keys) != sorted(members):
        return None
    return Crowd(collection, tuple(keys), step, status, f" {joined(said)}" if said else "")
