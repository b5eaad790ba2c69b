"""A small release written by hand, which the tests of this folder share, and its way through the warehouse."""

from datetime import UTC, datetime
from pathlib import Path

from schemas.catalog import CATALOGUE_TABLES
from schemas.ids import make_id
from schemas.logic_models import LogicModelRow
from schemas.row import STAGES, Row
from schemas.runs import ATTEMPTS, STAGE_COUNTS, Attempt, Run, StageCount
from schemas.scenarios import Check, InitialState, Scenario, ScenarioValidation
from schemas.skeletons import Skeleton, SkeletonValidation, Tool, ToolTest
from schemas.topics import SeedTask, Topic
from schemas.trajectories import Trajectory, TrajectoryStep
from warehouse.store import Warehouse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUN = "run_small"

Batch = dict[str, list[Row]]


def topic(slug: str, **columns: object) -> Topic:
    """An accepted topic from a corpus."""
    values: dict[str, object] = {
        "topic_id": make_id("top", slug), "slug": slug, "title": slug.title(), "summary": "s", "introduction": "i",
        "domain": "health", "usefulness": 7, "modelability": 8, "origin": "corpus", "seed_task_count": 2,
        "keyphrases": ["phrase"], "author": "rules", "embedder": "none", "status": "accepted", "split": "train",
    }  # fmt: skip
    return Topic.model_validate({**values, **columns})


def seed_task(line: int, **columns: object) -> SeedTask:
    """An accepted line of tasks.jsonl."""
    values: dict[str, object] = {
        "seed_task_id": make_id("tsk", line), "corpus": "tasks.jsonl", "source": "tasks.jsonl", "source_id": str(line),
        "line": line, "text": f"Book a visit, {line}", "status": "accepted", "keyphrases": [], "cluster": 0,
        "cluster_label": "visit",
    }  # fmt: skip
    return SeedTask.model_validate({**values, **columns})


def skeleton(slug: str, version: int = 1, **columns: object) -> Skeleton:
    """An accepted skeleton with two tools."""
    values: dict[str, object] = {
        "skeleton_id": make_id("skl", slug, version), "environment_id": make_id("env", slug), "slug": slug,
        "topic_id": make_id("top", slug), "logic_model_id": make_id("lgm", slug), "author": "rules",
        "title": slug.title(), "class_name": "Desk", "code": "class Desk: ...", "policy": "Be kind.", "tool_count": 2,
        "query_count": 1, "state_change_count": 1, "entity_count": 3, "rule_count": 4, "line_count": 90,
        "structure": "x", "status": "accepted",
    }  # fmt: skip
    return Skeleton.model_validate({**values, **columns})


def scenario(slug: str, number: int, **columns: object) -> Scenario:
    """An accepted scenario of the first skeleton of this slug."""
    values: dict[str, object] = {
        "scenario_id": make_id("scn", slug, number), "skeleton_id": make_id("skl", slug, 1),
        "initial_state_id": make_id("sta", slug), "author": "rules", "kind": "single_goal", "task": f"Do {number}",
        "reference_json": "[]", "final_message": "Done.", "reference_length": 2, "write_count": 1,
        "tools_used": ["find"], "check_count": 2, "status": "accepted", "sandbox": "A",
        "written_fields": [f"{slug}.field_{number}"],
    }  # fmt: skip
    return Scenario.model_validate({**values, **columns})


def check(scenario_id: str, number: int, kind: str) -> Check:
    """A check that always holds."""
    check_id = make_id("chk", scenario_id, number)
    values = {"check_id": check_id, "scenario_id": scenario_id, "number": number, "kind": kind}
    return Check.model_validate({**values, "origin": "author", "text": "t", "code": "c", "exempt": []})


def trial(scenario_id: str, kind: str, number: int, *, passes: bool) -> ScenarioValidation:
    """A trial that went as expected."""
    values = {
        "scenario_validation_id": make_id("svl", scenario_id, kind, number), "scenario_id": scenario_id, "trial": kind,
        "number": number, "is_expected_to_pass": passes, "has_passed": passes, "is_as_expected": True,
        "checks_failed": [] if passes else [1], "reward": 1.0 if passes else 0.0,
        "final_digest": "0" * 32 if kind == "reference" else None,
    }  # fmt: skip
    return ScenarioValidation.model_validate(values)


def trajectory(
    scenario_id: str, agent: str, attempt: int = 1, *, passes: bool | None = False, **columns: object
) -> Row:
    """An episode of one call whose steps are not kept; `passes` is null for one whose environment broke."""
    broken = {"ended": "broken", "at_fault": "environment", "problem": "tool 'find': KeyError"}
    values: dict[str, object] = {
        "trajectory_id": make_id("trj", scenario_id, agent, attempt), "scenario_id": scenario_id, "agent": agent,
        "model": "m" if agent == "language_model" else None, "attempt": attempt, "seed": attempt,
        "reward": None if passes is None else float(passes), "success": passes,
        "call_count": 0 if agent == "no_op" else 1, "refused_count": 0, "ended": "finished", "final_message": "Done.",
        "has_steps": False, "sandbox": "A", **(broken if passes is None else {}),
    }  # fmt: skip
    return Trajectory.model_validate({**values, **columns})


