"""Random sequences: drawn from schemas and state, the same for the same seed, shrunk where they break a promise."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from tasks.evaluation.arguments import ArgumentMaker
from tasks.evaluation.evaluate import Evaluation, evaluate
from tasks.evaluation.sequences import SEQUENCE_CALLS, SEQUENCES
from tasks.evaluation.strategies import CallStrategies
from tasks.runtime.signature import tools_of
from tasks.sandbox.base import Call
from tasks.skeletons.rows import skeleton_validation_row
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX

TOOLS = tools_of(CODE, CLASS_NAME)
LENT_TWICE = "if self._is_lent(item_id):", "if False:"
DELETED = (
    '        self.items[loan["item_id"]]["condition"] = condition\n',
    '        self.items[loan["item_id"]]["condition"] = condition\n        del self.loans[loan_id]\n',
)


def evaluated(old: str = "", new: str = "", seed: int = 1) -> Evaluation:
    code = CODE.replace(old, new) if old else CODE
    return evaluate(code, CLASS_NAME, LOGIC_MODEL, STATES, sandbox=SANDBOX, seed=seed)


def test_drawn_calls_mostly_name_records_of_the_state_and_sometimes_none() -> None:
    maker = ArgumentMaker(LOGIC_MODEL, Random(1))
    strategies = CallStrategies(LOGIC_MODEL, TOOLS, maker, {})
    operations = {each.name: each for each in LOGIC_MODEL.operations}
    required = {tool.name: set(tool.parameters["required"]) for tool in TOOLS}
    named: Counter[bool] = Counter()

    @settings(max_examples=200, database=None, deadline=None, derandomize=True)
    @given(strategies.calls(STATES[0]))
    def draw(call: Call) -> None:
        parameters = {each.name: each for each in operations[call.tool].parameters}
        assert required[call.tool] <= call.arguments.keys() <= parameters.keys()
        for name, value in call.arguments.items():
            target = maker.target(parameters[name])
            if target is not None:
                named[value in STATES[0][target]] += 1

    draw()

    assert named[True] > 3 * named[False] > 0


def test_a_good_class_is_put_through_two_hundred_random_calls() -> None:
    evaluation = evaluated()

    assert (evaluation.status, evaluation.failing_sequence) == ("accepted", None)
    assert SEQUENCES * SEQUENCE_CALLS == 200
    assert evaluation.call_count > 200


@pytest.mark.parametrize(
    ("edit", "reason", "most"), [(LENT_TWICE, "invariant_broken", 2), (DELETED, "transition_broken", 1)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_failing_sequence_is_shrunk_to_the_calls_that_it_takes(
    edit: tuple[str, str], reason: str, most: int, seed: int
) -> None:
    sequence = evaluated(*edit, seed=seed).failing_sequence

    assert sequence is not None
    assert sequence.finding.reason == reason
    assert 1 <= len(sequence.calls) <= most
    assert [each.split(".")[0] for each in sequence.calls] == [str(number + 1) for number in range(len(sequence.calls))]
    assert sequence.state_number in (1, 2)


def test_the_shrunk_sequence_is_stored_as_evidence() -> None:
    evaluation = evaluated(*LENT_TWICE)

    row = skeleton_validation_row("skl_0123456789abcdef", evaluation, ())

    stored = json.loads(str(row.failing_sequence_json))
    assert stored["reason"] == "invariant_broken"
    assert "item_lent_once" in stored["detail"]
    assert stored["calls"] == list(evaluation.failing_sequence.calls) if evaluation.failing_sequence else []
    assert stored["calls"][-1].split(" ")[1].startswith("lend_item({")
    assert (
        json.loads(row.states_json)[stored["state_number"] - 1]["members"]
        == STATES[stored["state_number"] - 1]["members"]
    )


def test_the_same_seed_draws_the_same_calls_in_another_program_and_leaves_no_files(tmp_path: Path) -> None:
    """Hypothesis would mix in constants of the modules that are loaded, and keep a folder of them."""
    script = (
        "import random, decimal, {other}\n"
        "from tests.unit.tasks.test_evaluation_sequences import evaluated, LENT_TWICE\n"
        "print(evaluated(*LENT_TWICE).failing_sequence, evaluated().call_count)\n"
    )
    root = Path(__file__).parents[3]
    told = [
        subprocess.run(
            [sys.executable, "-c", script.format(other=other)],
            cwd=tmp_path,
            env={"PYTHONPATH": str(root), "PYTHONHASHSEED": hash_seed, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for other, hash_seed in (("json", "0"), ("tests.fakes.topics", "7"))
    ]

    assert told[0] == told[1]
    assert "FailingSequence" in told[0]
    assert list(tmp_path.iterdir()) == []
