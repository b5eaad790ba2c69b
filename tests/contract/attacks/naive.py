"""A host as one would write it first: it runs the code in its own process, with its key, its files and its trust.

It shares the harness with the sandbox (the same JSON, digests and checks), and nothing of the isolation.
"""

import copy
import gc
import json
import os
import pickle
import sys
from contextlib import suppress
from types import ModuleType
from typing import Any

from schemas.ids import digest
from tasks.sandbox.inside import plain
from tasks.sandbox.inside.checks import Checks
from tests.contract import sandbox_samples
from tests.contract.attacks.checks import FALSE_CHECK, STATE
from tests.contract.attacks.world import VARIABLE

SETTINGS = {"api_key": os.environ.get(VARIABLE, "")}
_HEADER = 4
_STEPS_OF_A_BUSY_HOST = 2_000_000


class NaiveHost:
    """Loads a class once and makes instances of it."""

    def __init__(self, code: str) -> None:
        self._module = ModuleType("environment")
        sys.modules["environment"] = self._module
        exec(code, vars(self._module))
        self.instance = self._module.Attack()

    def call(self, arguments: dict[str, Any], method: str = "run") -> Any:
        """What the method returns, or the text of what it raises."""
        api_key = SETTINGS["api_key"]
        try:
            return getattr(self.instance, method)(**arguments)
        except Exception as error:  # noqa: BLE001 - as naive as that
            return f"{type(error).__name__}: {error}"
        finally:
            del api_key

    def text(self, arguments: dict[str, Any]) -> str:
        """Result and state as JSON."""
        result = self.call(arguments)
        try:
            return json.dumps([result, dict(vars(self.instance).items())])
        except (TypeError, ValueError) as error:
            return f"no JSON: {error} in {result!r}"

    def copy_by_pickle(self, arguments: dict[str, Any]) -> None:
        """As if result, exception and state went through a pool of processes."""
        try:
            given: object = getattr(self.instance, "run")(**arguments)  # noqa: B009
        except Exception as error:  # noqa: BLE001
            given = error
        with suppress(pickle.PicklingError, AttributeError, TypeError):
            pickle.loads(pickle.dumps(given))
        copy.deepcopy(vars(self.instance))
        self.instance = None
        gc.collect()


def honest_session() -> str:
    """What a well-behaved class does in this process: results, digests of its state, and what it keeps."""
    module = ModuleType("environment")
    sys.modules["environment"] = module
    exec(sandbox_samples.SHELF, vars(module))
    print("the honest session begins", flush=True)
    shelf = module.Shelf(copy.deepcopy(sandbox_samples.STATE))
    sum(range(_STEPS_OF_A_BUSY_HOST))
    seen = []
    for call in (lambda: shelf.add_book("New"), lambda: {"fair": 0.5 not in _drawn(module)}, shelf.dates):
        seen += [plain.to_json(call()), digest({"books": shelf.books, "count": shelf.count}), len(shelf.books)]
    return json.dumps(seen)


def _drawn(module: ModuleType) -> tuple[float, float]:
    return module.random.random(), module.random.Random(1).random()


def false_check_passes_after(code: str) -> bool:
    """Whether a check that is false passes when another one has run in the same process."""
    checks = Checks(5.0, lambda: None)
    verdicts = [json.loads(checks.check([each], STATE, STATE, {"calls": []}))[0] for each in (code, FALSE_CHECK)]
    return bool(verdicts[1]["passed"])


def _send(connection: int, text: str) -> None:
    data = text.encode()
    os.write(connection, len(data).to_bytes(_HEADER, "big") + data)


def serve(connection: int, code: str, arguments: dict[str, Any]) -> None:
    """Answer calls in a process of its own; `ask` is the other end."""
    host = NaiveHost(code)
    while header := os.read(connection, _HEADER):
        request_id, method = json.loads(os.read(connection, int.from_bytes(header, "big"))).values()
        result = host.call(arguments if method == "run" else {}, method)
        value = json.dumps([{"result": result, "error": None, "digest": None}])
        _send(connection, f'{{"id":"{request_id}","ok":true,"value":{value}}}')


def ask(connection: int, method: str) -> Any:
    """The answer to a call: whatever comes next, however long that takes."""
    _send(connection, json.dumps({"id": "0123456789abcdef", "method": method}))
    wanted = int.from_bytes(os.read(connection, _HEADER), "big")
    data = b""
    while len(data) < wanted:
        part = os.read(connection, wanted - len(data))
        if not part:
            raise EOFError("the process hung up")
        data += part
    answer = json.loads(data)["value"][0]
    return answer["error"] if answer["error"] is not None else answer["result"]
