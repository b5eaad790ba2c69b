"""Questions that do not fit into the context of a model."""

import json

import pytest

from schemas.llm_calls import LlmCall
from tasks.authors.base import BadReply, JudgeTasks
from tests.contract.llm_asking import IDEA, THEME, asking, author_of
from tests.fakes.endpoint import Answer, FakeEndpoint, Reply, Request, refused

TOO_LONG = {
    "as most say it": refused(400, "This model's maximum context length is 8192 tokens. Please reduce the length."),
    "as a code": Answer({"error": {"message": "No.", "code": "context_length_exceeded"}}, 400),
    "as a server of one machine says it": refused(400, "the request exceeds the available context size"),
    "as a prompt that is too long": refused(400, "prompt is too long: 208310 tokens > 200000 maximum"),
    "as a number of tokens": refused(400, "The input token count (9000) exceeds the maximum number of tokens allowed"),
    "as a size": refused(413, "Payload Too Large"),
}


@pytest.mark.parametrize("case", TOO_LONG)
def test_a_question_that_is_too_long_is_a_bad_reply_that_says_so(case: str) -> None:
    with asking(TOO_LONG[case], IDEA) as (endpoint, author):
        with pytest.raises(BadReply, match=r"\(4\d\d: .*a larger context"):
            author.ask(THEME, seed=0)
        author.ask(THEME, seed=1)

    assert ["response_format" in request.body for request in endpoint.requests] == [True, True]


def texts_in(request: Request) -> list[str]:
    found: list[str] = json.loads(request.prompt.rpartition("```json\n")[2].removesuffix("\n```\n"))
    return found


def judging_at_most(characters: int) -> FakeEndpoint:
    """Refuses more characters of texts than these; else says how each text begins and ends."""

    def answer(request: Request) -> Reply:
        texts = texts_in(request)
        if sum(map(len, texts)) > characters:
            return TOO_LONG["as most say it"]
        judged = [
            {"is_stateful": False, "reason": "chit_chat", "explanation": f"{text[:7]} {text[-1:]}", "environment": None}
            for text in texts
        ]
        return json.dumps({"judgements": judged})

    return FakeEndpoint(answer)


def test_texts_that_do_not_fit_together_are_judged_in_smaller_portions_in_their_order() -> None:
    texts = tuple(f"text {number:02}" + "." * 293 for number in range(15))
    rows: list[LlmCall] = []
    with judging_at_most(1_300) as endpoint:
        reply = author_of(endpoint, log=rows.append).ask(JudgeTasks(texts), seed=0)

    assert [each.explanation for each in reply.judgements] == [f"text {number:02} ." for number in range(15)]
    assert sum(row.attempts for row in rows) == len(endpoint.requests)
    assert {row.outcome for row in rows} == {"answered", "declined"}


def test_a_text_that_does_not_fit_is_judged_by_its_beginning_and_its_end() -> None:
    long = "Mind 1: " + "x" * 100_000 + "!"
    with judging_at_most(5_000) as endpoint:
        reply = author_of(endpoint).ask(JudgeTasks(("Before.", long, "Behind.")), seed=0)

    assert [each.explanation for each in reply.judgements] == ["Before. .", "Mind 1: !", "Behind. ."]
    assert max(sum(map(len, texts_in(request))) for request in endpoint.requests) > 100_000


def test_a_prompt_that_does_not_fit_by_itself_is_a_bad_reply() -> None:
    with judging_at_most(-1) as endpoint, pytest.raises(BadReply, match="8192 tokens.*a larger context"):
        author_of(endpoint).ask(JudgeTasks(("a" * 4_000, "b")), seed=0)
    assert len(endpoint.requests) < 10
