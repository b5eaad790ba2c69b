"""Lets a language model play scenarios by calling tools, for the chance that one of k attempts passes."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.errors import AuthorUnavailable, BudgetExhausted
from schemas.ids import canonical_json, seed_for
from schemas.skeletons import Skeleton, Tool
from tasks.authors.playing import Conversation, Player, Said, ToolAnswer
from tasks.probes.agents import Brief, Final, UnreadCall
from tasks.probes.ring import Case, Ring
from tasks.probes.rows import Attempted, Entrant, Probed, probed, unplayed
from tasks.runtime.environment import understood_arguments
from tasks.runtime.episode import PlayedCall
from tasks.runtime.faults import EnvironmentFault
from tasks.sandbox.base import Call, Sandbox

CALLS_PER_STEP, SPARE_CALLS = 2, 10
"""An episode may have so many calls per call of the reference, and so many besides: a model looks around."""
_GONE = (AuthorUnavailable.reason, BudgetExhausted.reason)


class ModelAgent:
    """Tells the model what its calls have shown, until it answers without one."""

    def __init__(self, player: Player, brief: Brief, scenario_id: str, *, seed: int) -> None:
        """Begin a conversation.

        Args:
            player: The model.
            brief: What it is told.
            scenario_id: For the accounts.
            seed: Of the attempt; another one is another sample.
        """
        self._player, self._seed = player, seed
        tools = tuple(
            {
                "type": "function",
                "function": {"name": name, "description": brief.descriptions.get(name, ""), "parameters": dict(schema)},
            }
            for name, schema in brief.schemas.items()
        )
        self._told = Conversation(scenario_id, brief.policy, brief.task, tools)
        self._waiting: tuple[str, ...] = ()
        """Ids of the calls that the last turn asked for."""

    def act(self, seen: Sequence[PlayedCall], calls_left: int) -> Sequence[Call | UnreadCall] | Final:
        """See `Agent`.

        Raises:
            AuthorUnavailable: the model can't be asked.
        """
        if len(self._waiting) > 0:
            news = seen[len(seen) - len(self._waiting) :]
            answers = tuple(
                ToolAnswer(use_id, canonical_json(call.result))
                for use_id, call in zip(self._waiting, news, strict=True)
            )
            self._tell(*answers)
        said = self._player.turn(self._told, seed=self._seed)
        if not said.uses:
            return Final(said.text, said.ended)
        if len(said.uses) > calls_left:
            return Final("", "call_limit")
        self._tell(said)
        self._waiting = tuple(use.use_id for use in said.uses)
        return tuple(_call(use.tool, use.arguments) for use in said.uses)

    def _tell(self, *turns: Said | ToolAnswer) -> None:
        told = self._told
        self._told = Conversation(told.scenario_id, told.policy, told.task, told.tools, (*told.turns, *turns))


def play_with_model(
    skeleton: Skeleton,
    tools: Sequence[Tool],
    cases: Sequence[Case],
    *,
    player: Player,
    sandbox: Sandbox,
    seed: int,
    attempts: int,
) -> tuple[Probed, ...]:
    """Let the model play each scenario some times.

    Where it can't be asked any more, what was played is kept, and the rest is no failure of the model: `reason` says
    why it is missing.

    Args:
        skeleton: The environment.
        tools: Its tools.
        cases: Its proven scenarios.
        player: The model.
        sandbox: Where code runs.
        seed: Of the run.
        attempts: At each scenario.

    Raises:
        SandboxUnavailable: no process could be started.
    """
    played: list[Probed] = []
    with Ring(skeleton, tools, sandbox) as ring:
        for case in cases:
            if played and played[-1].reason in _GONE:  # nobody would answer this time either
                last = played[-1]
                played.append(replace(last, scenario_id=case.scenario.scenario_id, trajectories=(), steps=()))
            else:
                played.append(_played(ring, case, player, seed, attempts))
    return tuple(played)


def _played(ring: Ring, case: Case, player: Player, seed: int, attempts: int) -> Probed:
    scenario_id = case.scenario.scenario_id
    attempted: list[Attempted] = []
    most_calls = CALLS_PER_STEP * case.scenario.reference_length + SPARE_CALLS
    try:
        with ring.arena(case, most_calls) as arena:
            for number in range(attempts):
                own = seed_for("probe", scenario_id, "language_model", number, seed)
                agent = ModelAgent(player, ring.brief(case.scenario), scenario_id, seed=own)
                entrant = Entrant("language_model", number + 1, own, model=player.name)
                attempted.append(Attempted(entrant, arena.play(agent)))
    except AuthorUnavailable as error:
        rest = probed(scenario_id, ring.level, attempted)
        return Probed(scenario_id, rest.trajectories, rest.steps, error.reason, str(error), is_final=False)
    except EnvironmentFault as fault:
        return unplayed(scenario_id, fault)
    return probed(scenario_id, ring.level, attempted)


def _call(tool: str, arguments: str) -> Call | UnreadCall:
    understood = understood_arguments(arguments)
    return UnreadCall(tool, arguments) if understood is None else Call(tool, understood)
