"""The distribution of reference lengths that somebody asks for."""

from collections import Counter

import pytest
from pydantic import ValidationError

from schemas.errors import UsageError
from schemas.lengths import USUAL_LENGTHS, Lengths, lengths_of


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("4", {4: 1}),
        ("2-3", {2: 0.5, 3: 0.5}),
        ("3-5:3,6-7:4, 12", {3: 1, 4: 1, 5: 1, 6: 2, 7: 2, 12: 1}),
        ("1-15:30,1:2", {1: 4, **{length: 2 for length in range(2, 16)}}),
        ("5:0,6:0.5", {5: 0, 6: 0.5}),
    ],
)
def test_ranges_share_their_weight(text: str, weights: dict[int, float]) -> None:
    assert lengths_of(text).weights == weights


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "can't be read at ''"),
        ("three", "can't be read at 'three'"),
        ("3;4", "can't be read at '3;4'"),
        ("3:-1", "can't be read at '3:-1'"),
        ("0-4", "within 1 to 15"),
        ("9-3", "within 1 to 15"),
        ("12-16:2", "within 1 to 15"),
        ("4:0", "weigh nothing"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        lengths_of(text)


def test_a_record_of_impossible_lengths_is_refused() -> None:
    for wrong in ({16: 1.0}, {0: 1.0}, {3: -1.0, 4: 1.0}, {3: 0.0}, {}):
        with pytest.raises(ValidationError):
            Lengths(weights=wrong)


def test_lengths_are_drawn_by_weight_and_a_longer_draw_begins_alike() -> None:
    drawn = Lengths(weights={3: 1, 9: 3}).drawn(7, 4000)

    assert set(drawn) == {3, 9}
    assert 0.72 < Counter(drawn)[9] / len(drawn) < 0.78
    assert lengths_of("3:1,9:3").drawn(7, 40) == lengths_of("9:3,3:1").drawn(7, 40)
    assert USUAL_LENGTHS.drawn(7, 3) == USUAL_LENGTHS.drawn(7, 9)[:3]
    assert USUAL_LENGTHS.drawn(7, 20) != USUAL_LENGTHS.drawn(8, 20)
