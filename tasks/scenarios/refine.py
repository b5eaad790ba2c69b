"""The checks of a scenario after its proof: none that adds nothing, none twice, and none that was shown to be wrong."""

from collections.abc import Iterable, Sequence

from schemas.scenarios import CheckDraft, ScenarioDraft, ScenarioValidation
from tasks.proof.prove import Proof
from tasks.proof.verdicts import HAVE_TO_PASS, Needs
from tasks.runtime.derive import check_source

_STATE_KINDS = ("goal", "guard")
_SHOWN_WRONG = frozenset({"mutant_survives", "prefix_passes", "equivalent_fails"})


def needed_checks(checks: Sequence[CheckDraft], needs: Needs) -> tuple[CheckDraft, ...]:
    """The checks without those that no trial needs; goals that fail alike are joined, or the author's give way.

    The automatic guard always stays, and so does the last goal.
    """
    by_number = dict(enumerate(checks, start=1))
    for numbers in needs.alike:
        derived = [number for number in numbers if by_number[number].origin == "derived"]
        kept = derived or list(numbers[:1])
        if len(derived) > 1:
            by_number[kept[0]] = joined([by_number[number] for number in derived])
        for number in numbers:
            if number != kept[0]:
                del by_number[number]
    for number in needs.idle:
        check = by_number.get(number)
        is_automatic = check is not None and (check.kind, check.origin) == ("guard", "derived")
        is_last_goal = check is not None and check.kind == "goal" and _goals(by_number.values()) == 1
        if check is not None and not is_automatic and not is_last_goal:
            del by_number[number]
    return tuple(by_number.values())


def joined(checks: Sequence[CheckDraft]) -> CheckDraft:
    """One derived check that holds where all of these do."""
    body: list[str] = []
    for number, check in enumerate(checks, start=1):
        head, *lines = check.code.splitlines()
        assert head.startswith("def check("), "a derived check is one function"
        body += [f"def holds_{number}() -> bool:", *lines, ""]
    calls = " and ".join(f"holds_{number}()" for number in range(1, len(checks) + 1))
    text = " ".join(check.text for check in checks)
    kind = checks[0].kind
    return CheckDraft(kind=kind, origin="derived", text=text, code=check_source([*body, f"return {calls}"]))


def without_wrong_state_checks(
    draft: ScenarioDraft, checks: Sequence[CheckDraft], proof: Proof
) -> ScenarioDraft | None:
    """The draft without its author's checks of the state that a trial showed to be too loose or too strict.

    What follows from the reference takes their place when the checks are completed again. Null where that would change
    nothing: the fault lies in a check of another kind, or in the solution.
    """
    if proof.reason not in _SHOWN_WRONG:
        return None
    failed = _failed_on_equivalents(proof.trials)
    is_loose = proof.reason != "equivalent_fails"
    wrong = {
        check.code
        for number, check in enumerate(checks, start=1)
        if check.origin == "author"
        and ((is_loose and check.kind == "goal") or (number in failed and check.kind in _STATE_KINDS))
    }
    kept = tuple(check for check in draft.checks if check.code not in wrong)
    return draft.model_copy(update={"checks": kept}) if len(kept) < len(draft.checks) else None


def _failed_on_equivalents(trials: Sequence[ScenarioValidation]) -> set[int]:
    return {
        number
        for each in trials
        if each.trial in HAVE_TO_PASS and not each.is_as_expected and each.trial != "reference"
        for number in each.checks_failed
    }


def _goals(checks: Iterable[CheckDraft]) -> int:
    return sum(each.kind == "goal" for each in checks)
