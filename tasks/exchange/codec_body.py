"""How values of foreign code become JSON and come back. Embedded into every adapter as text; see `adapter_body`."""

# ruff: noqa: BLE001, D102 untrusted code may raise anything; the methods are described where they are not plain

import collections as _envmill_collections
import dataclasses as _envmill_dataclasses
import datetime as _envmill_datetime
import decimal as _envmill_decimal
import enum as _envmill_enum
import typing as _envmill_typing
import uuid as _envmill_uuid

_EnvmillAny = _envmill_typing.Any


class EnvmillCodec:
    """Values of Python as plain JSON, and back by the annotation of the place where they stand."""

    scope: "dict[str, _EnvmillAny]" = globals()
    isoformats = (_envmill_datetime.datetime, _envmill_datetime.date, _envmill_datetime.time)
    texts = (_envmill_decimal.Decimal, _envmill_uuid.UUID)
    lists = (list, tuple, _envmill_collections.deque)
    scalars = (_envmill_enum.Enum, *isoformats, _envmill_datetime.timedelta, *texts, str, int, float)
    learned = (
        set, frozenset, tuple, _envmill_collections.deque, *isoformats, _envmill_datetime.timedelta, *texts,
        _envmill_enum.Enum,
    )  # fmt: skip

    @classmethod
    def encode(cls, value: _EnvmillAny) -> _EnvmillAny:
        """A fresh copy as plain JSON. Raises TypeError for what has no such form."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, dict):
            return {cls.key(name): cls.encode(inner) for name, inner in value.items()}
        if isinstance(value, cls.lists) and not hasattr(value, "_asdict"):
            return [cls.encode(inner) for inner in value]
        if isinstance(value, (set, frozenset)):
            return sorted((cls.encode(inner) for inner in value), key=repr)
        return cls.encode_scalar(value) if isinstance(value, cls.scalars) else cls.encode_object(value)

    @classmethod
    def encode_scalar(cls, value: _EnvmillAny) -> _EnvmillAny:
        """What one text or number stands for."""
        if isinstance(value, _envmill_enum.Enum):
            return cls.encode(value.value)
        if isinstance(value, cls.isoformats):
            return value.isoformat()
        if isinstance(value, _envmill_datetime.timedelta):
            seconds = value.total_seconds()
            return int(seconds) if seconds.is_integer() else seconds
        if isinstance(value, (*cls.texts, str)):
            return str(value)
        return int(value) if isinstance(value, int) else float(value)

    @classmethod
    def encode_object(cls, value: _EnvmillAny) -> _EnvmillAny:
        """An instance of a class of the foreign code, by its attributes."""
        if hasattr(value, "_asdict"):
            return cls.encode(value._asdict())
        if _envmill_dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in _envmill_dataclasses.fields(value)]
            return {name: cls.encode(getattr(value, name)) for name in names}
        if cls.is_own(type(value)):
            return {name: cls.encode(inner) for name, inner in vars(value).items()}
        raise TypeError(f"a {type(value).__name__} has no form in JSON")

    @classmethod
    def key(cls, name: _EnvmillAny) -> str:
        """The key of an object. Raises TypeError for what can't be one."""
        plain = cls.encode(name)
        if plain is None or not isinstance(plain, (str, int, float)):
            raise TypeError(f"a key of type {type(name).__name__} has no form in JSON")
        return plain if isinstance(plain, str) else str(plain)

    @classmethod
    def is_own(cls, kind: _EnvmillAny) -> bool:
        """Whether it is a class of the foreign code, whose instances hold their state in attributes."""
        return isinstance(kind, type) and kind.__module__ == cls.__module__ and hasattr(kind, "__dict__")

    @classmethod
    def kind_of(cls, text: "str | None") -> _EnvmillAny:
        """What an annotation says; null when there is none, or when it can't be evaluated here."""
        try:
            return None if text is None else eval(text, cls.scope)
        except Exception:
            return None

    @classmethod
    def learn(cls, value: _EnvmillAny) -> _EnvmillAny:
        """The kind of a value that stands where no annotation does; null where JSON holds it as it is."""
        if isinstance(value, cls.learned) or cls.is_own(type(value)):
            return type(value)
        inner = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
        kinds = list(
            dict.fromkeys(type(each) for each in inner if isinstance(each, cls.learned) or cls.is_own(type(each)))
        )
        if isinstance(value, dict) and value:
            names = {type(name) for name in value}
            return dict[names.pop() if len(names) == 1 else str, kinds[0] if len(kinds) == 1 else _EnvmillAny]  # type: ignore[misc]
        return list[kinds[0]] if len(kinds) == 1 else None  # type: ignore[valid-type]

    @classmethod
    def decode(cls, value: _EnvmillAny, kind: _EnvmillAny) -> _EnvmillAny:
        """The value that stands for this JSON where something of this kind is expected."""
        if kind is None or kind is _EnvmillAny or isinstance(kind, (str, _envmill_typing.TypeVar)):
            return value
        origin: _EnvmillAny = _envmill_typing.get_origin(kind)
        inner = _envmill_typing.get_args(kind)
        if origin is None:
            return cls.of_class(value, kind)
        if origin in (_envmill_typing.Annotated, _envmill_typing.Final, _envmill_typing.ClassVar):
            return cls.decode(value, inner[0])
        if (
            isinstance(value, dict)
            and isinstance(origin, type)
            and issubclass(origin, _envmill_collections.abc.Mapping)
        ):
            pairs = inner if len(inner) == 2 else (str, _EnvmillAny)
            return {cls.name(name, pairs[0]): cls.decode(each, pairs[1]) for name, each in value.items()}
        if isinstance(value, list) and origin is tuple:
            kinds = [inner[0]] * len(value) if len(inner) == 2 and inner[1] is Ellipsis else [*inner]
            return tuple(cls.decode(each, expected) for each, expected in zip(value, kinds))  # noqa: B905
        if isinstance(value, list) and isinstance(origin, type) and inner:
            items = [cls.decode(each, inner[0]) for each in value]
            return origin(items) if origin in (set, frozenset, _envmill_collections.deque) else items
        if origin is _envmill_typing.Literal or not inner:
            return value
        return cls.of_union(value, inner)

    @classmethod
    def of_union(cls, value: _EnvmillAny, kinds: _EnvmillAny) -> _EnvmillAny:
        """By the first kind that takes it."""
        if value is None and type(None) in kinds:
            return None
        for kind in kinds:
            try:
                return cls.decode(value, kind)
            except (TypeError, ValueError, ArithmeticError, KeyError):
                continue
        return value

    @classmethod
    def name(cls, text: str, kind: _EnvmillAny) -> _EnvmillAny:
        """The key that a text stands for."""
        return kind(text) if kind in (int, float) else text == "True" if kind is bool else cls.decode(text, kind)

    @classmethod
    def of_class(cls, value: _EnvmillAny, kind: _EnvmillAny) -> _EnvmillAny:
        """An instance of a class from its JSON."""
        if not isinstance(kind, type) or value is None:
            return value
        if kind is float and type(value) is int:
            return float(value)
        if issubclass(kind, cls.isoformats):
            return kind.fromisoformat(value)
        if issubclass(kind, _envmill_datetime.timedelta):
            return kind(seconds=value)
        if issubclass(kind, (*cls.texts, _envmill_enum.Enum)):
            return kind(value)
        if isinstance(value, list) and issubclass(kind, (set, frozenset, tuple, _envmill_collections.deque)):
            return kind(value)
        if not isinstance(value, dict) or not cls.is_own(kind) or issubclass(kind, dict):
            return value
        hints = cls.hints(kind)
        parts = {name: cls.decode(each, hints.get(name)) for name, each in value.items()}
        if _envmill_dataclasses.is_dataclass(kind):
            return kind(**parts)
        made = kind.__new__(kind)
        vars(made).update(parts)
        return made

    @classmethod
    def hints(cls, kind: type) -> "dict[str, _EnvmillAny]":
        try:
            return dict(_envmill_typing.get_type_hints(kind, cls.scope))
        except Exception:
            return {}
