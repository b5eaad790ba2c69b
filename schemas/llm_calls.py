"""The accounts of a language-model author: every request that it made or found answered already."""

from typing import Literal

from pydantic import AwareDatetime, Field

from schemas.row import Row, Stage, Table

CallOutcome = Literal["answered", "misfit", "cut_off", "declined", "unavailable"]


class LlmCall(Row):
    """One request to an author's model, with all its attempts."""

    llm_call_id: str = Field(pattern=r"^llm_[0-9a-f]{16}$", description="Digest of run, stage, request and position.")
    run_id: str
    stage: Stage | None = Field(default=None, description="Of the pipeline, in which it was asked; null outside a run.")
    prompt: str = Field(description="Name of the prompt file.")
    prompt_version: int = Field(ge=1)
    prompt_digest: str
    item: str = Field(description="What it was for: the slug of a topic, a theme, or the first text of a batch.")
    model: str
    request_key: str = Field(description="Digest of everything that decides the reply; the key of the reply cache.")
    seed: int
    is_repeat: bool = Field(description="Asked again, with what was wrong with the reply before.")
    reply_mode: Literal["json_schema", "tool", "json", "text"] = Field(
        description="How the endpoint was held to the type of the reply."
    )
    is_cached: bool = Field(description="Found answered: nothing was sent.")
    attempts: int = Field(ge=0, description="Requests that went out, retries included; 0 when cached.")
    outcome: CallOutcome = Field(
        description="'misfit': not of the type asked for; 'declined': refused by the model or a filter; "
        "'unavailable': no reply was had."
    )
    detail: str | None = Field(default=None, description="What was wrong; null when answered.")
    input_tokens: int | None = Field(default=None, ge=0, description="Of all attempts; null where not told.")
    output_tokens: int | None = Field(default=None, ge=0, description="Reasoning included.")
    cached_tokens: int | None = Field(default=None, ge=0, description="Of the input, what the endpoint had cached.")
    reasoning_tokens: int | None = Field(default=None, ge=0, description="Of the output.")
    cost_usd: float | None = Field(default=None, ge=0, description="Null where the price is unknown; 0 when cached.")
    latency_s: float = Field(ge=0, description="Until the reply was there, waits between attempts included.")
    at: AwareDatetime = Field(description="When it was asked.")


LLM_CALLS = Table("llm_calls", LlmCall, kind="ledger", key=("llm_call_id",), volatile=("latency_s", "at"))
