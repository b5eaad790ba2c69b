"""`--author llm` against an endpoint over HTTP: its drafts pass the same checks, and its key stays where it is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from prompts.library import load
from tests.fakes.endpoint import Answer, FakeEndpoint, Request, said
from tests.integration.conftest import rows
from tests.unit.prompts.examples import example_of

pytestmark = pytest.mark.usefixtures("prefect_server")
KEY = "sk-never-to-be-seen-again"
PROMPTS = (
    "describe_topic",
    "draft_logic_model",
    "draft_code",
    "draft_initial_states",
    "draft_scenarios",
)


def _worked_example(request: Request) -> Answer:
    """What the prompt itself shows as a good answer."""
    name = next(each for each in PROMPTS if request.prompt.startswith(load(each).text.lstrip()[:60]))
    example = example_of(name)
    return said(f"```python\n{example}```" if name == "draft_code" else example)


def test_a_model_writes_an_environment_with_a_proven_scenario(
    envmill: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with FakeEndpoint(_worked_example, key=KEY) as endpoint:
        monkeypatch.setenv("ENVMILL_LLM_BASE_URL", endpoint.base_url)
        monkeypatch.setenv("ENVMILL_LLM_MODEL", "scripted")
        monkeypatch.setenv("ENVMILL_LLM_API_KEY", KEY)
        order = (
            "run",
            "--home",
            home,
            "--author",
            "llm",
            "--profile",
            "tiny",
            "--no-corpus",
            "--topic",
            "bike repairs",
        )

        first = envmill(*order)
        asked = len(endpoint.requests)
        second = envmill(*order)

        assert len(endpoint.requests) == asked

    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert rows(home, "select slug, author, scenario_count from environments") == [
        {"slug": "bicycle-repair-desk", "author": "scripted", "scenario_count": 1}
    ]
    assert asked == len(PROMPTS) + 1  # initial states are asked for twice: to evaluate the class, and for scenarios
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in first.output + second.output


def test_without_an_endpoint_the_model_is_refused_with_what_to_set(
    envmill: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ENVMILL_LLM_BASE_URL", raising=False)

    result = envmill("run", "--home", tmp_path / "home", "--author", "llm")

    assert result.exit_code == 2, result.output
    assert "ENVMILL_LLM_BASE_URL" in result.stderr
