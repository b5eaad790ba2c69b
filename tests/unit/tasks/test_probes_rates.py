"""Pass rates with their intervals."""

import pytest

from tasks.probes.rates import wilson


@pytest.mark.parametrize(
    ("passes", "attempts", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 2, 0.0945, 0.9055), (45, 100, 0.3561, 0.5476)],
)
def test_the_interval_of_a_rate_is_wilsons(passes: int, attempts: int, low: float, high: float) -> None:
    assert wilson(passes, attempts) == pytest.approx((low, high), abs=5e-4)
