"""Every table, in the order in which rows may refer to each other."""

from schemas.llm_calls import LLM_CALLS
from schemas.logic_models import LOGIC_MODELS
from schemas.reviews import REVIEWS
from schemas.row import Table
from schemas.runs import ATTEMPTS, GATE_RESULTS, RELEASES, RUNS, STAGE_COUNTS
from schemas.scenarios import CHECKS, INITIAL_STATES, SCENARIO_VALIDATIONS, SCENARIOS
from schemas.skeletons import SKELETON_VALIDATIONS, SKELETONS, TOOL_TESTS, TOOLS
from schemas.topics import SEED_TASKS, TOPICS
from schemas.trajectories import TRAJECTORIES, TRAJECTORY_STEPS

CATALOGUE_TABLES: tuple[Table, ...] = (
    TOPICS,
    SEED_TASKS,
    LOGIC_MODELS,
    SKELETONS,
    TOOLS,
    TOOL_TESTS,
    SKELETON_VALIDATIONS,
    INITIAL_STATES,
    SCENARIOS,
    CHECKS,
    SCENARIO_VALIDATIONS,
    TRAJECTORIES,
    TRAJECTORY_STEPS,
)
LEDGER_TABLES: tuple[Table, ...] = (RUNS, STAGE_COUNTS, ATTEMPTS, LLM_CALLS, GATE_RESULTS, RELEASES, REVIEWS)
TABLES: tuple[Table, ...] = CATALOGUE_TABLES + LEDGER_TABLES
