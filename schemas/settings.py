"""What can be configured. The only file that reads the process environment; everything is passed down from here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.errors import UsageError


@dataclass(frozen=True, slots=True)
class Profile:
    """How much one run makes."""

    name: str
    topic_limit: int | None
    """Topics taken from the corpora; null for all that pass. Topics given by hand come on top."""
    state_count: int
    """Initial states asked for per environment."""
    scenarios_per_state: int


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "tiny": Profile("tiny", topic_limit=3, state_count=1, scenarios_per_state=5),
        "default": Profile("default", topic_limit=20, state_count=2, scenarios_per_state=4),
        "full": Profile("full", topic_limit=None, state_count=3, scenarios_per_state=6),
    }
)


def find_profile(name: str) -> Profile:
    """The profile of this name.

    Raises:
        UsageError: there is none; the message lists those that exist.
    """
    if name not in PROFILES:
        raise UsageError(f"There is no profile {name!r}. Choose one of: {', '.join(PROFILES)}.")
    return PROFILES[name]


class Settings(BaseSettings):
    """Read once per command; a command-line option wins over the environment."""

    model_config = SettingsConfigDict(env_prefix="ENVMILL_", frozen=True, extra="ignore")

    home: Path = Field(default=Path(".envmill"), description="Folder that holds everything envmill writes.")
    concurrency: int | None = Field(
        default=None, ge=1, le=64, description="Items in work at a time; null for one more than there are cores."
    )
    llm_base_url: str | None = Field(default=None, description="Where the API of --author llm begins.")
    llm_model: str | None = Field(default=None, description="Model that --author llm asks.")
    llm_api_key: SecretStr | None = Field(default=None, description="Key of the endpoint; null where it asks for none.")
    llm_temperature: float | None = Field(default=0.7, ge=0, le=2, description="Null for the endpoint's own.")
    llm_max_output_tokens: int | None = Field(default=None, ge=1, description="Most tokens of a reply; null: no limit.")
    llm_timeout_s: float = Field(default=120, gt=0, le=3600, description="Longest wait for one reply, in seconds.")

    @model_validator(mode="wrap")
    @classmethod
    def _told(cls, given: Any, handler: ModelWrapValidatorHandler["Settings"]) -> "Settings":
        """What stands in the environment was typed by a person."""
        try:
            return handler(given)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            variable = f"ENVMILL_{str(first['loc'][0]).upper()}"
            raise UsageError(f"{variable} can't be used: {first['msg']}. Change or unset it.") from None

    @property
    def workers(self) -> int:
        """Items in work at a time."""
        return self.concurrency or (os.cpu_count() or 1) + 1


@dataclass(frozen=True, slots=True)
class PrefectHome:
    """Where Prefect keeps its things inside an envmill home."""

    folder: Path

    @property
    def results(self) -> Path:
        """Results of finished items, one file per item key."""
        return self.folder / "results"

    @property
    def server_record(self) -> Path:
        """Address of the server that runs for this home; absent while none does."""
        return self.folder / "server.json"

    @property
    def server_log(self) -> Path:
        """Output of that server."""
        return self.folder / "server.log"


def prefect_home(home: Path) -> PrefectHome:
    """The Prefect part of an envmill home."""
    return PrefectHome(home.resolve() / "prefect")


# The recorder's batch sizes make the server about three times cheaper per task run; the rest keeps it quiet, offline.
_SERVER_TUNING = {
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "500",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_EVENTS_STREAM_OUT_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}


def server_environment(home: Path, port: int) -> dict[str, str]:
    """Environment of a Prefect server on this port. Without the address, its UI would ask port 4200.

    The server calls no model, so it gets no key.
    """
    return {
        **{name: value for name, value in os.environ.items() if not name.upper().endswith("_API_KEY")},
        **_SERVER_TUNING,
        "PREFECT_HOME": str(prefect_home(home).folder),
        "PREFECT_UI_API_URL": f"http://127.0.0.1:{port}/api",
    }


def client_environment(home: Path, api_url: str) -> dict[str, str]:
    """Environment of a process that works for this home through the server at this address, such as a worker."""
    return {
        **os.environ,
        "DO_NOT_TRACK": "1",
        "ENVMILL_HOME": str(home.resolve()),
        "PREFECT_API_URL": api_url,
        "PREFECT_HOME": str(prefect_home(home).folder),
        "PREFECT_RESULTS_LOCAL_STORAGE_PATH": str(prefect_home(home).results),
    }
