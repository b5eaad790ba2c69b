"""Attacks on sessions that come later: code that spoils its process and hopes that someone else will live there."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack, from_selftest

_attack = partial(attack, "neighbours", goal=Goal.SPOILS)
_remember = partial(attack, "neighbours", goal=Goal.REMEMBERS)

ATTACKS = (
    from_selftest("neighbours", "patch_a_builtin", goal=Goal.SPOILS, may_end=("protocol",)),
    _attack(
        "patch_class_building",
        "replaces what the class statement calls",
        'sys.modules["builtins"].__build_class__ = lambda *args, **kwargs: type("Fake", (), {})',
    ),
    _attack(
        "patch_imports",
        "replaces what the import statement calls",
        """
        builtins = sys.modules["builtins"]
        real = builtins.__import__

        def fake(name, *rest):
            if name == "dataclasses":
                raise ImportError("mine now")
            return real(name, *rest)

        builtins.__import__ = fake
        """,
    ),
    _attack(
        "poison_a_module",
        "puts a module of its own in the place of a real one",
        """
        fake = type(sys)("datetime")
        fake.date = fake.datetime = fake.timedelta = fake.timezone = fake.time = None
        sys.modules["datetime"] = fake
        """,
    ),
    _attack("patch_a_module", "replaces a function of an allowed module", "random.random = lambda: 0.5"),
    _attack("patch_a_method", "replaces a method of a class that all use", "random.Random.random = lambda self: 0.5"),
    _attack(
        "patch_json",
        "makes all JSON text the same",
        'module("json").dumps = lambda *args, **kwargs: "{}"',
    ),
    _attack(
        "patch_the_harness_results",
        "makes the harness answer for every tool",
        'sys.modules["tasks.sandbox.inside.plain"].encode_json = lambda value: \'{"success": true}\'',
    ),
    _attack(
        "patch_the_harness_digests",
        "makes the harness give all states the same digest",
        """
        fake = lambda *parts: "0" * 32
        for held in list(sys.modules.values()):
            if getattr(held, "__name__", "").startswith(("tasks.", "schemas.", "tests.")) and hasattr(held, "digest"):
                held.digest = fake
        """,
    ),
    _attack(
        "patch_the_code_of_the_harness",
        "gives a function of the harness another body",
        """
        def fake(value, depth=0):
            raise ValueError("mine now")

        sys.modules["tasks.sandbox.inside.plain"].require_plain.__code__ = fake.__code__
        """,
        may_end=("exit",),
    ),
    _attack(
        "trace_everything",
        "is called for every line of Python that runs later",
        """
        def trace(frame, event, argument):
            if frame.f_code.co_name == "add_book":
                raise ValueError("mine now")
            return trace

        sys.settrace(trace)
        """,
    ),
    _attack(
        "profile_everything",
        "is called for every call that happens later",
        """
        def profile(frame, event, argument):
            if event == "call" and frame.f_code.co_name == "add_book":
                raise ValueError("mine now")

        sys.setprofile(profile)
        """,
    ),
    _attack(
        "change_the_objects_of_others",
        "finds the data of others among all objects and changes it",
        """
        for held in module("gc").get_objects():
            if type(held) is dict and type(held.get("books")) is dict and "count" in held:
                held["count"] = 99
        """,
    ),
    _attack(
        "lower_the_recursion_limit",
        "leaves no room for calls",
        "sys.setrecursionlimit(len(frames()) + 8)",
        around="""
        def frames():
            found, frame = [], sys._getframe()
            while frame is not None:
                found.append(frame)
                frame = frame.f_back
            return found
        """,
    ),
    _attack(
        "leave_an_alarm",
        "sets a timer that goes off in a later session",
        """
        signals = module("_signal")

        def ring(number, frame):
            raise SystemExit(5)

        signals.signal(27, ring)
        signals.setitimer(signals.ITIMER_PROF, 0.005, 0.005)
        """,
        may_end=("exit", "protocol"),
    ),
    _attack(
        "replace_the_output",
        "replaces the stream that others print to",
        """
        class Output:
            def write(self, text):
                raise ValueError("mine now")

        sys.stdout = sys.__stdout__ = Output()
        """,
    ),
    _attack(
        "leave_something_for_the_end",
        "asks to be called when the process ends",
        'module("atexit").register(os.mkdir, folder + "/new")',
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "leave_something_for_the_collector",
        "leaves an object that writes a file when it is deleted",
        """
        class Late:
            def __del__(self):
                os.mkdir(folder + "/new")

        self.held = Late()
        self.held.itself = self.held
        """,
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _remember(
        "remember_in_the_class",
        "keeps a value in the class itself",
        "Attack.calls += 1\nreturn {'success': Attack.calls > 1}",
        members="calls = 0",
    ),
    _remember(
        "remember_in_a_module",
        "keeps a value in an allowed module",
        "random.calls = getattr(random, 'calls', 0) + 1\nreturn {'success': random.calls > 1}",
    ),
    _remember(
        "remember_among_the_modules",
        "keeps a module of its own among the loaded ones",
        "known = 'mine' in sys.modules\nsys.modules['mine'] = sys\nreturn {'success': known}",
    ),
    _remember(
        "remember_in_the_variables",
        "keeps a value among the environment variables",
        "known = 'MINE' in os.environ\nos.environ['MINE'] = 'x'\nreturn {'success': known}",
    ),
    _remember(
        "remember_in_a_class_of_the_library",
        "keeps a value in the registry of an abstract class",
        """
        numbers = module("_collections_abc").Sized
        known = getattr(numbers, "mine", False)
        numbers.mine = True
        return {"success": known}
        """,
    ),
    _remember(
        "remember_in_a_cache",
        "keeps a value in a cache of the library",
        """
        cache = module("re")._cache
        known = "mine" in cache
        cache["mine"] = 1
        return {"success": known}
        """,
    ),
    _remember(
        "remember_in_a_file",
        "keeps a file open that a later session finds",
        """
        for number in range(3, 64):
            try:
                os.set_blocking(number, False)
                if os.read(number, 4) == b"mine":
                    return reached()
            except OSError:
                pass
        reader, writer = os.pipe()
        os.write(writer, b"mine" * 100)
        """,
    ),
)
