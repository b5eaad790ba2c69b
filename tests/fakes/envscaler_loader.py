"""What EnvScaler's own loader and reward code do with its files, as its form describes it; nothing here is ours.

A module from the text of the code, an instance from the config with every key set as an attribute, tools called by
keyword, and a reward that is the share of checks that return True, each with a global `initial_state`.
"""

import copy
import types
from typing import Any


class LoadedEnvironment:
    """One episode."""

    def __init__(self, environment: dict[str, Any], scenario: dict[str, Any]) -> None:
        module = types.ModuleType(environment["env_class_name"])
        exec(environment["env_class_code"], module.__dict__)
        kind = getattr(module, environment["env_class_name"])
        config = copy.deepcopy(scenario["init_config"])
        try:
            self.instance = kind(config)
        except TypeError:
            self.instance = kind()
        for key, value in config.items():
            setattr(self.instance, key, value)
        self.names = [tool["function"]["name"] for tool in environment["tools"]]
        self.scenario = scenario
        self.initial_state = self.state()

    def state(self) -> dict[str, Any]:
        return copy.deepcopy(vars(self.instance))

    def step(self, tool: str, arguments: dict[str, Any]) -> Any:
        assert tool in self.names
        return getattr(self.instance, tool)(**arguments)

    def reward(self) -> float:
        checks = self.scenario["checklist_with_func"]
        return round(sum(self._holds(each["check_func"]) for each in checks) / len(checks), 4)

    def _holds(self, code: str) -> bool:
        names: dict[str, Any] = {}
        # Two separate namespaces: what a check defines beside its function is out of the function's reach.
        exec(code, {"initial_state": copy.deepcopy(self.initial_state)}, names)
        return names["check_func"](self.state()) is True


def play(environment: dict[str, Any], scenario: dict[str, Any], reference: list[dict[str, Any]]) -> float:
    """The reward of a reference solution; of doing nothing when it is empty."""
    episode = LoadedEnvironment(environment, scenario)
    results: list[Any] = []
    for step in reference:
        arguments = dict(step["literals"])
        for name, binding in step["bindings"].items():
            value = results[binding["step"]]
            for part in binding["path"]:
                value = value[part]
            arguments[name] = value
        results.append(copy.deepcopy(episode.step(step["tool"], arguments)))
    return episode.reward()
