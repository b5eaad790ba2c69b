"""Facts of a message that change places."""

import pytest

from tasks.proof.news import news_in, swapped


@pytest.mark.parametrize(
    ("message", "one", "two"),
    [
        ("Ada's is due on 12 April 2025. Bram's is due on 3 May 2025.", "12 April 2025", "3 May 2025"),
        ("The visit begins at 09:15. The talk begins at 14:30.", "09:15", "14:30"),
        ("The fee is 12.50 euros. The deposit is 40.00 euros.", "12.50", "40.00"),
        ("The first is Ada Okoro. The last is Bram Bakker.", "Ada Okoro", "Bram Bakker"),
    ],
)
def test_two_facts_of_any_type_change_places(message: str, one: str, two: str) -> None:
    news = news_in(message, "Which ones?")

    ((what, text),) = swapped(message, news)
    assert what == f'"{one}" and "{two}" have changed places in the message'
    assert (text.index(two) < text.index(one), sorted(text.split())) == (True, sorted(message.split()))


def test_facts_that_are_told_as_one_or_that_the_task_holds_keep_their_places() -> None:
    pair = "They are due at 09:15 and 14:30."

    assert list(swapped(pair, news_in(pair, ""))) == []
    assert [each.text for each in news_in("Room 12 has 7 seats.", "How many seats has room 12?")] == ["7"]
