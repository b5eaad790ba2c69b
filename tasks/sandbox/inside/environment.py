"""An environment class and its one instance, inside the process of a session."""

import base64
import gc
import marshal
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from tasks.sandbox.frames import encode_json
from tasks.sandbox.inside import simulation
from tasks.sandbox.inside.attributes import Kept, StateDigests
from tasks.sandbox.inside.code import Refused, compiled, described, fresh_module
from tasks.sandbox.inside.plain import NotJson, to_json

_FILE = "<environment>"
_ENOUGH_CHARACTERS = 500_000
"""A reply with more text is sent before the rest of the calls is made; the host asks again for the rest."""


class Environment:
    """Loads the class, makes instances, calls tools. All methods return JSON text."""

    def __init__(self) -> None:
        self._class: type | None = None
        self._instance: object = None
        self._start: Kept | None = None
        """The state of the last `init`; null for the default of the class."""
        self._seed = 0
        """Of the last `init`."""
        self._digests = StateDigests()

    def compile(self, code: str) -> str:
        """Byte code for `load`, as base64 text that only this version of Python can read.

        Raises:
            Refused: "syntax_error" or "import_refused".
        """
        return encode_json(base64.b64encode(marshal.dumps(compiled(code, _FILE))).decode("ascii"))

    def load(self, byte_code: str, class_name: str) -> str:
        """Execute the module and find the class.

        Raises:
            Refused: "load_error" or "class_missing".
        """
        module = fresh_module("environment")
        simulation.begin(None, 0)
        try:
            exec(marshal.loads(base64.b64decode(byte_code)), vars(module))
        except BaseException as error:  # noqa: BLE001 - untrusted code may raise anything
            raise Refused("load_error", described(error, _FILE)) from None
        found = vars(module).get(class_name)
        if not isinstance(found, type):
            raise Refused("class_missing", f"the module has no class {class_name!r}")
        self._class = found
        return "null"

    def init(self, state: dict[str, Any] | None, seed: int) -> str:
        """Replace the instance by a fresh one.

        Raises:
            Refused: "init_error".
        """
        self._start, self._seed = None if state is None else Kept(state), seed
        return self._begin(state)

    def reset(self) -> str:
        """Replace the instance by a fresh one, from the state of the last `init`.

        Raises:
            Refused: "init_error".
        """
        return self._begin(None if self._start is None else self._start.state())

    def _begin(self, state: dict[str, Any] | None) -> str:
        assert self._class is not None
        self._instance = None
        now = None if state is None else state.get("now")
        simulation.begin(now if isinstance(now, str) else None, self._seed)
        try:
            self._instance = self._class() if state is None else self._class(state)
        except BaseException as error:  # noqa: BLE001 - untrusted code may raise anything
            raise Refused("init_error", described(error, _FILE)) from None
        gc.freeze()  # the collector would go through a large state again and again
        return "null"

    def steps(self, calls: list[dict[str, Any]], watch: bool) -> str:
        """Make calls in order. May stop early, after at least one, when the reply has grown long."""
        return f"[{','.join(self._results(calls, watch))}]"

    def play(
        self,
        start: dict[str, Any] | None,
        calls: list[dict[str, Any]],
        watch: bool,
        reads_before: bool,
        reads_after: bool,
    ) -> str:
        """A fresh instance, or the one that there is; then calls, with the public attributes before and after.

        Of attributes, those are told that are not as they were where the instance has begun. "after" is a text when
        they are not plain JSON, and null when not all calls were made.

        Raises:
            Refused: "init_error", "state_not_json" before the first call.
        """
        if start is not None:
            self._start = (self._start or Kept({})).changed(**start)
            self._seed = 0
            self.reset()
        before = self._told({}) if reads_before else "null"
        results = self._results(calls, watch)
        after = "null"
        if reads_after and len(results) == len(calls):
            try:
                after = self._told(self._digests.latest if watch and calls else {})
            except Refused as flaw:
                after = encode_json(str(flaw))
        return f'{{"before":{before},"results":[{",".join(results)}],"after":{after}}}'

    def _results(self, calls: list[dict[str, Any]], watch: bool) -> list[str]:
        parts: list[str] = []
        length = 0
        for call in calls:
            parts.append(self._step(call["tool"], call["arguments"], watch))
            length += len(parts[-1])
            if length > _ENOUGH_CHARACTERS:
                break
        return parts

    def snapshot(self) -> str:
        """The public attributes.

        Raises:
            Refused: "state_not_json".
        """
        try:
            return to_json(self._state())
        except NotJson as flaw:
            raise Refused("state_not_json", str(flaw)) from None

    def _told(self, dumps: Mapping[str, bytes]) -> str:
        """The names of the public attributes, and those that are not as they were where the instance has begun.

        Args:
            dumps: Attributes as they are now, marshalled, as far as that was done.

        Raises:
            Refused: "state_not_json".
        """
        start = self._start or Kept({})
        try:
            state = self._state()
            changed = {name: value for name, value in state.items() if not start.has(name, value, dumps.get(name))}
            return f'{{"names":{to_json(list(state))},"changed":{to_json(changed)}}}'
        except NotJson as flaw:
            raise Refused("state_not_json", str(flaw)) from None

    def _step(self, tool: str, arguments: dict[str, Any], watch: bool) -> str:
        result, error, state_digest = "null", None, None
        try:
            method = self._method(tool)
            if method is None:
                error = f"unknown_tool: {tool!r} is not a public method of the class"
            else:
                simulation.tick()
                result = to_json(method(**arguments))  # text at once: a later change of the state can't reach it
        except NotJson as flaw:
            error = f"not_json: {flaw}"
        except BaseException as raised:  # noqa: BLE001 - untrusted code may raise anything
            error = described(raised, _FILE)
        if watch:
            try:
                state_digest = self._digests.of(self._state())
            except NotJson as flaw:
                result, error = "null", error or f"state_not_json: {flaw}"
        return f'{{"result":{result},"error":{encode_json(error)},"digest":{encode_json(state_digest)}}}'

    def _state(self) -> dict[str, Any]:
        """The public attributes.

        Raises:
            NotJson: the class keeps its attributes in some way of its own.
        """
        try:
            attributes = object.__getattribute__(self._instance, "__dict__")
        except AttributeError:  # a class with slots only
            return {}
        except BaseException:  # noqa: BLE001 - a class may put untrusted code in that place
            raise NotJson("attributes that can't be read") from None
        if type(attributes) is not dict:
            raise NotJson("attributes that are no plain dict")
        return {name: value for name, value in attributes.items() if type(name) is not str or not name.startswith("_")}

    def _method(self, name: str) -> Callable[..., Any] | None:
        if name.startswith("_") or self._instance is None:
            return None
        for base in type(self._instance).__mro__:
            if name in vars(base):
                is_method = isinstance(vars(base)[name], FunctionType | staticmethod | classmethod)
                return getattr(self._instance, name) if is_method else None
        return None
