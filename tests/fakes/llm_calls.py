"""Rows of the accounts of a model, for tests."""

from datetime import UTC, datetime
from itertools import count

from schemas.ids import make_id
from schemas.llm_calls import LlmCall
from schemas.row import Stage

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_numbers = count(1)


def call(prompt: str, stage: Stage | None = "build_skeletons", **columns: object) -> LlmCall:
    """An answered call of 2 s for 100 + 10 tokens; each is a row of its own."""
    values: dict[str, object] = {
        "llm_call_id": make_id("llm", next(_numbers)), "run_id": "run_small", "stage": stage, "prompt": prompt,
        "prompt_version": 1, "prompt_digest": "d", "item": "pet-clinic", "model": "m", "request_key": "k", "seed": 0,
        "is_repeat": False, "reply_mode": "json_schema", "is_cached": False, "attempts": 1, "outcome": "answered",
        "input_tokens": 100, "output_tokens": 10, "latency_s": 2.0, "at": NOON,
    }  # fmt: skip
    return LlmCall.model_validate({**values, **columns})


def cached(prompt: str, stage: Stage | None = "build_skeletons", **columns: object) -> LlmCall:
    """The same, found answered."""
    return call(prompt, stage, **{"is_cached": True, "attempts": 0, "cost_usd": 0.0, "latency_s": 0.0, **columns})
