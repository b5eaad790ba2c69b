"""Reads a hand-written Python class: `file.py:Class`, with options from a YAML file and states from JSON files."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from schemas.errors import UsageError
from schemas.logic_models import OperationKind
from tasks.exchange.adapter_options import DUMPS, LOADS, AdapterOptions
from tasks.exchange.foreign_class import read_class
from tasks.exchange.kept import About, KeptEnvironment
from tasks.runtime.faults import EnvironmentFault
from tasks.runtime.source_files import chosen_class, text_of
from tasks.sandbox.base import CodeRejected

_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


class ClassOptions(AdapterOptions):
    """The YAML file beside a class: how it is used, and what is known of it."""

    title: str | None = Field(default=None, description="What people call it; the words of the class name otherwise.")
    summary: str | None = Field(default=None, description="One sentence; the first of the class's docstring otherwise.")
    introduction: str = Field(default="", description="A paragraph for people.")
    domain: str = Field(default="general", description="Field of life, such as 'travel'.")
    rules: tuple[str, ...] = Field(default=(), description="Rules as texts for the agent.")
    kinds: dict[str, OperationKind] = Field(
        default_factory=dict, description="Tool -> 'query' or 'state_change', where name or code mislead."
    )
    examples: dict[str, tuple[dict[str, Any], ...]] = Field(
        default_factory=dict, description="Tool -> arguments that are accepted, where they can't be guessed."
    )
    states: tuple[dict[str, Any], ...] = Field(default=(), description="Initial states beside the class's own.")


def read_python_class(
    target: str, *, options_file: Path | None = None, state_files: Sequence[Path] = ()
) -> KeptEnvironment:
    """The environment that `file.py:Class` names. Nothing of it is executed.

    Args:
        target: File and class; the class may be left out where the file has only one.
        options_file: YAML of `ClassOptions`; the file's name with `.yaml` in place of `.py` is taken where it exists.
        state_files: JSON objects, each an initial state.

    Raises:
        UsageError: a file can't be read, the options can't be understood or name methods that the class has not, or
            which class is meant can't be told.
    """
    try:
        path, code, name = chosen_class(target)
    except EnvironmentFault as fault:
        raise UsageError(f"{fault}. Mend the file first.") from fault
    options_path = options_file or path.with_suffix(".yaml")
    options = _options(options_path, must_exist=options_file is not None)
    _refuse_unknown_methods(options, options_path, code, name)
    states = [_state(each) for each in state_files]
    title = options.title or " ".join(word.capitalize() if word.islower() else word for word in _CAMEL.findall(name))
    adapter = AdapterOptions(**{field: getattr(options, field) for field in AdapterOptions.model_fields})
    return KeptEnvironment(
        form="python-class",
        source=path.name,
        name=name,
        about=About(
            title=title or name,
            summary=options.summary or "",
            introduction=options.introduction,
            domain=options.domain,
            rules=options.rules,
        ),
        code=code,
        class_name=name,
        options=adapter,
        kinds=options.kinds,
        examples=options.examples,
        states=(*options.states, *states),
    )


def _options(path: Path, *, must_exist: bool) -> ClassOptions:
    if not path.exists() and not must_exist:
        return ClassOptions()
    try:
        given = yaml.safe_load(text_of(path))
        return ClassOptions.model_validate(given or {})
    except yaml.YAMLError as error:
        raise UsageError(f"{path} is no YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(ClassOptions.model_fields)
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise UsageError(f"{path}: {place}: {first['msg']}. Known are: {known}.") from error


def _refuse_unknown_methods(options: ClassOptions, path: Path, code: str, class_name: str) -> None:
    """A name that nothing has is a slip of whoever wrote the options, and no verdict on the class."""
    try:
        foreign = read_class(code, class_name)
    except CodeRejected:
        return  # the evaluation rejects it, with the same reason
    public = set(foreign.methods)
    named = {"tools": options.tools or (), "kinds": tuple(options.kinds), "examples": tuple(options.examples)}
    slips = [(option, each) for option, names in named.items() for each in names if each not in public]
    accessors = {"load": (options.load, LOADS), "dump": (options.dump, DUMPS)}
    for option, (value, words) in accessors.items():
        if value is not None and value not in {*words, *public, *foreign.other_methods}:
            slips.append((option, value))
    if slips:
        said = ", ".join(f"{option}: {name!r}" for option, name in slips)
        raise UsageError(
            f"{path}: the class {class_name} has no such method: {said}. Its public methods are: "
            f"{', '.join(foreign.methods) or 'none'}."
        )


def _state(path: Path) -> dict[str, Any]:
    try:
        state = json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON: {error}.") from error
    if not isinstance(state, dict):
        raise UsageError(f"{path} holds no JSON object. A state is one: attribute -> value.")
    return state
