"""Attacks that end the process they run in, or that leave their caller without an answer it can use."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack, from_selftest

_attack = partial(attack, "endings", goal=Goal.BREAKS)

ATTACKS = (
    from_selftest("endings", "leave", goal=Goal.BREAKS, may_end=("exit",)),
    _attack(
        "leave_as_if_out_of_memory",
        "ends the process with the exit code of another reason",
        "os._exit(77)",
        may_end=("exit", "memory"),
    ),
    _attack(
        "leave_as_if_not_confined",
        "ends the process with the exit code of one that could not be confined, which would stop a whole run",
        "os._exit(98)",
        may_end=("exit",),
    ),
    _attack(
        "leave_while_loading",
        "ends the process while its module is loaded",
        "",
        around="os._exit(0)",
        may_end=("exit",),
    ),
    _attack("abort", "aborts the process", "os.abort()", may_end=("crash", "exit")),
    _attack("leave_politely", "raises SystemExit", "raise SystemExit(3)"),
    _attack("interrupt", "raises KeyboardInterrupt", "raise KeyboardInterrupt"),
    _attack("close_the_generator", "raises GeneratorExit", "raise GeneratorExit"),
    _attack("raise_the_root", "raises an exception that no one expects", "raise type('Root', (BaseException,), {})"),
    _attack(
        "exception_without_text",
        "raises an exception whose text raises another",
        """
        class Evil(Exception):
            def __str__(self):
                raise Evil

        raise Evil
        """,
    ),
    _attack(
        "exception_without_name",
        "raises an exception whose class has no name",
        """
        class Meta(type):
            @property
            def __name__(cls):
                raise SystemExit(4)

        class Evil(Exception, metaclass=Meta):
            pass

        raise Evil
        """,
    ),
    _attack(
        "exception_with_false_text",
        "raises an exception whose text is no plain text",
        """
        class Text(str):
            def __getitem__(self, key):
                raise SystemExit(5)

            def __format__(self, spec):
                raise SystemExit(5)

            def encode(self, *args):
                raise SystemExit(5)

            def __bool__(self):
                raise SystemExit(5)

        class Evil(Exception):
            def __str__(self):
                return Text("x")

            __format__ = lambda self, spec: Text("x").__format__(spec)

        raise Evil
        """,
    ),
    _attack(
        "exception_without_a_trace",
        "raises an exception whose traceback raises another",
        """
        class Evil(Exception):
            @property
            def __traceback__(self):
                raise SystemExit(6)

            def __str__(self):
                raise self.__traceback__

        raise Evil
        """,
    ),
    _attack(
        "exception_without_attributes",
        "raises an exception that answers no question",
        """
        class Evil(Exception):
            def __getattribute__(self, name):
                raise SystemExit(7)

            def __str__(self):
                return self.args

        raise Evil
        """,
    ),
    _attack(
        "exception_of_surrogates",
        "raises an exception whose text has no encoding",
        "raise ValueError('\\ud800')",
        goal=Goal.NOT_PLAIN,
    ),
    from_selftest("endings", "overflow_the_stack", goal=Goal.BREAKS, may_end=("crash", "memory")),
    _attack("crash", "reads from an address that is not there", 'module("ctypes").string_at(1)', may_end=("crash",)),
    _attack(
        "crash_by_byte_code",
        "runs byte code that no compiler writes",
        """
        code = (lambda: None).__code__
        exec(code.replace(co_code=bytes([90, 200]) * 50, co_stacksize=1, co_consts=(), co_names=()))
        """,
        may_end=("crash", "exit", "cpu", "wall"),
    ),
    _attack(
        "kill_itself",
        "sends itself the signal that can't be caught",
        "os.kill(os.getpid(), 9)",
        may_end=("crash", "exit", "memory", "cpu"),
    ),
    _attack(
        "close_everything",
        "closes all files, the connection to the host too",
        "os.closerange(0, 256)\nos._exit(0)",
        may_end=("exit", "protocol"),
    ),
    _attack(
        "alarm_in_the_harness",
        "lets a timer interrupt its caller after it has returned",
        """
        signals = module("_signal")

        def ring(number, frame):
            raise SystemExit(8)

        signals.signal(14, ring)
        signals.setitimer(signals.ITIMER_REAL, 0.001, 0.001)
        return reached(["x" * 100 for _ in range(5000)])
        """,
        may_end=("exit", "crash", "protocol", "wall"),
    ),
)
