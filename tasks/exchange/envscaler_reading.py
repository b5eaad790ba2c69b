"""Reads the published form of EnvScaler: environments with their code, scenarios with their checks."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from schemas.logic_models import OperationKind
from tasks.exchange.adapter_options import AdapterOptions
from tasks.exchange.flaws import Trouble
from tasks.exchange.foreign_class import ForeignClass, read_class
from tasks.exchange.json_stream import Entry
from tasks.exchange.kept import About, ForeignCheck, KeptEnvironment, KeptScenario, OwnEnvironment, OwnScenario
from tasks.runtime.json_kinds import kind_of
from tasks.runtime.signature import ToolSignature, tools_of
from tasks.sandbox.base import CodeRejected

OWN_KEY = "envmill"
"""Under it stands what the form has no place for."""
ENTRY_FIELDS = frozenset(
    {
        "env_id", "env_class_name", "env_class_code", "environment_summary", "environment_introduction", "tools",
        "state_space_definition", "constraints_rules", "operation_list", "env_class_def", "env_structure",
        "env_func_details", "task_id", "init_config", "task", "checklist_with_func", "checklist", OWN_KEY,
    }
)  # fmt: skip
_ENVIRONMENT_FIELDS = frozenset({"env_class_code", "tools", "operation_list", "state_space_definition"})
_SCENARIO_FIELDS = frozenset({"task", "init_config", "checklist_with_func", "task_id"})
_NEEDED = "an environment has env_class_code and env_class_name, a scenario env_id, task and init_config"
_ENTITY_STRIP = "- Entity: "
_ATTRIBUTES_STRIP = "- Attributes: "
_CAMEL = re.compile(r"[A-Z][a-z0-9]+")
_TITLE_LENGTH = 120


class Unusable(Exception):
    """An entry that can't be used at all. `reason` is its code."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def read_entry(entry: Entry, source: str) -> tuple[KeptEnvironment | KeptScenario, tuple[Trouble, ...]]:
    """What an entry is, and what in it could not be used.

    Raises:
        Unusable: it is neither environment nor scenario, or lacks what one can't do without.
    """
    value = entry.value
    if not isinstance(value, dict):
        raise Unusable("entry_no_object", f"it is {kind_of(value)}, not an object")
    if _ENVIRONMENT_FIELDS & value.keys():
        return _environment(entry, value, source)
    if _SCENARIO_FIELDS & value.keys():
        return _scenario(entry, value), ()
    shown = ", ".join(list(value)[:8]) or "no key"
    raise Unusable("entry_of_no_known_form", f"it is neither an environment nor a scenario: it has {shown}; {_NEEDED}")


def _environment(entry: Entry, value: Mapping[str, Any], source: str) -> tuple[KeptEnvironment, tuple[Trouble, ...]]:
    name = str(value.get("env_id") or entry.key or f"entry_{entry.number}")
    code, class_name = _text(value, "env_class_code"), _text(value, "env_class_name")
    if not code or not class_name:
        missing = "env_class_code" if not code else "env_class_name"
        raise Unusable("code_missing", f"{name}: '{missing}' is missing or no text")
    own = _own(value.get(OWN_KEY), OwnEnvironment, name)
    troubles: list[Trouble] = []
    declared, tools = _declared(value.get("tools"), name, source, troubles)
    try:
        foreign = read_class(code, class_name)
        signatures = tools_of(code, class_name)
    except CodeRejected:
        foreign, signatures = None, ()  # the evaluation says what is wrong with it
    if foreign is not None and own is None:
        tools = _agreeing(declared, tools, foreign, signatures, name, source, troubles)
        troubles += _corrupted(value.get("state_space_definition"), foreign, name, source)
    state = value.get(OWN_KEY, {}).get("initial_states", []) if own is not None else []
    rules = _list_of_texts(value.get("constraints_rules"))
    title = _text(value, "environment_summary") or " ".join(_CAMEL.findall(class_name)) or class_name
    kept = KeptEnvironment(
        form="envscaler",
        source=source,
        name=name,
        about=About(
            title=own.logic_model.title if own else " ".join(title.split())[:_TITLE_LENGTH],
            summary=own.topic_summary if own else _text(value, "environment_summary"),
            introduction=_text(value, "environment_introduction"),
            domain=str(value[OWN_KEY].get("domain", "general")) if own else "general",
            rules=() if own else rules,
        ),
        code=code,
        class_name=class_name,
        options=AdapterOptions(tools=tools, load=_loading(foreign), error_keys=(), error_prefixes=()),
        declared=declared,
        kinds=_kinds(value.get("operation_list")),
        states=tuple(each for each in state if isinstance(each, dict)),
        own=own,
    )
    return kept, tuple(troubles)


