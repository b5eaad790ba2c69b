import pytest

from schemas.ids import slugify
from tasks.authors.base import EnvironmentIdea
from tasks.authors.rules.cues import clauses_of, words_of
from tasks.authors.rules.judge import GENERAL, NEAR, NO_KNOWN_THEME, describe_topic, judge_tasks, nearest_theme
from tasks.authors.rules.statefulness import statefulness
from tasks.authors.rules.themes import themes
from tasks.topics import MiniLmEmbedder
from tasks.topics.merging import SAME_MEANING

STATEFUL = [
    ("dental-practice", "Move my dentist appointment with Dr. Falk to Thursday afternoon"),
    ("parcel-courier", "Where is my parcel 4471, and can it be held at the depot?"),
    ("retail-bank", "Stop the standing order to my old landlord and transfer 300 euros to my savings account"),
    ("public-library", "Renew the library books I have on loan, except the overdue one"),
    ("smart-home", "Turn off the lights in the hallway and set the thermostat to 19"),
    ("document-library", "Create a folder called Taxes and move the file receipts.pdf into it"),
    ("airline-bookings", "Book a one-way flight from Oslo to Rome on 4 May for two passengers"),
    ("retail-bank", "Sperren Sie bitte sofort meine Bankkarte und überweisen Sie 50 Euro an Frau Wirth"),
    ("hotel-front-desk", "Annulez ma réservation à l'hôtel pour demain soir, s'il vous plaît"),
    ("online-shop", "¿Ha llegado ya mi pedido? Quiero devolver la camiseta"),
    ("pharmacy-counter", "Annulla la mia ricetta in farmacia e spedisci il medicamento domani"),
    ("parcel-courier", "Waar is mijn pakket? Verplaats de bezorging naar vrijdag"),
    ("hotel-front-desk", "帮我取消明天的酒店预订"),
]

NOT_STATEFUL = [
    ("general_knowledge", "Explain how a mortgage works in simple terms"),
    ("general_knowledge", "What is the difference between a debit card and a credit card?"),
    ("public_facts", "What will the weather be like in Lisbon tomorrow?"),
    ("advice", "What should I look out for when I buy a used car?"),
    ("creative_writing", "Write a short poem about a parcel that was never delivered"),
    ("computation", "Calculate the area of a triangle with a base of 4 and a height of 9"),
    ("translation", "Translate this sentence into Spanish: the room is free"),
    ("chit_chat", "Hello, how are you today?"),
    ("creative_writing", "Schreib mir ein Gedicht über den Herbst"),
    ("general_knowledge", "Pourquoi le ciel est-il bleu ?"),
    ("no_domain", "Purple monkeys laugh sideways"),
    ("general_knowledge", "Do swans stay with one partner all their lives?"),
    ("general_knowledge", "how long does a passport photo stay valid in Denmark"),
    ("general_knowledge", "Name a few rivers that cross more than three countries"),
    ("advice", "My aunt hates surprises, how should I tell her about the party?"),
    ("advice", "is it rude to leave a dinner before the dessert"),
    ("advice", "Any tips for packing a suitcase with only shirts?"),
    ("creative_writing", 'Make this sound warmer: "Your deposit is gone and we will not discuss it."'),
    ("computation", "If a pool loses 3 percent of its water a day, how much is left after two weeks?"),
]

UNUSUAL_STATEFUL = {
    "it names a deed by a verb of no list": "Decant the second vat and tell Ruben when it's clear",
    "it asks for a deed": "could whoever is on the late boat bring our nets back in",
    "it asks for a change in the passive": "The plaque for the Ferrari wing should be moved next to the entrance",
    "it only says what happened": "the piano tuner never came and the concert is tonight",
    "it only says what is wrong": "our hive number 6 has no queen any more",
    "it corrects a record": "it's Sørensen with an ø, not Sorensen",
    "it is half a sentence about a person": "same as last year for old Mr Petrescu, but without the ribbon",
    "it is a note of the staff": "Kiln 2 fired to 1240, two mugs cracked, glaze batch C",
    "it asks how something stands": "is the blue canoe out or can the Ivanovs take it",
    "it asks what is left": "how many of our tombola prizes are still left",
    "it asks who it was": "who signed the visitors' book for the minister yesterday",
    "it asks about the speaker": "Did I ever hand my choir folder in?",
    "it complains": "You promised us the corner plot and now somebody else's tent is on it.",
    "it hangs on a condition": "if nobody has claimed the spare cot by noon, let the twins have it",
    "it is German": "Unsere Ziege Nummer 12 hat gestern zwei Junge bekommen, bitte eintragen",
    "it is French": "Je suis inscrit à la chorale mais mon nom n'est pas sur la liste",
}


@pytest.mark.parametrize(("theme", "text"), STATEFUL)
def test_requests_about_records_are_stateful_and_find_their_theme(theme: str, text: str) -> None:
    (judged,) = judge_tasks([text]).judgements

    assert (judged.is_stateful, judged.reason) == (True, "stateful")
    assert judged.environment is not None
    assert slugify(judged.environment.title) == theme
    assert judged.explanation.endswith(".")


