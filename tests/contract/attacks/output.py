"""Attacks that flood the host with output. None sends more than a few mebibytes."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack

_attack = partial(attack, "output", goal=Goal.FLOODS)
_MIB = 'chunk = b"x" * (1 << 16)\n'

ATTACKS = (
    _attack("print", "prints two mebibytes", 'for _ in range(200):\n    print("x" * 10_000)'),
    _attack(
        "write_to_output", "writes to the standard output itself", _MIB + "for _ in range(32):\n    os.write(1, chunk)"
    ),
    _attack(
        "write_to_errors",
        "writes to the standard error stream itself",
        _MIB + "for _ in range(32):\n    os.write(2, chunk)",
    ),
    _attack(
        "write_to_the_first_streams",
        "writes to the streams that the interpreter was started with",
        'sys.__stdout__.write("x" * (2 << 20))\nsys.__stdout__.flush()',
    ),
    _attack(
        "warn",
        "warns again and again",
        """
        warnings = module("warnings")
        warnings.simplefilter("always")
        for _ in range(200):
            warnings.warn("x" * 10_000)
        """,
    ),
    _attack(
        "fail_while_deleted",
        "fails where the interpreter prints the exception itself",
        """
        class Loud:
            def __del__(self):
                raise ValueError("x" * (2 << 20))

        Loud()
        """,
    ),
    _attack("return_much", "returns eight mebibytes", 'return reached("x" * (8 << 20))', may_end=("output",)),
    _attack(
        "return_much_in_small",
        "returns a million small values",
        "return reached([[]] * 1_000_000)",
        may_end=("output",),
    ),
    _attack(
        "report_much",
        "returns an error message of eight mebibytes",
        'return {"success": False, "error": "x" * (8 << 20)}',
        may_end=("output",),
    ),
    _attack("raise_much", "raises an exception with a text of eight mebibytes", 'raise ValueError("x" * (8 << 20))'),
    _attack(
        "raise_much_by_name",
        "raises an exception whose class has a name of two mebibytes",
        'raise type("X" * (2 << 20), (Exception,), {})',
        may_end=("output",),
    ),
    _attack(
        "return_much_of_a_key",
        "returns a value that is refused, at a path of two mebibytes",
        'return {"x" * (2 << 20): {1}}',
    ),
    _attack(
        "return_a_thing_with_a_long_name",
        "returns a value that is refused, of a class with a name of two mebibytes",
        'return [type("X" * (2 << 20), (), {})()]',
        may_end=("output",),
    ),
    _attack(
        "keep_much",
        "keeps eight mebibytes in its state",
        'self.held = "x" * (8 << 20)\nreturn reached(self.held)',
        may_end=("output",),
    ),
)