def _loading(foreign: ForeignClass | None) -> str:
    """The constructor gets the whole state where it takes an argument; attributes are set in any case."""
    return "argument" if foreign is not None and foreign.constructor else "attributes"


def _scenario(entry: Entry, value: Mapping[str, Any]) -> KeptScenario:
    name = str(value.get("task_id") or f"entry_{entry.number}")
    environment = str(value.get("env_id") or "")
    if not environment:
        raise Unusable("environment_not_named", f"{name}: 'env_id' is missing")
    task = _text(value, "task")
    if not task.strip():
        raise Unusable("task_missing", f"{name}: 'task' is missing or empty")
    state = _native(value.get("init_config"), "init_config", name)
    if not isinstance(state, dict):
        raise Unusable("init_config_no_object", f"{name}: 'init_config' is {kind_of(state)}, not an object")
    own = _own(value.get(OWN_KEY), OwnScenario, name)
    return KeptScenario(
        name=name,
        environment=environment,
        task=task,
        state=state,
        checks=tuple(_checks(_native(value.get("checklist_with_func") or [], "checklist_with_func", name), name)),
        own=own,
    )


def _checks(given: Any, name: str) -> Iterator[ForeignCheck]:
    if not isinstance(given, list):
        raise Unusable("checks_malformed", f"{name}: 'checklist_with_func' is {kind_of(given)}, not a list")
    for number, each in enumerate(given, start=1):
        if not isinstance(each, dict) or not isinstance(each.get("check_func"), str):
            raise Unusable("checks_malformed", f"{name}: check {number} has no text in 'check_func'")
        yield ForeignCheck(text=str(each.get("check_item") or f"Check {number}"), code=each["check_func"])


def _own(given: Any, model: type[Any], name: str) -> Any:
    """What an export of this project has added; null in foreign files."""
    if given is None:
        return None
    wanted = {key: given[key] for key in model.model_fields if key in given} if isinstance(given, dict) else given
    try:
        return model.model_validate(wanted)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise Unusable("own_part_malformed", f"{name}: '{OWN_KEY}.{place}': {first['msg']}") from None


