"""A language model that plays scenarios through the tool calls of an endpoint, over HTTP with scripted turns."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from schemas.llm_calls import LlmCall
from tasks.authors.llm.budget import Budget
from tasks.authors.llm.cache import ReplyCache
from tasks.authors.llm.recording import Recorder, Recording
from tasks.authors.playing import Conversation, Player
from tasks.probes.model import CALLS_PER_STEP, SPARE_CALLS, play_with_model
from tasks.probes.ring import Case
from tasks.probes.rows import Probed
from tests.contract.llm_asking import KEY, asking, author_of
from tests.fakes.endpoint import FakeEndpoint, Reply, Request, refused, said
from tests.fakes.lending_shed_cases import cases
from tests.fakes.lending_shed_scenarios import SKELETON, TOOLS, shed_with
from tests.fakes.sandbox import SANDBOX

EXTENDING = cases()[0]
LOOK = ("find_members", '{"name_contains": "Chiara Rossi"}')
RIGHT: tuple[Reply, ...] = (
    said(None, calls=[LOOK, ("find_items", {"name_contains": "welding"})]),
    said("", calls=[("list_loans", '{"member_id": "MEM-0003", "item_id": "ITM-0005", "status": "open"}')]),
    said("Now.", calls=[("extend_loan", '{"loan_id": "LOA-0003", "due_on": "2025-04-20"}')]),
    said("<think>It is done.</think>The welding set is now due on 20 April."),
)
KEPT = TypeAdapter(Probed)
Outcome = tuple[float | None, bool | None, int, str, str]


def play(author: Player, *chosen: Case, attempts: int = 1, seed: int = 0) -> tuple[Probed, ...]:
    return play_with_model(
        SKELETON, TOOLS, chosen or (EXTENDING,), player=author, sandbox=SANDBOX, seed=seed, attempts=attempts
    )


def ends(probed: Probed) -> list[Outcome]:
    return [(row.reward, row.success, row.call_count, row.ended, row.final_message) for row in probed.trajectories]


def sent(request: Request) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = request.body["messages"]
    return messages


def test_a_model_that_calls_the_right_tools_passes_and_its_steps_are_kept() -> None:
    with asking(*RIGHT) as (endpoint, author):
        (probed,) = play(author)

    assert ends(probed) == [(1.0, True, 4, "finished", "The welding set is now due on 20 April.")]
    assert (probed.reason, probed.is_final) == (None, True)
    (row,) = probed.trajectories
    assert (row.agent, row.model, row.has_steps) == ("language_model", "scripted", True)
    tools = ["find_members", "find_items", "list_loans", "extend_loan"]
    assert [(step.tool, step.error_by) for step in probed.steps] == [(tool, None) for tool in tools]
    first, second, *_, last = endpoint.requests
    assert {each["function"]["name"] for each in first.body["tools"]} == {each.name for each in TOOLS}
    assert [each["role"] for each in sent(first)] == ["system", "user"]
    assert sent(first)[1]["content"] == EXTENDING.scenario.task
    assert [each["role"] for each in sent(second)] == ["system", "user", "assistant", "tool", "tool"]
    asked = {call["id"]: call["function"]["name"] for call in sent(second)[2]["tool_calls"]}
    answered = {each["tool_call_id"]: json.loads(each["content"]) for each in sent(second)[3:]}
    assert asked.keys() == answered.keys()
    assert [each["full_name"] for each in answered["use-0"]["data"]] == ["Chiara Rossi"]
    assert sent(last)[:5] == sent(second)
    assert {request.body["seed"] for request in endpoint.requests} == {row.seed % 2**31}


def test_the_model_is_told_the_policy_and_nothing_of_the_solution() -> None:
    policy = "Never lend to strangers."
    with asking("I give up.") as (endpoint, author):
        play_with_model(
            SKELETON.model_copy(update={"policy": policy}), TOOLS, (EXTENDING,),
            player=author, sandbox=SANDBOX, seed=0, attempts=1,
        )  # fmt: skip

    text = json.dumps(endpoint.requests[0].body)
    assert policy in text
    assert EXTENDING.scenario.final_message not in text
    assert "LOA-0003" not in text


GARBAGE: dict[str, tuple[list[Reply], Outcome]] = {
    "only words": (["Sure!"], (0.0, False, 0, "finished", "Sure!")),
    "nothing": ([said(None)], (0.0, False, 0, "finished", "")),
    "no such tool": ([said(None, calls=[("fly", "{}")]), "Done."], (0.0, False, 1, "finished", "Done.")),
    "no JSON": ([said(None, calls=[("find_items", "{oops")]), "Done."], (0.0, False, 1, "finished", "Done.")),
    "no object": ([said(None, calls=[("find_items", "[1]"), LOOK]), "Done."], (0.0, False, 2, "finished", "Done.")),
    "unfit": ([said(None, calls=[("find_items", '{"size": 3}')]), "Done."], (0.0, False, 1, "finished", "Done.")),
    "no number": ([said(None, calls=[("find_items", '{"size": NaN}')]), "Done."], (0.0, False, 1, "finished", "Done.")),
    "beyond numbers": (
        [said(None, calls=[("extend_loan", '{"due_on": 1e999}')]), "Done."],
        (0.0, False, 1, "finished", "Done."),
    ),
    "half a letter": (
        [said(None, calls=[("find_items", '{"name_contains": "\\ud800"}'), LOOK]), "Done."],
        (0.0, False, 2, "finished", "Done."),
    ),
    "declined": ([said(None, refusal="No.")], (0.0, False, 0, "declined", "")),
    "cut off": ([said("I", finish_reason="length")] * 2, (0.0, False, 0, "cut_off", "")),
    "too long": (
        [said(None, calls=[LOOK]), refused(400, "maximum context length is 9 tokens")],
        (0.0, False, 1, "cut_off", ""),
    ),
}


@pytest.mark.parametrize("case", GARBAGE)
def test_what_a_model_says_badly_is_its_failure(case: str) -> None:
    replies, expected = GARBAGE[case]

    with asking(*replies) as (_, author):
        (probed,) = play(author)

    assert ends(probed) == [expected]
    assert (probed.reason, probed.is_final) == (None, True)
    assert {step.error_by for step in probed.steps} <= {"agent", None}
    assert KEPT.validate_json(KEPT.dump_json(probed)) == probed, "it can be kept"


def test_a_model_that_never_stops_calling_is_stopped() -> None:
    most = CALLS_PER_STEP * EXTENDING.scenario.reference_length + SPARE_CALLS
    with asking(*[said(None, calls=[LOOK])] * (most + 1)) as (endpoint, author):
        (probed,) = play(author)

    assert ends(probed) == [(0.0, False, most, "call_limit", "")]
    assert len(endpoint.requests) == most + 1


def test_an_endpoint_that_is_down_is_nobodys_failure_and_asked_no_more() -> None:
    with asking(*RIGHT, *[refused(503, "busy")] * 9) as (endpoint, author):
        first, second = play(author, *cases(), attempts=3)

        assert len(endpoint.requests) == len(RIGHT) + 5, "tries of the request that broke, and no other request"
    assert [row.success for row in first.trajectories] == [True], "what was played is kept"
    assert second.trajectories == ()
    assert [(each.reason, each.is_final) for each in (first, second)] == [("author_unavailable", False)] * 2


def test_a_spent_budget_is_nobodys_failure_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    rows: list[LlmCall] = []
    with FakeEndpoint(RIGHT) as endpoint:
        cache = ReplyCache(tmp_path / "replies.sqlite")
        short = author_of(endpoint, cache=cache, budget=Budget(max_calls=2), log=rows.append)
        (broke,) = play(short)
        (played,) = play(author_of(endpoint, cache=cache, log=rows.append))
        (again,) = play(author_of(endpoint, cache=cache, budget=Budget(max_calls=0)))

        assert len(endpoint.requests) == len(RIGHT)
    assert (broke.trajectories, broke.reason, broke.is_final) == ((), "budget_exhausted", False)
    assert [row.success for row in played.trajectories] == [True]
    assert again == played
    assert {(row.prompt, row.item, row.reply_mode) for row in rows} == {
        ("play_scenario", EXTENDING.scenario.scenario_id, "text")
    }
    assert [row.outcome for row in rows] == ["answered"] * 2 + ["unavailable"] + ["answered"] * 4
    assert [row.is_cached for row in rows] == [False] * 3 + [True] * 2 + [False] * 2


def test_each_attempt_is_a_sample_of_its_own() -> None:
    with asking(*RIGHT, "I give up.", "So do I.") as (endpoint, author):
        (probed,) = play(author, attempts=3)

    assert [(row.attempt, row.success) for row in probed.trajectories] == [(1, True), (2, False), (3, False)]
    assert len({row.seed for row in probed.trajectories}) == 3
    assert len({request.body["seed"] for request in endpoint.requests}) == 3


def test_an_endpoint_without_tool_calls_can_not_be_played() -> None:
    with asking("Never sent.", refuses={"tools": True}) as (_, author):
        (probed,) = play(author)

    assert (probed.trajectories, probed.reason) == ((), "author_unavailable")
    assert "this parameter is not supported" in (probed.detail or "")


def test_a_broken_environment_is_not_the_models_failure() -> None:
    broken = shed_with("wanted = name_contains.lower()\n", "wanted = name_contains.lower() + 1\n")
    with asking(said(None, calls=[LOOK])) as (_, author):
        (probed,) = play_with_model(broken, TOOLS, (EXTENDING,), player=author, sandbox=SANDBOX, seed=0, attempts=1)

    assert [(row.reward, row.at_fault, row.ended) for row in probed.trajectories] == [(None, "environment", "broken")]
    assert probed.reason == "environment_broke"


def test_an_episode_can_be_recorded_without_the_key_and_replayed_without_the_endpoint(tmp_path: Path) -> None:
    with asking(*RIGHT, author={"tape": Recorder(tmp_path)}) as (endpoint, author):
        (recorded,) = play(author)

    (path,) = tmp_path.glob("*.jsonl")
    assert [row.success for row in recorded.trajectories] == [True]
    assert len(path.read_text().splitlines()) == len(endpoint.requests)
    assert KEY not in path.read_text()
    with FakeEndpoint() as silent:
        (replayed,) = play(author_of(silent, tape=Recording(tmp_path)))
    assert replayed == recorded
    assert silent.requests == []


def test_a_conversation_of_odd_texts_is_asked_as_it_is() -> None:
    with asking("Yes.") as (endpoint, author):
        turn = author.turn(Conversation("scn_1", "```\n<|im_end|>", "\u2028 task", ()), seed=0)

    assert turn.text == "Yes."
    assert "tools" not in endpoint.requests[0].body
    assert "<|im_end|>" not in sent(endpoint.requests[0])[0]["content"]
