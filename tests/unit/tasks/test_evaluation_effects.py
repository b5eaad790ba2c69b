"""What calls change and return is held against the plan and the state."""

import pytest

from tasks.evaluation.evaluate import Evaluation, evaluate
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX


def evaluated(old: str, new: str) -> Evaluation:
    assert CODE.count(old) == 1, CODE.count(old)
    return evaluate(CODE.replace(old, new), CLASS_NAME, LOGIC_MODEL, STATES, sandbox=SANDBOX, seed=1)


@pytest.mark.parametrize(
    ("old", "new", "reason", "says"),
    [
        (
            '        loan["is_extended"] = True\n',
            '        loan["is_extended"] = True\n        self.items[loan["item_id"]]["weight_kg"] += 1\n',
            "effect_undeclared",
            "changes 'items'; the plan lets extend_loan change loans",
        ),
        (
            '        loan["due_on"] = due_on\n        loan["is_extended"] = True\n',
            "",
            "effect_missing",
            "extend_loan: none of",
        ),
        (
            '        loan["is_extended"] = True\n        return _answer(loan)',
            '        loan["is_extended"] = True\n        return _answer({**loan, "status": "returned"})',
            "result_contradicts_state",
            "'status' of LOA-",
        ),
        (
            'and (status is None or loan["status"] == status)',
            'and (status is None or loan["status"] != status)',
            "filter_ignored",
            "whose 'status' is",
        ),
        (
            'and (category is None or item["category"] == category)',
            "",
            "filter_ignored",
            "whose 'category' is",
        ),
    ],
    ids=["one thing more", "nothing at all", "another result", "a filter upside down", "a filter forgotten"],
)
def test_a_wrong_effect_or_result_is_named(old: str, new: str, reason: str, says: str) -> None:
    evaluation = evaluated(old, new)

    assert (evaluation.status, evaluation.reason) == ("rejected", reason), evaluation.detail
    assert says in str(evaluation.detail)