def _native(given: Any, field: str, name: str) -> Any:
    """A value that may have come as its JSON text."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{field}_no_json", f"{name}: the text in '{field}' is no JSON: {error}") from None


def _declared(
    given: Any, name: str, source: str, troubles: list[Trouble]
) -> tuple[dict[str, dict[str, dict[str, Any]]], tuple[str, ...] | None]:
    """Tool -> parameter -> schema, and the tools in order; null when the entry declares none."""
    try:
        tools = _native(given, "tools", name)
    except Unusable as error:
        troubles.append(Trouble(source, f"{name}: tools", error.reason, str(error)))
        return {}, None
    if tools is None:
        return {}, None
    declared: dict[str, dict[str, dict[str, Any]]] = {}
    for number, each in enumerate(tools if isinstance(tools, list) else [tools], start=1):
        function = each.get("function", each) if isinstance(each, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            detail = "a tool is {'type': 'function', 'function': {'name', 'description', 'parameters'}}"
            troubles.append(Trouble(source, f"{name}: tool {number}", "tool_malformed", detail))
            continue
        parameters = function.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, dict) else None
        known = properties.items() if isinstance(properties, dict) else ()
        declared[function["name"]] = {key: schema for key, schema in known if isinstance(schema, dict)}
    return declared, tuple(declared)


def _agreeing(
    declared: Mapping[str, Mapping[str, Mapping[str, Any]]],
    tools: tuple[str, ...] | None,
    foreign: ForeignClass,
    signatures: tuple[ToolSignature, ...],
    name: str,
    source: str,
    troubles: list[Trouble],
) -> tuple[str, ...] | None:
    """The tools that are methods. What is declared otherwise than the code has it is told; the code is right."""
    known = {tool.name: tool for tool in signatures}
    for tool in tools or ():
        if tool not in foreign.methods:
            detail = f"the class {foreign.name} has no public method of this name; the tool is left out"
            troubles.append(Trouble(source, f"{name}: tool {tool}", "tool_not_in_code", detail))
        elif differences := tuple(_differences(declared[tool], known[tool].parameters)):
            detail = f"the schema disagrees with the code, which is taken: {'; '.join(differences)}"
            troubles.append(Trouble(source, f"{name}: tool {tool}", "tool_schema_disagrees", detail))
    return None if tools is None else tuple(tool for tool in tools if tool in foreign.methods)


def _differences(declared: Mapping[str, Mapping[str, Any]], code: Mapping[str, Any]) -> Iterator[str]:
    properties = code["properties"]
    for name in declared:
        if name not in properties:
            yield f"'{name}' is no parameter of the method"
    for name, schema in properties.items():
        if name not in declared:
            yield f"the parameter '{name}' is not declared"
            continue
        said, has = _types(declared[name]), _types(schema)
        if said and has and not said & has and not (said == {"number"} and has == {"integer"}):
            yield f"'{name}' is declared as {' or '.join(sorted(said))} and is {' or '.join(sorted(has))}"


def _types(schema: Mapping[str, Any]) -> set[str]:
    named = schema.get("type", [])
    return {each for each in ([named] if isinstance(named, str) else named) if each != "null"}


def _kinds(given: Any) -> dict[str, OperationKind]:
    found: dict[str, OperationKind] = {}
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and isinstance(each.get("operation_name"), str):
            kind = str(each.get("operation_type"))
            if kind in ("query", "state_change", "modify"):
                found[each["operation_name"]] = "query" if kind == "query" else "state_change"
    return found


def _corrupted(given: Any, foreign: ForeignClass, name: str, source: str) -> Iterator[Trouble]:
    """Entities whose names or attributes have lost letters at their ends.

    The published files were written by code that strips a set of characters where it means a prefix: "Patient" became
    "Patie", "task_id, ..., status" became "ask_id, ..., sta". Nothing here depends on these texts; entities are read
    off the states.
    """
    known = _identifiers(foreign)
    for number, each in enumerate(given if isinstance(given, list) else (), start=1):
        entity = each.get("entity") if isinstance(each, dict) else None
        if not isinstance(entity, str):
            continue
        item = f"{name}: entity {number}"
        whole = next((word for word in known if word != entity and word.strip(_ENTITY_STRIP) == entity), None)
        if entity not in known and whole is not None:
            yield Trouble(source, item, "entity_name_corrupted", f"'{entity}' is what is left of '{whole}'")
            continue
        parts = [part.strip() for part in str(each.get("attributes", "")).split(",") if part.strip()]
        lost = [*_lost(parts[:1], known, str.lstrip), *_lost(parts[-1:], known, str.rstrip)]
        if lost:
            yield Trouble(source, item, "entity_name_corrupted", f"attributes of '{entity}': {', '.join(lost)}")


def _lost(parts: list[str], known: list[str], strip: Any) -> Iterator[str]:
    for part in parts:
        whole = next((word for word in known if word != part and strip(word, _ATTRIBUTES_STRIP) == part), None)
        if part not in known and whole is not None:
            yield f"'{part}' is what is left of '{whole}'"


def _identifiers(foreign: ForeignClass) -> list[str]:
    """Every name and text in the code that could name an entity or an attribute, without doubles."""
    found: dict[str, None] = {}
    for node in ast.walk(foreign.module):
        match node:
            case ast.ClassDef(name=name):
                found |= dict.fromkeys(
                    [name, *(name.removesuffix(end) for end in ("Info", "Record", "Data", "Dict", "State"))]
                )
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found[name] = None
            case ast.Constant(value=str() as text) if text.isidentifier():
                found[text] = None
    for name in list(foreign.annotations):
        camel = "".join(part.capitalize() for part in name.split("_"))
        found |= dict.fromkeys([camel, camel.removesuffix("s")])
    return list(found)


def _text(value: Mapping[str, Any], field: str) -> str:
    given = value.get(field)
    return given if isinstance(given, str) else ""


def _list_of_texts(given: Any) -> tuple[str, ...]:
    return tuple(each for each in given if isinstance(each, str) and each.strip()) if isinstance(given, list) else ()
