"""A test plan for the lending shed, on its first initial state."""

from typing import Any, Literal

from tasks.authors.base import SetupCall
from tasks.authors.base import TestCase as Case
from tasks.authors.base import TestPlan as Plan

_LENT_OUT = SetupCall(tool="lend_item", arguments={"member_id": "MEM-0003", "item_id": "ITM-0004", "days": 7})
_TWO_MORE = (
    _LENT_OUT,
    SetupCall(tool="return_item", arguments={"loan_id": "LOA-0004", "condition": "good"}),
    SetupCall(tool="lend_item", arguments={"member_id": "MEM-0003", "item_id": "ITM-0002", "days": 7}),
    SetupCall(tool="return_item", arguments={"loan_id": "LOA-0002", "condition": "good"}),
)


def case(
    tool: str,
    expected: Literal["success", "refused"] = "success",
    *,
    rule: str | None = None,
    holds: str | None = None,
    given: dict[str, Any] | None = None,
    setup: tuple[SetupCall, ...] = (),
    **arguments: Any,
) -> Case:
    """A case; what it tries is plain from its arguments."""
    return Case(
        tool=tool,
        arguments=arguments,
        given=given or {},
        setup=setup,
        expected=expected,
        rule_id=rule,
        holds=holds,
        why=f"{tool} is {'allowed' if expected == 'success' else 'refused'}.",
    )


def lend(expected: Literal["success", "refused"] = "success", *, rule: str | None = None, **options: Any) -> Case:
    """A case of `lend_item` with the orbital sander that is on the shelf, for a week."""
    arguments = {"member_id": "MEM-0002", "item_id": "ITM-0004", "days": 7, **options}
    return case("lend_item", expected, rule=rule, **arguments)


CASES = (
    case("find_items", category="wood", holds="[i['item_id'] for i in result['data']] == ['ITM-0003', 'ITM-0004']"),
    case("find_items", "refused", category="stone"),
    case("find_items", "refused", is_available="yes"),
    case("find_members", name_contains="bram", holds="len(result['data']) == 2"),
    case("find_members", "refused", name_contains=7),
    case("find_members", "refused"),
    case("list_loans", member_id="MEM-0003", holds="[each['loan_id'] for each in result['data']] == ['LOA-0003']"),
    case("list_loans", "refused", member_id="MEM-0099"),
    case("list_loans", "refused", status="lost"),
    case(
        "register_member",
        full_name="Ines Berger",
        email="ines@example.org",
        holds="state['members']['MEM-0005']['email'] == 'ines@example.org' and len(state['members']) == 5",
    ),
    case("register_member", "refused", rule="email_unique", full_name="Ada", email="ada.okoro@example.org"),
    case("register_member", "refused", full_name="", email="ines@example.org"),
    lend(days=21, holds="state['loans']['LOA-0005']['due_on'] == '2025-04-28'"),
    lend("refused", days=22),
    lend("refused", days=0),
    lend("refused", member_id="ITM-0001"),
    lend("refused", rule="training_needed", item_id="ITM-0001"),
    lend("refused", rule="fees_first", member_id="MEM-0001"),
    lend("refused", rule="broken_stays", item_id="ITM-0007"),
    lend("refused", rule="item_lent_once", setup=(_LENT_OUT,)),
    lend("refused", rule="loan_limit", member_id="MEM-0003", item_id="ITM-0003", setup=_TWO_MORE),
    case("extend_loan", loan_id="LOA-0003", due_on="2025-04-28", holds="state['loans']['LOA-0003']['is_extended']"),
    case("extend_loan", "refused", loan_id="LOA-0003", due_on="2025-04-29"),
    case("extend_loan", "refused", rule="extended_in_time", loan_id="LOA-0002", due_on="2025-04-20"),
    case(
        "extend_loan",
        "refused",
        rule="extended_in_time",
        loan_id="LOA-0003",
        due_on="2025-04-20",
        given={"now": "2025-04-13T10:00"},
    ),
    case(
        "return_item",
        loan_id="LOA-0002",
        condition="worn",
        holds="state['loans']['LOA-0002']['fee_due_cents'] == 1200"
        " and state['items']['ITM-0003']['condition'] == 'worn'",
    ),
    case("return_item", "refused", loan_id="LOA-0001", condition="worn", rule="loan_lifecycle"),
    case("return_item", "refused", loan_id="LOA-0002", condition="lost"),
    case("settle_fee", loan_id="LOA-0001", amount_cents=450, holds="state['loans']['LOA-0001']['fee_due_cents'] == 0"),
    case("settle_fee", "refused", loan_id="LOA-0001", amount_cents=451),
    case("settle_fee", "refused", loan_id="LOA-0003", amount_cents=1),
)
PLAN = Plan(cases=CASES)