def step(trajectory_id: str, number: int = 1) -> TrajectoryStep:
    """A call that did what it is for."""
    values = {"trajectory_id": trajectory_id, "number": number, "tool": "find", "arguments_json": "{}"}
    return TrajectoryStep.model_validate({**values, "result_json": '{"success":true}', "outcome": "done"})


def _played() -> dict[str, list[Row]]:
    """Two scenarios: one that a model passes twice in four times, and one whose environment broke once."""
    first, second = make_id("scn", "pet-clinic", 1), make_id("scn", "pet-clinic", 2)
    rows = [trajectory(scenario_id, "no_op") for scenario_id in (first, second)]
    rows += [trajectory(first, "random_valid", number, passes=number == 4) for number in range(1, 6)]
    rows += [trajectory(second, "random_valid", number, passes=None if number == 2 else False) for number in (1, 2)]
    rows += [trajectory(second, "greedy", passes=None, has_steps=True)]
    rows += [
        trajectory(first, "noisy_reference", number, passes=number == 1, noise=number / 10, disturbed_count=number - 1)
        for number in (1, 2)
    ]
    rows += [trajectory(first, "language_model", number, passes=number < 3) for number in range(1, 5)]
    return {"trajectories": rows, "trajectory_steps": [step(make_id("trj", second, "greedy", 1))]}


def _evaluated(slug: str) -> dict[str, list[Row]]:
    skeleton_id = make_id("skl", slug, 1)
    kinds = (("find", "query"), ("book", "state_change"))
    tools = [
        Tool.model_validate({
            "tool_id": make_id("tol", slug, name), "skeleton_id": skeleton_id, "name": name, "kind": kind,
            "description": "d", "parameters_json": "{}", "reads": ["visits", "now"], "writes": ["counters", "visits"],
            "enforces": ["one_visit_a_day", "visits_add_up"] if kind == "state_change" else [],
        })
        for name, kind in kinds
    ]  # fmt: skip
    tests = [
        ToolTest.model_validate({
            "tool_test_id": make_id("tst", slug, name, number), "skeleton_id": skeleton_id, "tool": name,
            "case": "negative" if number else "positive", "arguments_json": "{}",
            "expected": "refusal" if number else "success", "outcome": "refusal" if number else "success",
            "is_passed": True, "rule_id": "one_visit_a_day" if name == "book" and number == 1 else None,
        })
        for name, _ in kinds
        for number in range(3)
    ]  # fmt: skip
    validation = SkeletonValidation(
        skeleton_id=skeleton_id, decision="accepted", checks_run=["parses"], checks_failed=[], evidence_json="{}",
        call_count=9, test_count=6, test_passed_count=6, tools_covered=2, rules_checked=4, sandbox="process",
        rules_untested_json='{"visits_add_up": "no call can break it"}',
    )  # fmt: skip
    state = InitialState(
        initial_state_id=make_id("sta", slug), skeleton_id=skeleton_id, number=1, author="rules", record_count=5,
        state_json="{}", status="accepted", sandbox="A",
    )  # fmt: skip
    return {"tools": [*tools], "tool_tests": [*tests], "skeleton_validations": [validation], "initial_states": [state]}


def _proven(scenario_id: str, *kinds: str) -> dict[str, list[Row]]:
    return {
        "checks": [check(scenario_id, number, kind) for number, kind in enumerate(kinds, start=1)],
        "scenario_validations": [
            trial(scenario_id, "reference", 2, passes=True),
            trial(scenario_id, "no_op", 0, passes=False),
            trial(scenario_id, "prefix", 1, passes=False),
        ],
    }


