"""Mutants and equivalents of a proof: each kind, what counts, and which checks they show to be needed."""

import json
from collections.abc import Iterator

import pytest

from schemas.scenarios import CheckDraft, ReferenceStep, ScenarioValidation
from tasks.proof.extra import toolbox_of
from tasks.proof.prove import MOST_TRIALS, Proof, prove
from tasks.proof.sameness import outcome_digest
from tasks.proof.trials import Solution
from tasks.runtime.derive import goal_checks
from tasks.runtime.environment import Environment, parameters_of
from tasks.runtime.episode import play
from tasks.scenarios.guard import guard_check
from tasks.scenarios.rows import check_rows
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.lending_shed_scenarios import TOOLS, check, step
from tests.fakes.sandbox import SANDBOX

STATE = STATES[0]
RETURN_AND_LEND = (
    step("find_members", name_contains="Bram de Wit"),
    step("list_loans", member_id=(0, "data", 0, "member_id"), status="open"),
    step("return_item", loan_id=(1, "data", 0, "loan_id"), condition="worn"),
    step("find_members", name_contains="Ada Okoro"),
    step("list_loans", member_id=(3, "data", 0, "member_id")),
    step("settle_fee", loan_id=(4, "data", 0, "loan_id"), amount_cents=450),
)
"""Two changes that do not touch one another: loans LOA-0002 and LOA-0001."""
TOLD = "The sander of Bram is back, and he owes 12.00 euros. The fee of 4.50 euros is settled."
FACT = check('return "12.00" in trajectory["final_message"]', "answer")


@pytest.fixture(scope="module")
def environment() -> Iterator[Environment]:
    with SANDBOX.environment(CODE, CLASS_NAME) as session:
        yield Environment(session, parameters_of(TOOLS))


def derived(environment: Environment, reference: tuple[ReferenceStep, ...]) -> tuple[CheckDraft, ...]:
    environment.reset(STATE)
    after = play(environment, reference).final_state
    return (*goal_checks(LOGIC_MODEL, STATE, after), guard_check(LOGIC_MODEL, STATE, after))


def proven(
    environment: Environment,
    *checks: CheckDraft,
    reference: tuple[ReferenceStep, ...] = RETURN_AND_LEND,
    message: str = TOLD,
    kind: str = "several_goals",
) -> Proof:
    writes = tuple(at for at, each in enumerate(reference) if each.tool in ("return_item", "settle_fee", "lend_item"))
    rows = check_rows("scn_0", checks)
    solution = Solution("scn_0", STATE, reference, message, rows, writes, kind)
    with SANDBOX.checks() as session:
        return prove(solution, environment, session, toolbox_of(LOGIC_MODEL, TOOLS))


def of(proof: Proof, kind: str) -> list[ScenarioValidation]:
    return [each for each in proof.trials if each.trial == kind]


def test_every_kind_of_mutant_is_played_and_caught(environment: Environment) -> None:
    looked_up = check(
        'tools = [each["tool"] for each in trajectory["calls"]]; '
        'return "list_loans" in tools[: tools.index("return_item")] if "return_item" in tools else False',
        "procedure",
    )
    proof = proven(environment, *derived(environment, RETURN_AND_LEND), FACT, looked_up)

    assert (proof.status, proof.detail) == ("accepted", None)
    caught = {each.trial for each in proof.trials if each.is_counted and each.has_passed is False}
    assert caught >= {
        *("dropped_write", "changed_argument", "neighbour_entity", "extra_write"),
        *("wrong_answer", "forbidden_call", "no_op", "prefix"),
    }
    passed = {each.trial for each in proof.trials if each.is_counted and each.has_passed}
    assert passed == {
        *("reference", "reorder", "other_lookups", "refused_try", "other_wording", "second_reference"),
    }
    assert len(proof.trials) <= MOST_TRIALS
    assert proof.needs.idle == () and proof.needs.alike == ()


