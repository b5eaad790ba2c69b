"""What every sandbox must do with checks and predicates."""

from typing import Any

import pytest

from tasks.sandbox.base import CheckSession, CheckVerdict

CHECK = "def check(initial_state, final_state, trajectory):\n"
TRUE = CHECK + "    return True\n"


def verdict(checks: CheckSession, code: str, final_state: dict[str, Any], message: str = "Done.") -> CheckVerdict:
    """What one check says about an episode that began with x = 0."""
    (said,) = checks.check([code], {"x": 0}, final_state, {"final_message": message})
    return said


def test_a_check_says_true_or_false(checks: CheckSession) -> None:
    code = CHECK + "    return final_state['x'] == 1 and trajectory['final_message'] == 'Done.'\n"

    assert verdict(checks, code, {"x": 1}) == CheckVerdict(True, None)
    assert verdict(checks, code, {"x": 2}) == CheckVerdict(False, None)


def test_many_checks_answer_in_their_order_each_on_what_came_in(checks: CheckSession) -> None:
    spoil = CHECK + "    final_state.clear()\n    trajectory['calls'] = (1,)\n    return True\n"
    is_one = CHECK + "    return final_state == {'x': 1} and trajectory == {'calls': [1, 2.0]}\n"
    is_two = CHECK + "    return final_state['x'] == 2\n"

    said = checks.check([is_one, spoil, is_one, is_two, is_one], {"x": 0}, {"x": 1}, {"calls": [1, 2.0]})

    assert [each.passed for each in said] == [True, False, True, False, True]
    assert [each.error for each in said] == [None, "changed_inputs: the check changed its inputs", None, None, None]
    assert checks.check([], {}, {}, {}) == []


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("    return 1", "not_bool: the check returned int, not bool"),
        ("    pass", "not_bool: the check returned NoneType"),
        ("    return final_state['y']", "KeyError: 'y' (line 2)"),
        ("    raise SystemExit", "SystemExit (line 2)"),
        ("    final_state['x'] = 5\n    return True", "changed_inputs: the check changed its inputs"),
        ("    initial_state['z'] = {1}\n    return True", "changed_inputs"),
        ("    trajectory.clear()\n    return True", "changed_inputs"),
        ("    while True: pass", "timeout: no answer within 0.2 s of CPU time"),
        ("    while True:\n        try:\n            while True: pass\n        except Exception: pass", "timeout"),
        ("    import os\n    return True", "import_refused: module 'os' is not available here"),
        ("    return True +", "syntax_error"),
        ("    return [0] * 10 ** 12", "MemoryError"),
    ],
)
def test_a_broken_check_is_an_error_and_the_session_goes_on(checks: CheckSession, body: str, error: str) -> None:
    bad, good = checks.check([CHECK + body + "\n", TRUE], {"x": 0}, {"x": 1}, {"final_message": ""})

    assert bad.passed is False
    assert (bad.error or "").startswith(error)
    assert good == CheckVerdict(True, None)


def test_code_without_a_check_function_is_an_error(checks: CheckSession) -> None:
    assert (verdict(checks, "check = 5", {}).error or "").startswith("check_missing")


def test_checks_do_not_see_each_other_nor_an_environment(checks: CheckSession) -> None:
    leave = "seen = True\n" + CHECK + "    global later\n    later = True\n    return True\n"
    look = CHECK + "    return 'later' not in globals() and 'seen' not in globals()\n"

    assert verdict(checks, leave, {}).passed
    assert verdict(checks, look, {}).passed


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("    random._os._exit(3)", "exit: the code ended the process with exit code 3"),
        ("    random._os.write(3, b'xxxx' * 99)\n    return True", "output"),
        (
            "    random._os.sys.setrecursionlimit(10**9)\n    x = []\n    for _ in range(10**6): x = [x]\n    repr(x)",
            "",
        ),
    ],
)
def test_a_check_that_ends_its_process_spoils_no_other(checks: CheckSession, body: str, error: str) -> None:
    deadly = "import random\n" + CHECK + body + "\n"

    before, bad, after = checks.check([TRUE, deadly, TRUE], {}, {}, {})

    assert (before, after) == (CheckVerdict(True, None), CheckVerdict(True, None))
    assert not bad.passed
    assert (bad.error or "none").startswith(error)
    assert verdict(checks, TRUE, {}).passed


