"""Near-twins: records that could be mistaken for one another, told apart by one decisive attribute."""

from random import Random

from tasks.authors.rules.spec import Draft, EntitySpec, Record, State

_SHARE = 0.3
"""Of the records of a kind that get a twin, at least one."""
_OWN = ("phone", "email")
"""What no two records share."""


def decisive_attribute(draft: Draft, collection: str) -> str | None:
    """The attribute by which a description can tell two records of one name apart; null where there is none."""
    spec = draft.entities[collection]
    label = spec.noun.label
    enums = {each.name for each in spec.attributes if each.type == "enum" and each.name != "status"}
    for finder in draft.finders:
        by = [each.attribute for each in finder.filters]
        if finder.collection == collection and label in by:
            decisive = [name for name in by if name != label and name in enums]
            if len(by) == 2 and decisive:
                return decisive[0]
    return None


def twinned(draft: Draft, spec: EntitySpec, state: State, rng: Random, new_id: str) -> Record | None:
    """A twin of one of the records that are there: of the same name, but another in the decisive attribute.

    Null when this time there is none, or when the kind has no name or nothing decisive.
    """
    noun, there = spec.noun, state[spec.noun.many]
    decisive = decisive_attribute(draft, noun.many)
    if decisive is None or noun.label is None or spec.make is None or not there or rng.random() >= _SHARE:
        return None
    names = [record[noun.label] for record in there.values()]
    single = [record for record in there.values() if names.count(record[noun.label]) == 1]
    if not single:
        return None
    other = spec.make(rng, state, new_id)
    if other is None:
        return None
    twin = single[rng.randrange(len(single))]
    if other[decisive] == twin[decisive]:
        return None
    own = {name: other[name] for name in (noun.key, decisive, *_OWN) if name in other}
    return {**twin, **own}