def test_mutants_of_the_state_keep_the_answer_so_that_only_checks_of_the_state_catch_them(
    environment: Environment,
) -> None:
    proof = proven(environment, *derived(environment, RETURN_AND_LEND), FACT)

    answer = len(derived(environment, RETURN_AND_LEND)) + 1
    kinds = ("dropped_write", "changed_argument", "neighbour_entity", "extra_write", "wrong_twin")
    mutants = [each for kind in kinds for each in of(proof, kind) if each.is_counted]
    assert len(mutants) >= 6
    assert [each for each in mutants if answer in each.checks_failed] == []
    assert {tuple(each.checks_failed) for each in of(proof, "wrong_answer") if each.is_counted} == {(answer,)}


COUNTED = "There are 5 waiting enrolments. 3 students pay the full fee. Ada's loan is due on 2025-04-12."
WAITING = r"5 [^.\d]*waiting|waiting[^.\d]* 5(?!\d)"
FULL = r"(?<!\d)3 [^.\d]*full|full[^.\d]* 3(?!\d)"


def asks(*patterns: str) -> CheckDraft:
    return check(
        f'import re; said = trajectory["final_message"]; return all(re.search(each, said) for each in {patterns!r})',
        "answer",
    )


@pytest.mark.parametrize(
    ("loose", "survivor"),
    [
        (asks(r"\b5\b", r"\b3\b"), "the message lists all numbers from 0 to 60"),
        (asks(r"\b5\b", "waiting"), 'the message lists all numbers from 0 to 60 for "5"'),
        (
            asks(r"\b5\b[^,]* (?:waiting|students)", r"\b3\b[^,]* (?:waiting|students)"),
            '"5" and "3" have changed places',
        ),
    ],
)
def test_a_check_that_finds_a_number_anywhere_is_found_by_other_numbers(
    environment: Environment, loose: CheckDraft, survivor: str
) -> None:
    proof = proven(environment, *derived(environment, RETURN_AND_LEND), loose, message=COUNTED)

    assert (proof.status, proof.reason) == ("rejected", "mutant_survives")
    assert str(proof.detail).startswith(f"wrong_answer: every check holds although {survivor}")


def test_a_check_that_binds_each_number_to_its_words_is_proven_and_facts_that_none_asks_for_keep_their_places(
    environment: Environment,
) -> None:
    bound = proven(environment, *derived(environment, RETURN_AND_LEND), asks(WAITING, FULL), message=COUNTED)
    one = proven(environment, *derived(environment, RETURN_AND_LEND), asks(WAITING), message=COUNTED)

    swaps = [[each for each in of(proof, "wrong_answer") if "changed places" in each.what] for proof in (bound, one)]
    assert (bound.status, one.status) == ("accepted", "accepted")
    assert [len(each) for each in swaps] == [1, 0]
    assert (swaps[0][0].is_counted, swaps[0][0].has_passed) == (True, False)


RENAME = '''
    def rename_item(self, item_id: str, name: str) -> dict[str, Any]:
        """Give an item another name.

        Args:
            item_id: Id of the item.
            name: Its new name.
        """
        if item_id not in self.items or not name:
            return _refuse("There is no such item, or no name.")
        self.items[item_id]["name"] = name
        return _answer(self.items[item_id])

'''


