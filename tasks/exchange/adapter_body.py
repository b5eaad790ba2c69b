"""The part of an adapter that is the same for every foreign class. It is embedded as text.

An adapter is a module: the foreign code as it is, the text of `codec_body` and of this file, and a generated subclass
of `EnvmillAdapter` with one method per tool. So it stands on the standard library alone, and every name that it brings
along begins with Envmill.
"""

# ruff: noqa: BLE001, D102 untrusted code may raise anything; the methods are described where they are not plain

import copy as _envmill_copy
import math as _envmill_math

from tasks.exchange.codec_body import EnvmillCodec, _EnvmillAny


class EnvmillAdapter:
    """One instance of a foreign class, as an environment by the contract.

    The public attributes are its state as JSON, written anew after every call that succeeds. A call that does not
    succeed leaves the instance as it was. What goes in and what comes out are copies.
    """

    _original: _EnvmillAny = None
    _load: str = "attributes"
    """How a state gets in: attributes, constructor, argument (the whole state as the one argument), or a method."""
    _dump: str = "attributes"
    """How the state is read: attributes, or a method."""
    _fixed: "dict[str, _EnvmillAny]" = {}
    """Arguments that the constructor always gets."""
    _default: "dict[str, _EnvmillAny] | None" = None
    """What it starts from when it is given nothing, where the class needs something."""
    _kinds: "dict[str, str]" = {}
    """Attribute -> annotation."""
    _specs: "dict[str, dict[str, _EnvmillAny]]" = {}
    """Tool -> `parameters` (name -> JSON schema), `kinds` (name -> annotation), `left_out`, `by_position`, `raises`."""
    _refusals: "tuple[str, ...]" = ()
    """Exceptions that are refusals, whoever raises them."""
    _error_keys: "tuple[str, ...]" = ()
    _error_prefixes: "tuple[str, ...]" = ()
    _own_raises: "tuple[tuple[int, int], ...]" = ()
    """First and last line of each `raise` and `assert` of the foreign code: those are meant."""

    def __init__(self, config: "dict[str, _EnvmillAny] | None" = None) -> None:
        self._inner: _EnvmillAny = self._made(_envmill_copy.deepcopy(self._default if config is None else config))
        self._publish()

    def _made(self, config: "dict[str, _EnvmillAny] | None") -> _EnvmillAny:
        fixed = _envmill_copy.deepcopy(self._fixed)
        rest = dict(config or {})
        if self._load == "argument":
            self._inner = self._original(_envmill_copy.deepcopy(rest), **fixed)
        elif self._load == "constructor":
            given = self._specs["__init__"]
            for name in [each for each in rest if each in given["parameters"]]:
                fixed[name] = EnvmillCodec.decode(rest.pop(name), EnvmillCodec.kind_of(given["kinds"].get(name)))
            self._inner = self._original(**fixed)
        elif self._load != "attributes" and config is not None:
            static = vars(self._original).get(self._load)
            if isinstance(static, (classmethod, staticmethod)):
                return getattr(self._original, self._load)(rest)
            self._inner = self._original(**fixed)
            getattr(self._inner, self._load)(rest)
            return self._inner
        else:
            self._inner = self._original(**fixed)
        for key, value in rest.items():
            self._put(key, value)
        return self._inner

    def _put(self, key: str, value: _EnvmillAny) -> None:
        """Set one attribute from its JSON."""
        attributes = {public: name for name, public in self._names().items()}
        if key not in attributes:
            known = ", ".join(attributes) or "none"
            is_method = callable(getattr(self._original, key, None))
            why = "would overwrite a method" if is_method else f"is no attribute of the class, which has {known}"
            raise ValueError(f"the state key {key!r} {why}")
        name = attributes[key]
        existing = vars(self._inner)[name]
        kind = EnvmillCodec.kind_of(self._kinds.get(name))
        made = EnvmillCodec.decode(value, EnvmillCodec.learn(existing) if kind is None else kind)
        if isinstance(existing, dict) and type(existing) is not dict and type(made) is dict:
            kept = _envmill_copy.copy(existing)  # a defaultdict keeps its factory
            kept.clear()
            kept.update(made)
            made = kept
        setattr(self._inner, name, made)

    def _names(self) -> "dict[str, str]":
        """Attribute -> the name under which the state shows it: without leading underscores, never that of a method."""
        names: dict[str, str] = {}
        for name in vars(self._inner):
            mangled = f"_{type(self._inner).__name__.lstrip('_')}__"
            public = (name[len(mangled) :] if name.startswith(mangled) else name).lstrip("_") or "state"
            while public in names.values() or callable(getattr(type(self), public, None)):
                public += "_"
            names[name] = public
        return names

    def _publish(self) -> None:
        for name in [each for each in vars(self) if not each.startswith("_")]:
            delattr(self, name)
        if self._dump != "attributes":
            shown = getattr(self._inner, self._dump)()
            try:
                vars(self).update({name: EnvmillCodec.encode(value) for name, value in shown.items()})
            except TypeError:
                vars(self).update(shown)
            return
        for name, public in self._names().items():
            value = vars(self._inner)[name]
            try:
                value = EnvmillCodec.encode(value)
            except (TypeError, RecursionError):
                if name.startswith("_"):
                    continue  # a tool of the class, such as a table of functions: the constructor makes it again
            setattr(self, public, value)

    def _call(self, tool: str, given: "dict[str, _EnvmillAny]") -> "dict[str, _EnvmillAny]":
        """One call, as the contract wants it."""
        spec = self._specs[tool]
        arguments: dict[str, _EnvmillAny] = {}
        for name, value in given.items():
            if value is None and name in spec["left_out"]:
                continue
            problem = self._misfit(value, spec["parameters"][name], name)
            if problem is None:
                try:
                    kind = EnvmillCodec.kind_of(spec["kinds"].get(name))
                    arguments[name] = EnvmillCodec.decode(_envmill_copy.deepcopy(value), kind)
                except (ValueError, TypeError, ArithmeticError) as error:
                    problem = f"argument {name!r}: {error}"
            if problem is not None:
                return {"success": False, "error": problem}
        before = _envmill_copy.deepcopy(self._inner)
        positional = [arguments.pop(name) for name in spec["by_position"] if name in arguments]
        try:
            answer = getattr(self._inner, tool)(*positional, **arguments)
        except Exception as error:
            self._inner = before
            said = self._said(error, spec)
            if said is None:
                raise
            return {"success": False, "error": said}
        result = self._result(answer)
        if result["success"]:
            self._publish()
        else:
            self._inner = before
        return result

    def _said(self, error: Exception, spec: "dict[str, _EnvmillAny]") -> "str | None":
        """What a refusal says; null when the error was not meant to be one."""
        names = {kind.__name__ for kind in type(error).__mro__}
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        is_here = trace is not None and trace.tb_frame.f_code.co_filename == self._said.__code__.co_filename
        is_own = is_here and any(first <= trace.tb_lineno <= last for first, last in self._own_raises)  # type: ignore[union-attr]
        if not is_own and not names & {*self._refusals, *spec["raises"]}:
            return None
        text = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else str(error)
        return text.strip() or type(error).__name__

    def _result(self, answer: _EnvmillAny) -> "dict[str, _EnvmillAny]":
        try:
            answer = EnvmillCodec.encode(answer)
        except (TypeError, RecursionError):
            return {"success": True, "data": answer}  # whoever reads it says why it is no JSON
        if isinstance(answer, dict) and isinstance(answer.get("success"), bool):
            return self._completed(answer)
        if isinstance(answer, dict):
            said = next((answer[key] for key in self._error_keys if answer.get(key)), None)
            if said is not None:
                return {"success": False, "error": said if isinstance(said, str) else str(said)}
        if isinstance(answer, str) and answer.startswith(self._error_prefixes):
            return {"success": False, "error": answer}
        return {"success": True, "data": answer}

    def _completed(self, answer: "dict[str, _EnvmillAny]") -> "dict[str, _EnvmillAny]":
        """A result that says whether it succeeded, with the part that the contract wants beside that."""
        rest = {name: value for name, value in answer.items() if name != "success"}
        if answer["success"]:
            return answer if "data" in rest or "message" in rest else {"success": True, "data": rest}
        said = rest.get("error") or rest.get("message") or rest.get("reason")
        return {**answer, "error": said if isinstance(said, str) and said.strip() else "the call was refused"}

    @classmethod
    def _misfit(cls, value: _EnvmillAny, schema: "dict[str, _EnvmillAny]", place: str) -> "str | None":
        """What is wrong with an argument; null when it fits. True is never a number."""
        if "anyOf" in schema:
            problems = [cls._misfit(value, option, place) for option in schema["anyOf"]]
            return None if None in problems else problems[0]
        named = schema.get("type", ())
        wanted = (named,) if isinstance(named, str) else named
        if wanted and not any(cls._is_a(value, name) for name in wanted):
            return f"argument {place!r} must be of type {' or '.join(wanted)}"
        if "enum" in schema and value not in schema["enum"]:
            return f"argument {place!r} must be one of {', '.join(map(repr, schema['enum']))}"
        if isinstance(value, list) and "items" in schema:
            parts = [cls._misfit(each, schema["items"], f"{place}[{number}]") for number, each in enumerate(value)]
            return next((part for part in parts if part is not None), None)
        if isinstance(value, dict):
            known = schema.get("properties", {})
            missing = [name for name in schema.get("required", ()) if name not in value]
            if missing:
                return f"argument {place!r} lacks {missing[0]!r}"
            parts = [cls._misfit(each, known[name], f"{place}.{name}") for name, each in value.items() if name in known]
            return next((part for part in parts if part is not None), None)
        return None

    @staticmethod
    def _is_a(value: _EnvmillAny, name: str) -> bool:
        if name == "integer":
            return type(value) is int
        if name == "number":
            return type(value) is int or (type(value) is float and _envmill_math.isfinite(value))
        kinds = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
        return type(value) is kinds[name]
