"""A scene in which a tool is allowed that refuses everything on a state: something is edited, or made just before."""

from collections.abc import Iterator, Sequence

from schemas.logic_models import Operation
from tasks.authors.base import SetupCall
from tasks.authors.rules.testing.edits import edits_for
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts
from tasks.authors.rules.testing.scenes import Scene
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.variations import Arguments

_REFUSED_BASES = 6
_CALLS_BEFORE = 2


def opening(
    tries: Tries, operation: Operation, scene: Scene, refusals: Sequence[Attempt]
) -> tuple[Scene, Attempt] | None:
    """A scene and a call that is allowed in it; null when none was found.

    Args:
        tries: Where calls are tried.
        operation: The tool.
        scene: The state of the plan as it is.
        refusals: Calls that are refused there.
    """
    for bad in refusals[:_REFUSED_BASES]:
        given = [{path: value} for path, value in edits_for(tries.model, scene.state, bad.arguments)]
        tried = attempts(tries.session, scene.state, operation.name, [bad.arguments] * len(given), edits=given)
        for edit, each in zip(given, tried, strict=True):
            (found,) = edit.items()
            if each.is_success and tries.sound(scene.state, found, alone=True):
                return scene.edited(edit), each
        made = next(_on_new_record(tries, operation, scene, bad.arguments), None)
        if made is not None:
            return made
    return None


def _on_new_record(
    tries: Tries, operation: Operation, scene: Scene, base: Arguments
) -> Iterator[tuple[Scene, Attempt]]:
    """The call on a record that was made just before: nothing stands in its way."""
    operations = {each.name: each for each in tries.model.operations}
    for parameter in (each for each in operation.parameters if each.type == "reference"):
        collection = parameter.to or ""
        for deed in (each for each in tries.draft.deeds if each.creates == collection):
            for arguments in tries.sensible(operations[deed.tool], scene.state)[:_CALLS_BEFORE]:
                made = attempt(tries.session, scene.state, deed.tool, arguments)
                after = tries.session.snapshot()
                new = [key for key in after[collection] if key not in scene.state[collection]]
                tried = attempts(
                    tries.session, after, operation.name, [{**base, parameter.name: key} for key in new[:1]]
                )
                if made.is_success and tried and tried[0].is_success:
                    yield scene.after(after, SetupCall(tool=deed.tool, arguments=arguments)), tried[0]
