"""Judges one kept environment by the same evaluation that every environment goes through."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.ids import canonical_json, digest, make_id
from schemas.logic_models import LogicModel, OperationKind
from schemas.topics import Split, Topic
from tasks.evaluation.evaluate import Evaluation, evaluate, of_source
from tasks.evaluation.findings import Finding
from tasks.evaluation.source import SourceReport
from tasks.evaluation.terms import PLANNED, Terms
from tasks.exchange.adapter import Adapted, Flaw, adapt
from tasks.exchange.foreign_class import ForeignClass, read_class
from tasks.exchange.kept import KeptEnvironment
from tasks.imports.outcome import ImportOutcome
from tasks.imports.plan import claimed_kind, derived_model
from tasks.sandbox.base import CodeRejected, EnvironmentSession, Sandbox, SessionDied
from tasks.skeletons.logic import logic_findings
from tasks.skeletons.rows import (
    logic_model_row,
    skeleton_row,
    skeleton_validation_row,
    storable,
    tool_rows,
    tool_test_rows,
)

AUTHOR = "import"
EVALUATION_STATES = 2
"""States that a class is evaluated on, if so many are given that it accepts."""
_STATES_TRIED = 12
_WANTED = 10
"""A person wants it, and it is modelled already."""
State = dict[str, Any]


@dataclass(frozen=True)
class _Judged:
    """A class as it will be stored, with what was found."""

    code: str
    model: LogicModel
    evaluation: Evaluation
    foreign: ForeignClass | None = None


def judge_environment(
    kept: KeptEnvironment, slug: str, states: Iterable[State], *, sandbox: Sandbox, seed: int
) -> ImportOutcome:
    """Adapt, evaluate and make the rows of one environment. Never raises for what was imported.

    Args:
        kept: What came.
        slug: Its name here.
        states: Those of its scenarios.
        sandbox: Where the code runs.
        seed: Draws the calls of the evaluation.

    Raises:
        SandboxUnavailable: the sandbox itself is broken.
    """
    given = [*kept.states, *states]
    judged = _own(kept, given, sandbox, seed) if kept.own else _foreign(kept, given, sandbox, seed)
    topic = _topic(kept, slug)
    evaluation, model = judged.evaluation, judged.model
    row = logic_model_row(topic, model, author=AUTHOR, findings=())
    skeleton = skeleton_row(topic, row, model, storable(judged.code), evaluation, None)
    if kept.about.rules:
        policy = "\n".join(
            [skeleton.policy, "## Rules", "", *(f"- {' '.join(each.split())}" for each in kept.about.rules)]
        )
        skeleton = skeleton.model_copy(update={"policy": storable(policy) + "\n"})
    tests = tool_test_rows(skeleton.skeleton_id, evaluation.trials)
    tools = tool_rows(skeleton.skeleton_id, model, evaluation.tools)
    if judged.foreign is not None:
        methods = judged.foreign.methods
        seen = {name: {"reads": list(each.reads), "writes": list(each.writes)} for name, each in methods.items()}
        tools = tuple(tool.model_copy(update=seen.get(tool.name, {})) for tool in tools)
    return ImportOutcome(
        slug=slug,
        name=kept.name,
        source=kept.source,
        status=evaluation.status,
        reason=evaluation.reason,
        detail=evaluation.detail,
        topic=topic,
        logic_model=row,
        skeleton=skeleton,
        tools=tools,
        tool_tests=tests,
        skeleton_validation=skeleton_validation_row(skeleton.skeleton_id, evaluation, tests),
    )


def _own(kept: KeptEnvironment, states: Sequence[State], sandbox: Sandbox, seed: int) -> _Judged:
    """One of this project's own exports: its plan comes with it, and promises what plans promise."""
    assert kept.own is not None
    model = kept.own.logic_model
    if findings := logic_findings(model):
        return _Judged(kept.code, model, _unread(findings, sandbox))
    chosen = list(kept.own.evaluation_states) or _distinct(states)[:EVALUATION_STATES]
    return _Judged(
        kept.code, model, evaluate(kept.code, kept.class_name, model, chosen, sandbox=sandbox, seed=seed, terms=PLANNED)
    )


def _foreign(kept: KeptEnvironment, states: Sequence[State], sandbox: Sandbox, seed: int) -> _Judged:
    empty = LogicModel(
        title=kept.about.title,
        class_name=kept.class_name,
        summary=kept.about.summary,
        entities=(),
        rules=(),
        operations=(),
    )
    try:
        foreign = read_class(kept.code, kept.class_name)
    except CodeRejected as error:
        reason = "does_not_parse" if error.kind == "syntax_error" else error.kind
        return _Judged(kept.code, empty, _unread([Finding(reason, str(error))], sandbox))
    adapted = adapt(foreign, kept.options, declared=kept.declared, default_state=next(iter(states), None))
    if not isinstance(adapted, Adapted):
        return _Judged(kept.code, empty, _unread(_as_findings(adapted), sandbox))
    dumps = _dumps(adapted, states, sandbox)
    return _evaluated(kept, foreign, adapted, dumps, sandbox, seed)


