"""Chance for property-based testing that depends on the seed and on nothing else."""

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.conjecture.providers import CONSTANTS_CACHE
from hypothesis.internal.constants_ast import Constants


def seeded_settings(*, examples: int, steps: int) -> settings:
    """Settings under which a seed alone decides what is generated and how it shrinks.

    Args:
        examples: Sequences.
        steps: Longest sequence, in calls.
    """
    _draw_no_constants()
    return settings(
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
        report_multiple_bugs=False,
        stateful_step_count=steps,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )


def _draw_no_constants() -> None:
    """Keep Hypothesis from mixing in constants out of whatever modules the process happens to have loaded.

    It would also keep them in a folder below the working folder. There is no setting for it.
    """
    if providers._get_local_constants is not Constants:
        vars(providers)["_get_local_constants"] = Constants
        CONSTANTS_CACHE.cache.clear()