def small_release() -> Batch:
    """Two environments with three published scenarios, one mined and one given topic, and something of every fate."""
    mined, given = make_id("top", "pet-clinic"), make_id("top", "tool-shed")
    counts = {"entity_count": 3, "operation_count": 2, "rule_count": 4}
    rules = (
        '{"entities": [{"collection": "visits"}, {"collection": "vets"}, {"collection": "pets"}], '
        '"rules": [{"id": "one_visit_a_day", "kind": "precondition"}, {"id": "visits_add_up", "kind": "invariant"}]}'
    )
    model = {**counts, "author": "rules", "title": "t", "model_json": rules, "status": "accepted"}
    original = make_id("tsk", 1)
    batch: Batch = {
        "topics": [
            topic("pet-clinic"),
            topic("tool-shed", origin="given", domain="leisure", split="test", seed_task_count=0),
            topic("vet-office", status="duplicate", reason="same_meaning", duplicate_of=mined),
        ],
        "seed_tasks": [
            seed_task(1, topic_id=mined),
            seed_task(2, topic_id=mined, status="duplicate", reason="near", duplicate_of=original, cluster=None),
            seed_task(3, status="rejected", reason="chit_chat"),
        ],
        "logic_models": [
            LogicModelRow.model_validate({"logic_model_id": make_id("lgm", slug), "topic_id": topic_id, **model})
            for slug, topic_id in (("pet-clinic", mined), ("tool-shed", given))
        ],
        "skeletons": [
            skeleton("pet-clinic"),
            skeleton("pet-clinic", 0, status="rejected", reason="does_not_parse"),
            skeleton("tool-shed"),
        ],
        "scenarios": [
            scenario("pet-clinic", 1),
            scenario("pet-clinic", 2, reference_length=5, check_count=3),
            scenario("pet-clinic", 3, status="rejected", reason="no_op_passes"),
            scenario("tool-shed", 1),
        ],
    }
    parts = [
        _evaluated("pet-clinic"),
        _evaluated("tool-shed"),
        _proven(make_id("scn", "pet-clinic", 1), "goal", "guard"),
        _proven(make_id("scn", "pet-clinic", 2), "goal", "guard", "answer"),
        _proven(make_id("scn", "tool-shed", 1), "goal", "guard"),
        _played(),
    ]
    for part in parts:
        for name, rows in part.items():
            batch.setdefault(name, []).extend(rows)
    return batch


def attempts(run_id: str = RUN) -> list[Row]:
    """Nine attempts of two stages: six seed tasks judged, three scenarios tried."""
    fates = [("mine_topics", "accepted", None)] * 2 + [("mine_topics", "rejected", "chit_chat")] * 3
    fates += [("mine_topics", "duplicate", "near")]
    fates += [("generate_scenarios", "accepted", None)] * 2 + [("generate_scenarios", "failed", "out_of_time")]
    return [
        Attempt.model_validate({
            "run_id": run_id, "stage": stage, "item_id": f"item_{number}", "label": f"item {number}", "status": status,
            "reason": reason, "detail": reason and f"because {number}", "at": NOON,
        })
        for number, (stage, status, reason) in enumerate(fates)
    ]  # fmt: skip


def stage_counts(run_id: str = RUN) -> list[Row]:
    """The balance of `attempts`."""
    zeros = {"accepted": 0, "rejected": 0, "duplicate": 0, "failed": 0, "reused": 0, "items_in": 0}
    counts: dict[str, dict[str, int]] = {
        "mine_topics": {"items_in": 6, "accepted": 2, "rejected": 3, "duplicate": 1},
        "generate_scenarios": {"items_in": 3, "accepted": 2, "failed": 1, "reused": 1},
    }
    return [
        StageCount.model_validate(
            {"run_id": run_id, "stage": stage, "duration_s": 1.5, **zeros, **counts.get(stage, {})}
        )
        for stage in STAGES
    ]


def run_row(run_id: str = RUN, **columns: object) -> Run:
    """A published run."""
    values: dict[str, object] = {
        "run_id": run_id, "profile": "tiny", "author": "rules", "seed": 7, "corpora": ["tasks.jsonl"],
        "given_topics": ["tool shed"], "sandbox": "process", "code_digest": "d", "status": "running",
        "started_at": NOON,
    }  # fmt: skip
    return Run.model_validate({**values, **columns})


def stage_batch(warehouse: Warehouse, batch: Batch, run_id: str = RUN) -> None:
    """Stage every catalogue table."""
    for table in CATALOGUE_TABLES:
        warehouse.stage(run_id, table, batch[table.name])


def write_ledger(warehouse: Warehouse, run_id: str = RUN) -> None:
    """Write the run, its attempts and its balance."""
    warehouse.replace_run(run_row(run_id))
    warehouse.append_ledger(ATTEMPTS, attempts(run_id), run_id)
    warehouse.append_ledger(STAGE_COUNTS, stage_counts(run_id), run_id)


def published(home: Path, batch: Batch | None = None, run_id: str = RUN) -> Warehouse:
    """A home with one more release."""
    warehouse = Warehouse(home)
    write_ledger(warehouse, run_id)
    stage_batch(warehouse, batch or small_release(), run_id)
    warehouse.publish(run_id, published_at=NOON)
    return warehouse


def test_a_published_release_gives_back_every_row(tmp_path: Path) -> None:
    batch = small_release()

    warehouse = published(tmp_path, batch)

    for table in CATALOGUE_TABLES:
        in_key_order = sorted(batch[table.name], key=lambda row: [getattr(row, column) for column in table.key])
        assert list(warehouse.rows(table)) == in_key_order


def test_the_release_row_counts_what_was_accepted(tmp_path: Path) -> None:
    release = published(tmp_path).current_release()

    assert release is not None
    assert (release.number, release.run_id, release.environment_count, release.scenario_count) == (1, RUN, 2, 3)
    assert '"seed_tasks":3' in release.row_counts_json
