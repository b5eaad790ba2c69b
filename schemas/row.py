"""What a row and a table are, and the words that several tables share.

Every table is declared once, as a pydantic model plus a `Table`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

Status = Literal["accepted", "rejected", "duplicate", "failed"]
"""The fate of an item. `rejected`: its author's output was not good enough. `failed`: machinery broke or ran out of
time, so the item is tried again by the next run. `duplicate`: another item says the same."""

Stage = Literal[
    "read_corpora",
    "mine_topics",
    "select_topics",
    "build_skeletons",
    "generate_states",
    "generate_scenarios",
    "read_imports",
    "import_environments",
    "import_scenarios",
    "probe_scenarios",
]
STAGES: tuple[Stage, ...] = (
    "read_corpora",
    "mine_topics",
    "select_topics",
    "build_skeletons",
    "generate_states",
    "generate_scenarios",
    "read_imports",
    "import_environments",
    "import_scenarios",
    "probe_scenarios",
)
"""In the order of the pipeline. Items: corpus lines, seed tasks, candidate topics, topics, states, scenarios; entries
of imported files and parts of them that are of no use, imported environments, imported scenarios; scenarios that probe
agents play, and once more those that a language model plays."""

TableKind = Literal["ledger", "catalogue"]


class Row(BaseModel):
    """One immutable row. Unknown columns are refused; nested values are stored as JSON text columns (`*_json`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Table:
    """One table: its name, its row type and what a single row cannot say about itself."""

    name: str
    row: type[Row]
    kind: TableKind
    key: tuple[str, ...]
    """Columns whose values together occur once."""
    references: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Column -> "table.column" that holds the value. A null refers to nothing; a list column refers element-wise."""
    volatile: tuple[str, ...] = ()
    """Columns that differ between two runs with the same inputs (clock, duration); digests leave them out."""
    min_rows: int = 0
    """A published batch with fewer rows is refused."""
