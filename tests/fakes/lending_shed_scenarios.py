"""The lending shed as the scenario stage gets it: skeleton and tool rows, and two drafts that can be proven."""

import json
from typing import Any

from schemas.ids import make_id
from schemas.scenarios import Binding, CheckDraft, CheckKind, ReferenceStep, ScenarioDraft
from schemas.skeletons import Skeleton, Tool
from tasks.authors.base import ScenariosDraft, StatesDraft
from tasks.runtime.signature import tools_of
from tasks.sandbox.base import Sandbox
from tasks.scenarios.generate import ScenarioOutcome, generate_scenarios
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES, TOPIC
from tests.fakes.sandbox import SANDBOX

SKELETON = Skeleton(
    skeleton_id=make_id("skl", TOPIC.topic_id, CODE),
    environment_id=make_id("env", TOPIC.slug),
    slug=TOPIC.slug,
    topic_id=TOPIC.topic_id,
    logic_model_id=make_id("lgm", TOPIC.topic_id),
    author="scripted",
    title=TOPIC.title,
    class_name=CLASS_NAME,
    code=CODE,
    policy="",
    tool_count=8,
    query_count=3,
    state_change_count=5,
    entity_count=3,
    rule_count=10,
    line_count=CODE.count("\n"),
    structure="shed",
    status="accepted",
)
_KINDS = {operation.name: operation.kind for operation in LOGIC_MODEL.operations}
TOOLS = tuple(
    Tool(
        tool_id=make_id("tol", SKELETON.skeleton_id, each.name),
        skeleton_id=SKELETON.skeleton_id,
        name=each.name,
        kind=_KINDS[each.name],
        description=each.summary,
        parameters_json=json.dumps(each.parameters),
        reads=list(each.reads),
        writes=list(each.writes),
        enforces=[],
    )
    for each in tools_of(CODE, CLASS_NAME)
)


def step(tool: str, **arguments: Any) -> ReferenceStep:
    """One call. A tuple is a binding: (step, *path)."""
    bound = {name: Binding(step=each[0], path=each[1:]) for name, each in arguments.items() if isinstance(each, tuple)}
    literals = {name: each for name, each in arguments.items() if name not in bound}
    return ReferenceStep(tool=tool, literals=literals, bindings=bound)


EXTEND = ScenarioDraft(
    kind="single_goal",
    task="Chiara Rossi needs the welding set longer. Please move the due date of her loan to Sunday 20 April.",
    reference=(
        step("find_members", name_contains="Chiara Rossi"),
        step("find_items", name_contains="welding set"),
        step("list_loans", member_id=(0, "data", 0, "member_id"), item_id=(1, "data", 0, "item_id"), status="open"),
        step("extend_loan", loan_id=(2, "data", 0, "loan_id"), due_on="2025-04-20"),
    ),
    final_message="The welding set is now due on 20 April.",
    checks=(),
)
REGISTER = ScenarioDraft(
    kind="several_goals",
    task=(
        "New member: Dana Kim, dana.kim@example.org, she showed her chainsaw certificate. "
        "Lend her the electric chainsaw for a week."
    ),
    reference=(
        step("find_items", name_contains="electric chainsaw"),
        step("register_member", full_name="Dana Kim", email="dana.kim@example.org", trainings=["chainsaw"]),
        step("lend_item", member_id=(1, "data", "member_id"), item_id=(0, "data", 0, "item_id"), days=7),
    ),
    final_message="Dana Kim is registered and has the chainsaw until 14 April.",
    checks=(),
)


def edited(draft: ScenarioDraft, number: int, **changes: Any) -> ScenarioDraft:
    """The draft with other arguments in one step, written as for `step`; null takes an argument away."""
    old = draft.reference[number]
    bound = {name: (binding.step, *binding.path) for name, binding in old.bindings.items()}
    arguments = {**old.literals, **bound, **changes}
    new = step(old.tool, **{name: value for name, value in arguments.items() if value is not None})
    return with_reference(draft, *draft.reference[:number], new, *draft.reference[number + 1 :])


def with_reference(draft: ScenarioDraft, *reference: ReferenceStep) -> ScenarioDraft:
    """The draft with another reference solution."""
    return draft.model_copy(update={"reference": reference})


def check(line: str, kind: CheckKind = "goal") -> CheckDraft:
    """A check of one statement."""
    code = f"def check(initial_state, final_state, trajectory) -> bool:\n    {line}\n"
    return CheckDraft(kind=kind, text="As asked.", code=code)


def with_checks(draft: ScenarioDraft, *checks: CheckDraft) -> ScenarioDraft:
    """The draft with these checks of its author's own."""
    return draft.model_copy(update={"checks": checks})


def shed_with(old: str, new: str) -> Skeleton:
    """The skeleton with one place of its code replaced."""
    assert CODE.count(old) == 1, f"{CODE.count(old)} places: {old}"
    return SKELETON.model_copy(update={"code": CODE.replace(old, new)})


def generate(
    *drafts: ScenarioDraft,
    states: tuple[dict[str, Any], ...] = STATES[:1],
    sandbox: Sandbox | None = None,
    skeleton: Skeleton = SKELETON,
    state_count: int = 2,
    scenarios_per_state: int = 9,
    author: ScriptedAuthor | None = None,
) -> ScenarioOutcome:
    """Run the stage with an author that gives these states, and these drafts on each of them."""
    author = author or ScriptedAuthor()
    author.enqueue("draft_initial_states", StatesDraft(states=states))
    author.enqueue("draft_scenarios", *[ScenariosDraft(scenarios=drafts)] * len(states))
    return generate_scenarios(
        skeleton,
        LOGIC_MODEL,
        TOOLS,
        TOPIC,
        author=author,
        sandbox=sandbox or SANDBOX,
        seed=7,
        state_count=state_count,
        scenarios_per_state=scenarios_per_state,
    )


def fate(outcome: ScenarioOutcome, number: int = 0) -> tuple[str, str | None]:
    """Status and reason of a scenario."""
    row = outcome.scenarios[number]
    return row.status, row.reason
