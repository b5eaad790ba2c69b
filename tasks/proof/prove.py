"""Proves a scenario by executing it: what is right passes, and everything else that was thought of fails."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from schemas.ids import seed_for
from schemas.row import Status
from schemas.scenarios import ScenarioValidation, TrialKind
from tasks.proof.answers import reworded, wrong_messages
from tasks.proof.attempts import Attempt, Played, Player
from tasks.proof.equivalents import equivalents, with_other_lookup
from tasks.proof.extra import Toolbox
from tasks.proof.forbidden import detours
from tasks.proof.mutants import Maker
from tasks.proof.sameness import outcome_digest
from tasks.proof.trials import Asker, Solution, Trial, mark_of
from tasks.proof.verdicts import HAVE_TO_PASS, Flaw, Needs, Tried, needs_of, rows_of
from tasks.runtime.changes import state_change, written_fields
from tasks.runtime.environment import Environment, EnvironmentBroken
from tasks.runtime.episode import BindingError, Episode
from tasks.runtime.state import state_digest
from tasks.sandbox.base import CheckSession, CodeRejected

STOCK_MESSAGES = ("", "Done.", "I can't do that.")
"""What an agent may say that did nothing."""
MOST_TRIALS = 40
_EXTRA_WRITES, _MORE_EXTRA_WRITES = 2, 4
_FIRST_DETOURS, _MOST_DETOURS = 4, 14
_MOST_PREFIXES = 7


@dataclass(frozen=True, slots=True)
class Proof:
    """The decision on a scenario, with its evidence."""

    status: Status
    """ "accepted" when it is proven, "failed" when a check ran out of time, else "rejected"."""
    reason: str | None
    """check_out_of_time, check_raises, environment_raises, not_deterministic, reference_fails, no_op_passes,
    prefix_passes, write_without_effect, mutant_survives or equivalent_fails; null when proven."""
    detail: str | None
    tried: tuple[Tried, ...]
    """In the order of playing. Trials after one that broke were not played, and mutants only where the rest holds."""
    trials: tuple[ScenarioValidation, ...]
    """Their rows."""
    needs: Needs = Needs((), ())
    """What the trials say about the checks; empty when the scenario is not proven."""
    written_fields: tuple[str, ...] = ()
    """See `tasks.runtime.changes.written_fields`; empty also where the reference could not be played."""


def prove(solution: Solution, environment: Environment, checks: CheckSession, toolbox: Toolbox) -> Proof:
    """Play every trial of a scenario and decide; `docs/proof.md` says what the trials are.

    The same solution and tools give the same trials: chance is drawn from the reference and the state.

    Raises:
        SessionDied: the process of the environment is gone.
    """
    proving = _Proving(solution, environment, checks, toolbox)
    with suppress(_Broken):  # its row says what broke
        proving.run()
    return proving.proof()


class _Broken(Exception):
    """A trial broke, so that no other has to be played."""


class _Proving:
    """One proof while it is going on."""

    def __init__(self, solution: Solution, environment: Environment, checks: CheckSession, toolbox: Toolbox) -> None:
        self._solution, self._environment, self._toolbox = solution, environment, toolbox
        self._asker = Asker(solution.checks, checks)
        self._player = Player(solution, environment)
        self._tried: list[Tried] = []
        self._mark = ""
        """How the reference ends."""
        self._written: tuple[str, ...] = ()

    def run(self) -> None:
        episode, states = self._reference()
        self._no_ops()
        self._prefixes(episode, states)
        if any(each.flaw for each in self._tried):
            return
        self._mark = self._outcome(episode)
        seed = seed_for("proof", [each.model_dump(mode="json") for each in self._solution.reference])
        maker = Maker(self._solution, self._toolbox, episode, seed)
        self._play_all(maker.state_mutants())
        extra = maker.extra_writes()
        self._play_all(islice(extra, _EXTRA_WRITES))
        self._equivalents(episode)
        is_procedure = any(each.kind == "procedure" for each in self._solution.checks)
        ways = islice(detours(maker) if is_procedure else (), _MOST_DETOURS)
        self._play_all(islice(ways, _FIRST_DETOURS))  # before the trials are used up
        self._answers(episode)
        self._play_all(ways)
        for attempt in islice(extra, _MORE_EXTRA_WRITES):
            if not self._has_idle_guard():
                break
            self._play_all([attempt])

    def proof(self) -> Proof:
        tried, rows = tuple(self._tried), rows_of(self._solution.scenario_id, self._tried)
        flaw = next((each.flaw for each in self._tried if each.flaw), None)
        # Of a trial that broke nothing follows, so it decides whatever came before.
        broken = next((each.flaw for each in self._tried if each.flaw and each.trial and each.trial.broken), None)
        if (flaw := broken or flaw) is None:
            needs = needs_of(self._solution.checks, self._tried)
            return Proof("accepted", None, None, tried, rows, needs, self._written)
        status: Status = "failed" if flaw.reason == "check_out_of_time" else "rejected"
        return Proof(status, flaw.reason, flaw.detail, tried, rows, written_fields=self._written)

    def _reference(self) -> tuple[Episode, dict[int, dict[str, object]]]:
        count, what = len(self._solution.reference), "the reference"
        try:
            episode, states = self._player.reference()
            change = state_change(self._toolbox.logic_model, episode.initial_state, episode.final_state)
            self._written = written_fields(change)
            trial = self._asked("reference", count, what, episode)
            again = self._player.replayed()
        except (BindingError, EnvironmentBroken, CodeRejected) as error:
            raise self._broken("reference", count, what, _unplayable(error)) from error
        second = self._asked("reference", count, what, again, afresh=True)
        flaw = None
        if mark_of(episode, trial) != mark_of(again, second):
            flaw = Flaw("not_deterministic", "The reference was played twice and ended differently.")
        elif not trial.has_passed:
            failed = ", ".join(map(str, trial.failed_numbers))
            flaw = Flaw("reference_fails", f"The reference fails the checks {failed}.")
        self._add("reference", count, what, trial, flaw, final_digest=state_digest(episode.final_state))
        return episode, states

    def _no_ops(self) -> None:
        state = self._solution.state
        for number, message in enumerate(STOCK_MESSAGES):
            what = f'doing nothing and saying "{message}"'
            trial = self._asked("no_op", number, what, Episode(state, state, (), message))
            goals = [each.passed for each in trial.outcomes if each.kind == "goal"]
            flaw = None
            if trial.has_passed:
                flaw = Flaw("no_op_passes", f"Every check holds after {what}.")
            elif goals and all(goals):
                flaw = Flaw("no_op_passes", f"Every goal check holds after {what}.")
            self._add("no_op", number, what, trial, flaw)
            if flaw is None and self._reward() != 0:
                found = Flaw("no_op_passes", f"There is a reward for {what}.")
                self._tried[-1] = replace(self._tried[-1], flaw=found)
        reference = self._tried[0]
        if reference.flaw is None and self._reward(0) != 1 and not any(each.flaw for each in self._tried):
            found = Flaw("reference_fails", "The reference does not earn the whole reward.")
            self._tried[0] = replace(reference, flaw=found)

    def _prefixes(self, episode: Episode, states: dict[int, dict[str, object]]) -> None:
        """The reference cut off before each of its calls up to the last change; it was played once for all of them."""
        state, writes = self._solution.state, self._solution.write_steps
        cuts = range(writes[-1] + 1 if writes else 0)
        # Those without a change between them end alike: of many, all are judged, and some are rows.
        shown = list(dict.fromkeys([0, *reversed(writes), *cuts]))[:_MOST_PREFIXES]
        for number in cuts:
            state = states.get(number - 1, state)
            cut = Episode(self._solution.state, state, episode.calls[:number], episode.final_message)
            what = f"{number} of the calls" if number else "no call at all, with the reference's final message"
            trial = self._asked("prefix", number, what, cut)
            self._add("prefix", number, what, trial, None)
            if trial.has_passed or self._reward() == 1:
                found = Flaw("prefix_passes", f"Every check holds after {what}.")
                self._tried[-1] = replace(self._tried[-1], flaw=found)
            elif number not in shown:
                self._tried.pop()

    def _equivalents(self, episode: Episode) -> None:
        self._play_all(equivalents(self._solution, self._toolbox, episode))
        try:
            second = with_other_lookup(self._solution, self._toolbox, episode, self._environment)
        except (EnvironmentBroken, CodeRejected) as error:
            what = "the search for a second reference"
            raise self._broken("second_reference", 0, what, _unplayable(error)) from error
        self._play_all([second] if second else [])

    def _answers(self, episode: Episode) -> None:
        """Other final messages after the calls of the reference, which need not be played again for that."""
        checks = sum(each.kind == "answer" for each in self._solution.checks)
        if not checks:
            return
        message, is_refusal = self._solution.final_message, self._solution.kind == "refusal"
        for what, text in reworded(message):
            self._judge("other_wording", what, replace(episode, final_message=text))

        def passes(text: str) -> bool:
            number, said = self._count("wrong_answer"), replace(episode, final_message=text)
            return self._asked("wrong_answer", number, f'the message is "{text}"', said).has_passed is True

        wrong = wrong_messages(message, task=self._solution.task, is_refusal=is_refusal, checks=checks, passes=passes)
        for kind, what, text, is_surely_wrong in islice(wrong, max(0, MOST_TRIALS - len(self._tried))):
            reason = None if is_surely_wrong else "No check asks for that fact."
            self._judge(kind, what, replace(episode, final_message=text), unless_passed=reason)

    def _play_all(self, attempts: Iterable[Attempt]) -> None:
        for attempt in attempts:
            if len(self._tried) >= MOST_TRIALS:
                return
            try:
                played = self._player.play(attempt)
            except (EnvironmentBroken, CodeRejected) as error:
                number = self._count(attempt.kind)
                raise self._broken(attempt.kind, number, attempt.what, _unplayable(error)) from error
            self._judge_played(played)

    def _judge_played(self, played: Played) -> None:
        kind, what = played.attempt.kind, played.attempt.what
        if played.episode is None:
            self._add(kind, self._count(kind), what, None, None, why_not=played.void)
            return
        is_same = self._outcome(played.episode) == self._mark
        if kind == "reorder" and not is_same:
            kind = "swapped_order"
        if kind == "forbidden_call":
            self._judge_detour(what, played.episode, is_same=is_same)
        elif kind == "dropped_write" and is_same:
            flaw = Flaw("write_without_effect", f"All ends like the reference although {what}.")
            self._add(kind, self._count(kind), what, None, flaw)
        elif is_same and kind not in HAVE_TO_PASS:
            self._add(kind, self._count(kind), what, None, None, why_not="It ends like the reference.")
        elif not is_same and kind in HAVE_TO_PASS:
            self._add(kind, self._count(kind), what, None, None, why_not="It ends otherwise than the reference.")
        else:
            self._judge(kind, what, played.episode)

    def _judge_detour(self, what: str, episode: Episode, *, is_same: bool) -> None:
        """Forbidden is what a procedure check says is; where none does, the detour is as good as the reference."""
        if is_same:
            self._judge("forbidden_call", what, episode, unless_passed="No check forbids it.")
        else:
            number = self._count("forbidden_call")
            self._add("forbidden_call", number, what, None, None, why_not="It ends otherwise than the reference.")

    def _judge(self, kind: TrialKind, what: str, episode: Episode, *, unless_passed: str | None = None) -> None:
        """Ask the checks. `unless_passed` is why the trial is not counted where it passes."""
        number = self._count(kind)
        trial = self._asked(kind, number, what, episode)
        self._add(kind, number, what, trial, None)
        is_passed = trial.has_passed or (kind not in HAVE_TO_PASS and self._reward() == 1)
        if is_passed == (kind in HAVE_TO_PASS):
            return
        if is_passed and unless_passed is not None:
            self._tried[-1] = replace(self._tried[-1], why_not=unless_passed)
            return
        failed = ", ".join(map(str, trial.failed_numbers))
        flaw = Flaw("mutant_survives", f"{kind}: every check holds although {what}.")
        if kind in HAVE_TO_PASS:
            flaw = Flaw("equivalent_fails", f"{kind}: the checks {failed} are false although all is right: {what}.")
        self._tried[-1] = replace(self._tried[-1], flaw=flaw)

    def _has_idle_guard(self) -> bool:
        idle = set(needs_of(self._solution.checks, self._tried).idle)
        return any(each.kind == "guard" and each.number in idle for each in self._solution.checks)

    def _outcome(self, episode: Episode) -> str:
        return outcome_digest(self._toolbox.logic_model, episode.initial_state, episode.final_state)

    def _asked(self, kind: TrialKind, number: int, what: str, episode: Episode, *, afresh: bool = False) -> Trial:
        trial = self._asker.ask(episode, afresh=afresh)
        if trial.broken is not None:
            raise self._broken(kind, number, what, trial)
        return trial

    def _broken(self, kind: TrialKind, number: int, what: str, trial: Trial) -> _Broken:
        flaw = Flaw(str(trial.fault), str(trial.broken))
        self._add(kind, number, what, trial, flaw)
        return _Broken()

    def _add(
        self,
        kind: TrialKind,
        number: int,
        what: str,
        trial: Trial | None,
        flaw: Flaw | None,
        *,
        why_not: str | None = None,
        final_digest: str | None = None,
    ) -> None:
        self._tried.append(Tried(kind, number, what, trial, flaw, why_not, final_digest))

    def _count(self, kind: TrialKind) -> int:
        return sum(each.kind == kind for each in self._tried)

    def _reward(self, at: int = -1) -> float | None:
        """The reward of a trial, by default of the last one."""
        idle = next((each.trial for each in self._tried if each.kind == "no_op"), None)
        return self._tried[at].reward(idle.outcomes if idle else None)


def _unplayable(error: Exception) -> Trial:
    return Trial((), f"{type(error).__name__}: {error}", "environment_raises")
