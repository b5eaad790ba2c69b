"""Scenarios of the built-in author: every kind, told without ids, among twins, as long as asked for."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import pytest

from schemas.ids import make_id
from schemas.scenarios import ScenarioDraft
from schemas.skeletons import Skeleton, Tool
from schemas.topics import Topic
from tasks.authors.base import DraftInitialStates, DraftLogicModel, DraftScenarios, TopicBrief
from tasks.authors.rules.author import Environment, RuleAuthor, environment_of
from tasks.authors.rules.kinds.refusals import refuse_by_policy
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.profile import DEFAULT_PROFILE, ScenarioProfile
from tasks.authors.rules.sketch import Known, Sketch
from tasks.authors.rules.twins import decisive_attribute
from tasks.runtime.signature import tools_of
from tasks.scenarios.generate import generate_scenarios
from tasks.scenarios.states import equal_share
from tests.fakes.sandbox import SANDBOX

THEME = "course-registry"
WITHOUT_CHANGE = ("refusal", "question")
STOCK = (
    "",
    "Done.",
    "I can't do that.",
    "I'm sorry, but I can't do that.",
    "Unfortunately that is not possible, because the rules do not allow it.",
    "This is not allowed by our policy.",
)


def brief(theme: str) -> TopicBrief:
    title = theme.replace("-", " ").capitalize()
    return TopicBrief(slug=theme, title=title, summary=f"{title}.", introduction=f"{title}.", domain="any")


def known(theme: str = THEME) -> Environment:
    return environment_of(brief(theme), 1)


@cache
def states(theme: str = THEME, count: int = 2) -> tuple[dict[str, Any], ...]:
    author = RuleAuthor(SANDBOX)
    question = DraftInitialStates(topic=brief(theme), logic_model=known(theme).logic_model, code="", count=count)
    return author.ask(question, seed=1).states


def drafts(profile: ScenarioProfile, lengths: Sequence[int] = (6,), theme: str = THEME) -> tuple[ScenarioDraft, ...]:
    author = RuleAuthor(SANDBOX, profile)
    model = author.ask(DraftLogicModel(topic=brief(theme)), seed=1)
    question = DraftScenarios(
        topic=brief(theme), logic_model=model, code="", state=states(theme)[0], lengths=tuple(lengths)
    )
    return author.ask(question, seed=1).scenarios


def verdicts(draft_checks: tuple[Any, ...], message: str, calls: tuple[dict[str, Any], ...] = ()) -> list[bool | None]:
    trajectory = {"calls": list(calls), "messages": [], "final_message": message}
    with SANDBOX.checks() as session:
        found = session.check([each.code for each in draft_checks], {}, {}, trajectory)
    assert [each.error for each in found] == [None] * len(found)
    return [each.passed for each in found]


@pytest.mark.parametrize("kind", list(DEFAULT_PROFILE.kinds))
def test_every_kind_is_written_when_it_is_asked_for(kind: str) -> None:
    (draft,) = drafts(ScenarioProfile(kinds={kind: 1}))

    model = known().logic_model
    writes = [step for step in draft.reference if model_kind(step.tool) == "state_change"]
    ids = {key for each in model.entities for key in states()[0][each.collection]}
    assert draft.kind == kind
    assert bool(writes) is (kind not in WITHOUT_CHANGE)
    assert model_kind(draft.reference[0].tool) == "query"
    assert not [key for key in ids if key in f"{draft.task} {draft.user_goal} {draft.final_message}"]
    assert draft.user_goal is not None and "You want the agent to" in draft.user_goal
    if kind in WITHOUT_CHANGE:
        assert {each.kind for each in draft.checks} <= {"answer", "procedure"}
        answers = tuple(each for each in draft.checks if each.kind == "answer")
        assert verdicts(answers, draft.final_message) == [True]
        assert [verdicts(answers, message) for message in STOCK] == [[False]] * len(STOCK)
    said = {
        "chain": "that new ",
        "conditional": "whether ",
        "aggregation": r"every |with the (lowest|highest|earliest|latest) ",
        "correction": r"no, sorry|mixed that up|actually no",
        "undo": "put a mistake right",
        "refusal": r"can't be done|against it|not work",
        "question": "tell me|to know",
    }
    assert re.search(said.get(kind, ""), draft.task), draft.task


def test_the_condition_has_to_be_looked_up_before_anything_is_done() -> None:
    (draft,) = drafts(ScenarioProfile(kinds={"conditional": 1}))
    (looked,) = [each for each in draft.checks if each.kind == "procedure"]
    tool, argument, key = re.findall(r'== "(\w+)" and .*get\("(\w+)"\) == "([\w-]+)"', looked.code)[0]
    look = {"tool": draft.reference[0].tool, "arguments": {}, "result": {"success": True, "data": [{argument: key}]}}
    refused = {**look, "result": {"success": False, "error": f"No {key}."}}
    act = {"tool": tool, "arguments": {argument: key}, "result": {"success": True}}

    assert verdicts((looked,), "", (look, act)) == [True]
    for calls in ((act,), (act, look), (refused, act), ()):
        assert verdicts((looked,), "", calls) == [False]


def model_kind(tool: str, theme: str = THEME) -> str:
    return next(each.kind for each in known(theme).logic_model.operations if each.name == tool)


def test_kinds_that_are_not_asked_for_are_not_written() -> None:
    found = drafts(ScenarioProfile(kinds={"refusal": 1, "question": 1}), (3, 4, 5, 6))

    assert Counter(each.kind for each in found) == {"refusal": 2, "question": 2}


@pytest.mark.parametrize(("length", "nearest"), [(2, range(2, 5)), (8, range(7, 10)), (14, range(12, 16))])
def test_references_are_as_long_as_asked_for(length: int, nearest: range) -> None:
    found = drafts(ScenarioProfile(kinds={"several_goals": 1, "single_goal": 1}), (length, length))

    longest = max if length > 4 else min
    assert longest(len(each.reference) for each in found) in nearest


def test_a_question_may_take_one_call() -> None:
    found = drafts(ScenarioProfile(kinds={"question": 1}), (1, 1, 1))

    assert min(len(each.reference) for each in found) == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"kinds": {"riddle": 1}}, "no kind of scenario 'riddle'; there are several_goals"),
        ({"kinds": {"question": 0}}, "weights of kinds"),
    ],
)
def test_a_profile_that_nobody_can_write_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ScenarioProfile(**wrong)


@pytest.mark.parametrize("theme", ["course-registry", "dental-practice", "pharmacy-counter"])
def test_states_have_twins_that_descriptions_tell_apart(theme: str) -> None:
    env = known(theme)
    pairs = 0
    for state in states(theme, 4):
        for collection, spec in env.draft.entities.items():
            label, decisive = spec.noun.label, decisive_attribute(env.draft, collection)
            if label is None or decisive is None:
                continue
            for name, count in Counter(record[label] for record in state[collection].values()).items():
                twins = [key for key, record in state[collection].items() if record[label] == name]
                if count == 2 and len({state[collection][key][decisive] for key in twins}) == 2:
                    pairs += 1
                    assert len(set(described(env, state, collection, twins))) == 2

    assert pairs >= 1


def described(env: Environment, state: dict[str, Any], collection: str, keys: list[str]) -> list[str]:
    with SANDBOX.environment(env.code, env.draft.class_name) as session:
        session.init(state)
        plan = Plan(env.draft, session, env.parameters, Random(1), session.snapshot())
        found = [plan.find(collection, key) for key in keys]
        rows = [plan.results[each.binding.step]["data"] for each in found if each]
    assert [len(each) for each in rows] == [1] * len(keys)
    return [each.words for each in found if each]


def test_the_states_of_one_environment_have_little_in_common() -> None:
    model, all_states = known().logic_model, states(count=4)

    shares = [equal_share(one, other, model) for one in all_states for other in all_states if one is not other]
    assert len(shares) == 12
    assert max(shares) < 0.3


def by_policy(theme: str, rule: str) -> tuple[Sketch, list[str]]:
    """A refusal by this policy, and the tools of its look-ups."""
    env = known(theme)
    what = next(each for each in env.draft.forbidden if each.rule == rule)
    for state in states(theme, 4):
        with SANDBOX.environment(env.code, env.draft.class_name) as session:
            session.init(state)
            plan = Plan(env.draft, session, env.parameters, Random(1), session.snapshot())
            sketch = refuse_by_policy(Known(env.draft, env.logic_model), plan, Random(1), what)
        if sketch is not None:
            return sketch, [step.tool for step in plan.steps]
    raise AssertionError(f"no state has an occasion for {rule}")


def test_the_only_one_who_can_do_something_is_not_marked_away_although_the_tool_would_do_it() -> None:
    sketch, tools = by_policy("dental-practice", "dentist_left_for_everything")
    reason, uncalled = sketch.checks

    assert set(tools) == {"list_dentists"}
    wordings = (
        sketch.final,
        "I'm afraid not: nobody else on duty could do this kind of treatment.",
        "Sorry, she can't be marked as away, because she is the sole dentist for it.",
    )
    assert [verdicts((reason,), each) for each in wordings] == [[True]] * 3
    assert [verdicts((reason,), each) for each in STOCK] == [[False]] * len(STOCK)
    call = {"tool": "mark_dentist_away", "arguments": {}, "result": {"success": True}}
    assert verdicts((uncalled,), sketch.final) == [True]
    assert verdicts((uncalled,), sketch.final, (call,)) == [False]


def test_a_phone_number_is_told_to_nobody_else() -> None:
    sketch, _ = by_policy("dental-practice", "patient_contact_is_private")
    (reason,) = sketch.checks
    secret = re.findall(r"\\d|\d", reason.code.split("secrets = ")[1].splitlines()[0].replace("{0,2}", ""))
    digits = "".join(each for each in secret if each.isdigit())

    wordings = (
        sketch.final,
        "I can't give you that: contact details are confidential.",
        "No, I don't pass on another patient's number.",
    )
    assert len(digits) == 6
    assert [verdicts((reason,), each) for each in wordings] == [[True]] * 3
    assert [verdicts((reason,), each) for each in STOCK] == [[False]] * len(STOCK)
    assert verdicts((reason,), f"It is private, but not from you: +44113 {digits[:3]} {digits[3:]}") == [False]


@pytest.mark.parametrize("theme", ["course-registry", "food-delivery"])
def test_what_it_writes_is_proven_and_has_at_least_four_kinds(theme: str) -> None:
    env = known(theme)
    topic = Topic(
        topic_id=make_id("top", theme), slug=theme, title=brief(theme).title, summary=brief(theme).summary,
        introduction=brief(theme).introduction, domain="any", usefulness=8, modelability=8, origin="given",
        seed_task_count=1, keyphrases=[], author="rules", embedder="none", status="accepted", split="train",
    )  # fmt: skip
    signatures = tools_of(env.code, env.draft.class_name)
    skeleton = Skeleton(
        skeleton_id=make_id("skl", theme), environment_id=make_id("env", theme), slug=theme, topic_id=topic.topic_id,
        logic_model_id=make_id("lgm", theme), author="rules", title=topic.title, class_name=env.draft.class_name,
        code=env.code, policy="", tool_count=len(signatures), query_count=1, state_change_count=1, entity_count=4,
        rule_count=5, line_count=1, structure="any", status="accepted",
    )  # fmt: skip
    tools = tuple(
        Tool(
            tool_id=make_id("tol", theme, each.name), skeleton_id=skeleton.skeleton_id, name=each.name,
            kind="state_change" if each.writes else "query", description=each.summary,
            parameters_json=json.dumps(each.parameters), reads=list(each.reads), writes=list(each.writes), enforces=[],
        )
        for each in signatures
    )  # fmt: skip

    outcome = generate_scenarios(
        skeleton, env.logic_model, tools, topic, author=RuleAuthor(SANDBOX), sandbox=SANDBOX, seed=1, state_count=1,
        scenarios_per_state=5,
    )  # fmt: skip

    accepted = [each for each in outcome.scenarios if each.status == "accepted"]
    assert [(each.reason, each.detail) for each in outcome.initial_states] == [(None, None)]
    assert len(accepted) >= 4, [(each.kind, each.reason, each.detail) for each in outcome.scenarios]
    assert len({each.kind for each in accepted}) >= 4
