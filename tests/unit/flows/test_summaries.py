"""What the Prefect UI shows of pass rates."""

from flows.summaries import rates_text
from tasks.probes.rates import PassRate


def test_pass_rates_are_a_table_with_intervals_and_what_broke_beside_them() -> None:
    lines = rates_text([PassRate("greedy", 0, 0, 2), PassRate("random_valid", 10, 1, 0)]).splitlines()

    assert lines[-2:] == [
        "| greedy | 0 | 0 |  |  | 2 |",
        "| random_valid | 10 | 1 | 10.00% | 1.79% to 40.42% | 0 |",
    ]
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1
