from collections.abc import Sequence
from random import Random

import pytest

from schemas.topics import Topic
from tasks.authors.base import EnvironmentIdea, TaskJudgement
from tasks.topics import Judged, MinedTopics, MiniLmEmbedder, Thresholds, form_topics, refine
from tasks.topics.candidates import Candidate, collect_candidates, slug_of
from tasks.topics.selection import select_for_coverage
from tests.fakes.topics import MeaningEmbedder, idea, judgement, records

TEXTS = [
    "Cancel my table for four at the window on Friday evening",
    "Where is the parcel that I sent to Dundee last week?",
    "Freeze my debit card, I think that I left it in a bar",
    "Put the login bug at the top of this sprint",
    "Move the haircut of my spaniel to Thursday afternoon",
    "Water the tomato beds in the north house at noon",
]


def mine(
    said: Sequence[TaskJudgement | None],
    *,
    texts: Sequence[str] | None = None,
    given: Sequence[EnvironmentIdea] = (),
    limit: int | None = None,
    meanings: dict[str, str] | None = None,
    thresholds: Thresholds | None = None,
) -> MinedTopics:
    refined = refine(records(texts or TEXTS[: len(said)]))
    judged = [
        Judged(task.seed_task_id, one, None if one else "no reply in 60 s")
        for task, one in zip(refined.originals, said, strict=False)
    ]
    return form_topics(
        refined,
        judged,
        author="rules",
        embedder=MeaningEmbedder(meanings or {}),
        given=given,
        limit=limit,
        thresholds=thresholds,
    )


def topics_of(mined: MinedTopics) -> dict[str, Topic]:
    return {topic.slug: topic for topic in mined.topics}


def stateful(environment: EnvironmentIdea) -> TaskJudgement:
    return TaskJudgement(is_stateful=True, reason="stateful", explanation="It does.", environment=environment)


def test_texts_that_name_one_title_support_one_topic() -> None:
    mined = mine([judgement("Night bakery"), judgement(None), judgement("night  BAKERY")])

    (topic,) = mined.topics
    assert (topic.slug, topic.status, topic.seed_task_count) == ("night-bakery", "accepted", 2)
    assert topic.title == "Night bakery"
    assert [task.topic_id for task in mined.seed_tasks] == [topic.topic_id, None, topic.topic_id]
    assert set(topic.keyphrases) <= {phrase for task in mined.seed_tasks for phrase in task.keyphrases}


def test_every_seed_task_has_a_fate_with_a_reason() -> None:
    mined = mine([judgement("Night bakery"), judgement(None, reason="chit_chat"), None, stateful(idea(" \n"))])

    assert [(task.status, task.reason) for task in mined.seed_tasks] == [
        ("accepted", None),
        ("rejected", "chit_chat"),
        ("failed", "not_judged"),
        ("rejected", "no_environment_named"),
    ]
    assert mined.seed_tasks[2].detail == "no reply in 60 s"
    assert [task.cluster is None for task in mined.seed_tasks] == [False, True, False, True]


def test_a_repeat_supports_the_topic_of_its_original_and_is_counted() -> None:
    mined = mine([judgement("Night bakery")], texts=[TEXTS[0], TEXTS[0].upper()])
    alone = mine([judgement("Night bakery")], texts=[TEXTS[0]])

    assert [task.topic_id for task in mined.seed_tasks] == [mined.topics[0].topic_id] * 2
    assert mined.seed_tasks[1].status == "duplicate"
    assert (mined.topics[0].seed_task_count, alone.topics[0].seed_task_count) == (2, 1)


def test_topics_that_mean_the_same_become_one_and_share_their_support() -> None:
    meanings = {"Night bakery": "bread", "Bread oven desk": "bread"}
    mined = mine([judgement("Night bakery"), judgement("Bread oven desk"), judgement("Ski school")], meanings=meanings)

    topics = topics_of(mined)
    kept, merged = topics["bread-oven-desk"], topics["night-bakery"]
    assert (merged.status, merged.reason, merged.duplicate_of) == ("duplicate", "same_meaning", kept.topic_id)
    assert (kept.status, kept.seed_task_count, merged.seed_task_count) == ("accepted", 2, 1)
    assert mined.seed_tasks[0].topic_id == mined.seed_tasks[1].topic_id == kept.topic_id
    assert topics["ski-school"].status == "accepted"


def test_a_given_topic_wins_over_a_mined_one_and_over_every_threshold() -> None:
    mined = mine(
        [judgement("Night bakery"), judgement("Ski school")],
        given=[idea("Bakery for night owls", usefulness=1), idea("Ski school"), idea("Whale watching", domain="sea")],
        meanings={"Night bakery": "bread", "Bakery for night owls": "bread"},
        limit=1,
    )

    topics = topics_of(mined)
    assert {slug: (one.status, one.origin) for slug, one in topics.items()} == {
        "bakery-for-night-owls": ("accepted", "given"),
        "night-bakery": ("duplicate", "corpus"),
        "ski-school": ("accepted", "given"),
        "whale-watching": ("accepted", "given"),
    }
    assert topics["ski-school"].seed_task_count == 1
    assert topics["whale-watching"].seed_task_count == 0