def test_a_forbidden_tool_is_told_by_the_calls_alone_where_its_change_can_be_undone(environment: Environment) -> None:
    renamed = CODE.replace("    def settle_fee(", RENAME + "    def settle_fee(")
    schema = {
        "type": "object",
        "properties": {"item_id": {"type": "string"}, "name": {"type": "string"}},
        "required": ["item_id", "name"],
    }
    rename = TOOLS[-1].model_copy(
        update={"name": "rename_item", "kind": "state_change", "parameters_json": json.dumps(schema)}
    )
    never = check('return all(each["tool"] != "rename_item" for each in trajectory["calls"])', "procedure")
    tools = (*TOOLS, rename)
    rows = check_rows("scn_0", (*derived(environment, RETURN_AND_LEND), never))
    solution = Solution("scn_0", STATE, RETURN_AND_LEND, TOLD, rows, (2, 5), "several_goals")
    with SANDBOX.environment(renamed, CLASS_NAME) as session, SANDBOX.checks() as checks:
        proof = prove(solution, Environment(session, parameters_of(tools)), checks, toolbox_of(LOGIC_MODEL, tools))

    assert proof.status == "accepted"
    undone = [each for each in of(proof, "forbidden_call") if each.what.startswith("rename_item is called, and undone")]
    assert [each.checks_failed for each in undone if each.is_counted][:1] == [[len(rows)]]
    assert proof.needs.idle == ()


def test_what_a_tool_refuses_is_not_counted(environment: Environment) -> None:
    proof = proven(environment, *derived(environment, RETURN_AND_LEND))

    (again,) = of(proof, "repeated_write")
    assert (again.is_counted, again.has_passed, again.reward, again.is_as_expected) == (False, None, None, True)
    assert again.detail == "The tool refuses it: settle_fee: There is no such loan with a fee due."


def test_a_mutant_that_survives_rejects_the_scenario_and_is_named(environment: Environment) -> None:
    *goals, guard = derived(environment, RETURN_AND_LEND)
    loose = check('return final_state["loans"]["LOA-0002"]["status"] == "returned"')
    proof = proven(environment, loose, *goals[1:], guard)

    assert (proof.status, proof.reason) == ("rejected", "mutant_survives")
    (survivor,) = [each for each in of(proof, "changed_argument") if not each.is_as_expected][:1]
    assert (
        survivor.detail
        == proof.detail
        == ("changed_argument: every check holds although return_item at step 2 gets another condition.")
    )


def test_without_a_guard_an_extra_write_survives(environment: Environment) -> None:
    proof = proven(environment, *derived(environment, RETURN_AND_LEND)[:-1])

    assert (proof.status, proof.reason) == ("rejected", "mutant_survives")
    assert any(not each.is_as_expected for each in of(proof, "extra_write"))


TOOLS_CALLED = 'tools = [each["tool"] for each in trajectory["calls"]]; '


@pytest.mark.parametrize(
    ("line", "kind", "trial"),
    [
        (TOOLS_CALLED + 'return tools.count("return_item") == 1', "procedure", "refused_try"),
        (TOOLS_CALLED + 'return tools.count("list_loans") == 2', "procedure", "other_lookups"),
        ('return trajectory["final_message"].startswith("The sander")', "answer", "other_wording"),
        (TOOLS_CALLED + 'return tools[-1:] == ["settle_fee"]', "procedure", "reorder"),
        ('return final_state["counters"]["loans"] == 4 and len(trajectory["calls"]) < 8', "goal", "other_lookups"),
    ],
)
def test_a_check_that_is_too_strict_is_found_by_what_is_as_right(
    environment: Environment, line: str, kind: str, trial: str
) -> None:
    strict = CheckDraft.model_validate({**check(line).model_dump(), "kind": kind})
    proof = proven(environment, *derived(environment, RETURN_AND_LEND), strict)

    assert (proof.status, proof.reason) == ("rejected", "equivalent_fails")
    assert trial in {each.trial for each in proof.trials if not each.is_as_expected}


def test_an_order_that_a_tool_refuses_proves_nothing(environment: Environment) -> None:
    pay_twice = (
        step("find_members", name_contains="Ada Okoro"),
        step("list_loans", member_id=(0, "data", 0, "member_id")),
        step("settle_fee", loan_id=(1, "data", 0, "loan_id"), amount_cents=450),
        step("find_items", name_contains="Hedge trimmer"),
        step("list_loans", item_id=(3, "data", 0, "item_id")),
        step("return_item", loan_id=(4, "data", 0, "loan_id"), condition="good"),
        step("lend_item", member_id=(0, "data", 0, "member_id"), item_id=(3, "data", 0, "item_id"), days=7),
    )
    proof = proven(environment, *derived(environment, pay_twice), reference=pay_twice)

    assert proof.status == "accepted"
    refused = [(each.what, each.detail) for each in of(proof, "reorder") if not each.is_counted]
    assert refused == [("step 6 comes before step 5", "The tool refuses it: lend_item: ITM-0002 is lent out.")]


