"""One kept import, judged whole."""

from itertools import islice

from tasks.imports.folder import KeptFolder
from tasks.imports.judging import judge_environment
from tasks.imports.outcome import ImportOutcome
from tasks.imports.scenarios import judge_scenarios
from tasks.sandbox.base import Sandbox

_STATES_OFFERED = 12


def judge_import(folder: KeptFolder, *, sandbox: Sandbox, seed: int) -> ImportOutcome:
    """Everything that becomes of one kept environment and its scenarios.

    Raises:
        SandboxUnavailable: the sandbox itself is broken.
    """
    kept = folder.environment()
    states = [scenario.state for scenario in islice(folder.scenarios(), _STATES_OFFERED)]
    outcome = judge_environment(kept, folder.slug, states, sandbox=sandbox, seed=seed)
    return judge_scenarios(outcome, folder.scenarios(), kept.states, sandbox=sandbox)
