"""The goal checks that follow from what a played solution changed.

Records that were added are described by their values, never by their generated ids: an agent that does the same in
another order gets other ids. Counters and timestamps are left out, because they follow from the doing.
"""

import copy
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import Attribute, LogicModel
from schemas.scenarios import CheckDraft
from tasks.runtime.changes import RecordChange, RecordKey, State, attribute_of, is_stamp, state_change


def goal_checks(logic_model: LogicModel, before: State, after: State) -> tuple[CheckDraft, ...]:
    """Goal checks that hold in `after` and not in `before`.

    One per changed record (its changed attributes have the new values), one per removed record, and one per kind of
    added record (exactly so many new records have these values; a reference to another new record is expressed by the
    values of that record). Empty when nothing but counters and timestamps changed.
    """
    return tuple(check for check, _ in _CheckWriter(logic_model, before, after).goals())


def undone_states(logic_model: LogicModel, before: State, after: State) -> tuple[dict[str, Any], ...]:
    """For each of the `goal_checks`, the state after with that goal's records as they were before.

    A set of goal checks that holds in one of them does not ask for what was done there.
    """
    states = []
    for _, records in _CheckWriter(logic_model, before, after).goals():
        state = copy.deepcopy(dict(after))
        for record in records:
            state[record.collection].pop(record.key, None)
            if record.key in before[record.collection]:
                state[record.collection][record.key] = copy.deepcopy(before[record.collection][record.key])
        states.append(state)
    return tuple(states)


