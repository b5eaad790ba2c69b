"""Files of EnvScaler's form: read whatever is in them, written so that its loader takes them, and round again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.exchange.check_forms import NotACheck, as_check, as_check_func
from tasks.exchange.envscaler_reading import ENTRY_FIELDS
from tasks.exchange.envscaler_writing import environment_entry, scenario_entry
from tasks.exchange.json_stream import NotReadable, read_entries
from tasks.exchange.kept import ForeignCheck
from tasks.imports.folder import ImportsFolder
from tasks.imports.importing import judge_import
from tasks.imports.intake import Intake, take_in
from tasks.imports.merging import merged, without_imports
from tasks.imports.outcome import ImportOutcome
from tests.fakes.envscaler_loader import play
from tests.fakes.lending_shed import LOGIC_MODEL, STATES, TOPIC
from tests.fakes.lending_shed_scenarios import EXTEND, REGISTER, SKELETON, TOOLS, check, generate, with_checks
from tests.fakes.sandbox import SANDBOX

CODE = '''
from typing import Dict, Optional, TypedDict, Any

class PatientInfo(TypedDict):
    patient_id: str
    name: str
    status: str

class Clinic:
    def __init__(self, init_config: dict):
        self.patients: Dict[str, PatientInfo] = {}
        self.room_count: int = 0

    def get_patient(self, patient_id: str) -> dict:
        """Look a patient up.

        Args:
            patient_id (str): Id of the patient.
        """
        if patient_id not in self.patients:
            return {"success": False, "error": "Patient does not exist"}
        return {"success": True, "data": self.patients[patient_id]}

    def discharge_patient(self, patient_id: str, note: Optional[str] = None) -> dict:
        """Send a patient home.

        Args:
            patient_id (str): Id of the patient.
            note (str, optional): Why.
        """
        patient = self.patients.get(patient_id)
        if patient is None or patient["status"] != "admitted":
            return {"success": False, "error": "Only an admitted patient can be discharged"}
        patient["status"] = "home"
        return {"success": True, "message": "Discharged"}
'''
STATE = {
    "patients": {
        "p1": {"patient_id": "p1", "name": "Ana Ruiz", "status": "admitted"},
        "p2": {"patient_id": "p2", "name": "Bo Lund", "status": "home"},
    },
    "room_count": 4,
}
GOAL = "def check_func(final_state):\n    return final_state['patients']['p1']['status'] == 'home'\n"
KEPT = "def check_func(final_state):\n    return final_state['room_count'] == initial_state['room_count']\n"


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": "Text.", "parameters": parameters}}


TEXT = {"type": "string"}


def environment(**changes: Any) -> dict[str, Any]:
    """An environment as it is published; a value of None takes a field away."""
    entry = {
        "env_id": "env_1_rl",
        "environment_summary": "Clinic ward",
        "environment_introduction": "A ward with patients.",
        "constraints_rules": ["Only admitted patients can be discharged."],
        "operation_list": [
            {"operation_name": "get_patient", "operation_type": "query"},
            {"operation_name": "discharge_patient", "operation_type": "state_change"},
        ],
        "env_class_name": "Clinic",
        "env_class_code": CODE,
        "tools": [tool("get_patient", patient_id=TEXT), tool("discharge_patient", patient_id=TEXT, note=TEXT)],
        **changes,
    }
    return {name: value for name, value in entry.items() if value is not None}


def scenario(*checks: str, **changes: Any) -> dict[str, Any]:
    entry = {
        "env_id": "env_1_rl",
        "env_class_name": "Clinic",
        "task_id": "env_1_rl-task_1",
        "init_config": STATE,
        "task": "Send Ana Ruiz home.",
        "checklist_with_func": [{"check_item": "Is it so?", "check_func": each} for each in checks or (GOAL, KEPT)],
        **changes,
    }
    return {name: value for name, value in entry.items() if value is not None}


def taken(tmp_path: Path, *files: Any) -> tuple[Intake, ImportsFolder]:
    """The files, each a value that is written as JSON or a text that is written as it is."""
    paths = []
    for number, each in enumerate(files):
        path = tmp_path / f"file_{number}.json"
        path.write_text(each if isinstance(each, str) else json.dumps(each), encoding="utf-8")
        paths.append(path)
    imports = ImportsFolder(tmp_path / "home")
    return take_in(paths, imports), imports


def judged(tmp_path: Path, *files: Any) -> tuple[ImportOutcome, Intake]:
    intake, imports = taken(tmp_path, *files)
    (folder,) = imports.kept()
    return judge_import(folder, sandbox=SANDBOX, seed=0), intake


def test_a_foreign_environment_is_accepted_and_its_scenarios_are_unproven(tmp_path: Path) -> None:
    outcome, intake = judged(tmp_path, [environment()], [scenario()])

    assert (outcome.status, outcome.reason) == ("accepted", None), outcome.detail
    assert intake.troubles == []
    assert {each.name: each.kind for each in outcome.tools} == {
        "get_patient": "query",
        "discharge_patient": "state_change",
    }
    assert "- Only admitted patients can be discharged." in outcome.skeleton.policy
    (row,) = outcome.scenarios
    assert (row.status, row.reason, row.author) == ("rejected", "unproven", "import")
    assert row.detail and "checks 2 hold at the start and count as guards" in row.detail
    assert [each.kind for each in outcome.checks] == ["goal", "guard"]
    assert json.loads(outcome.initial_states[0].state_json) == STATE


@pytest.mark.parametrize("form", ["list", "object", "single", "lines", "texts"])
def test_every_published_form_is_read_alike(form: str, tmp_path: Path) -> None:
    strings = environment(tools=json.dumps(environment()["tools"]))
    texts = [strings, scenario(init_config=json.dumps(STATE))]
    files: dict[str, list[Any]] = {
        "list": [[environment(), scenario()]],
        "object": [{"env_1_rl": environment(env_id=None)}, [scenario()]],
        "single": [environment(), scenario()],
        "lines": [f"{json.dumps(environment())}\n{json.dumps(scenario())}\n"],
        "texts": [texts],
    }
    intake, imports = taken(tmp_path, *files[form])

    (folder,) = imports.kept()
    assert intake.troubles == []
    assert folder.environment().name == "env_1_rl" and folder.slug == "clinic-ward"
    assert [each.state for each in folder.scenarios()] == [STATE]


BAD_ENTRIES = {
    "a number": (7, "entry_no_object"),
    "an object of another form": ({"question": "?", "answer": "!"}, "entry_of_no_known_form"),
    "no code": (environment(env_id="e2", env_class_code=None), "code_missing"),
    "no environment": (scenario(env_id=None), "environment_not_named"),
    "no task": (scenario(task=None), "task_missing"),
    "a config that is a list": (scenario(init_config=[1]), "init_config_no_object"),
    "a config that is no JSON": (scenario(init_config="{"), "init_config_no_json"),
    "checks that are no list": (scenario(checklist_with_func={"a": 1}), "checks_malformed"),
    "an unknown environment": (scenario(env_id="env_9"), "environment_unknown"),
    "an environment that came before": (environment(), "environment_twice"),
    "a tool that is no method": (
        environment(env_id="e2", tools=[*environment()["tools"], tool("fly")]),
        "tool_not_in_code",
    ),
    "a schema of another type": (
        environment(env_id="e2", tools=[tool("get_patient", patient_id={"type": "object"})]),
        "tool_schema_disagrees",
    ),
    "a schema without a parameter": (environment(env_id="e2", tools=[tool("get_patient")]), "tool_schema_disagrees"),
    "a tool without a name": (environment(env_id="e2", tools=[{"type": "function"}]), "tool_malformed"),
    "an entity that lost letters": (
        environment(env_id="e2", state_space_definition=[{"entity": "Patie", "attributes": "patient_id"}]),
        "entity_name_corrupted",
    ),
    "attributes that lost letters": (
        environment(env_id="e2", state_space_definition=[{"entity": "Ward", "attributes": "patient_id, name, sta"}]),
        "entity_name_corrupted",
    ),
}


@pytest.mark.parametrize("name", BAD_ENTRIES)
def test_each_bad_entry_is_one_reason_and_the_rest_is_taken(name: str, tmp_path: Path) -> None:
    entry, reason = BAD_ENTRIES[name]
    intake, imports = taken(tmp_path, [environment(), entry, scenario()])

    assert [each.reason for each in intake.troubles] == [reason]
    assert intake.troubles[0].detail
    folder = next(each for each in imports.kept() if each.environment().name == "env_1_rl")
    assert len(list(folder.scenarios())) == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (scenario("def check_func(final_state):\n    return final_stat\n"), "check_undefined_name"),
        (scenario("def check_func(final_state)\n    return True\n"), "check_does_not_parse"),
        (scenario("def check_it(final_state):\n    return True\n"), "check_missing"),
        (scenario("def check_func(final_state):\n    return final_state['nobody']\n"), "check_raises"),
        (scenario("def check_func(final_state):\n    return 'yes'\n"), "check_raises"),
        (scenario(KEPT), "no_op_passes"),
        (scenario(checklist_with_func=[]), "no_check"),
        (scenario(init_config={**STATE, "get_patient": {}}), "state_overwrites_method"),
        (scenario(init_config={**STATE, "patience": {}}), "state_refused"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_named(changed: dict[str, Any], reason: str, tmp_path: Path) -> None:
    outcome, _ = judged(tmp_path, [environment()], [scenario(), changed])

    assert outcome.status == "accepted", outcome.detail
    assert [each.reason for each in outcome.fates] == ["unproven", reason], outcome.fates[1]


LOOKED_UP = """        if patient_id not in self.patients:
            return {"success": False, "error": "Patient does not exist"}
