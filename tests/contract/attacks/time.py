"""Attacks on time: code that never comes back."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack

_attack = partial(attack, "time", goal=Goal.OUTLIVES, may_end=("wall", "cpu"))
_FOREVER = "while True:\n    pass"

ATTACKS = (
    _attack("loop", "loops for ever", _FOREVER),
    _attack("loop_while_loading", "loops for ever while its module is loaded", "return None", around=_FOREVER),
    _attack(
        "loop_while_starting",
        "loops for ever in its constructor",
        "return None",
        members="""
        def __init__(self):
            while True:
                pass
        """,
    ),
    _attack(
        "loop_that_catches_everything",
        "loops for ever and catches every exception",
        """
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
        """,
    ),
    _attack(
        "ignore_the_alarm",
        "ignores the signals of the timers, then loops",
        """
        signals = module("_signal")
        for number in (14, 24, 26, 27):
            signals.signal(number, signals.SIG_IGN)
        while True:
            pass
        """,
    ),
    _attack(
        "block_the_alarm",
        "blocks all signals, then loops",
        """
        signals = module("_signal")
        signals.pthread_sigmask(signals.SIG_BLOCK, range(1, 65))
        while True:
            pass
        """,
    ),
    _attack(
        "raise_the_time_limit",
        "lifts its own limit, then loops",
        """
        resource = module("resource")
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))
        except (OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, resource.getrlimit(resource.RLIMIT_CPU)[1:] * 2)
        while True:
            pass
        """,
    ),
    _attack(
        "count_with_big_numbers",
        "computes a huge power",
        "return 3 ** (3 ** 17) % 7",
        may_end=("wall", "cpu", "memory"),
    ),
    _attack(
        "spell_a_big_number",
        "writes a number of many digits",
        """
        getattr(sys, "set_int_max_str_digits", len)(0)
        return str(1 << (1 << 24))
        """,
    ),
    _attack(
        "match_for_ever",
        "lets a regular expression try everything",
        'return module("re").match("(a+)+$", "a" * 60 + "b")',
    ),
    _attack(
        "wait_for_a_lock",
        "waits for itself",
        """
        lock = module("_thread").allocate_lock()
        lock.acquire()
        lock.acquire()
        """,
    ),
    _attack("sleep", "sleeps for thirty years", 'module("time").sleep(1e9)'),
    _attack("wait_for_a_signal", "waits for a signal that never comes", 'module("_signal").pause()'),
    _attack(
        "wait_for_input",
        "waits for the host to type something",
        "open(own_pipe(), 'rb').read()",
        around="""
        def own_pipe():
            try:
                return os.pipe()[0]
            except OSError:
                return 0
        """,
    ),
    _attack("iterate_for_ever", "lets one built-in function run for ever", 'return sum(module("itertools").repeat(0))'),
    _attack(
        "result_that_never_ends",
        "returns a list that grows while it is read",
        """
        class Endless(list):
            def __iter__(self):
                while True:
                    yield 0

            def __len__(self):
                return 1 << 62

        return Endless([0])
        """,
    ),
    _attack(
        "text_that_never_ends",
        "raises an exception whose text takes for ever",
        """
        class Endless(Exception):
            def __str__(self):
                while True:
                    pass

        raise Endless
        """,
    ),
    _attack(
        "end_that_never_ends",
        "returns at once and loops when its object is deleted",
        """
        class Late:
            def __del__(self):
                while True:
                    pass

        held = Late()
        return reached()
        """,
    ),
)
