"""Cases that would break a rule: refused calls that a rule is there for.

A precondition does not hold before such a call. Any other rule is broken afterwards when the condition that refused the
call is switched off. Where no call on the state does it, the state is edited, or something is done over and over, also
with a limit brought near, or things are done for a while.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

from schemas.logic_models import Operation, Rule
from tasks.authors.base import SetupCall, TestCase, UntestedRule
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.edits import EDITED, Edit, edited_parts, edits_for
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts, go_on
from tasks.authors.rules.testing.scenes import Scene, refused_case
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.variations import Arguments
from tasks.runtime.paths import with_values

_WALKS, _WALK_STEPS = 4, 4
_MOST_TRIES = 600
"""Calls that are tried on walks, all together."""
_CALLS = 12
"""Calls per tool and rule for which an edit of the state is looked for."""
_RECORDS_ABOUT = 4
"""Records of a kind that a rule names, per parameter."""
_EDITS, _EDITS_PER_RULE = 6, 40
"""Edits under which a call breaks a rule that are tried, per call and altogether."""
_PILE = 8
"""How often something is done again, to reach a limit."""
_SAME_ABLATIONS = 2
"""Refusals by the same conditions that are tried without one of them, per rule and state."""
_UNTESTED = "no refused call was found that would break it"
_ON_CALL = "[(\n{predicate}\n) for state in [{state}] for now in [state['now']]][0]"
_ON_CHANGE = "[(\n{predicate}\n) for before, state in [(before, after)] for now in [state['now']]][0]"


class RuleCases:
    """Looks for one case per rule that some tool enforces."""

    def __init__(self, tries: Tries) -> None:
        self._tries = tries
        self._model = tries.model
        enforced = {rule_id for operation in tries.model.operations for rule_id in operation.enforces}
        self._open = {rule.id: rule for rule in tries.model.rules if rule.id in enforced and rule.predicate}
        """Rules that no case breaks so far."""

    def among(self, operation: Operation, scene: Scene, refusals: Sequence[Attempt]) -> Iterator[TestCase]:
        """The cases of open rules among calls that were refused in a scene."""
        for rule in [self._open[each] for each in operation.enforces if each in self._open]:
            broken = next(self._broken(rule, operation, scene.state, refusals), None)
            if broken is not None:
                del self._open[rule.id]
                yield refused_case(scene, broken, rule)

    def again(self, operation: Operation, scene: Scene, first: Attempt) -> tuple[list[TestCase], TestCase | None]:
        """The same call twice: cases of open rules that the second breaks, and its case where it was refused."""
        attempt(self._tries.session, scene.state, first.tool, first.arguments)
        middle = self._tries.session.snapshot()
        second = go_on(self._tries.session, first.tool, first.arguments)
        if not second.is_refusal:
            return [], None
        later = scene.after(middle, SetupCall(tool=first.tool, arguments=first.arguments))
        return list(self.among(operation, later, [second])), refused_case(later, second)

    def searched(self, state: State) -> Iterator[TestCase]:
        """Cases for the rules that are still open, in states that differ from this one."""
        for rule in list(self._open.values()):
            if rule.kind == "precondition":
                yield from islice(self._edited(rule, state), 1)
            if rule.id in self._open:
                yield from islice(self._piled_up(rule, state), 1)
        self._tries.count = 0
        for _ in range(_WALKS):
            yield from self._walked(state)

    def untested(self) -> tuple[UntestedRule, ...]:
        """The rules that are still open, and why."""
        return tuple(UntestedRule(rule_id=each.id, why=_UNTESTED) for each in self._open.values())

    def _broken(self, rule: Rule, operation: Operation, state: State, refusals: Sequence[Attempt]) -> Iterator[Attempt]:
        """The refused calls that would break a rule."""
        if rule.kind == "precondition":
            own = [{"args": {**_blanks(operation), **each.arguments}} for each in refusals]
            predicate = _ON_CALL.format(predicate=rule.predicate, state="base")
            broken = self._failing(predicate, {"base": state}, own)
            yield from (each for each, is_broken in zip(refusals, broken, strict=True) if is_broken)
            return
        ablated: Counter[tuple[int, ...]] = Counter()
        for each in refusals:
            ablated[each.fired] += 1
            if ablated[each.fired] <= _SAME_ABLATIONS and self._breaks(rule, state, each):
                yield each

    def _breaks(self, rule: Rule, state: State, refused: Attempt) -> bool:
        """Whether a refused call breaks a rule when one of the conditions that refused it is switched off."""
        for number in refused.fired:
            off = attempt(self._tries.session, state, refused.tool, refused.arguments, [number])
            if off.is_success:
                names = {"before": state, "after": self._tries.session.snapshot()}
                if self._failing(_ON_CHANGE.format(predicate=rule.predicate), names, [{}])[0]:
                    return True
        return False

    def _failing(self, predicate: str, names: dict[str, Any], own: Sequence[dict[str, Any]]) -> list[bool]:
        """For each set of own names, whether the predicate is false. Where it can't be evaluated it is not."""
        verdicts = self._tries.checks.evaluate([predicate] * len(own), names, own=own)
        return [not verdict.passed and verdict.error is None for verdict in verdicts]

    def _edited(self, rule: Rule, state: State) -> Iterator[TestCase]:
        """A call that breaks a precondition when the state is a little different.

        Where possible no other rule is broken in that state. Where not, the tool must refuse all the same.
        """
        left = _EDITS_PER_RULE
        unsound: list[tuple[Operation, Arguments, Edit]] = []
        for operation, arguments in self._likely(rule, state):
            edits = list(edits_for(self._model, state, arguments, rule))
            predicate = _ON_CALL.format(predicate=rule.predicate, state=EDITED)
            names = {"base": state, "args": {**_blanks(operation), **arguments}}
            answers = self._failing(predicate, names, [{"edited": edited_parts(state, [edit])} for edit in edits])
            broken = [edit for edit, is_broken in zip(edits, answers, strict=True) if is_broken]
            for edit in _of_different_kinds(broken)[: min(_EDITS, left)]:
                left -= 1
                options = self._tries.sound(state, edit)
                unsound += [] if options else [(operation, arguments, edit)]
                yield from self._refused_when(rule, operation, arguments, state, options)
        for operation, arguments, (path, value) in unsound:
            yield from self._refused_when(rule, operation, arguments, state, [{path: value}])

    def _refused_when(
        self, rule: Rule, operation: Operation, arguments: Arguments, state: State, options: Sequence[dict[str, Any]]
    ) -> Iterator[TestCase]:
        for given in options:
            edited = with_values(state, given)
            tried = attempt(self._tries.session, edited, operation.name, arguments)
            # An edit that makes the state sound may well mend what the one before has broken.
            if tried.is_refusal and any(self._broken(rule, operation, edited, [tried])):
                self._open.pop(rule.id, None)
                yield refused_case(Scene(state).edited(given), tried, rule)

    def _likely(self, rule: Rule, state: State) -> Iterator[tuple[Operation, Arguments]]:
        """Calls of the operations that enforce a rule, on different records: those it is about, then allowed ones."""
        for operation in self._model.operations:
            if rule.id in operation.enforces:
                tried = sorted(self._tries.few(operation, state), key=lambda each: each.is_refusal)
                calls = [each.arguments for each in tried]
                chosen: dict[str, Arguments] = {}
                for each in [*_about(rule, operation, state, calls[:1]), *calls]:
                    chosen.setdefault(str(next(iter(each.values()), None)), each)
                yield from ((operation, arguments) for arguments in list(chosen.values())[:_CALLS])

    def _piled_up(self, rule: Rule, state: State) -> Iterator[TestCase]:
        """The same sensible thing over and over for the same records, until a rule refuses it.

        First in the state as it is, then with each limit of the rule as near as it may be there: a state may have too
        few other records to come to it.
        """
        for scene in (Scene(state), *self._near_limits(rule, state)):
            for operation in (each for each in self._model.operations if rule.id in each.enforces):
                tried = self._tries.few(operation, scene.state)
                yield from self.among(operation, scene, [each for each in tried if each.is_refusal])
                first = next((each.arguments for each in tried if each.is_success), None)
                for pinned in _pinnings(operation, first) if first is not None else ():
                    if rule.id not in self._open:
                        return
                    yield from self._pile(rule, operation, scene, pinned)

    def _near_limits(self, rule: Rule, state: State) -> Iterator[Scene]:
        """For each whole number among the settings that a rule names, the state with the smallest that fits it."""
        settings = state.get("settings", {})
        for name in dict.fromkeys(re.findall(r"""settings["']\]\[["'](\w+)["']""", rule.predicate or "")):
            path, present = f"settings.{name}", settings.get(name)
            if type(present) is not int:
                continue
            unfit, fit = 0, present
            while fit - unfit > 1:
                middle = (unfit + fit) // 2
                is_fit = bool(self._tries.sound(state, (path, middle), alone=True))
                unfit, fit = (unfit, middle) if is_fit else (middle, fit)
            if fit != present:
                yield Scene(state).edited({path: fit})

    def _pile(self, rule: Rule, operation: Operation, scene: Scene, pinned: Arguments) -> Iterator[TestCase]:
        for _ in range(_PILE):
            tries = [{**each, **pinned} for each in self._tries.sensible(operation, scene.state)]
            done = attempts(self._tries.session, scene.state, operation.name, tries)
            yield from self.among(operation, scene, [each for each in done if each.is_refusal])
            success = next((each for each in done if each.is_success), None)
            if success is None or rule.id not in self._open:
                return
            attempt(self._tries.session, scene.state, operation.name, success.arguments)
            call = SetupCall(tool=operation.name, arguments=success.arguments)
            scene = scene.after(self._tries.session.snapshot(), call)

    def _walked(self, state: State) -> Iterator[TestCase]:
        """Do something sensible a few times, and look for cases after each step."""
        scene = Scene(state)
        for _ in range(_WALK_STEPS):
            step = self._step(scene.state) if self._open and self._tries.count < _MOST_TRIES else None
            if step is None:
                return
            call = SetupCall(tool=step.tool, arguments=step.arguments)
            scene = scene.after(self._tries.session.snapshot(), call)
            for operation in self._model.operations:
                if any(rule_id in self._open for rule_id in operation.enforces) and self._tries.count < _MOST_TRIES:
                    yield from self._looked(operation, scene)

    def _looked(self, operation: Operation, scene: Scene) -> Iterator[TestCase]:
        tried = self._tries.few(operation, scene.state)
        yield from self.among(operation, scene, [each for each in tried if each.is_refusal])
        success = next((each for each in tried if each.is_success), None)
        if success is not None:
            yield from self.again(operation, scene, success)[0]

    def _step(self, state: State) -> Attempt | None:
        """Something sensible that was done; the session is left as it is afterwards."""
        deeds = [deed for deed in self._tries.draft.deeds if deed.weight > 0]
        operations = {each.name: each for each in self._model.operations}
        for _ in range(12 if deeds else 0):
            operation = operations[self._tries.rng.choice(deeds).tool]
            for arguments in self._tries.sensible(operation, state)[:1]:
                done = attempt(self._tries.session, state, operation.name, arguments)
                if done.is_success:
                    return done
        return None