@pytest.mark.parametrize(("reason", "text"), NOT_STATEFUL)
def test_everything_else_is_refused_with_its_reason(reason: str, text: str) -> None:
    (judged,) = judge_tasks([text]).judgements

    assert (judged.is_stateful, judged.reason, judged.environment) == (False, reason, None)
    assert judged.explanation.endswith(".")


def test_a_stateful_text_without_a_known_theme_is_told_apart() -> None:
    text = "Swap the moorings of the yachts Calypso and Blue Heron"
    (judged,) = judge_tasks([text]).judgements

    assert (judged.is_stateful, judged.reason) == (False, NO_KNOWN_THEME)
    assert statefulness(text).is_stateful


@pytest.mark.parametrize("text", UNUSUAL_STATEFUL.values(), ids=UNUSUAL_STATEFUL.keys())
def test_a_text_is_stateful_though_its_words_are_of_no_known_domain(text: str) -> None:
    assert statefulness(text).is_stateful


def test_words_that_are_handed_over_say_nothing_about_the_task() -> None:
    quoted = '"Cancel my booking, refund me today and send the receipt to my room."'

    assert statefulness(quoted).is_stateful
    assert not statefulness(f"Put this into plain language: {quoted}").is_stateful


def test_an_explanation_repeats_only_the_beginning_of_a_long_sentence() -> None:
    text = "the ferry was late and so was everybody " + "who waited for the ones " * 40 + "."

    assert len(statefulness(text).explanation) < 200


def test_clauses_keep_words_numbers_and_the_ends_of_sentences() -> None:
    assert clauses_of(words_of("Réserve room 4.2 — now!\nIs it free?")) == ". reserve room 4.2 , now . is it free ? . "
    assert clauses_of(words_of("")) == ". . "


def test_a_judgement_depends_on_its_own_text_alone() -> None:
    texts = [text for _, text in STATEFUL + NOT_STATEFUL]
    together = judge_tasks(texts).judgements

    assert [judge_tasks([text]).judgements[0] for text in texts] == list(together)
    assert judge_tasks(list(reversed(texts))).judgements == together[::-1]
    assert judge_tasks([]).judgements == ()


@pytest.mark.parametrize("text", ["?", " ", "\u200b", "a" * 20_000, "x " * 10_000, "\ud800", "१२३ 🚗", "*" * 50])
def test_strange_texts_are_judged_without_harm(text: str) -> None:
    assert not judge_tasks([text]).judgements[0].is_stateful


def test_there_are_many_themes_in_many_domains() -> None:
    assert len(themes()) == 34
    assert 12 <= len({theme.domain for theme in themes()}) <= 16


def test_every_theme_is_good_enough_and_called_after_its_file() -> None:
    for theme in themes():
        assert slugify(theme.title) == theme.slug
        assert min(theme.usefulness, theme.modelability) >= 6
        assert theme.summary.endswith(".") and theme.introduction.endswith(".")
        assert 2 <= theme.introduction.count(".") <= 4


def test_every_theme_is_its_own_nearest() -> None:
    for theme in themes():
        slug, score = nearest_theme(theme.title, theme.summary, theme.introduction)
        assert slug == theme.slug
        assert NEAR < score < 1


def test_no_two_themes_mean_the_same() -> None:
    vectors = MiniLmEmbedder().embed([f"{theme.title}. {theme.summary}" for theme in themes()])
    similarities = vectors @ vectors.T

    for first in range(len(vectors)):
        for second in range(first):
            assert similarities[first, second] < SAME_MEANING - 0.03, (themes()[first].slug, themes()[second].slug)


@pytest.mark.parametrize(
    ("words", "theme"),
    [
        ("dog grooming salon bookings", "pet-grooming-salon"),
        ("a small pharmacy", "pharmacy-counter"),
        ("Reservas de hotel", "hotel-front-desk"),
        ("customer support tickets", "it-helpdesk"),
        ("gym memberships", "gym-club"),
    ],
)
def test_a_persons_words_become_the_title_of_the_nearest_theme(words: str, theme: str) -> None:
    idea = describe_topic(words)
    near = next(one for one in themes() if one.slug == theme)

    assert idea.title == words[0].upper() + words[1:]
    assert idea.domain == near.domain
    assert idea.summary.startswith(idea.title)
    assert words in idea.introduction
    assert nearest_theme(idea.title, idea.summary, idea.introduction)[0] == theme


def test_the_title_of_a_theme_is_that_theme() -> None:
    near = themes()[3]
    idea = describe_topic(f"  {near.title.upper()}. ")

    assert (idea.title, idea.summary, idea.introduction) == (near.title, near.summary, near.introduction)


@pytest.mark.parametrize("words", ["beekeeping club hives", "chess tournament pairings", "veterinary clinic", "養蜂場"])
def test_words_that_are_near_no_theme_become_a_plain_idea_that_stays_near_none(words: str) -> None:
    idea = describe_topic(words)

    assert idea.domain == GENERAL
    assert idea.title == words[0].upper() + words[1:]
    assert min(idea.usefulness, idea.modelability) >= 6
    assert nearest_theme(idea.title, idea.summary, idea.introduction)[1] < NEAR


@pytest.mark.parametrize("words", ["", "  ", "...", "word " * 400])
def test_odd_words_still_become_an_idea(words: str) -> None:
    idea = describe_topic(words)

    assert isinstance(idea, EnvironmentIdea)
    assert 0 < len(idea.title) <= 80
