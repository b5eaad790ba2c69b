"""`envmill doctor`: what works on this machine, what does not, and what to do about it."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.checkup import EndpointReport, ServerReport, WarehouseReport, examine_endpoint, examine_home, examine_server
from flows.composition import sandbox_for_trial
from tasks.sandbox.doctor import LayerName, SandboxReport, examine

_MEMORY_MIB, _CPU_S = 256, 1
_TITLES: dict[LayerName, str] = {
    "seccomp": "system-call filter (seccomp)",
    "landlock": "closed file system (Landlock)",
    "no_new_privs": "no new privileges",
    "user": "ordinary user",
    "memory_limit": "memory limit",
    "cpu_limit": "CPU limit",
    "pidfd": "process handles (pidfd)",
    "user_namespaces": "user namespaces",
}
_STATES = {
    "works": ("works", "green"),
    "missing": ("missing", "red"),
    "not_used": ("not used", "dim"),
    "unknown": ("unknown", "yellow"),
}
_LEVELS = {
    "A": "generated code is held by seccomp and Landlock",
    "B": "generated code is held by seccomp alone",
    "none": "nothing holds generated code; `envmill run` refuses, unless --unsafe-no-sandbox is given",
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, part by part."""

    sandbox: SandboxReport
    endpoint: EndpointReport
    warehouse: WarehouseReport
    server: ServerReport

    @property
    def works(self) -> bool:
        """Whether a run can be started as things are configured."""
        return self.sandbox.works and self.endpoint.works and self.warehouse.works and self.server.works


def diagnose(home: Path) -> Diagnosis:
    """Examine everything that a run stands on. Writes nothing that stays; takes a few seconds."""
    sandbox = sandbox_for_trial(memory_mib=_MEMORY_MIB, cpu_s=_CPU_S)
    try:
        with ThreadPoolExecutor(max_workers=1) as pool:
            examined = pool.submit(examine, sandbox, memory_mib=_MEMORY_MIB, cpu_s=_CPU_S)
            endpoint, warehouse, server = examine_endpoint(), examine_home(home), examine_server(home)
            return Diagnosis(examined.result(), endpoint, warehouse, server)
    finally:
        sandbox.close()


def to_json(diagnosis: Diagnosis) -> str:
    """One object: "works", and an object per part, each with its own "works"."""
    parts: dict[str, Any] = {
        name: {"works": getattr(diagnosis, name).works, **part} for name, part in asdict(diagnosis).items()
    }
    return json.dumps({"works": diagnosis.works, **parts}, indent=2, ensure_ascii=False)


def tell(diagnosis: Diagnosis, console: Console) -> None:
    """Part by part, then what to do."""
    _tell_sandbox(diagnosis.sandbox, console)
    advice = list(diagnosis.sandbox.advice)
    for title, part in (
        ("Endpoint", diagnosis.endpoint),
        ("Warehouse", diagnosis.warehouse),
        ("Prefect server", diagnosis.server),
    ):
        _say(console, Text.assemble((f"{title}: ", "bold"), _mark(part.works), part.detail))
        advice += [f"{title.lower()}: {part.advice}"] if part.advice else []
    if advice:
        _say(console, Text("\nWhat to do:", "bold"))
        for line in advice:
            _say(console, Text(f"  {line}"))
    ending = "Everything that a run needs works." if diagnosis.works else "Something that a run needs does not work."
    _say(console, Text.assemble("\n", (ending, "green" if diagnosis.works else "bold red")))


def _tell_sandbox(report: SandboxReport, console: Console) -> None:
    style = "red" if report.level == "none" else "green"
    _say(console, Text.assemble(("Sandbox: ", "bold"), (f"level {report.level}", style), f", {_LEVELS[report.level]}"))
    untested = "" if report.is_processor_tested else " (untested on this processor)"
    where = f", in a container ({report.container})" if report.container else ""
    _say(console, Text(f"  {report.kernel}, {report.processor}{untested}, user {report.user_id}{where}"))
    if report.problem is not None:
        _say(console, Text(f"  It does not start: {report.problem}", "red"))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_header=False)
    for layer in report.layers:
        word, colour = _STATES[layer.state]
        table.add_row(f"  {_TITLES[layer.name]}", Text(word, colour), Text(layer.detail))
    console.print(table)
    held = sum(attack.contained for attack in report.attacks)
    style = "green" if report.attacks and held == len(report.attacks) else "bold red"
    _say(console, Text.assemble("  Self-test: ", (f"{held} of {len(report.attacks)} attacks held", style)))
    for attack in report.attacks:
        if not attack.contained:
            _say(console, Text(f"    {attack.name} got through: {attack.detail}", "bold red"))


def _mark(works: bool) -> Text:
    return Text("works, " if works else "DOES NOT WORK, ", "green" if works else "bold red")


def _say(console: Console, line: Text) -> None:
    console.print(line, soft_wrap=True)
