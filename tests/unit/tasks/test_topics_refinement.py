from tasks.authors.base import TaskJudgements
from tasks.topics import CorpusRecord, judge_batches, pair_judgements, refine
from tasks.topics.normalise import normalise
from tests.fakes.topics import judgement, record, records

REQUESTS = [
    "Cancel my table for four at the window on Friday evening",
    "Where is the parcel that I sent to Dundee last week?",
    "Freeze my debit card, I think that I left it in a bar",
    "Put the login bug at the top of this sprint",
    "Move the haircut of my spaniel to Thursday afternoon",
]

VERBS = ["Cancel", "Renew", "Forward", "Inspect", "Archive", "Duplicate", "Postpone", "Approve", "Measure", "Translate"]
THINGS = [
    "invoice of March",
    "blue bicycle",
    "harbour permit",
    "piano lesson",
    "oldest backup",
    "guest list",
    "wet towels",
]


def test_every_record_becomes_one_row_in_its_order() -> None:
    refined = refine(records([*REQUESTS, REQUESTS[0]]))

    assert [task.text for task in refined.seed_tasks] == [*REQUESTS, REQUESTS[0]]
    assert [task.line for task in refined.seed_tasks] == [1, 2, 3, 4, 5, 6]
    assert [task.status for task in refined.seed_tasks] == ["accepted"] * 5 + ["duplicate"]


def test_texts_are_brought_to_one_spelling() -> None:
    messy = "  Re\u0301server\u00a0une\ttable\r\nau\u200b nom\x07 de\ufeff Zoë "

    assert normalise(messy) == "Réserver une table au nom de Zoë"
    assert normalise("\u200b\u200d \x00\n") == ""
    assert normalise("👩\u200d🚒 नमस्\u200dते") == "👩\u200d🚒 नमस्\u200dते"


def test_the_first_of_equal_texts_stays_and_the_others_point_to_it() -> None:
    refined = refine(records([REQUESTS[1], REQUESTS[0], REQUESTS[0].upper(), f" {REQUESTS[0]}  "]))

    original = refined.seed_tasks[1]
    for repeat in refined.seed_tasks[2:]:
        assert (repeat.status, repeat.reason, repeat.duplicate_of) == (
            "duplicate",
            "exact_duplicate",
            original.seed_task_id,
        )
        assert repeat.keyphrases == original.keyphrases
        assert repeat.cluster is None and repeat.cluster_label is None


def test_near_repeats_point_to_the_original_and_never_to_another_repeat() -> None:
    texts = [
        "Cancel the sushi, my meeting got extended and nobody is going to be home to take it.",
        "Cancel the sushi, my meeting got extended and nobody will be home to take it.",
        "Cancel the sushi, my meeting got extended and nobody will be home to take it",
        "Did I leave the garage open? Close it if so.",
        "Did I leave the garage door open? Close it if so.",
    ]
    tasks = refine(records(texts)).seed_tasks

    assert [task.status for task in tasks] == ["accepted", "duplicate", "duplicate", "accepted", "duplicate"]
    assert [task.duplicate_of for task in tasks] == [
        None,
        tasks[0].seed_task_id,
        tasks[0].seed_task_id,
        None,
        tasks[3].seed_task_id,
    ]
    assert tasks[1].reason == "near_duplicate" and tasks[0].seed_task_id in (tasks[1].detail or "")


def test_requests_that_differ_in_what_they_want_are_no_repeats() -> None:
    texts = [
        "Find me some theater events happening in New York?",
        "Find me some musical events happening in New York?",
        "Turn on the kitchen light",
        "Turn off the kitchen light",
        "取消我的订单",
        "查询我的订单",
    ]
    assert [task.status for task in refine(records(texts)).seed_tasks] == ["accepted"] * len(texts)


def test_rows_that_agree_in_everything_still_have_ids_of_their_own() -> None:
    same = CorpusRecord("c.jsonl", "desk", "7", 1, REQUESTS[0])
    tasks = refine([same, same, same]).seed_tasks

    assert len({task.seed_task_id for task in tasks}) == 3
    assert {task.duplicate_of for task in tasks[1:]} == {tasks[0].seed_task_id}


def test_keyphrases_name_what_a_text_is_about_in_several_languages() -> None:
    refined = refine(
        records(
            [
                "Please could you move my dentist appointment to the next week",
                "Könnten Sie bitte meinen Termin beim Zahnarzt auf nächste Woche verschieben",
                "Je voudrais annuler ma réservation pour le restaurant de la gare",
                "请帮我取消明天的酒店预订",
                "12 345 67",
            ]
        )
    )
    found = [task.keyphrases for task in refined.seed_tasks]

    assert "dentist appointment" in found[0]
    assert any("zahnarzt" in phrase for phrase in found[1])
    assert any("restaurant" in phrase for phrase in found[2])
    assert len(found[3]) == 5 and all(len(phrase) == 2 for phrase in found[3])
    assert found[4] == []
    assert all(len(phrases) <= 5 for phrases in found)
    said = {word for phrases in found for phrase in phrases for word in phrase.split()}
    assert not said & {"please", "could", "you", "the", "bitte", "sie", "auf", "je", "voudrais", "la"}


def test_texts_of_one_kind_share_a_cluster_with_a_label() -> None:
    cards = [
        "Block the credit card that I lost in Bergen",
        "Was my credit card charged twice by the florist?",
        "Raise the limit of this credit card until Sunday",
        "New credit card for Ada, please, the old one is bent",
    ]
    plants = [
        "Water the tomato beds at noon",
        "Which tomato beds got no water since Monday?",
        "Less water on the tomato beds while it rains",
        "Note that the tomato beds by the door need water and lime",
    ]
    tasks = refine(records([text for pair in zip(cards, plants, strict=True) for text in pair])).originals

    by_kind = [{task.cluster for task in tasks if word in task.text} for word in ("card", "tomato")]
    assert by_kind[0].isdisjoint(by_kind[1])
    assert all(task.cluster_label for task in tasks)


def test_refining_twice_gives_the_same_rows() -> None:
    many = records([f"{text} number {number}" for number in range(9) for text in REQUESTS])

    assert refine(many) == refine(many)
    assert refine([]).seed_tasks == ()


def test_batches_hold_every_original_once_and_in_order() -> None:
    refined = refine(records([f"{word} the {thing}" for word in VERBS for thing in THINGS]))
    batches = judge_batches(refined, 8)

    ids = [seed_task_id for batch in batches for seed_task_id in batch.seed_task_ids]
    assert ids == [task.seed_task_id for task in refined.originals]
    assert [text for batch in batches for text in batch.question.texts] == [task.text for task in refined.originals]
    assert all(4 <= len(batch.seed_task_ids) <= 8 for batch in batches[:-1])


def test_a_new_text_at_the_top_leaves_most_batches_as_they_were() -> None:
    texts = [f"{word} the {thing}" for word in VERBS for thing in THINGS]
    before = {batch.question for batch in judge_batches(refine(records(texts)), 8)}
    after = {batch.question for batch in judge_batches(refine(records(["Something new", *texts])), 8)}

    assert len(before & after) > len(before) / 2


def test_a_reply_of_another_length_is_no_reply() -> None:
    batch = judge_batches(refine([record(1, REQUESTS[0]), record(2, REQUESTS[1])]), 8)[0]

    judged = pair_judgements(batch, TaskJudgements(judgements=(judgement("A desk"),)))

    assert [one.judgement for one in judged] == [None, None]
    assert "1 texts where 2" in (judged[0].fault or "")
