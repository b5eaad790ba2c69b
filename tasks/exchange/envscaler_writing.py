"""Writes environments and scenarios in the published form of EnvScaler.

What the form has no place for stands under one key of its own, which foreign loaders ignore and our reader reads.
"""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schemas.logic_models import LogicModel
from schemas.scenarios import Check, InitialState, Scenario, ScenarioValidation
from schemas.skeletons import Skeleton, Tool
from schemas.topics import Topic
from tasks.exchange.check_forms import as_check_func
from tasks.exchange.envscaler_reading import OWN_KEY
from tasks.runtime.methods import FunctionNode, methods_of
from tasks.runtime.parsing import parse_module


def environment_entry(
    skeleton: Skeleton,
    topic: Topic,
    model: LogicModel,
    tools: Sequence[Tool],
    states: Sequence[InitialState],
    evaluated_on: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """One environment. Its `env_id` is the slug.

    Args:
        skeleton: An accepted skeleton.
        topic: What it is about.
        model: Its plan.
        tools: All its tools, in the order in which they shall stand.
        states: Its accepted initial states.
        evaluated_on: States that it was evaluated on.
    """
    module = parse_module(skeleton.code)
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    methods = methods_of(classes[skeleton.class_name], classes)
    rules = [rule.text for rule in model.rules] or _told_rules(skeleton.policy)
    return {
        "env_id": skeleton.slug,
        "environment_summary": skeleton.title,
        "environment_introduction": topic.introduction,
        "state_space_definition": [
            {
                "entity": entity.name,
                "attributes": ", ".join(attribute.name for attribute in entity.attributes),
                "description": entity.description,
            }
            for entity in model.entities
        ],
        "constraints_rules": rules,
        "operation_list": [
            {"operation_name": tool.name, "operation_description": tool.description, "operation_type": tool.kind}
            for tool in tools
        ],
        "env_class_name": skeleton.class_name,
        "env_class_code": skeleton.code,
        "env_class_def": _definition(skeleton.code, methods.get("__init__")),
        "env_structure": _structure(tools, methods),
        "env_func_details": {tool.name: _details(skeleton.code, methods[tool.name]) for tool in tools},
        "tools": [_declaration(tool) for tool in tools],
        **({} if skeleton.author == "import" else {OWN_KEY: _own(skeleton, topic, model, states, evaluated_on)}),
    }


def scenario_entry(
    scenario: Scenario,
    skeleton: Skeleton,
    topic: Topic,
    state: InitialState,
    checks: Sequence[Check],
    trials: Sequence[ScenarioValidation],
) -> dict[str, Any]:
    """One scenario. Its checklist holds the goals that can be told from the final state; our key holds all the rest."""
    # Where nothing has to change, the guards are all there is to check; a list without any would break the reward.
    listed = _in_form(checks, "goal") or _in_form(checks, "guard")
    return {
        "env_id": skeleton.slug,
        "env_class_name": skeleton.class_name,
        "task_id": scenario.scenario_id,
        "init_config": json.loads(state.state_json),
        "task": scenario.task,
        "checklist": [text for text, _ in listed],
        "checklist_with_func": [{"check_item": text, "check_func": code} for text, code in listed],
        OWN_KEY: {
            "kind": scenario.kind,
            "reference": json.loads(scenario.reference_json),
            "final_message": scenario.final_message,
            "user_goal": scenario.user_goal,
            "checks": [
                {"kind": each.kind, "origin": each.origin, "text": each.text, "code": each.code, "exempt": each.exempt}
                for each in checks
            ],
            "split": topic.split,
            "proof": [each.model_dump(exclude={"scenario_validation_id", "scenario_id"}) for each in trials],
        },
    }


def _in_form(checks: Sequence[Check], kind: str) -> list[tuple[str, str]]:
    """Texts and codes of the checks of a kind that need no more than the final state."""
    found = ((check.text, as_check_func(check.code)) for check in checks if check.kind == kind)
    return [(text, code) for text, code in found if code is not None]


def _own(
    skeleton: Skeleton,
    topic: Topic,
    model: LogicModel,
    states: Sequence[InitialState],
    evaluated_on: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "slug": skeleton.slug,
        "topic_title": topic.title,
        "topic_summary": topic.summary,
        "domain": topic.domain,
        "usefulness": topic.usefulness,
        "modelability": topic.modelability,
        "keyphrases": topic.keyphrases,
        "split": topic.split,
        "skeleton_id": skeleton.skeleton_id,
        "policy": skeleton.policy,
        "logic_model": model.model_dump(mode="json"),
        "initial_states": [json.loads(each.state_json) for each in states],
        "evaluation_states": list(evaluated_on),
    }


def _declaration(tool: Tool) -> dict[str, Any]:
    parameters = json.loads(tool.parameters_json)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _definition(code: str, constructor: FunctionNode | None) -> str:
    """The module up to the end of the constructor."""
    if constructor is None or constructor.end_lineno is None:
        return code
    return "\n".join(code.splitlines()[: constructor.end_lineno]) + "\n"


def _structure(tools: Sequence[Tool], methods: Mapping[str, FunctionNode]) -> dict[str, Any]:
    names = dict.fromkeys(name for tool in tools for name in (*tool.reads, *tool.writes))
    return {
        "states": {
            name: {
                "type": None,
                "used_by": [tool.name for tool in tools if name in tool.reads],
                "modified_by": [tool.name for tool in tools if name in tool.writes],
            }
            for name in names
        },
        "methods": {
            tool.name: {
                "calls": sorted(set(_calls(methods[tool.name])) & methods.keys()),
                "reads": tool.reads,
                "writes": tool.writes,
            }
            for tool in tools
        },
    }


def _calls(node: FunctionNode) -> Iterator[str]:
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                yield name


def _details(code: str, node: FunctionNode) -> dict[str, Any]:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args][1:]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
    parameters = [("POSITIONAL_OR_KEYWORD", *pair) for pair in zip(positional, defaults, strict=True)]
    parameters += [("KEYWORD_ONLY", *pair) for pair in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    return {
        "signature": {
            "parameters": [
                {"name": each.arg, "type": _text(each.annotation), "default": _text(default), "kind": kind}
                for kind, each, default in parameters
            ],
            "return": _text(node.returns),
        },
        "doc": ast.get_docstring(node) or "",
        "source_code": ast.get_source_segment(code, node) or ast.unparse(node),
    }


def _text(node: ast.expr | None) -> str | None:
    return None if node is None else ast.unparse(node)


def _told_rules(policy: str) -> list[str]:
    """The rules of an imported environment, which stand in its policy only."""
    return [line.removeprefix("- ") for line in policy.splitlines() if line.startswith("- ")]
