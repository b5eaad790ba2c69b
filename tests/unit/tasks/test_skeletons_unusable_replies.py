"""What an author can't say, not even when asked twice, is a rejected item with what was there before."""

import pytest

from tasks.authors.base import BadReply, CodeDraft
from tasks.skeletons.build import build_skeleton
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import CODE, LOGIC_MODEL, TOPIC
from tests.fakes.sandbox import SANDBOX


@pytest.mark.parametrize(
    ("prompt", "logic_models"), [("draft_logic_model", 0), ("draft_code", 1), ("draft_initial_states", 1)]
)
def test_an_unusable_reply_rejects_the_skeleton_and_keeps_the_plan(prompt: str, logic_models: int) -> None:
    author = ScriptedAuthor()
    for name, reply in (("draft_logic_model", LOGIC_MODEL), ("draft_code", CodeDraft(code=CODE))):
        author.enqueue(name, reply if name != prompt else BadReply("no JSON, twice"))
    author.enqueue("draft_initial_states", BadReply("no JSON, twice"))

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=1)

    assert (outcome.status, outcome.reason) == ("rejected", "reply_unusable")
    assert "no JSON, twice" in str(outcome.detail)
    assert len(outcome.logic_models) == logic_models
    assert [each.status for each in outcome.logic_models] == ["accepted"] * logic_models
    assert outcome.skeletons == ()
