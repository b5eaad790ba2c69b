"""Prices come from a file that people edit; what is not there is unknown, and what is wrong is told with its line."""

from importlib import resources
from pathlib import Path

import pytest
import yaml

from schemas.errors import UsageError
from tasks.authors.llm.budget import Price
from tasks.authors.llm.prices import price_of

PRICES = """\
# mine
"swift-*": {input: 0.5, output: 2}
"swift-large-*": {input: 9, output: 9}
swift-large-2: {input: 2.5, output: 10, cached_input: 1.25}
org/free: {input: 0, output: 0, cached_input: null}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "prices.yaml"


def test_the_exact_name_wins_and_else_the_first_pattern_that_fits(path: Path) -> None:
    path.write_text(PRICES)
    assert price_of("swift-large-2", path) == Price(2.5, 10, 1.25)
    assert price_of("swift-large-3", path) == Price(0.5, 2, None)
    assert price_of("org/free", path) == Price(0, 0, None)
    assert price_of("Swift-large-2", path) is None
    assert price_of("other", path) is None


def test_without_a_file_no_price_is_known(path: Path) -> None:
    assert price_of("swift-large-2", path) is None
    path.write_text("")
    assert price_of("swift-large-2", path) is None


def test_the_example_in_the_bundled_file_can_be_used_as_it_stands(path: Path) -> None:
    bundled = resources.files("tasks.authors.llm").joinpath("prices.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(bundled) is None
    example = [line.removeprefix("#   ") for line in bundled.splitlines() if line.startswith("#   ")]
    path.write_text("\n".join(example))
    assert price_of("name-of-the-model", path) == Price(1.5, 6, 0.15)
    assert price_of("family-of-models-4", path) == Price(0.5, 2)
    assert price_of("my-own-server", path) == Price(0, 0)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a: {input: 1, output: 2}\nb: {input: x, output: 2}\n", 2, "'input' of 'b'"),
        ("a: {input: 1, output: -2}\n", 1, "'output' of 'a'"),
        ("a: {input: 1, output: .nan}\n", 1, "0 or more"),
        ("a: {input: true, output: 1}\n", 1, "0 or more"),
        ("a: {input: null, output: 1}\n", 1, "'input' of 'a'"),
        ("a: {input: 1, output: [2]}\n", 1, "0 or more"),
        ("\na:\n  input: 1\n", 3, "'a' has no output"),
        ("a:\n  input: 1\n  output: 2\n  cached: 3\n", 4, "'cached' of 'a' is none of input, output, cached_input"),
        ("a: {input: 1, output: 2}\nb: 3\n", 2, "the price of 'b'"),
        ("a: {input: 1, output: 2}\na: {input: 1, output: 3}\n", 2, "'a' is there twice"),
        ("a: {input: 1, input: 1, output: 2}\n", 1, "'input' of 'a' is there twice"),
        ("- a\n", 1, "no list of"),
        ("[1, 2]: {input: 1, output: 2}\n", 1, "no name"),
        ("a: {input: 1, output: 2}\nb: {input: 1\nc: 2", 3, "expected"),
        ("a: {input: 1, output: 2}\n\x07", 2, "not allowed"),
        ("a: *b\n", 1, "undefined alias"),
        ("a: " + "[" * 20_000, 1, "nested"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(path: Path, text: str, line: int, told: str) -> None:
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        price_of("a", path)
    assert f"{path}, line {line}: " in str(raised.value)
    assert told in str(raised.value)


def test_a_file_that_is_no_text_is_told(path: Path) -> None:
    path.write_bytes(b"a: {input: 1, output: 2}\n\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        price_of("a", path)
    path.unlink()
    path.mkdir()
    with pytest.raises(UsageError, match="can't be read"):
        price_of("a", path)