def _about(rule: Rule, operation: Operation, state: State, bases: Sequence[Arguments]) -> Iterator[Arguments]:
    """A call on records of the kind or in the condition that the predicate of a rule names."""
    named = set(re.findall(r"""["'](\w+)["']""", rule.predicate or ""))
    for parameter in (each for each in operation.parameters if each.type == "reference"):
        records = state[parameter.to or ""]
        keys = [key for key, record in records.items() if any(value in named for value in map(str, record.values()))]
        yield from ({**base, parameter.name: key} for base in bases for key in keys[:_RECORDS_ABOUT])


def _pinnings(operation: Operation, arguments: Arguments) -> Iterator[Arguments]:
    """Each required reference of a call alone, then all but one of them, then all: a limit may count per several."""
    names = [each.name for each in operation.parameters if each.type == "reference" and each.required]
    for size in sorted({1, len(names) - 1, len(names)} - {0}):
        for chosen in combinations(names, size):
            yield {name: arguments[name] for name in chosen}


def _of_different_kinds(edits: Sequence[Edit]) -> list[Edit]:
    """The same edits, one of each attribute before a second of any."""
    ranks: Counter[str] = Counter()
    ranked: list[tuple[int, Edit]] = []
    for edit in edits:
        parts = edit[0].split(".")
        kind = f"{parts[0]} {parts[-1]}"
        ranked.append((ranks[kind], edit))
        ranks[kind] += 1
    return [edit for _, edit in sorted(ranked, key=lambda each: each[0])]


def _blanks(operation: Operation) -> Arguments:
    return dict.fromkeys(each.name for each in operation.parameters)