"""
FAULTS = {
    "class_missing": ("class Clinic", "class Klinik"),
    "does_not_parse": ("import Dict", "import Dict,"),
    "forbidden_import": ("from typing", "import os\nfrom typing"),
    "uncaught_exception": (LOOKED_UP, ""),
    "effect_missing": ('patient["status"] = "home"', 'patient = {"status": "home"}'),
    "query_changes_state": (LOOKED_UP, f"        self.room_count += 1\n{LOOKED_UP}"),
}


@pytest.mark.parametrize("reason", FAULTS)
def test_what_is_wrong_with_an_environment_is_named_and_its_scenarios_wait(reason: str, tmp_path: Path) -> None:
    old, new = FAULTS[reason]
    assert old in CODE
    outcome, _ = judged(tmp_path, [environment(env_class_code=CODE.replace(old, new, 1))], [scenario()])

    assert (outcome.status, outcome.reason) == ("rejected", reason), outcome.detail
    assert [each.reason for each in outcome.fates] == ["environment_rejected"]


def big(count: int) -> Iterator[str]:
    yield "["
    filler = json.dumps(scenario(task="x" * 20_000))
    for number in range(count):
        yield f"{',' if number else ''}\n{filler}"
    yield "\n]"


def test_a_large_file_is_read_entry_by_entry(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.writelines(big(2500))
    assert path.stat().st_size > 50_000_000

    assert sum(1 for _ in read_entries(path, ENTRY_FIELDS)) == 2500


def test_a_file_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    whole = json.dumps([environment(), scenario(), scenario(task_id="2")])
    intake, imports = taken(tmp_path, whole[: whole.index('"task_id": "2"')])

    assert [each.reason for each in intake.troubles] == ["file_not_readable"]
    assert "line 1" in intake.troubles[0].detail
    assert len(list(imports.kept()[0].scenarios())) == 1


@pytest.mark.parametrize("text", ["", "7", "[1, 2", '{"a" 1}', "[{]"])
def test_what_is_no_json_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "no.json"
    path.write_text(text)
    with pytest.raises(NotReadable, match="no.json"):
        list(read_entries(path, ENTRY_FIELDS))


def test_a_check_is_the_same_in_both_forms() -> None:
    code = (
        "import math\nLIMIT = 2\n\ndef check(initial_state, final_state, trajectory) -> bool:\n"
        "    return len(final_state) > math.floor(LIMIT)\n"
    )
    there = as_check_func(code)
    assert there is not None
    names: dict[str, Any] = {}
    exec(there, {"initial_state": {}}, names)
    assert names["check_func"]([1, 2, 3]) is True and names["check_func"]([1]) is False

    with SANDBOX.checks() as session:
        (verdict,) = session.check([as_check(ForeignCheck(text="", code=KEPT))], STATE, STATE, {})
    assert (verdict.passed, verdict.error) == (True, None)
    assert as_check_func(check('return "x" in trajectory["final_message"]').code) is None
    with pytest.raises(NotACheck, match="nowhere"):
        as_check(ForeignCheck(text="", code="def check_func(final_state):\n    return nowhere\n"))


@pytest.fixture(scope="module")
def exported() -> tuple[dict[str, Any], list[dict[str, Any]], Any]:
    """The lending shed with two proven scenarios, one of them with an answer check, as it is exported."""
    answer = check('return "14 April" in trajectory["final_message"]', "answer")
    made = generate(EXTEND, with_checks(REGISTER, answer))
    entry = environment_entry(SKELETON, TOPIC, LOGIC_MODEL, TOOLS, made.initial_states, STATES)
    states = {each.initial_state_id: each for each in made.initial_states}
    scenarios = [
        scenario_entry(
            each,
            SKELETON,
            TOPIC,
            states[each.initial_state_id],
            [row for row in made.checks if row.scenario_id == each.scenario_id],
            [row for row in made.scenario_validations if row.scenario_id == each.scenario_id],
        )
        for each in made.scenarios
        if each.status == "accepted"
    ]
    return json.loads(json.dumps(entry)), json.loads(json.dumps(scenarios)), made


def test_its_own_loader_takes_an_export_and_rewards_what_is_right(exported: Any) -> None:
    entry, scenarios, _ = exported

    assert len(scenarios) == 2
    for each in scenarios:
        assert play(entry, each, each["envmill"]["reference"]) == 1.0
        assert play(entry, each, []) == 0.0
    assert {"env_class_def", "env_structure", "env_func_details", "operation_list"} <= entry.keys()
    assert entry["env_func_details"]["lend_item"]["signature"]["parameters"][2] == {
        "name": "days",
        "type": "int",
        "default": None,
        "kind": "POSITIONAL_OR_KEYWORD",
    }


def test_an_export_comes_back_as_it_was(exported: Any, tmp_path: Path) -> None:
    entry, scenarios, made = exported
    outcome, intake = judged(tmp_path, [entry], scenarios)

    assert intake.troubles == []
    assert (outcome.status, outcome.reason) == ("accepted", None), outcome.detail
    skeleton = outcome.skeleton
    assert (skeleton.code, skeleton.class_name, skeleton.slug) == (SKELETON.code, SKELETON.class_name, SKELETON.slug)
    assert skeleton.skeleton_id == SKELETON.skeleton_id and skeleton.environment_id == SKELETON.environment_id
    assert outcome.topic.topic_id == TOPIC.topic_id
    assert json.loads(outcome.logic_model.model_json) == LOGIC_MODEL.model_dump(mode="json")
    wanted = [each for each in made.scenarios if each.status == "accepted"]
    same = {"scenario_id", "initial_state_id", "task", "reference_json", "final_message", "status", "reason", "kind"}
    assert [each.model_dump(include=same) for each in outcome.scenarios] == [
        each.model_dump(include=same) for each in wanted
    ]
    assert outcome.checks == tuple(made.checks)
    # Which mutants are tried depends on the order of the arguments, which a stored reference does not keep.
    kinds = ("reference", "no_op", "prefix")
    assert [each for each in outcome.scenario_validations if each.trial in kinds] == [
        each for each in made.scenario_validations if each.trial in kinds
    ]
    assert all(each.is_as_expected for each in outcome.scenario_validations)


def test_what_is_there_already_is_not_there_twice(exported: Any, tmp_path: Path) -> None:
    entry, scenarios, made = exported
    outcome, _ = judged(tmp_path, [entry], scenarios)
    before = {
        "topics": (TOPIC,),
        "skeletons": (SKELETON,),
        "tools": TOOLS,
        "initial_states": made.initial_states,
        "scenarios": made.scenarios[:1],
    }
    joined = merged(before, [outcome])

    assert [(each.status, each.reason) for each in joined.outcomes] == [("duplicate", "same_environment")]
    assert [each.status for each in joined.outcomes[0].fates] == ["duplicate", "accepted"]
    assert joined.rows["skeletons"] == (SKELETON,) and len(joined.rows["scenarios"]) == 2
    assert without_imports(joined.rows) == {**joined.rows, **before, "checks": (), "scenario_validations": ()}


def test_an_import_never_takes_the_slug_of_another_environment(tmp_path: Path) -> None:
    outcome, _ = judged(tmp_path, [environment(environment_summary=SKELETON.slug.replace("-", " "))])
    assert outcome.slug == SKELETON.slug
    joined = merged({"topics": (TOPIC,), "skeletons": (SKELETON,)}, [outcome])

    (renamed,) = joined.outcomes
    assert renamed.skeleton.slug == f"{SKELETON.slug}-import"
    assert renamed.skeleton.environment_id != SKELETON.environment_id
    assert {each.slug for each in joined.rows["topics"]} == {SKELETON.slug, f"{SKELETON.slug}-import"}
    assert without_imports(joined.rows)["skeletons"] == (SKELETON,)


def test_an_exported_part_that_was_tampered_with_is_refused_or_judged_anew(exported: Any, tmp_path: Path) -> None:
    entry, scenarios, _ = exported
    broken = {**scenarios[0], "envmill": {**scenarios[0]["envmill"], "reference": "none"}}
    lying = {**scenarios[1], "envmill": {**scenarios[1]["envmill"], "reference": scenarios[0]["envmill"]["reference"]}}
    outcome, intake = judged(tmp_path, [entry], [broken, lying])

    assert [each.reason for each in intake.troubles] == ["own_part_malformed"]
    assert [(each.status, each.reason) for each in outcome.fates] == [("rejected", "reference_fails")]


def test_a_scenario_that_brings_a_reference_and_no_guard_gets_one(exported: Any, tmp_path: Path) -> None:
    entry, scenarios, _ = exported
    own = scenarios[0]["envmill"]
    goals = [each for each in own["checks"] if each["kind"] == "goal"]
    outcome, _ = judged(tmp_path, [entry], [{**scenarios[0], "envmill": {**own, "checks": goals}}])

    assert [each.kind for each in outcome.checks] == ["goal"] * len(goals) + ["guard"]
    assert [each.status for each in outcome.fates] == ["accepted"]
