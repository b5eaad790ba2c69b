"""What a call changed, as sentences for a reader: a judge, or a person."""

from schemas.ids import canonical_json
from tasks.runtime.state import Change


def told(change: Change) -> str:
    """One sentence: "loans.LOA-0001.due_on was null and is "2025-04-20"."."""
    path, before, after = ".".join(change.path), canonical_json(change.before), canonical_json(change.after)
    match change.kind:
        case "added":
            return f"{path} is new: {after}."
        case "removed":
            return f"{path} is gone, it was {before}."
        case "changed":
            return f"{path} was {before} and is {after}."
