"""Values in a state by their path: "now", "loans.LOA-0002.status"."""

from collections.abc import Mapping
from typing import Any


def with_values(state: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The state with these values at their paths; the state itself stays as it is.

    Raises:
        KeyError: a path leads nowhere. Its last part need not exist yet.
    """
    changed = dict(state)
    for path, value in values.items():
        *parents, last = path.split(".")
        place = changed
        for name in parents:
            if not isinstance(place.get(name), Mapping):
                raise KeyError(path)
            place[name] = dict(place[name])
            place = place[name]
        place[last] = value
    return changed
