"""What models cost, from a small file that people edit. A price that is not written there is unknown."""

import math
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path

import yaml

from schemas.errors import UsageError
from tasks.authors.llm.budget import Price

FILE_NAME = "prices.yaml"
"""Its name in the home folder, and of the one that comes with the project, which explains the format."""

_FIELDS = {"input": True, "output": True, "cached_input": False}
"""Field -> whether it must be there."""


def price_of(model: str, path: Path) -> Price | None:
    """The price of a model, null where none is written down.

    The line with its exact name wins, else the first whose pattern fits.

    Args:
        model: Name, as the endpoint is asked for it.
        path: The file of the home folder; where there is none, the one that comes with the project counts.

    Raises:
        UsageError: the file can't be read or understood; the message says which line.
    """
    prices = list(_entries(_text(path), path))
    exact = (price for name, price in prices if name == model)
    fitting = (price for name, price in prices if fnmatchcase(model, name))
    return next(exact, next(fitting, None))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return resources.files("tasks.authors.llm").joinpath(FILE_NAME).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text. Save it as such.") from error
    except OSError as error:
        raise UsageError(f"The prices in {path} can't be read: {error.strerror or error}.") from error


def _entries(text: str, path: Path) -> Iterator[tuple[str, Price]]:
    """Names or patterns with their prices, in the order of the file."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _wrong(path, mark.line + 1 if mark else 1, error.problem or "this is no YAML") from error
    except yaml.reader.ReaderError as error:  # a control character
        raise _wrong(path, text.count("\n", 0, error.position) + 1, error.reason) from error
    except RecursionError as error:
        raise _wrong(path, 1, "this is nested too deeply") from error
    if root is None:
        return
    seen: set[str] = set()
    for key, value in _pairs(root, path, "the file is no list of `model: {input: ..., output: ...}`"):
        name = _name(key, path)
        if name in seen:
            raise _wrong(path, _line(key), f"{name!r} is there twice")
        seen.add(name)
        yield name, _price(name, value, path)


def _price(name: str, node: yaml.Node, path: Path) -> Price:
    found: dict[str, float | None] = {}
    for key, value in _pairs(node, path, f"the price of {name!r} must look like {{input: 1.5, output: 6}}"):
        field = _name(key, path)
        if field not in _FIELDS or field in found:
            problem = "is there twice" if field in found else f"is none of {', '.join(_FIELDS)}"
            raise _wrong(path, _line(key), f"{field!r} of {name!r} {problem}")
        found[field] = _amount(value, path, f"{field!r} of {name!r}", may_be_null=not _FIELDS[field])
    missing = [field for field, is_needed in _FIELDS.items() if is_needed and field not in found]
    if missing:
        raise _wrong(path, _line(node), f"{name!r} has no {' and no '.join(missing)}")
    return Price(
        input_usd=found["input"] or 0.0, output_usd=found["output"] or 0.0, cached_input_usd=found.get("cached_input")
    )


def _pairs(node: yaml.Node, path: Path, problem: str) -> list[tuple[yaml.Node, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(path, _line(node), problem)
    pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
    return pairs


def _name(node: yaml.Node, path: Path) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise _wrong(path, _line(node), "this is no name")
    return str(node.value).strip()


def _amount(node: yaml.Node, path: Path, what: str, *, may_be_null: bool) -> float | None:
    if may_be_null and node.tag == "tag:yaml.org,2002:null":
        return None
    try:
        amount = float(node.value) if isinstance(node, yaml.ScalarNode) else math.nan
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount >= 0):
        raise _wrong(path, _line(node), f"{what} must be USD per million tokens, 0 or more")
    return amount


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _wrong(path: Path, line: int, problem: str) -> UsageError:
    return UsageError(f"{path}, line {line}: {problem}. Correct it; leave out models whose price you don't know.")
