"""Scenarios whose right end state is no change: a refusal with its true reason, and a plain question."""

import pytest

from schemas.scenarios import ScenarioDraft
from tests.fakes.lending_shed_scenarios import check, fate, generate, step, with_checks

REASON = check('said = trajectory["final_message"].lower(); return "fee" in said and "4.50" in said', "answer")
REFUSE = ScenarioDraft(
    kind="refusal",
    task="Lend Ada Okoro the electric chainsaw for a week, even though she still owes us something.",
    reference=(
        step("find_members", name_contains="Ada Okoro"),
        step("list_loans", member_id=(0, "data", 0, "member_id")),
    ),
    final_message="I did not lend it: Ada has to settle her late fee of 4.50 euros first.",
    checks=(REASON,),
)
ASK = ScenarioDraft(
    kind="question",
    task="Until when does Chiara Rossi have the welding set?",
    reference=(
        step("find_members", name_contains="Chiara Rossi"),
        step("list_loans", member_id=(0, "data", 0, "member_id"), status="open"),
    ),
    final_message="Chiara Rossi has it until 2025-04-12.",
    checks=(check('return "2025-04-12" in trajectory["final_message"]', "answer"),),
)


def test_a_refusal_is_proven_by_its_answer_and_by_what_must_not_change() -> None:
    outcome = generate(REFUSE)

    assert fate(outcome) == ("accepted", None)
    assert [(each.kind, each.origin) for each in outcome.checks] == [("answer", "author"), ("guard", "derived")]
    trials = outcome.scenario_validations
    giving_in = [each for each in trials if each.trial == "giving_in" and each.is_counted]
    assert giving_in and {tuple(each.checks_failed) for each in giving_in} == {(2,)}
    stock = [each for each in trials if each.trial in ("stock_refusal", "no_op")]
    assert len(stock) == 10 and {tuple(each.checks_failed) for each in stock} == {(1,)}
    assert [each for each in trials if each.trial == "prefix"] == []
    (row,) = outcome.scenarios
    assert (row.reference_length, row.write_count) == (2, 0)


def test_a_question_is_proven_by_its_answer() -> None:
    outcome = generate(ASK)

    assert fate(outcome) == ("accepted", None)
    assert {each.trial for each in outcome.scenario_validations} >= {"wrong_answer", "extra_write", "other_wording"}


def test_a_refusal_that_any_stock_refusal_fulfils_is_not_proven() -> None:
    polite = check(
        'return "not" in trajectory["final_message"] and "possible" in trajectory["final_message"]', "answer"
    )
    draft = REFUSE.model_copy(update={"final_message": "That is not possible.", "checks": (polite,)})

    outcome = generate(draft)

    assert fate(outcome) == ("rejected", "mutant_survives")
    assert str(outcome.scenarios[0].detail).startswith("stock_refusal: every check holds although the message is ")


@pytest.mark.parametrize(
    ("words", "survivor"),
    [
        (("open", "fee"), "I can't do that. Please open a ticket."),
        (("pending", "fee"), "It is pending approval, so I did not do it."),
        (("closed", "fee"), "Sorry, the request is closed."),
        (("order", "4.50"), "I can't do that for this customer, member or order."),
        (("start", "4.50"), "I was not able to start this, as everything is taken at the moment."),
    ],
)
def test_a_refusal_whose_check_asks_for_a_word_of_the_reason_only_is_not_proven(
    words: tuple[str, str], survivor: str
) -> None:
    loose = check(
        f'said = trajectory["final_message"].lower(); return any(word in said for word in {words!r})', "answer"
    )

    outcome = generate(with_checks(REFUSE, loose))

    assert fate(outcome) == ("rejected", "mutant_survives")
    assert outcome.scenarios[0].detail == f'stock_refusal: every check holds although the message is "{survivor}".'


def test_a_refusal_is_not_tried_with_what_its_own_reason_says() -> None:
    closed = check('said = trajectory["final_message"].lower(); return "is closed" in said', "answer")
    draft = REFUSE.model_copy(update={"final_message": "I did not lend it: the fee request is closed."})

    outcome = generate(with_checks(draft, closed))

    assert fate(outcome) == ("accepted", None)
    stock = [each.what for each in outcome.scenario_validations if each.trial == "stock_refusal"]
    assert len(stock) == 5 and not [each for each in stock if "closed" in each or "pending" in each]


@pytest.mark.parametrize(
    ("reason", "draft"),
    [
        ("answer_check_missing", with_checks(REFUSE)),
        ("reference_too_short", REFUSE.model_copy(update={"reference": ()})),
        (
            "write_not_asked_for",
            REFUSE.model_copy(
                update={
                    "reference": (
                        *REFUSE.reference,
                        step("settle_fee", loan_id=(1, "data", 0, "loan_id"), amount_cents=450),
                    )
                }
            ),
        ),
    ],
)
def test_a_refusal_without_what_makes_it_one_is_rejected(reason: str, draft: ScenarioDraft) -> None:
    assert fate(generate(draft)) == ("rejected", reason)
