"""Whether a resumed sequence goes on like the first one, save for values that are drawn from clock and chance.

A class that makes its ids with uuid4, or stamps its records, has other ids and stamps when its state is resumed, as
clock and chance start anew; nothing is wrong with it. So the sequence is told again with other chance and a later
clock, and then once more with yet others. What differs from the first time must differ between these two as well: what
comes from a hidden counter of the instance does not. And it is told a third time like the first of the two, which must
agree with it: a counter of the class goes on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.ids import canonical_json
from tasks.evaluation.observed import Observed
from tasks.sandbox.base import Call, EnvironmentSession

_LATER_S = 150
"""Enough that times told in minutes differ."""
_NO_ARGUMENT = "no_such_argument"

State = Mapping[str, Any]


def goes_on_alike(session: EnvironmentSession, states: Mapping[str, State], calls: Sequence[Observed]) -> bool:
    """Whether the calls go on alike from a dump of the state before the first of them.

    Args:
        session: Has the class.
        states: Digest -> state, of everything that was reached.
        calls: Consecutive calls, at least one; the state before the first is known.
    """
    # Never with the first seed: it would draw ids that the state holds already.
    one = _retold(session, states, calls, seed=1, ticks=_LATER_S)
    other = _retold(session, states, calls, seed=2, ticks=2 * _LATER_S)
    if one is None or other is None or one != _retold(session, states, calls, seed=1, ticks=_LATER_S):
        return False
    return all(value in other and other[value] != alias for value, alias in one.items())


def _retold(
    session: EnvironmentSession, states: Mapping[str, State], calls: Sequence[Observed], *, seed: int, ticks: int
) -> dict[str, Any] | None:
    """What stands in place of each value that differs; null when more than values differs."""
    session.init(dict(states[calls[0].before]), seed=seed)
    # A call that can't be made lets a second pass and touches nothing.
    session.steps([Call(calls[0].call.tool, {_NO_ARGUMENT: None})] * ticks)
    aliases: dict[str, Any] = {}
    expected_before = calls[0].before
    for seen in calls:
        if seen.before != expected_before:  # the first time, the state was set back here
            break
        again = session.step(seen.call.tool, _renamed(seen.call.arguments, aliases))
        if (again.error is None) != (seen.result.error is None):
            return None
        if not _is_alike(seen.result.result, again.result, aliases):
            return None
        after = states.get(seen.after or "")
        if after is not None and not _is_alike(after, session.snapshot(), aliases):
            return None
        expected_before = seen.after or ""
    return aliases


def _is_alike(one: Any, other: Any, aliases: dict[str, Any]) -> bool:
    """Whether two values have the same shape; learns which values stand for which."""
    if isinstance(one, dict) and isinstance(other, dict):
        return _are_alike_objects(one, other, aliases)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_is_alike(*pair, aliases) for pair in zip(one, other, strict=True))
    if type(one) is not type(other):
        return False
    if one == other:
        return True
    if isinstance(one, bool):
        return False
    return bool(aliases.setdefault(canonical_json(one), other) == other)


def _are_alike_objects(one: dict[str, Any], other: dict[str, Any], aliases: dict[str, Any]) -> bool:
    if len(one) != len(other):
        return False
    pairs = [(key, str(aliases.get(canonical_json(key), key))) for key in one]
    known = {alias for _, alias in pairs if alias in other}
    new = iter([key for key in other if key not in known])
    for key, alias in pairs:
        partner = alias if alias in other else next(new, None)
        if partner is None:
            return False
        if partner != key and aliases.setdefault(canonical_json(key), partner) != partner:
            return False
        if not _is_alike(one[key], other[partner], aliases):
            return False
    return True


def _renamed(value: Any, aliases: Mapping[str, Any]) -> Any:
    """Arguments with the values of this telling in place of those of the first one."""
    if isinstance(value, dict):
        return {key: _renamed(each, aliases) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, aliases) for each in value]
    return aliases.get(canonical_json(value), value) if isinstance(value, str) else value