def test_a_check_can_spoil_none_of_another_group(checks: CheckSession) -> None:
    spoil = "import math\n" + CHECK + "    math.pi = 3\n    return True\n"
    is_three = "import math\n" + CHECK + "    return math.pi == 3\n"
    nothing: tuple[dict[str, Any], ...] = ({}, {}, {})

    assert checks.check([spoil], *nothing, group="author")[0].passed
    assert not checks.check([is_three], *nothing, group="derived")[0].passed
    assert not checks.check([is_three], *nothing)[0].passed


def test_a_check_reads_the_time_of_the_final_state(checks: CheckSession) -> None:
    code = "from datetime import date\n" + CHECK + "    return date.today() == date(2026, 3, 4)\n"

    assert verdict(checks, code, {"now": "2026-03-04T10:00"}).passed


def test_predicates_are_evaluated_each_on_its_own(checks: CheckSession) -> None:
    state = {"members": {"a": {"fee": 3, "joined": "2025-01-31"}, "b": {"fee": 4, "joined": "2025-02-01"}}}
    expected = {
        "all(m['fee'] > 2 for m in state['members'].values())": True,
        "sum(m['fee'] for m in state['members'].values()) == 8": False,
        "sorted(state['members'], key=lambda k: -state['members'][k]['fee'])[0] == 'b'": True,
        "date.fromisoformat('2025-01-31') + timedelta(days=1) == date(2025, 2, 1)": True,
        "datetime.strptime(now, '%Y-%m-%dT%H:%M').strftime('%H') == '09'": True,
        "state['members']": True,
        "[]": False,
    }

    verdicts = checks.evaluate(list(expected), {"state": state, "now": "2025-03-01T09:00"})

    assert [(each.passed, each.error) for each in verdicts] == [(value, None) for value in expected.values()]


def test_a_predicate_has_names_of_its_own(checks: CheckSession) -> None:
    own: list[dict[str, Any]] = [{"fee": 2}, {"fee": 4}, {}, {"state": {"least": 5}, "fee": 4}]
    verdicts = checks.evaluate(["fee >= state['least']"] * 4, {"state": {"least": 3}}, own=own)

    assert [each.passed for each in verdicts] == [False, True, False, False]
    assert [each.error for each in verdicts] == [None, None, "NameError: name 'fee' is not defined (line 1)", None]


def test_a_predicate_that_takes_its_process_down_keeps_its_names_to_itself(checks: CheckSession) -> None:
    own = [{"times": 1}, {"times": 10**9}, {"times": 2}]
    verdicts = checks.evaluate(["len([0] * times) < 2"] * 3, {}, own=own)

    assert [each.passed for each in verdicts] == [True, False, False]
    assert verdicts[1].error is not None and verdicts[2].error is None


@pytest.mark.parametrize(
    ("predicate", "error"),
    [
        ("state['x']", "KeyError: 'x'"),
        ("unknown", "NameError"),
        ("open('/etc/passwd')", "NameError"),
        ("__import__('os')", "predicate_refused: name '__import__' is not allowed"),
        ("state.__class__", "predicate_refused: attribute '__class__' is not allowed"),
        ("(x := 5)", "predicate_refused: NamedExpr is not allowed"),
        ("state.update(x=1)", "predicate_refused: 'update' is not allowed: a predicate changes nothing"),
        ("[0 for state['x'] in [1]]", "predicate_refused: \"state['x']\" is not allowed as a target"),
        ("import os", "predicate_refused: SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("all(True for a in range(10 ** 9))", "timeout"),
    ],
)
def test_a_bad_predicate_is_an_error_of_its_own(checks: CheckSession, predicate: str, error: str) -> None:
    bad, good = checks.evaluate([predicate, "not state"], {"state": {}})

    assert bad.passed is False
    assert (bad.error or "").startswith(error)
    assert (good.passed, good.error) == (True, None)
