"""All attacks."""

from tests.contract.attacks import (
    checks,
    endings,
    files,
    forgery,
    host,
    kernel,
    memory,
    neighbours,
    network,
    output,
    processes,
    results,
    time,
)
from tests.contract.attacks.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *files.ATTACKS,
    *host.ATTACKS,
    *network.ATTACKS,
    *processes.ATTACKS,
    *memory.ATTACKS,
    *time.ATTACKS,
    *endings.ATTACKS,
    *output.ATTACKS,
    *forgery.ATTACKS,
    *results.ATTACKS,
    *neighbours.ATTACKS,
    *checks.ATTACKS,
    *kernel.ATTACKS,
)
