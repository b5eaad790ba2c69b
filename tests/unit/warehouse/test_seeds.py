"""The seed corpus that ships with the project keeps its promises to the stages that read it."""

from collections import Counter
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

import warehouse

SEEDS = Path(warehouse.__file__).parent / "seeds" / "seeds.jsonl"


class SeedLine(BaseModel):
    """One line of the corpus: exactly these columns, no text of blanks only."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    task: str = Field(pattern=r"^\S(.*\S)?$")
    source: Literal["envmill_seeds"]
    source_id: str = Field(pattern=r"^seed-\d{4}$")
    domain: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    label: Literal["stateful", "not_stateful"]


@pytest.fixture(scope="module")
def seeds() -> list[SeedLine]:
    """Every line of the shipped file; a line with other columns fails here."""
    return [SeedLine.model_validate_json(line) for line in SEEDS.read_text(encoding="utf-8").splitlines()]


def test_the_corpus_is_large_and_holds_both_kinds(seeds: list[SeedLine]) -> None:
    labels = Counter(seed.label for seed in seeds)

    assert len(seeds) >= 520
    assert labels["stateful"] >= 410
    assert labels["not_stateful"] >= 60


def test_the_stateful_texts_come_from_at_least_forty_domains(seeds: list[SeedLine]) -> None:
    domains = Counter(seed.domain for seed in seeds if seed.label == "stateful")

    assert len(domains) >= 40
    assert min(domains.values()) >= 3
    assert sum(count >= 9 for count in domains.values()) >= 34


def test_only_texts_that_are_not_stateful_have_no_domain(seeds: list[SeedLine]) -> None:
    misplaced = [seed.source_id for seed in seeds if (seed.domain == "none") != (seed.label == "not_stateful")]

    assert misplaced == []


def test_source_ids_are_unique_and_follow_the_file(seeds: list[SeedLine]) -> None:
    assert [seed.source_id for seed in seeds] == [f"seed-{number:04d}" for number in range(1, len(seeds) + 1)]


def test_three_texts_occur_a_second_time_under_the_same_label(seeds: list[SeedLine]) -> None:
    repeated = [text for text, count in Counter(seed.task for seed in seeds).items() if count > 1]
    labels_of_repeated = {text: {seed.label for seed in seeds if seed.task == text} for text in repeated}

    assert len(repeated) == 3
    assert all(len(labels) == 1 for labels in labels_of_repeated.values())


def test_texts_are_between_six_and_seventy_words(seeds: list[SeedLine]) -> None:
    odd = {seed.source_id: len(seed.task.split()) for seed in seeds if not 6 <= len(seed.task.split()) <= 70}

    assert odd == {}


def test_neighbouring_lines_are_not_grouped_by_theme(seeds: list[SeedLine]) -> None:
    stateful = [seed for seed in seeds if seed.label == "stateful"]
    same_as_next = sum(one.domain == other.domain for one, other in zip(stateful, stateful[1:], strict=False))

    assert same_as_next < len(stateful) / 10
