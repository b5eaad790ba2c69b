"""What a text names, and which words of it count."""

import pytest

from tasks.probes.texts import stems, values_in

TEXT = (
    "Please book Chiara Rossi for Sunday 20 April at 9:30, and write to dana.kim@example.org or +44 1134 960005. "
    'Pay 827.50 euros for the 3 seats of NV210 Hamburg to Porto. Then cancel "Bench is sprayed" of 2026-05-02.'
)


def test_values_are_found_by_their_form_each_once() -> None:
    values = values_in(TEXT, year=2025)

    assert values.days == ("2026-05-02", "2025-04-20")
    assert values.times == ("09:30",)
    assert values.emails == ("dana.kim@example.org",)
    assert values.phones == ("+441134960005",)
    assert values.numbers == (827.5, 3)
    assert set(values.names) >= {"Bench is sprayed", "Chiara Rossi", "NV210 Hamburg to Porto"}
    assert not {"Please", "Then", "Sunday"} & set(values.names)


@pytest.mark.parametrize(("text", "day"), [("June 3rd", "2025-06-03"), ("3rd of June 2027", "2027-06-03")])
def test_days_are_read_in_both_orders(text: str, day: str) -> None:
    assert values_in(f"On {text}, please.", year=2025).days == (day,)


@pytest.mark.parametrize("text", ["", "30 February", "\ud800", "((((", "+", "9999999999-99-99"])
def test_odd_texts_name_no_day(text: str) -> None:
    assert values_in(text, year=2025).days == ()


def test_words_are_compared_without_their_endings_and_idle_ones_do_not_count() -> None:
    assert stems("Cancel the bookings of him, please") == stems("cancels_booking")
    assert stems("and the of") == frozenset()
