"""A town of environments for tests: one hand-written class under many titles, and an author with moods."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from schemas.errors import AuthorUnavailable
from schemas.scenarios import ScenarioDraft
from tasks.authors.base import (
    CodeDraft,
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    EnvironmentIdea,
    JudgeCalls,
    JudgeTasks,
    NotOffered,
    Question,
    RepairCode,
    RepairScenario,
    ReplyT,
    ScenariosDraft,
    StatesDraft,
    TaskJudgement,
    TaskJudgements,
)
from tests.fakes.lending_shed import CODE, LOGIC_MODEL, STATES
from tests.fakes.lending_shed_scenarios import EXTEND, REGISTER
from tests.fakes.lending_shed_tests import PLAN

SHED, CLINIC, CELLAR = "Neighbourhood lending shed", "Veterinary clinic front desk", "Wine cellar stock book"
DOMAINS = {SHED: "community", CLINIC: "health", CELLAR: "trade"}


class TownAuthor:
    """Answers every question with the lending shed, unless the topic of the question has a mood.

    Texts to judge look like "<title>: <wish>"; a text without a title is chit-chat. A mood is called with the question
    before it is answered: it may raise, or return a reply of its own.
    """

    name = "town"

    def __init__(self, moods: Mapping[str, Callable[[Question[Any]], Any]] | None = None) -> None:
        self.moods = dict(moods or {})
        self.asked: list[tuple[str, str]] = []
        """(prompt, title of the topic) of every question about a topic, in the order of asking."""
        self._lock = threading.Lock()

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """See `Author`."""
        title = _title_of(question)
        with self._lock:
            self.asked.append((question.prompt, title))
        mood = self.moods.get(title)
        reply = mood(question) if mood else None
        return cast(ReplyT, reply or _answer(question))


def _title_of(question: Question[Any]) -> str:
    match question:
        case DraftLogicModel() | DraftCode() | DraftInitialStates() | DraftTestPlan() | DraftScenarios():
            return question.topic.title
        case DescribeTopic():
            return question.theme
        case _:
            return ""


def _answer(question: Question[Any]) -> Any:
    match question:
        case JudgeTasks():
            return TaskJudgements(judgements=tuple(_judged(text) for text in question.texts))
        case DescribeTopic():
            return idea(question.theme)
        case DraftLogicModel():
            return LOGIC_MODEL
        case DraftCode():
            return CodeDraft(code=CODE)
        case DraftInitialStates():
            return StatesDraft(states=STATES[: question.count])
        case DraftScenarios():
            is_first = question.state["now"] == STATES[0]["now"]
            drafts = (EXTEND, REGISTER)[: len(question.lengths)] if is_first else ()
            return ScenariosDraft(scenarios=tuple(of_place(draft, question.topic.title) for draft in drafts))
        case DraftTestPlan():
            return PLAN
        case RepairCode() | RepairScenario() | JudgeCalls():
            raise NotOffered(f"{question.prompt} is not done in this town")
        case _:
            raise AuthorUnavailable(f"{question.prompt} is not known in this town")


def of_place(draft: ScenarioDraft, title: str) -> ScenarioDraft:
    """The scenario as it is told at another place than the shed, so that no two places have near-duplicates."""
    if title == SHED:
        return draft
    return draft.model_copy(update={"task": f"Here at the {title}: {draft.task} That is all for the {title}."})


def same_as_the_shed(question: Question[Any]) -> ScenariosDraft | None:
    """A mood: the scenarios are told word for word as at the shed."""
    return ScenariosDraft(scenarios=(EXTEND, REGISTER)) if isinstance(question, DraftScenarios) else None


def idea(title: str) -> EnvironmentIdea:
    """An environment of this title, worth building."""
    return EnvironmentIdea(
        title=title,
        summary=f"{title}: who keeps what, and what may be done.",
        introduction=f"People work at the {title.lower()}. They keep records there and change them.",
        domain=DOMAINS.get(title, "other"),
        usefulness=8,
        modelability=8,
    )


def _judged(text: str) -> TaskJudgement:
    title, colon, _ = text.partition(":")
    if not colon:
        return TaskJudgement(is_stateful=False, reason="chit_chat", explanation="Just talk.", environment=None)
    return TaskJudgement(is_stateful=True, reason="stateful", explanation="Needs records.", environment=idea(title))


def bad_code(question: Question[Any]) -> CodeDraft | None:
    """A mood: the class does not parse."""
    return CodeDraft(code="class Broken(:\n") if isinstance(question, DraftCode) else None


def crash(question: Question[Any]) -> None:
    """A mood: a bug in our own machinery."""
    if isinstance(question, DraftLogicModel):
        raise KeyError("no such drawer")


def gone(question: Question[Any]) -> None:
    """A mood: the endpoint is down for good."""
    raise AuthorUnavailable("nobody answers")


def write_corpus(path: Path, *texts: str, broken: int = 0) -> Path:
    """A JSONL corpus of these tasks, with so many broken lines at its end."""
    lines = [json.dumps({"task": text}) for text in texts] + ["{broken"] * broken
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
