"""What the proof of one scenario costs: of real ones by the built-in author, and of one of a given size."""

import itertools
import json
from dataclasses import dataclass, replace

from schemas.ids import make_id
from schemas.logic_models import LogicModel
from schemas.scenarios import ReferenceStep
from schemas.skeletons import Tool
from schemas.topics import Topic
from tasks.authors.rules.author import RuleAuthor
from tasks.proof.attempts import Attempt, Player, as_moves
from tasks.proof.extra import Toolbox, toolbox_of
from tasks.proof.prove import prove
from tasks.proof.trials import Asker, Solution
from tasks.runtime.environment import Environment, parameters_of
from tasks.sandbox.base import Sandbox
from tasks.scenarios.generate import ScenarioOutcome, generate_scenarios
from tasks.skeletons.build import build_skeleton
from tests.benchmarks.measuring import medians

_SEED = 1
_ROUNDS = 5
TRIALS, STEPS, CHECKS = 20, 8, 8


@dataclass(frozen=True, slots=True)
class ProofCost:
    """Seconds are medians; a proof includes the opening of the process for its checks."""

    scenarios: int
    trials: int
    """Of the largest real proof, and so are steps, checks and seconds."""
    steps: int
    """Of its reference."""
    checks: int
    state_kib: float
    seconds: float
    padded_s: float
    """For `TRIALS` trials of `STEPS` steps with `CHECKS` checks, made by repeating what the largest real proof has.
    Half of the steps are known before, as in the average mutant."""


def proof_cost(sandbox: Sandbox, slug: str) -> ProofCost:
    """Build the environment of a theme, generate scenarios, and prove the largest again with a watch."""
    topic, author = _topic(slug), RuleAuthor(sandbox)
    built = build_skeleton(topic, author=author, sandbox=sandbox, seed=_SEED)
    skeleton, model = built.skeletons[-1], LogicModel.model_validate_json(built.logic_models[-1].model_json)
    made = generate_scenarios(
        skeleton,
        model,
        built.tools,
        topic,
        author=author,
        sandbox=sandbox,
        seed=_SEED,
        state_count=2,
        scenarios_per_state=4,
    )
    solutions = _solutions(made, built.tools)
    largest = max(solutions, key=lambda each: (len(each.reference), len(each.checks)))
    trials = [each for each in made.scenario_validations if each.scenario_id == largest.scenario_id]
    with sandbox.environment(skeleton.code, skeleton.class_name) as session:
        environment = Environment(session, parameters_of(built.tools))
        toolbox = toolbox_of(model, built.tools)
        works = {
            "real": lambda: _prove(largest, environment, sandbox, toolbox),
            "padded": lambda: _play(_padded(largest), environment, sandbox),
        }
        seconds = medians(works, _ROUNDS)
    return ProofCost(
        scenarios=len(solutions),
        trials=len(trials),
        steps=len(largest.reference),
        checks=len(largest.checks),
        state_kib=len(json.dumps(largest.state)) / 1024,
        seconds=seconds["real"],
        padded_s=seconds["padded"],
    )


def _solutions(made: ScenarioOutcome, tools: tuple[Tool, ...]) -> list[Solution]:
    """What was proven, from the rows of the accepted scenarios."""
    states = {each.initial_state_id: json.loads(each.state_json) for each in made.initial_states}
    kinds = {each.name: each.kind for each in tools}
    solutions = []
    for row in made.scenarios:
        if row.status == "accepted":
            reference = tuple(ReferenceStep.model_validate(each) for each in json.loads(row.reference_json))
            checks = tuple(each for each in made.checks if each.scenario_id == row.scenario_id)
            writes = tuple(at for at, step in enumerate(reference) if kinds[step.tool] == "state_change")
            state = states[row.initial_state_id]
            solution = Solution(
                row.scenario_id, state, reference, row.final_message, checks, writes, row.kind, row.task
            )
            solutions.append(solution)
    return solutions


def _topic(slug: str) -> Topic:
    return Topic(
        topic_id=make_id("top", slug),
        slug=slug,
        title=slug.replace("-", " ").capitalize(),
        summary="",
        introduction="",
        domain="",
        usefulness=8,
        modelability=8,
        origin="given",
        seed_task_count=0,
        keyphrases=[],
        author="rules",
        embedder="none",
        status="accepted",
        split="train",
    )


def _padded(solution: Solution) -> Solution:
    """Of the size that the target is about. Repeated checks differ in their text: no cache shall know them."""
    again = itertools.islice(itertools.cycle(solution.reference), max(0, STEPS - len(solution.reference)))
    checks = itertools.islice(itertools.cycle(solution.checks), CHECKS)
    numbered = tuple(
        each.model_copy(update={"number": number, "code": f"{each.code}\n# {number}"})
        for number, each in enumerate(checks, start=1)
    )
    return replace(solution, reference=(*solution.reference, *again)[:STEPS], checks=numbered)


def _prove(solution: Solution, environment: Environment, sandbox: Sandbox, toolbox: Toolbox) -> None:
    with sandbox.checks() as checks:
        proof = prove(solution, environment, checks, toolbox)
    assert proof.status == "accepted", proof.detail


def _play(solution: Solution, environment: Environment, sandbox: Sandbox) -> None:
    moves = list(as_moves(solution.reference))
    moves[STEPS // 2] = replace(
        moves[STEPS // 2], calls=moves[STEPS // 2].calls * 2
    )  # an other one than in the reference
    attempt = Attempt("repeated_write", "padded", tuple(moves), solution.final_message)
    with sandbox.checks() as checks:
        player, asker = Player(solution, environment), Asker(solution.checks, checks)
        player.reference()
        for _ in range(TRIALS):
            played = player.play(attempt)
            assert played.episode is not None, played.void
            trial = asker.ask(played.episode, afresh=True)
            assert trial.broken is None, trial.broken
