"""Flow: all proofs of a release are executed again, so that a schedule notices what no longer holds."""

import os
from pathlib import Path

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact

from flows.composition import local_sandbox
from flows.verifying import CURRENT, Verification, verify_release
from schemas.errors import MachineryError
from schemas.settings import Settings
from tasks.policies import ONCE

MAX_NAMED = 20
"""Scenarios that the summary in the Prefect UI lists."""


@task(name="verify release", tags=["verify"], **ONCE)
def verify_all(label: str, home: Path, at_a_time: int, unsafe_no_sandbox: bool) -> Verification:
    """Execute every proof again. The label is the release."""
    return verify_release(home, label, sandbox=local_sandbox(allow_unsafe=unsafe_no_sandbox), at_a_time=at_a_time)


@flow(name="revalidate", flow_run_name="revalidate release {release}")
def revalidate(
    release: str = CURRENT, home: Path | None = None, concurrency: int | None = None, unsafe_no_sandbox: bool = False
) -> int:
    """Prove every published scenario of a release again, from its rows alone. `envmill verify` does the same by hand.

    Args:
        release: "current", or the number of a release.
        home: Folder that holds the release; null for ENVMILL_HOME or .envmill.
        concurrency: Environments in work at a time; null for one per core.
        unsafe_no_sandbox: Run generated code also where the system isolates nothing.

    Returns:
        How many scenarios hold: all of them.

    Raises:
        UsageError: there is no such release.
        MachineryError: some scenarios no longer hold, or rows have changed since they were published; the summary of
            the flow run says which scenarios, and why.
    """
    at_a_time = concurrency or os.cpu_count() or 1
    found = verify_all(release, home or Settings().home, at_a_time, unsafe_no_sandbox)
    create_markdown_artifact(
        key="revalidate", markdown=_summary(found), description=f"Proofs of release {found.release}"
    )
    if found.broken:
        named = ", ".join(each.scenario.scenario_id for each in found.broken[:3])
        raise MachineryError(
            f"{len(found.broken)} of {len(found.rechecked)} scenarios of release {found.release} no longer hold, "
            f"such as {named}. `envmill verify` says why; the next `envmill run` proves again what it makes anew."
        )
    if found.changed is not None:
        raise MachineryError(
            f"The rows of release {found.release} are not those that were published: {found.changed}. "
            "Every proof holds all the same. Restore its files, or make a new release."
        )
    return len(found.rechecked)


def _summary(found: Verification) -> str:
    count = len(found.rechecked)
    lines = [f"## release {found.release}: {count - len(found.broken)} of {count} scenarios hold"]
    if found.changed is not None:
        lines += ["", f"Its rows are not those that were published: {found.changed}."]
    if found.broken:
        lines += ["", "| scenario | environment | reason |", "|---|---|---|"]
    for each in found.broken[:MAX_NAMED]:
        reasons = ", ".join(dict.fromkeys(trouble.reason for trouble in each.troubles))
        lines.append(f"| {each.scenario.scenario_id} | {each.slug} | {reasons} |")
    if len(found.broken) > MAX_NAMED:
        lines.append(f"| {len(found.broken) - MAX_NAMED} more | | |")
    return "\n".join(lines)