def test_another_order_that_ends_otherwise_has_to_fail(environment: Environment) -> None:
    first_two = (
        step("list_loans", status="open"),
        step("list_loans", status="open"),  # after the first return, the second open loan is another one
        step("return_item", loan_id=(0, "data", 0, "loan_id"), condition="worn"),
        step("return_item", loan_id=(1, "data", 1, "loan_id"), condition="good"),
    )
    proof = proven(environment, *derived(environment, first_two), reference=first_two)

    assert proof.status == "accepted"
    (swapped,) = of(proof, "swapped_order")
    assert swapped.what == "every look-up comes as late as possible"
    assert (swapped.is_expected_to_pass, swapped.is_counted, swapped.has_passed) == (False, True, False)


def test_checks_that_add_nothing_are_told(environment: Environment) -> None:
    *goals, guard = derived(environment, RETURN_AND_LEND)
    idle = check('return len(final_state["members"]) == 4', "guard")
    twin = check('return final_state["loans"]["LOA-0001"]["fee_due_cents"] == 0')
    proof = proven(environment, *goals, twin, idle, guard, FACT)

    assert proof.status == "accepted"
    numbers = {
        text: number
        for number, text in enumerate([*goals, "twin", "idle", "guard", "fact"], start=1)
        if isinstance(text, str)
    }
    assert proof.needs.idle == (numbers["idle"],)
    assert any(numbers["twin"] in group for group in proof.needs.alike)


def test_states_that_differ_in_ids_and_stamps_alone_end_alike() -> None:
    def with_loans(*pairs: tuple[str, str], **values: str) -> dict[str, object]:
        loans = dict(STATE["loans"])
        for key, item in pairs:
            loans[key] = {
                **STATE["loans"]["LOA-0004"],
                "loan_id": key,
                "item_id": item,
                "lent_at": STATE["now"],
                **values,
            }
        return {**STATE, "loans": loans}

    one = outcome_digest(LOGIC_MODEL, STATE, with_loans(("LOA-0005", "ITM-0001"), ("LOA-0006", "ITM-0003")))
    swapped = outcome_digest(LOGIC_MODEL, STATE, with_loans(("LOA-0005", "ITM-0003"), ("LOA-0006", "ITM-0001")))
    late = outcome_digest(
        LOGIC_MODEL, STATE, with_loans(("LOA-0005", "ITM-0001"), ("LOA-0006", "ITM-0003"), due_on="2025-04-18")
    )

    assert one == swapped
    assert one != late != outcome_digest(LOGIC_MODEL, STATE, STATE)


def test_of_many_prefixes_some_are_rows_and_each_is_judged(environment: Environment) -> None:
    shifted = tuple(
        each.model_copy(
            update={"bindings": {k: v.model_copy(update={"step": v.step + 6}) for k, v in each.bindings.items()}}
        )
        for each in RETURN_AND_LEND
    )
    long = (*[step("find_items", name_contains="Hedge trimmer")] * 6, *shifted)
    kept = proven(environment, *derived(environment, long), reference=long)
    cut = proven(environment, check('return len(trajectory["calls"]) in (6, 12)'), reference=long)

    assert [each.number for each in of(kept, "prefix")] == [0, 1, 2, 3, 4, 8, 11]
    assert (cut.reason, cut.detail) == ("prefix_passes", "Every check holds after 6 of the calls.")
    assert [each.number for each in of(cut, "prefix")] == [0, 1, 2, 3, 4, 6, 8, 11]