def _evaluated(
    kept: KeptEnvironment,
    foreign: ForeignClass,
    adapted: Adapted,
    states: Sequence[State],
    sandbox: Sandbox,
    seed: int,
) -> _Judged:
    kinds: dict[str, OperationKind] = dict(kept.kinds)
    for _ in range(2):
        model = derived_model(foreign, adapted, states, title=kept.about.title, summary=kept.about.summary, kinds=kinds)
        said = {name: kept.kinds.get(name) or claimed_kind(name) for name in adapted.tools}
        terms = Terms(
            is_planned=False,
            changing=frozenset(name for name, kind in said.items() if kind == "state_change"),
            examples=kept.examples,
        )
        evaluation = evaluate(
            adapted.code, adapted.class_name, model, states or [{}], sandbox=sandbox, seed=seed, terms=terms
        )
        # Where neither the author nor the name says what a tool is, what it does decides; reading may have missed it.
        seen = {
            name: "state_change"
            for name, kind in said.items()
            if kind is None and kinds.get(name) != "state_change" and _changes(evaluation, name)
        }
        if not seen:
            break
        kinds.update(dict.fromkeys(seen, "state_change"))
    return _Judged(adapted.code, model, evaluation, foreign)


def _changes(evaluation: Evaluation, tool: str) -> bool:
    findings = (each for each in evaluation.findings if each.reason == "query_changes_state")
    return any(each.detail.startswith(f"query {tool}(") for each in findings)


def _dumps(adapted: Adapted, states: Sequence[State], sandbox: Sandbox) -> list[State]:
    """Whole states to evaluate on: the given ones that the class accepts, else its own default; none if it has none."""
    found: list[State] = []
    try:
        with sandbox.environment(adapted.code, adapted.class_name) as session:
            for state in _distinct(states)[:_STATES_TRIED]:
                dump = dumped(session, state)
                if isinstance(dump, dict) and len(found) < EVALUATION_STATES:
                    found.append(dump)
            default = None if found else dumped(session, None)
            return [default] if isinstance(default, dict) else found
    except (CodeRejected, SessionDied):
        return found  # the evaluation meets the same and says what is wrong


def dumped(session: EnvironmentSession, state: State | None) -> State | CodeRejected:
    """The whole state that a class makes of a given one, or why it makes none.

    Raises:
        SessionDied: the process is gone.
    """
    try:
        session.init(state)
        return session.snapshot()
    except CodeRejected as error:
        return error


def _unread(findings: Sequence[Finding], sandbox: Sandbox) -> Evaluation:
    report = SourceReport(tuple(dict.fromkeys(each.reason for each in findings)), tuple(findings), ())
    return of_source(report, sandbox=sandbox.level)


def _as_findings(flaws: Iterable[Flaw]) -> list[Finding]:
    return [Finding(flaw.reason, flaw.detail) for flaw in flaws]


def _distinct(states: Iterable[Mapping[str, Any]]) -> list[State]:
    """Each state once; what is no plain JSON is left to whoever uses it."""
    found: dict[str, State] = {}
    for state in states:
        try:
            found.setdefault(canonical_json(state), dict(state))
        except (TypeError, ValueError):
            continue
    return list(found.values())


def _topic(kept: KeptEnvironment, slug: str) -> Topic:
    about, own = kept.about, kept.own
    title = own.topic_title if own else about.title
    summary = own.topic_summary if own else about.summary
    return Topic(
        topic_id=make_id("top", storable(title), storable(about.domain), storable(summary)),
        slug=slug,
        title=storable(title),
        summary=storable(summary),
        introduction=storable(about.introduction),
        domain=storable(about.domain),
        usefulness=own.usefulness if own else _WANTED,
        modelability=own.modelability if own else _WANTED,
        origin="given",
        seed_task_count=0,
        keyphrases=list(own.keyphrases) if own else [],
        author=AUTHOR,
        embedder="none",
        status="accepted",
        split=own.split if own else _split(slug),
    )


def _split(slug: str) -> Split:
    """As for every topic: about 80 % train, 10 % validation, 10 % test, by the name alone."""
    tenth = int(digest("split", slug)[:8], 16) % 10
    return "validation" if tenth == 0 else "test" if tenth == 1 else "train"


def renamed(outcome: ImportOutcome, slug: str) -> ImportOutcome:
    """The outcome under another slug; nothing else depends on it."""
    skeleton = outcome.skeleton.model_copy(update={"slug": slug, "environment_id": make_id("env", slug)})
    return replace(outcome, slug=slug, skeleton=skeleton, topic=outcome.topic.model_copy(update={"slug": slug}))
