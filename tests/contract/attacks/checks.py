"""Attacks by a check on the checks of others: the one that comes later is false, and should pass."""

from dataclasses import dataclass
from textwrap import dedent, indent

from tasks.sandbox.selftest import MEANS
from tests.contract.attacks.attack import Attack, Goal

FALSE_CHECK = """
def check(initial_state, final_state, trajectory):
    return len(final_state["books"]) == 2
"""
"""False, as there is one book only."""
STATE = {"books": {"BOK-0001": {"title": "Zoo"}}, "now": "2025-01-01T00:00"}


@dataclass(frozen=True, slots=True)
class _Trick:
    name: str
    tries: str
    body: str

    def attack(self, goal: Goal, whose: str) -> Attack:
        head = "def check(initial_state, final_state, trajectory):\n"
        code = MEANS + head + indent(dedent(self.body).strip("\n"), "    ") + "\n"
        return Attack(f"{self.name}_{whose}", "checks", self.tries, code, goal)


_TRICKS = (
    _Trick("add_to_the_data", "adds the missing book", 'final_state["books"]["x"] = {}\nreturn True'),
    _Trick(
        "add_to_the_data_later",
        "adds the missing book when its own check is over",
        """
        class Late:
            def __init__(self, books):
                self.books = books

            def __del__(self):
                self.books["x"] = {}

        sys.held = []
        late = Late(final_state["books"])
        return True
        """,
    ),
    _Trick(
        "patch_the_length",
        "lets the length of books be 2",
        """
        builtins = sys.modules["builtins"]
        real = builtins.len
        builtins.len = lambda of: 2 if type(of) is dict and "BOK-0001" in of else real(of)
        return True
        """,
    ),
    _Trick(
        "patch_the_judge",
        "makes the harness say yes to every check",
        """
        names = sys.modules["tasks.sandbox.inside.checks"].__dict__
        for name in ("_answer", "_is_still"):
            if name in names:
                names[name] = lambda *arguments: True
        return True
        """,
    ),
    _Trick(
        "patch_the_verdicts",
        "makes the harness write yes whatever the verdict is",
        """
        names = sys.modules["tasks.sandbox.inside.checks"].__dict__
        real = names["encode_json"]
        names["encode_json"] = lambda verdicts: real([{"passed": True, "error": None} for _ in verdicts])
        return True
        """,
    ),
    _Trick(
        "trace_the_check",
        "changes the data whenever a later check begins",
        """
        def trace(frame, event, argument):
            if frame.f_code.co_name == "check" and "final_state" in frame.f_locals:
                frame.f_locals["final_state"]["books"]["x"] = {}

        sys.settrace(trace)
        return True
        """,
    ),
    _Trick(
        "swap_the_code",
        "finds the code of later checks in the cache of the harness and swaps it",
        """
        names = sys.modules["tasks.sandbox.inside.checks"].__dict__
        yes = compile("def check(*all):\\n    return True", "<check>", "exec")
        names["_cached_check"] = lambda code: yes
        return True
        """,
    ),
    _Trick(
        "add_to_all_data",
        "finds the data of others among all objects and adds the missing book",
        """
        for held in module("gc").get_objects():
            if type(held) is dict and type(held.get("books")) is dict:
                held["books"]["x"] = {}
        return True
        """,
    ),
)

ATTACKS = tuple(
    trick.attack(goal, whose)
    for trick in _TRICKS
    for goal, whose in ((Goal.PASSES_LATER, "of_a_later_check"), (Goal.PASSES_BESIDE, "of_the_next_check"))
)
