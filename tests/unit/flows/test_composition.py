"""What decides an author's answers, and what does not."""

import pytest

from flows.composition import author_key


def _key(monkeypatch: pytest.MonkeyPatch, base_url: str) -> str:
    monkeypatch.setenv("ENVMILL_LLM_BASE_URL", base_url)
    monkeypatch.setenv("ENVMILL_LLM_MODEL", "m")
    return author_key("llm")


def test_the_key_of_an_author_knows_the_address_and_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _key(monkeypatch, "http://host/v1")

    assert _key(monkeypatch, "http://ada:hunter2@host/v1") == plain
    assert _key(monkeypatch, "http://ada:another@host/v1/") == plain
    assert _key(monkeypatch, "http://other/v1") != plain
