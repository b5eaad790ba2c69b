"""What every sandbox must do with checks and predicates."""

import pytest

from tasks.sandbox.base import CheckSession, Sandbox, SessionDied

CHECK = "def check(initial_state, final_state, trajectory):\n"


def test_a_check_says_true_or_false(checks: CheckSession) -> None:
    code = CHECK + "    return final_state['x'] == 1 and trajectory['final_message'] == 'Done.'\n"

    assert checks.check(code, {"x": 0}, {"x": 1}, {"final_message": "Done."}).passed is True
    verdict = checks.check(code, {"x": 0}, {"x": 2}, {"final_message": "Done."})
    assert (verdict.passed, verdict.error) == (False, None)


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
    verdict = checks.check(CHECK + body + "\n", {"x": 0}, {"x": 1}, {"final_message": ""})

    assert verdict.passed is False
    assert (verdict.error or "").startswith(error)
    assert checks.check(CHECK + "    return True\n", {}, {}, {}).passed


def test_code_without_a_check_function_is_an_error(checks: CheckSession) -> None:
    assert (checks.check("check = 5", {}, {}, {}).error or "").startswith("check_missing")


def test_checks_do_not_see_each_other_nor_an_environment(checks: CheckSession) -> None:
    leave = "seen = True\n" + CHECK + "    global later\n    later = True\n    return True\n"
    look = CHECK + "    return 'later' not in globals() and 'seen' not in globals()\n"

    assert checks.check(leave, {}, {}, {}).passed
    assert checks.check(look, {}, {}, {}).passed


def test_a_check_that_ends_its_process_is_reported(sandbox: Sandbox) -> None:
    code = "import random\n" + CHECK + "    random._os._exit(0)\n"

    with pytest.raises(SessionDied) as caught, sandbox.checks() as session:
        session.check(code, {}, {}, {})

    assert caught.value.reason == "exit"


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