def test_weak_topics_are_rejected_and_keep_their_texts() -> None:
    mined = mine(
        [
            stateful(idea("Odd socks", usefulness=5)),
            stateful(idea("Dream diary", modelability=3)),
            stateful(idea("Ski school")),
            stateful(idea("Night bakery")),
            stateful(idea("Night bakery")),
        ],
        thresholds=Thresholds(support=2),
    )

    topics = topics_of(mined)
    assert {slug: one.reason for slug, one in topics.items()} == {
        "odd-socks": "low_usefulness",
        "dream-diary": "low_modelability",
        "ski-school": "low_support",
        "night-bakery": None,
    }
    assert mined.seed_tasks[0].topic_id == topics["odd-socks"].topic_id
    assert mined.seed_tasks[0].status == "accepted"


def test_what_a_topic_says_does_not_depend_on_the_other_texts() -> None:
    said = [judgement("Night bakery"), judgement("Ski school"), judgement("Whale watching")]
    alone = topics_of(mine(said[1:2], texts=TEXTS[1:2]))["ski-school"]
    among_others = topics_of(mine(said))["ski-school"]

    without = {"keyphrases", "seed_task_count"}
    assert alone.model_dump(exclude=without) == among_others.model_dump(exclude=without)


def test_a_title_in_any_script_and_of_any_length_has_a_slug() -> None:
    assert slug_of("Dog grooming, salon bookings") == "dog-grooming-salon-bookings"
    assert slug_of("歯科医院") != slug_of("美容院")
    assert slug_of("very " * 60 + "long") != slug_of("very " * 60 + "long one")
    (candidate,) = collect_candidates([idea("歯科医院", summary="")], {})
    topic = mine([stateful(idea("歯科医院"))]).topics[0]
    assert topic.slug == candidate.slug


def some_candidates(rng: Random, count: int) -> list[Candidate]:
    ideas = [
        idea(
            f"Topic {number}",
            domain=rng.choice("abcde"),
            usefulness=rng.randint(6, 10),
            modelability=rng.randint(6, 10),
        )
        for number in range(count)
    ]
    given = rng.randint(0, 3)
    return list(collect_candidates(ideas[:given], {f"t{number}": one for number, one in enumerate(ideas[given:])}))


@pytest.mark.parametrize("seed", range(40))
def test_when_a_topic_disappears_the_chosen_ones_stay_chosen(seed: int) -> None:
    rng = Random(seed)
    candidates = some_candidates(rng, 18)
    limit = rng.randint(1, 15)
    chosen = select_for_coverage(candidates, limit)

    for gone in candidates:
        left = select_for_coverage([one for one in candidates if one.slug != gone.slug], limit)
        assert chosen - {gone.slug} <= left
        assert len(left - chosen) <= 1


@pytest.mark.parametrize("seed", range(10))
def test_selection_spreads_over_domains_whatever_the_order_of_candidates(seed: int) -> None:
    rng = Random(seed)
    candidates = [one for one in some_candidates(rng, 25) if one.origin == "corpus"]
    chosen = select_for_coverage(candidates, 10)
    shuffled = rng.sample(candidates, len(candidates))

    assert select_for_coverage(shuffled, 10) == chosen
    counts = {domain: [one.slug in chosen for one in candidates if one.domain == domain] for domain in "abcde"}
    fullest = max(sum(picked) for picked in counts.values())
    for picked in counts.values():
        assert sum(picked) >= min(len(picked), fullest - 1)


def test_without_a_limit_everything_is_chosen() -> None:
    candidates = some_candidates(Random(1), 12)
    assert select_for_coverage(candidates, None) == {one.slug for one in candidates}


def test_topics_beyond_the_limit_say_so() -> None:
    mined = mine([stateful(idea(f"Ski school {number}")) for number in range(4)], limit=2)

    assert [(one.status, one.reason) for one in mined.topics] == [
        ("accepted", None),
        ("accepted", None),
        ("rejected", "not_selected"),
        ("rejected", "not_selected"),
    ]


def test_splits_follow_the_name_alone_in_about_eighty_ten_ten() -> None:
    candidates = collect_candidates([idea(f"Topic number {number}") for number in range(2_000)], {})
    splits = [one.split for one in candidates]

    assert 0.77 < splits.count("train") / 2_000 < 0.83
    assert 0.08 < splits.count("validation") / 2_000 < 0.12
    again = collect_candidates([idea("Topic number 7", domain="sea", summary="Other words.")], {})
    assert again[0].split == splits[7]


def test_embeddings_know_paraphrases_and_do_not_depend_on_the_neighbours() -> None:
    embedder = MiniLmEmbedder()
    desk, office, bikes = embedder.embed(
        [
            "Dental practice. Appointments and treatments of patients.",
            "Dentist's office. Who is treated when, and what it costs.",
            "Bicycle hire. Bikes lent out by the hour.",
        ]
    )

    assert desk @ office > 0.6 > desk @ bikes
    assert (embedder.embed(["Bicycle hire. Bikes lent out by the hour."])[0] == bikes).all()
    assert embedder.embed([]).shape[0] == 0
