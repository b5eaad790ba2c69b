"""Code that is appended to a class to see from inside what no message shows: objects shared with the caller."""

PROBE_CLASS = "EnvmillProbe"

_PROBE = '''


import copy as _probe_copy
import json as _probe_json


def _probe_text(instance):
    public = {name: value for name, value in vars(instance).items() if not name.startswith("_")}
    return _probe_json.dumps(public, sort_keys=True)


def _probe_spoil(value):
    if isinstance(value, dict):
        for inner in list(value.values()):
            _probe_spoil(inner)
        value["probe"] = "probe"
    elif isinstance(value, list):
        for inner in value:
            _probe_spoil(inner)
        value.append("probe")


class EnvmillProbe(__CLASS__):
    """The class itself, with two more methods that look for shared objects."""

    def probe_call(self, tool, arguments):
        """Calls a tool, then spoils what went in and what came out."""
        given = _probe_copy.deepcopy(arguments)
        result = getattr(self, tool)(**given)
        is_argument_changed = given != arguments
        before = _probe_text(self)
        is_argument_kept = False
        if any(isinstance(value, (dict, list)) for value in given.values()):
            _probe_spoil(given)
            after = _probe_text(self)
            is_argument_kept, before = after != before, after
        _probe_spoil(result)
        is_result_shared = _probe_text(self) != before
        return {
            "changes its arguments": is_argument_changed,
            "keeps an object of its arguments": is_argument_kept,
            "hands out an object of its state": is_result_shared,
        }

    def probe_config(self, config, calls, names):
        """Makes instances from one config, parts of it and none, and changes one of them, by tools and by hand."""
        kept = _probe_copy.deepcopy(config)
        first, second = __CLASS__(config), __CLASS__(config)
        before = _probe_text(second)
        self._probe_play(first, calls)
        fresh, other = __CLASS__(), __CLASS__()
        default = _probe_text(other)
        self._probe_play(fresh, calls)
        return {
            "two instances from one config share state": _probe_text(second) != before,
            "the constructor or a tool changes the config": config != kept,
            "two instances from no config share state": _probe_text(other) != default,
            "an instance keeps an object of its config": self._probe_keeps(kept, names),
            "instances share what their config leaves out": any(self._probe_shares(kept, name) for name in names),
        }

    def _probe_keeps(self, config, names):
        given = _probe_copy.deepcopy(config)
        instance = __CLASS__(given)
        for name in names:
            _probe_spoil(vars(instance).get(name))
        return given != config

    def _probe_shares(self, config, name):
        rest = {key: value for key, value in config.items() if key != name}
        try:
            one, other = __CLASS__(rest), __CLASS__(rest)
        except Exception:
            return False  # foreign classes may ask for all of it
        before = _probe_copy.deepcopy(vars(other).get(name))
        _probe_spoil(vars(one).get(name))
        return vars(other).get(name) != before

    def _probe_play(self, instance, calls):
        for call in calls:
            try:
                getattr(instance, call["tool"])(**call["arguments"])
            except Exception:
                pass  # what raises is found elsewhere
'''


def with_probe(code: str, class_name: str) -> str:
    """The module with `EnvmillProbe`, a subclass of the class, at its end. It behaves like the class.

    `probe_call` and `probe_config` return an object of findings: sentence -> whether it is true.
    """
    return code + _PROBE.replace("__CLASS__", class_name)
