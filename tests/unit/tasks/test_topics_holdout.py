"""Which texts come too close to a hold-out, and what becomes of them."""

import json
from pathlib import Path

import pytest

from schemas.errors import UnreadableCorpus
from tasks.topics import Closeness, HeldOut, Judged, MiniLmEmbedder, form_topics, hold_out, read_holdout, refine
from tasks.topics.holdout import too_close
from tests.fakes.topics import idea, judgement, records

EMBEDDER = MiniLmEmbedder()
BENCHMARK = [
    "Book the 3 pm train from York to Leeds on 5 May for two adults, with seats at a table.",
    "Is it safe to take fluoxetine together with ibuprofen?",
    "I'd like a cab",
]


def held_out(tmp_path: Path, *texts: str, name: str = "bench.jsonl") -> HeldOut:
    path = tmp_path / name
    path.write_text("\n".join(json.dumps({"question": text}) for text in texts), encoding="utf-8")
    return hold_out(read_holdout(path), EMBEDDER)


def closeness(tmp_path: Path, text: str) -> Closeness | None:
    return too_close([text], [held_out(tmp_path, *BENCHMARK)], EMBEDDER)[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BENCHMARK[0], 1),
        (BENCHMARK[0].upper(), 1),
        ("Book the 3 pm train from Hull to Derby on 9 June for three adults, with seats at a table.", 1),
        ("Do the drugs ibuprofen and fluoxetine interact, or is it safe to take them together?", 2),
    ],
)
def test_the_same_with_other_names_or_in_other_words_is_too_close(tmp_path: Path, text: str, line: int) -> None:
    found = closeness(tmp_path, text)

    assert found is not None
    assert (found.name, found.line) == ("bench.jsonl", line)
    assert found.meaning >= 0.7 or found.words >= 0.4


@pytest.mark.parametrize(
    "text",
    [
        "Cancel the seat reservation of Mrs Abara and refund her fare.",
        "Which of our members have not paid for March? Remind them.",
        "I'd like a cabinet moved from room 4 to the store, and its key handed to the caretaker before noon.",
    ],
)
def test_another_request_is_not_too_close_though_it_shares_a_phrase_or_a_field_of_life(
    tmp_path: Path, text: str
) -> None:
    assert closeness(tmp_path, text) is None


def test_a_held_out_text_inside_a_long_one_is_found_by_its_words(tmp_path: Path) -> None:
    chores = " ".join(f"Then water bed {number} and note the level of tank {number}." for number in range(1, 40))

    found = closeness(tmp_path, f"{chores} {BENCHMARK[0]}")

    assert found is not None
    assert (found.line, found.words) == (1, 1.0)
    assert found.meaning < 0.7


def test_the_detail_names_the_place_and_never_quotes_the_held_out_text(tmp_path: Path) -> None:
    found = closeness(tmp_path, BENCHMARK[1])

    assert found is not None
    assert found.detail.startswith("bench.jsonl:2 says nearly the same (meaning 1.00, words 1.00)")
    assert "fluoxetine" not in found.detail


def test_of_several_holdouts_the_nearest_text_is_named(tmp_path: Path) -> None:
    both = [held_out(tmp_path, *BENCHMARK[:2]), held_out(tmp_path, "Water the ferns.", BENCHMARK[2], name="more.jsonl")]

    found = too_close([BENCHMARK[2], "Water the ferns, please.", "Sort the post."], both, EMBEDDER)

    assert [each and (each.name, each.line) for each in found] == [("more.jsonl", 2), ("more.jsonl", 1), None]


def test_without_a_holdout_nothing_is_too_close() -> None:
    assert too_close(BENCHMARK, [], EMBEDDER) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.jsonl", b"", "empty"),
        ("blank.txt", b"\n \n", "no task text"),
        ("header.csv", b"question\n", "no task text"),
        ("binary.jsonl", b"\x00\x01\x02\xff", "binary"),
        ("other.csv", b"a,b\n1,2\n", "--holdout-column"),
        ("kind.docx", b"text", ".jsonl"),
        ("half.jsonl", b'{"task": "Book a table"}\n{"task": \n', "line 2"),
    ],
)
def test_a_holdout_that_is_not_wholly_readable_is_refused(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(UnreadableCorpus) as refusal:
        read_holdout(path)

    assert words in str(refusal.value)
    assert name in str(refusal.value)
    assert "hold-out" in str(refusal.value)
    assert "--task-column" not in str(refusal.value)


def test_a_refused_seed_task_is_not_judged_and_what_repeats_it_supports_nothing() -> None:
    texts = ["Freeze my debit card", "Water the ferns in house 3", "Water the ferns in house 3", "Book a table for six"]
    refined = refine(records(texts))
    close, kept = refined.seed_tasks[1], refined.seed_tasks[3]

    left = refined.without({close.seed_task_id: "bench.jsonl:4 says nearly the same"})

    assert [task.status for task in left.seed_tasks] == ["accepted", "rejected", "duplicate", "accepted"]
    assert [task.text for task in left.originals] == [texts[0], texts[3]]
    assert left.seed_tasks[1].reason == "too_close_to_holdout"
    assert left.seed_tasks[1].cluster is None
    judged = [Judged(kept.seed_task_id, judgement("Night bakery")), Judged(close.seed_task_id, judgement("Fern house"))]
    mined = form_topics(left, judged, author="rules", embedder=EMBEDDER)
    assert [topic.slug for topic in mined.topics] == ["night-bakery"]
    assert [task.reason for task in mined.seed_tasks] == ["not_judged", "too_close_to_holdout", "exact_duplicate", None]
    assert mined.seed_tasks[2].topic_id is None


def test_a_refused_repeat_names_no_original_any_more() -> None:
    refined = refine(records(["Freeze my debit card", "freeze my debit card"]))

    left = refined.without({refined.seed_tasks[1].seed_task_id: "near"})

    assert [(task.status, task.duplicate_of) for task in left.seed_tasks] == [("accepted", None), ("rejected", None)]


def test_a_topic_that_comes_too_close_is_refused_and_takes_no_other_with_it(tmp_path: Path) -> None:
    given = [
        idea("Night bakery", summary="A bakery that sells bread at night."),
        idea("Fern house", summary="A glass house where ferns are watered.", domain="garden"),
    ]
    benchmark = held_out(tmp_path, "Night bakery. A bakery that sells bread at night.")

    mined = form_topics(refine(records([])), [], author="rules", embedder=EMBEDDER, given=given, held_out=[benchmark])

    fates = {topic.slug: (topic.status, topic.reason) for topic in mined.topics}
    assert fates == {"night-bakery": ("rejected", "too_close_to_holdout"), "fern-house": ("accepted", None)}
    assert mined.topics[1].detail == "bench.jsonl:1 says nearly the same (meaning 1.00, words 1.00)"
