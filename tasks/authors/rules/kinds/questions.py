"""Questions: nothing is to be changed; the answer is in the results of look-ups."""

from collections.abc import Iterator
from random import Random

from tasks.authors.rules.answers import Fact, are_told_apart, number_patterns, text_patterns
from tasks.authors.rules.describe import attribute_words
from tasks.authors.rules.kinds.aggregation import Crowd, crowd_noun, crowds, extremes
from tasks.authors.rules.kinds.facts import FEWEST_COUNT, TELLING_TEXT, fact_of_record, shown_row
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.sketch import Known, Sketch, shuffled

_MOST_FACTS = 3
_TRIES = 8


def begin_question(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Facts from different collections, until there are as many look-ups as wished for; one to three of them."""
    facts: list[Fact] = []
    findable = list(dict.fromkeys(each.collection for each in known.draft.finders))
    for collection in shuffled(rng, findable)[:_TRIES]:
        keys = shuffled(rng, list(plan.state[collection]))[:_TRIES]
        options = _facts(known, plan, rng, collection, keys)
        fact = next((each for each in options if are_told_apart([*facts, each])), None)
        if fact is not None:
            facts.append(fact)
        if len(facts) == _MOST_FACTS or (facts and len(plan.steps) >= known.length):
            break
    if not facts:
        return None
    return Sketch(
        plan,
        facts=facts,
        vague=["answer a question" if len(facts) == 1 else f"answer {len(facts)} questions"],
        final=" ".join(each.reports for each in facts),
    )


def _facts(known: Known, plan: Plan, rng: Random, collection: str, keys: list[str]) -> Iterator[Fact]:
    for key in keys:
        mark = plan.mark()
        if rng.random() < 0.5:
            for crowd in crowds(known, plan, rng, collection, key):
                yield from _of_crowd(known, plan, rng, crowd)
        else:
            yield from _of_record(known, plan, rng, collection, key)
        plan.back_to(mark)


def _of_record(known: Known, plan: Plan, rng: Random, collection: str, key: str) -> Iterator[Fact]:
    found = plan.find(collection, key)
    row = shown_row(plan, found) if found else None
    if found is None or row is None:
        return
    for attribute in shuffled(rng, list(known.draft.entities[collection].attributes)):
        fact = fact_of_record(attribute, row, found.words, known.draft.entities[collection].noun)
        if fact is not None:
            yield fact


def _of_crowd(known: Known, plan: Plan, rng: Random, crowd: Crowd) -> Iterator[Fact]:
    noun = known.draft.entities[crowd.collection].noun
    label = noun.label
    if label is not None and rng.random() < 0.6:
        names = [str(plan.state[crowd.collection][member][label]) for member in crowd.members]
        for key, attribute, word in shuffled(rng, list(extremes(known, plan, crowd))):
            name = str(plan.state[crowd.collection][key][label])
            which = crowd_noun(known, crowd)
            if not TELLING_TEXT.fullmatch(name):
                continue
            end = f"the {word} {attribute_words(attribute.name)}"
            yield Fact(
                asks=f"which {which} has {end}",
                reports=f"The one with {end} is {name}.",
                values=(("name", text_patterns(name)),),
                vague=f"which {noun.spoken} has {end}",
                others=tuple(form for other in names if other != name for form in text_patterns(other)),
            )
    count = len(crowd.members)
    if count < FEWEST_COUNT:
        return
    many, whose = noun.spoken_many, crowd.whose
    are = f"{many}{whose} are {crowd.status}"
    yield Fact(
        asks=f"how many {are if crowd.status else f'{many} there are{whose}'}",
        reports=f"{count} {are}." if crowd.status else f"There are {count} {many}{whose}.",
        values=(("number", number_patterns(count)),),
        vague=f"how many {noun.spoken_many} there are of a certain sort",
    )
