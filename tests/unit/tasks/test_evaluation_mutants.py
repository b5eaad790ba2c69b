"""One flaw at a time is put into the lending shed; each must be rejected for exactly that flaw."""

import pytest

from tasks.evaluation.evaluate import evaluate
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX

# name: (reason code, text in the code, its replacement), further pairs where one is not enough
MUTANTS = {
    "a missing colon": ("does_not_parse", "class LendingShed:", "class LendingShed"),
    "a forbidden import": ("forbidden_import", "import copy\n", "import copy\nimport os\n"),
    "another class name": ("class_missing", "class LendingShed:", "class Shed:"),
    "an id from an address": ("nondeterministic_call", "{self.counters[collection]:04d}", "{id(self) % 9999:04d}"),
    "an id from a hash": ("nondeterministic_call", "{self.counters[collection]:04d}", "{hash(prefix) % 9999:04d}"),
    "the order of a set": (
        "nondeterministic_call",
        '"trainings": list(trainings or [])',
        '"trainings": list(set(trainings or []))',
    ),
    "a missing tool": ("tool_missing", "def settle_fee", "def _settle_fee"),
    "an extra tool": ("tool_unplanned", "_today", "today"),
    "a parameter without a type": ("annotation_missing", "item_id: str, days: int", "item_id: str, days"),
    "a tool without a docstring": (
        "docstring_missing",
        '        """Find members by part of their name.\n\n        Args:\n'
        '            name_contains: Part of the full name, in any letter case.\n        """\n',
        "",
    ),
    "an undescribed parameter": ("docstring_missing", "            category: Only items of this category.\n", ""),
    "a smaller enum": ("schema_mismatch", 'Literal["good", "worn", "broken"]', 'Literal["good", "broken"]'),
    "an optional parameter": ("schema_mismatch", "item_id: str, days: int", "item_id: str, days: int = 7"),
    "another type": ("schema_mismatch", "amount_cents: int", "amount_cents: float"),
    "a constructor that needs a config": ("does_not_load", 'given.get("now", "2025-04-07T10:00")', 'given["now"]'),
    "a set in the state": ("state_not_json", "self.loans = given", "self.seen = set()\n        self.loans = given"),
    "a set in a record": (
        "state_not_json",
        'loan["fee_due_cents"] -= amount_cents',
        'loan["fee_due_cents"] -= amount_cents\n        loan["notes"] = {"paid"}',
    ),
    "an unchecked type": (
        "uncaught_exception",
        '        if not isinstance(name_contains, str):\n            return _refuse("name_contains must be a text.")\n',
        "",
    ),
    "a date at the end of time": (
        "uncaught_exception",
        "if wanted is None or not",
        "if wanted + timedelta(days=1) is None or not",
    ),
    "a set as result": (
        "result_not_json",
        '_answer([each for each in self.members.values() if wanted in each["full_name"].lower()])',
        '_answer({each["member_id"] for each in self.members.values() if wanted in each["full_name"].lower()})',
    ),
    "a refusal without a reason": ("result_malformed", '{"success": False, "error": error}', '{"success": False}'),
    "a success without content": ("result_malformed", '"message": f"{amount_cents}', '"note": f"{amount_cents}'),
    "true as a number": ("wrong_argument_accepted", "type(value) is int and", "isinstance(value, int) and"),
    "a query that counts": (
        "query_changes_state",
        "        wanted = name_contains.lower()\n",
        '        wanted = name_contains.lower()\n        self.counters["searches"] = 1\n',
    ),
    "a change before validation": (
        "failed_call_changes_state",
        "        item = self.items.get(item_id) if isinstance(item_id, str) else None\n        if item is None:",
        '        self.counters["loans"] += 1\n'
        "        item = self.items.get(item_id) if isinstance(item_id, str) else None\n        if item is None:",
    ),
    "a lax date": (
        "state_broken",
        'if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):',
        "if not isinstance(value, str):",
    ),
    "an unbounded text": ("state_broken", "<= longest and value", "and value"),
    "a broken invariant": ("invariant_broken", "if self._is_lent(item_id):", "if False:"),
    "a broken uniqueness": ("invariant_broken", 'any(each["email"] == email.lower() ', "any(False "),
    "a deleted loan": (
        "transition_broken",
        '        self.items[loan["item_id"]]["condition"] = condition\n',
        '        self.items[loan["item_id"]]["condition"] = condition\n        del self.loans[loan_id]\n',
    ),
    "a skipped precondition": ("precondition_not_enforced", 'if item["training"] is not None and', "if False and"),
    "an id from a printed object": (
        "nondeterministic",
        "{self.counters[collection]:04d}",
        "{self.counters[collection]:04d}{object()}",
    ),
    "a hidden counter": (
        "state_does_not_survive",
        '        return f"{prefix}-{self.counters[collection]:04d}"',
        '        self._ids = getattr(self, "_ids", 0) + 1\n'
        '        return f"{prefix}-{self.counters[collection]:04d}-{self._ids}"',
    ),
    "a shared default": (
        "shared_object",
        'given.get("members", {})',
        'given.get("members", _MEMBERS)',
        "_MAX_NAME = 80\n",
        "_MAX_NAME = 80\n_MEMBERS: dict[str, Any] = {}\n",
    ),
    "a shared default of what is never the first to be made": (
        "shared_object",
        'given.get("loans", {})',
        'given.get("loans", _LOANS)',
        "_MAX_NAME = 80\n",
        "_MAX_NAME = 80\n_LOANS: dict[str, Any] = {}\n",
    ),
    "a kept argument": ("shared_object", '"trainings": list(trainings or [])', '"trainings": trainings or []'),
    "a handed-out record": ("shared_object", "copy.deepcopy(data)", "data"),
    "a kept config": ("shared_object", "copy.deepcopy(config) if", "config if"),
    "a tool that always refuses": ("tool_never_succeeds", 'loan["fee_due_cents"] == 0', 'loan["fee_due_cents"] >= 0'),
}


def mutate(*edits: str) -> str:
    """The code with each first text of a pair replaced by the second."""
    code = CODE
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert old in code, f"the fixture has changed: {old!r}"
        code = code.replace(old, new)
    return code


@pytest.mark.parametrize("name", MUTANTS)
def test_each_flaw_is_rejected_with_its_own_reason(name: str) -> None:
    reason, *edits = MUTANTS[name]

    evaluation = evaluate(mutate(*edits), CLASS_NAME, LOGIC_MODEL, STATES, sandbox=SANDBOX, seed=1)

    assert (evaluation.status, evaluation.reason) == ("rejected", reason), evaluation.detail
    assert evaluation.findings[0].reason == reason
    assert evaluation.detail


@pytest.mark.parametrize("seed", [1, 2])
def test_the_flawless_class_is_accepted_and_every_tool_and_rule_was_reached(seed: int) -> None:
    evaluation = evaluate(CODE, CLASS_NAME, LOGIC_MODEL, STATES, sandbox=SANDBOX, seed=seed)

    assert (evaluation.status, evaluation.reason, evaluation.findings) == ("accepted", None, ())
    assert evaluation.tools_covered == len(LOGIC_MODEL.operations)
    assert evaluation.rules_checked == sum(rule.predicate is not None for rule in LOGIC_MODEL.rules)
    assert all(trial.is_passed for trial in evaluation.trials)
