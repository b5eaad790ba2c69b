"""What counts as said by a task."""

import pytest

from tasks.scenarios.said import Meaning, TaskText

NOW = "2025-06-10T11:45"  # a Tuesday


def says(text: str, value: object, name: str = "x", description: str = "", *, is_enum: bool = False) -> bool:
    return TaskText(text, NOW).unsaid(value, Meaning(name, description, is_enum=is_enum)) is None


@pytest.mark.parametrize(
    "words",
    [
        "2025-06-19",
        "on 19 June",
        "on June 19th, please",
        "Thursday 19 June 2025.",
        "Thursday the 19th",
        "the 19th of June",
        "19.06.2025",
        "6/19",
        "next week, on Thursday",
        "in nine days",
    ],
)
def test_a_day_is_said_in_many_ways(words: str) -> None:
    assert says(f"Move it: {words}", "2025-06-19")


@pytest.mark.parametrize(
    "words", ["on 20 June", "Thursday the 12th", "19 June 2026", "Friday", "119 June", "19 people"]
)
def test_another_day_is_not_this_day(words: str) -> None:
    assert not says(f"Move it to {words}", "2025-06-19")


@pytest.mark.parametrize(
    ("words", "day"), [("today", "2025-06-10"), ("tomorrow", "2025-06-11"), ("Wednesday", "2025-06-11")]
)
def test_relative_days_count_from_the_clock_of_the_environment(words: str, day: str) -> None:
    assert says(f"Do it {words}.", day)
    assert not says(f"Do it {words}.", "2025-06-13")


@pytest.mark.parametrize("words", ["14:30", "2:30 pm", "2.30 p.m.", "half past two"])
def test_a_moment_needs_its_day_and_its_time(words: str) -> None:
    assert says(f"19 June at {words}", "2025-06-19T14:30")
    assert not says(f"20 June at {words}", "2025-06-19T14:30")
    assert not says("19 June at 15:30", "2025-06-19T14:30")


def test_cents_are_said_as_money_where_the_argument_is_in_cents() -> None:
    for words in ("60 euros", "60.00", "$60", "60,00 EUR", "6000 cents"):
        assert says(f"She pays {words} now", 6000, "amount_cents")
        assert says(f"She pays {words} now", 6000, "amount", "Amount in euro cents.")
    assert not says("She pays 60 euros", 6000, "quantity")
    assert not says("She pays 160 euros", 6000, "amount_cents")
    assert not says("She pays 60.50 euros", 6000, "amount_cents")
    assert says("That is 1,234.50 euros.", 123450, "amount_cents")


def test_small_numbers_are_said_in_words() -> None:
    assert says("one dose", 1) and says("a dose", 1) and says("twenty-one chairs", 21) and says("a dozen eggs", 12)
    assert not says("one dose", 2)
    assert not says("chairs", 21)


def test_a_duration_may_be_said_in_a_larger_unit() -> None:
    assert says("for 1.5 hours", 90, "duration_minutes")
    assert says("for two weeks", 14, "days")
    assert not says("for two weeks", 14, "seats")


def test_an_enum_is_said_with_blanks_and_in_another_form() -> None:
    assert says("mark it as checked in", "checked_in", is_enum=True)
    assert says("please cancel it", "cancelled", is_enum=True)
    assert not says("please close it", "cancelled", is_enum=True)
    assert not says("please cancel it", "cancelled")


def test_a_text_must_be_there_whole_whatever_its_case_and_quotes() -> None:
    assert says("Note “Ring twice – don’t wait”, thanks", "ring twice - don't wait")
    assert not says("Note 'Ring'", "Ring twice")
    assert not says("Category art", "art department")
    assert not says("party", "art")


def test_the_first_unsaid_part_of_a_list_or_object_is_named() -> None:
    text = TaskText("Two lamps and a chair", NOW)
    assert text.unsaid(["lamps", "sofa", "desk"], Meaning("names")) == "sofa"
    assert text.unsaid({"quantity": 2, "name": "desk"}, Meaning("line")) == "desk"
    assert text.unsaid([{"quantity": 2}, {"quantity": 1}], Meaning("lines")) is None


@pytest.mark.parametrize("value", [True, False, None, "", []])
def test_what_has_no_words_counts_as_said(value: object) -> None:
    assert says("Anything", value)
