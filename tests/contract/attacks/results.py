"""Attacks by what a method returns or keeps: values that are no plain JSON, or only look like it."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack

_attack = partial(attack, "results", goal=Goal.NOT_PLAIN)

ATTACKS = (
    _attack("return_nan", "returns a value that is unequal to itself", 'return reached(float("nan"))'),
    _attack("return_infinity", "returns a number without end", 'return reached(float("1e999"))'),
    _attack("return_a_surrogate", "returns a text that has no encoding", 'return reached("\\ud800")'),
    _attack("return_a_surrogate_key", "returns a key that has no encoding", 'return reached({"\\ud800": 1})'),
    _attack("return_a_huge_number", "returns a number of 5000 digits", "return reached(10**5000)"),
    _attack("return_a_set", "returns values in no order", 'return reached({"a", "b"})'),
    _attack("return_bytes", "returns bytes", 'return reached(b"x")'),
    _attack(
        "return_a_key_that_is_no_text",
        "returns a key that JSON would turn into another",
        'return reached({1: "a", "1": "b"})',
    ),
    _attack("return_itself", "returns a list that holds itself", "held = []\nheld.append(held)\nreturn reached(held)"),
    _attack(
        "return_a_deep_list",
        "returns a list in a list in a list",
        "held = []\nfor _ in range(100_000):\n    held = [held]\nreturn held",
    ),
    _attack(
        "return_a_dict_that_lies",
        "returns a dict that shows other items to each who asks",
        """
        class Liar(dict):
            def items(self):
                return [("success", False)]

            def __iter__(self):
                return iter(["other"])

            def __getitem__(self, key):
                return "other"

        return Liar(reached())
        """,
    ),
    _attack(
        "return_a_false_class",
        "returns an object that says it is a dict",
        """
        class Liar:
            __class__ = dict

            def __eq__(self, other):
                return True

            def __hash__(self):
                return 0

        return Liar()
        """,
    ),
    _attack(
        "return_a_class_that_equals_dict",
        "returns a value whose class says that it equals every other class",
        """
        class Meta(type):
            __hash__ = lambda cls: hash(dict)
            __eq__ = lambda cls, other: True

        class Liar(dict, metaclass=Meta):
            def items(self):
                return [("a", [float("inf")])]

            def keys(self):
                return ["a"]

        return Liar(b=1)
        """,
    ),
    _attack(
        "return_a_text_that_lies",
        "returns a text that says it is plain",
        """
        class Meta(type):
            __hash__ = lambda cls: hash(str)
            __eq__ = lambda cls, other: True

        class Liar(str, metaclass=Meta):
            def isascii(self):
                return True

            def encode(self, *args):
                return b"x"

        return [Liar("\\ud800")]
        """,
    ),
    _attack(
        "return_a_number_that_lies",
        "returns a number with a text of its own",
        """
        class Liar(int):
            def __repr__(self):
                return '1, "forged": true'

            __str__ = __format__ = __repr__

        return reached(Liar(1))
        """,
    ),
    _attack(
        "return_a_text_for_the_host",
        "returns an object with text that would run in a log",
        """
        class Evil:
            def __repr__(self):
                raise SystemExit(9)

            __str__ = __format__ = __reduce__ = __getstate__ = __repr__

        return reached(Evil())
        """,
    ),
    _attack(
        "return_a_command",
        "returns an object that runs a command in whoever unpickles it",
        """
        class Evil:
            def __reduce__(self):
                return os.system, ("echo x > " + folder + "/new",)

        return Evil()
        """,
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "raise_a_command",
        "raises an exception that runs a command in whoever unpickles it",
        """
        class Evil(Exception):
            def __reduce__(self):
                return os.system, ("echo x > " + folder + "/new",)

        raise Evil
        """,
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "keep_a_command",
        "keeps an object in its state that runs a command in whoever copies it",
        """
        class Evil:
            def __reduce__(self):
                return os.system, ("echo x > " + folder + "/new",)

            def __deepcopy__(self, memo):
                os.system("echo x > " + folder + "/new")

        self.held = Evil()
        return self.held
        """,
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "keep_a_state_that_bites",
        "keeps attributes that raise when they are listed",
        "return reached()",
        goal=Goal.BREAKS,
        members="""
        @property
        def __dict__(self):
            raise SystemExit(9)
        """,
    ),
    _attack(
        "keep_what_is_no_json",
        "keeps a generator in its state",
        "self.held = (number for number in [1])\nreturn self.held",
    ),
)