def python_literal(value: Any) -> str:
    """The Python source of a plain JSON value, on one line, with double quotes where nothing needs an escape."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{python_literal(key)}: {python_literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(python_literal, value)) + "]"
    return repr(value)


def words(name: str) -> str:
    """A name from code as a person says it: "room_type" -> "room type"."""
    return name.replace("_", " ").strip()


@dataclass(frozen=True)
class _Wanted:
    """An added record, by its values. `links` are references to other added records, cycles cut."""

    collection: str
    values: dict[str, Any]
    links: "dict[str, _Wanted]" = field(default_factory=dict)

    @property
    def identity(self) -> str:
        links = {name: each.identity for name, each in self.links.items()}
        return canonical_json([self.collection, self.values, links])


class _CheckWriter:
    """Writes checks from one state difference."""

    def __init__(self, logic_model: LogicModel, before: State, after: State) -> None:
        self.change = state_change(logic_model, before, after)
        self._model, self._before, self._after = logic_model, before, after
        self._new = {record.key: record for record in self.change.added}
        self._new_pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(key)}(?![\w-])" for key in self._new) or "(?!)")

    def goals(self) -> list[tuple[CheckDraft, list[RecordKey]]]:
        """Every goal check, with the records that it is about."""
        found = [(self.changed_check(each), [each.record]) for each in self.change.changed if each.attributes]
        found += [(self.removed_check(each), [each]) for each in self.change.removed]
        wanted = {each.identity: each for each in map(self.wanted, self.change.added)}
        for each in wanted.values():
            found.append((self.added_check(each), [RecordKey(each.collection, key) for key in self._matching(each)]))
        return found

    def changed_check(self, change: RecordChange) -> CheckDraft:
        """The record is there and its changed attributes have the new values."""
        record = self._after[change.record.collection][change.record.key]
        values, links = self._split(change.record, change.attributes, record, above=())
        names, definitions = self._definitions(links.values())
        tests = [f"record.get({python_literal(name)}) {_equals(value)}" for name, value in values.items()]
        tests += [f"record.get({python_literal(name)}) in {names[each.identity]}" for name, each in links.items()]
        # Only a text with a generated id in it changed: that it is another text is all that can be asked for.
        tests += [] if tests else [f"record != initial_state[{python_literal(change.record.collection)}][key]"]
        body = [
            f"key = {python_literal(change.record.key)}",
            f"record = final_state.get({python_literal(change.record.collection)}, {{}}).get(key)",
            *definitions,
            *_returned(["record is not None", *tests]),
        ]
        said = self._phrases(change.record.collection, values, links) or "has changed"
        text = f"The {self._title(change.record)} {said}."
        return CheckDraft(kind="goal", origin="derived", text=text, code=check_source(body))

    def removed_check(self, record: RecordKey) -> CheckDraft:
        """The record is gone."""
        collection = python_literal(record.collection)
        body = [f"return {python_literal(record.key)} not in final_state.get({collection}, {{}})"]
        return CheckDraft(
            kind="goal", origin="derived", text=f"The {self._title(record)} is gone.", code=check_source(body)
        )

    def added_check(self, wanted: _Wanted) -> CheckDraft:
        """Exactly as many new records have these values as in the state after."""
        count = len(self._matching(wanted))
        names, definitions = self._definitions([wanted])
        body = [*definitions, f"return len({names[wanted.identity]}) == {count}"]
        entity = self._model.entity_of(wanted.collection)
        noun = words(entity.name if entity else wanted.collection)
        text = f"There is exactly one new {noun}" if count == 1 else f"There are exactly {count} new {noun} records"
        details = self._phrases(wanted.collection, wanted.values, wanted.links)
        text += f": it {details}." if details and count == 1 else f": each {details}." if details else "."
        return CheckDraft(kind="goal", origin="derived", text=text, code=check_source(body))

    def wanted(self, record: RecordKey, above: tuple[str, ...] = ()) -> _Wanted:
        """An added record without its id, its timestamps and what only repeats a generated id."""
        content = self._after[record.collection][record.key]
        entity = self._model.entity_of(record.collection)
        names = [name for name in content if entity is None or name != entity.key]
        kept = [n for n in names if not is_stamp(attribute_of(entity, n), content[n], self._before, self._after)]
        values, links = self._split(record, kept, content, above)
        return _Wanted(record.collection, values, links)

    def _split(
        self, record: RecordKey, names: Iterable[str], content: Mapping[str, Any], above: tuple[str, ...]
    ) -> tuple[dict[str, Any], dict[str, _Wanted]]:
        values: dict[str, Any] = {}
        links: dict[str, _Wanted] = {}
        for name in names:
            value = content.get(name)
            target = self._new.get(value) if isinstance(value, str) else None
            if target is None and not self._mentions_new(value):
                values[name] = value
            elif target is not None and target.key not in (record.key, *above):
                links[name] = self.wanted(target, (*above, record.key))
        return values, links

    def _mentions_new(self, value: Any) -> bool:
        text = value if isinstance(value, str) else canonical_json(value) if isinstance(value, list | dict) else ""
        return self._new_pattern.search(text) is not None

    def _matching(self, wanted: _Wanted) -> list[str]:
        found = []
        for record in self.change.added:
            content = self._after[record.collection][record.key]
            if record.collection == wanted.collection and all(
                content.get(name) == value for name, value in wanted.values.items()
            ):
                found.append(record.key)
        for name, link in wanted.links.items():
            targets = self._matching(link)
            found = [key for key in found if self._after[wanted.collection][key].get(name) in targets]
        return found

    def _definitions(self, wanted: Iterable[_Wanted]) -> tuple[dict[str, str], list[str]]:
        """Variable names by identity, and the lines that define them, the records that others refer to first."""
        names: dict[str, str] = {}
        counts: dict[str, int] = {}
        lines: list[str] = []

        def define(each: _Wanted) -> None:
            for link in each.links.values():
                define(link)
            if each.identity in names:
                return
            counts[each.collection] = counts.get(each.collection, 0) + 1
            number = counts[each.collection]
            names[each.identity] = f"new_{each.collection}" + (f"_{number}" if number > 1 else "")
            lines.append(f"{names[each.identity]} = [")
            lines.append(f"    key for key, each in final_state.get({python_literal(each.collection)}, {{}}).items()")
            lines.append(f"    if key not in initial_state.get({python_literal(each.collection)}, {{}})")
            lines.extend(f"    and each.get({python_literal(n)}) {_equals(value)}" for n, value in each.values.items())
            lines.extend(
                f"    and each.get({python_literal(n)}) in {names[link.identity]}" for n, link in each.links.items()
            )
            lines.append("]")

        for each in wanted:
            define(each)
        return names, lines

    def _phrases(self, collection: str, values: Mapping[str, Any], links: Mapping[str, _Wanted]) -> str:
        entity = self._model.entity_of(collection)
        phrases = [self._phrase(attribute_of(entity, name), name, value) for name, value in values.items()]
        for name, link in links.items():
            target = self._model.entity_of(link.collection)
            noun = words(target.name if target else link.collection)
            role = _attribute_words(name)
            phrases.append(f"belongs to the new {noun}" if role == noun else f"has the new {noun} as {role}")
        return ", ".join(phrases[:-1]) + (" and " if phrases[1:] else "") + phrases[-1] if phrases else ""

    def _phrase(self, attribute: Attribute | None, name: str, value: Any) -> str:
        noun = _attribute_words(name)
        if isinstance(value, bool):
            return f"is {'' if value else 'not '}{noun.removeprefix('is ')}"
        if value is None or value == "" or value == []:
            return f"has no {noun}"
        if attribute is not None and attribute.type == "enum":
            return f"is {words(value)}" if name in ("status", "state") else f"has {noun} {words(value)}"
        if attribute is not None and attribute.type == "reference" and attribute.to and isinstance(value, str):
            return f"has {noun} {self._label(RecordKey(attribute.to, value))}"
        return f"has {noun} {_spoken(attribute, name, value)}"

    def _title(self, record: RecordKey) -> str:
        entity = self._model.entity_of(record.collection)
        return f"{words(entity.name if entity else record.collection)} {self._label(record)}"

    def _label(self, record: RecordKey) -> str:
        """The id, with the name of the record where it has one."""
        content = self._after.get(record.collection, {}).get(record.key)
        content = content or self._before.get(record.collection, {}).get(record.key) or {}
        named = next((content[name] for name in ("name", "full_name", "title") if content.get(name)), None)
        return f"{record.key} ({named})" if named else record.key


def check_source(body: Sequence[str]) -> str:
    """The source of a check with this body; one string per line, relative to the function."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in body)
    return f"def check(initial_state, final_state, trajectory) -> bool:\n{lines}"


def _returned(tests: list[str]) -> list[str]:
    line = "return " + " and ".join(tests)
    if len(line) <= 100:
        return [line]
    return ["return (", f"    {tests[0]}", *(f"    and {test}" for test in tests[1:]), ")"]


def _equals(value: Any) -> str:
    return f"is {value}" if value is None or isinstance(value, bool) else f"== {python_literal(value)}"


def _attribute_words(name: str) -> str:
    for ending, said in (("_id", ""), ("_cents", ""), ("_on", "_date"), ("_at", "_time")):
        if name.endswith(ending):
            name = name.removesuffix(ending) + said
            break
    return words(name)


def _spoken(attribute: Attribute | None, name: str, value: Any) -> str:
    unit = attribute.unit if attribute is not None else None
    if unit and unit.endswith("cent") and isinstance(value, int):
        currency = unit.removesuffix("cent").strip()
        return f"{value / 100:.2f} {currency}s" if currency else f"{value / 100:.2f}"
    if isinstance(value, str):
        return f'"{value}"' if attribute is not None and attribute.type == "string" else value
    if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return ", ".join(words(each) if isinstance(each, str) else str(each) for each in value)
    return f"{canonical_json(value)} {unit}" if unit and unit != "unit" else canonical_json(value)
