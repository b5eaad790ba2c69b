"""Cases that would break a rule: refused calls that a rule is there for.

A precondition does not hold before such a call. Any other rule is broken afterwards when the condition that refused the
call is switched off. Where no call on the state does it, the state is edited, or something is done over and over, also
with a limit brought near, or things are done for a while.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

from schemas.logic_models import Operation, Rule
from tasks.authors.base import SetupCall, TestCase, UntestedRule
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.breaks import all_arguments, broken_rules, failing, names_in, predicate_on_call
from tasks.authors.rules.testing.edits import EDITED, Edit, edited_parts, edits_for
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts, go_on
from tasks.authors.rules.testing.rule_scenes import RuleScenes
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
_PILES, _PILE, _OTHERS = 3, 9, 20
"""Calls that are done over and over, per tool, how often, to reach a limit, and on how many other records."""
_UNTESTED = "no refused call was found that would break it"


class RuleCases:
    """Looks for one case per rule that some tool enforces."""

    def __init__(self, tries: Tries) -> None:
        self._tries = tries
        self._model = tries.model
        enforced = {rule_id for operation in tries.model.operations for rule_id in operation.enforces}
        self._open = {rule.id: rule for rule in tries.model.rules if rule.id in enforced and rule.predicate}
        """Rules that no case breaks so far."""

    def among(
        self, operation: Operation, scene: Scene, refusals: Sequence[Attempt], *, why: str | None = None
    ) -> Iterator[TestCase]:
        """The cases of open rules among calls that were refused in a scene; they say the rule, or why."""
        rules = [self._open[each] for each in operation.enforces if each in self._open]
        if rules and refusals:
            for rule_id, broken in broken_rules(self._tries, operation, scene.state, rules, refusals).items():
                yield refused_case(scene, broken, self._open.pop(rule_id), why=why)

    def cases(self, operation: Operation, scene: Scene, refused: Attempt, *, why: str | None = None) -> list[TestCase]:
        """The cases of a refused call: one for each open rule that it would break, or one without a rule."""
        return list(self.among(operation, scene, [refused], why=why)) or [refused_case(scene, refused, why=why)]

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
        scenes = RuleScenes(self._tries, state)
        for rule in list(self._open.values()):
            if rule.kind == "precondition":
                yield from islice(self._edited(rule, state), 1)
            else:
                yield from self._at_stake(rule, scenes)
            if rule.id in self._open:
                yield from islice(self._piled_up(rule, state, scenes), 1)
        self._tries.count = 0
        for _ in range(_WALKS):
            yield from self._walked(state)

    def untested(self) -> tuple[UntestedRule, ...]:
        """The rules that are still open, and why."""
        return tuple(UntestedRule(rule_id=each.id, why=_UNTESTED) for each in self._open.values())

    def _at_stake(self, rule: Rule, scenes: RuleScenes) -> Iterator[TestCase]:
        """The cases of calls that are refused in scenes of a rule, until one is of the rule."""
        for operation, scene, refusals in scenes.of(rule):
            yield from self.among(operation, scene, refusals)
            if rule.id not in self._open:
                return

    def _edited(self, rule: Rule, state: State) -> Iterator[TestCase]:
        """A call that breaks a precondition when the state is a little different.

        Where possible no other rule is broken in that state. Where not, the tool must refuse all the same.
        """
        left = _EDITS_PER_RULE
        unsound: list[tuple[Operation, Arguments, Edit]] = []
        for operation, arguments in self._likely(rule, state):
            edits = list(edits_for(self._model, state, arguments, rule))
            names = {"base": state, "args": all_arguments(operation, arguments)}
            own = [{"edited": edited_parts(state, [edit])} for edit in edits]
            answers = failing(self._tries, [predicate_on_call(rule, EDITED)] * len(edits), names, own)
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
            if tried.is_refusal and broken_rules(self._tries, operation, edited, [rule], [tried]):
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

    def _piled_up(self, rule: Rule, state: State, scenes: RuleScenes) -> Iterator[TestCase]:
        """The same sensible thing over and over for the same records, until a rule refuses it.

        First in the state as it is, then with each limit of the rule as near as it may be there: a state may have too
        few other records to come to it.
        """
        for scene in (Scene(state), *scenes.near_limits(rule)):
            for operation in (each for each in self._model.operations if rule.id in each.enforces):
                tried = self._tries.few(operation, scene.state)
                yield from self.among(operation, scene, [each for each in tried if each.is_refusal])
                done = [each.arguments for each in tried if each.is_success]
                firsts = sorted(done, key=lambda each: -_load(rule, scene.state, each))[:_PILES]
                for first, pinned in [(base, pinned) for base in firsts for pinned in _pinnings(operation, base)]:
                    if rule.id not in self._open:
                        return
                    yield from self._pile(rule, operation, scene, first, pinned)

    def _pile(
        self, rule: Rule, operation: Operation, scene: Scene, first: Arguments, pinned: Arguments
    ) -> Iterator[TestCase]:
        others = [
            {**first, each.name: key}
            for each in operation.parameters
            if each.type == "reference" and each.name in first and each.name not in pinned
            for key in list(scene.state[each.to or ""])[-_OTHERS:]
        ]
        for _ in range(_PILE):
            tries = [{**each, **pinned} for each in self._tries.sensible(operation, scene.state)] + others
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
    named = names_in(rule)
    for parameter in (each for each in operation.parameters if each.type == "reference"):
        records = state[parameter.to or ""]
        keys = [key for key, record in records.items() if any(value in named for value in map(str, record.values()))]
        yield from ({**base, parameter.name: key} for base in bases for key in keys[:_RECORDS_ABOUT])


def _load(rule: Rule, state: State, arguments: Arguments) -> int:
    """How many records that a rule looks at refer to what a call names: the more, the nearer is a limit of them."""
    given = {value for value in arguments.values() if isinstance(value, str)}
    looked_at = [state[name] for name in sorted(names_in(rule)) if isinstance(state.get(name), dict)]
    return sum(
        isinstance(value, str) and value in given
        for records in looked_at
        for record in records.values()
        if isinstance(record, dict)
        for value in record.values()
    )


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
