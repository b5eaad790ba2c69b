"""The automatic guard of every scenario: nothing changed but what the reference solution changes."""

from schemas.logic_models import LogicModel
from schemas.scenarios import CheckDraft
from tasks.runtime.changes import RecordKey, State, StateChange, state_change
from tasks.runtime.derive import check_source, python_literal

_BODY = """\
if set(final_state) != set(initial_state):
    return False
for name, before in initial_state.items():
    after = final_state[name]
    if name in free or before == after:
        continue
    if name not in collections:
        return False
    if sum(key not in before for key in after) > may_add.get(name, 0):
        return False
    for key, record in before.items():
        if key in may_remove.get(name, []):
            continue
        if key not in after:
            return False
        allowed = may_change.get(name, {}).get(key, [])
        for field in {**record, **after[key]}:
            if field not in allowed and record.get(field) != after[key].get(field):
                return False
return True
"""


def guard_check(logic_model: LogicModel, before: State, after: State) -> CheckDraft:
    """The guard from the difference that the reference solution makes.

    It allows exactly the attributes of existing records that the reference changes, at most as many new records per
    collection as it adds, and the records that it removes. Counters of ids may differ freely. What the new values are
    is for the goal checks to say.
    """
    change = state_change(logic_model, before, after)
    may_change: dict[str, dict[str, list[str]]] = {}
    for each in change.changed:
        allowed = may_change.setdefault(each.record.collection, {})
        allowed[each.record.key] = [*each.attributes, *each.timestamps]
    may_add: dict[str, int] = {}
    for record in change.added:
        may_add[record.collection] = may_add.get(record.collection, 0) + 1
    may_remove: dict[str, list[str]] = {}
    for record in change.removed:
        may_remove.setdefault(record.collection, []).append(record.key)
    body = [
        f"collections = {python_literal([entity.collection for entity in logic_model.entities])}",
        *_table("may_change", may_change),
        f"may_add = {python_literal(may_add)}",
        f"may_remove = {python_literal(may_remove)}",
        f"free = {python_literal([*change.others, *change.counters])}",
        "",
        *_BODY.splitlines(),
    ]
    return CheckDraft(
        kind="guard", origin="derived", text=_text(change), code=check_source(body), exempt=exempt_paths(change)
    )


def exempt_paths(change: StateChange) -> tuple[str, ...]:
    """Dotted paths that may differ: "bookings.BKG-0001.status", "payments.<new>, at most 1", "counters"."""
    paths = [
        f"{_dotted(each.record)}.{name}" for each in change.changed for name in (*each.attributes, *each.timestamps)
    ]
    paths += [_dotted(record) for record in change.removed]
    counts: dict[str, int] = {}
    for record in change.added:
        counts[record.collection] = counts.get(record.collection, 0) + 1
    paths += [f"{collection}.<new>, at most {count}" for collection, count in counts.items()]
    return (*paths, *change.others, *change.counters)


def _dotted(record: RecordKey) -> str:
    return f"{record.collection}.{record.key}"


def _table(name: str, rows: dict[str, dict[str, list[str]]]) -> list[str]:
    """One line per record, so that a person can read down the ids."""
    if not rows:
        return [f"{name} = {{}}"]
    lines = [f"{name} = {{"]
    for collection, records in rows.items():
        lines.append(f"    {python_literal(collection)}: {{")
        lines.extend(f"        {python_literal(key)}: {python_literal(names)}," for key, names in records.items())
        lines.append("    },")
    return [*lines, "}"]


def _text(change: StateChange) -> str:
    parts = []
    if change.changed:
        count = len(change.changed)
        parts.append(f"{count} existing record{'s' if count > 1 else ''} may differ in the named attributes")
    if change.added:
        parts.append(f"at most {len(change.added)} may be new")
    if change.removed:
        parts.append(f"{len(change.removed)} may be gone")
    return "Nothing else changed" + (": " + ", ".join(parts) + "." if parts else ".")
