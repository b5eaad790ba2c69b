"""A finished draft -> the source of the environment class."""

import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent, wrap

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Draft
from tasks.runtime.parsing import parse_module

_SECTIONS = ("queries", "changes", "helpers")
_LONGEST_LINE = 118
_MECHANICS = Path(__file__).parent / "mechanics"


def render(draft: Draft) -> str:
    """The whole module. Helper functions, imports and constants that the class does not use are left out."""
    jinja = _jinja()
    sections: dict[str, list[str]] = {name: [] for name in _SECTIONS}
    for template, context in draft.templates:
        text = jinja.get_template(f"{template}.py.j2").render(hooks=_Hooks(draft), settings=draft.settings, **context)
        for name, methods in _split(template, text):
            for method in methods:
                if method not in sections[name]:
                    sections[name].append(method)
    preamble = jinja.get_template("preamble.py.j2").render(
        aliases=draft.aliases,
        prefixes=_literal({spec.noun.many: spec.noun.prefix for spec in draft.entities.values()}),
        constants={**({"_SETTINGS": _literal(draft.settings)} if draft.settings else {}), **draft.constants},
    )
    body = _without_unused_helpers([_constructor(draft), *(text for name in _SECTIONS for text in sections[name])])
    if any("self._new_id(" in text for text in body):
        body.append(_NEW_ID)
    if any("self._now()" in text for text in body):
        body.append(_NOW)
    about = indent("\n".join(wrap(f'"""{draft.summary.strip()}"""', _LONGEST_LINE - 4)), "    ")
    class_source = f"class {draft.class_name}:\n{about}\n\n" + "\n\n".join(indent(text, "    ") for text in body)
    module = _without_unused(f"{preamble}\n\n\n{class_source}\n")
    return f"{_docstring(draft.title, module)}\n\n{_tidy(module)}"


class _Hooks:
    """What other mechanics want at a place, as lines of code; nothing where nobody asked."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def lines(self, name: str, depth: int) -> str:
        """The hook's code, indented by `depth` blanks, with a line break at its end; empty when there is none."""
        lines = self._draft.hooks.get(name, [])
        return "".join(f"{' ' * depth}{line}\n" for line in lines)


def _jinja() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(_MECHANICS),
        undefined=StrictUndefined,
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Python, not HTML
    )
    jinja.filters["quoted"] = lambda values: ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
    jinja.filters["literal"] = _literal
    jinja.filters["words"] = words_of
    return jinja


def _split(template: str, text: str) -> Iterable[tuple[str, list[str]]]:
    """The methods of a rendered template by section; a section starts with a line "#: queries"."""
    parts = re.split(r"^#: (\w+)\n", text, flags=re.MULTILINE)
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name not in _SECTIONS:
            raise ValueError(f"template {template}: unknown section '{name}'")
        lines = body.splitlines()
        methods = []
        for node in parse_module(body).body:
            if not isinstance(node, ast.FunctionDef):
                raise ValueError(f"template {template}: only methods may stand in a section, found {ast.unparse(node)}")
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            methods.append(re.sub(r"\n\s*\n\s*\n", "\n\n", "\n".join(lines[first - 1 : node.end_lineno])))
        yield name, methods


def _without_unused_helpers(methods: list[str]) -> list[str]:
    """Leaves out private methods that no other method calls."""
    while True:
        kept = [
            text
            for text in methods
            if not (found := re.match(r"def (_\w+)\(self", text))
            or found.group(1) == "__init__"
            or any(f"self.{found.group(1)}(" in other for other in methods if other is not text)
        ]
        if len(kept) == len(methods):
            return kept
        methods = kept


def _literal(value: object, indentation: int = 0) -> str:
    """A Python literal with double quotes; a long mapping or list has one entry a line."""
    one_line = _double_quoted(repr(value))
    if len(one_line) + indentation <= 90 or not isinstance(value, dict | list | tuple):
        return one_line
    blanks = " " * (indentation + 4)
    if isinstance(value, dict):
        entries = [f"{_double_quoted(repr(key))}: {_literal(each, indentation + 4)}" for key, each in value.items()]
    else:
        entries = [_literal(each, indentation + 4) for each in value]
    brackets = {dict: "{}", list: "[]"}.get(type(value), "()")
    return f"{brackets[0]}\n" + "".join(f"{blanks}{entry},\n" for entry in entries) + " " * indentation + brackets[1]


def _double_quoted(source: str) -> str:
    return re.sub(r"'([^'\"\\\n]*)'", r'"\1"', source)


def _constructor(draft: Draft) -> str:
    lines = [
        "def __init__(self, config: dict | None = None):",
        "    config = copy.deepcopy(config) if isinstance(config, dict) else {}",
        '    self.now = config.get("now", "2025-03-03T08:00")',
    ]
    if draft.settings:
        lines.append('    self.settings = {**_SETTINGS, **config.get("settings", {})}')
    lines += [f'    self.{many} = config.get("{many}", {{}})' for many in draft.entities]
    lines += [
        '    given = config.get("counters", {})',
        "    self.counters = {",
        '        name: max([given.get(name, 0), *(int(key.rsplit("-", 1)[-1]) for key in getattr(self, name))])',
        "        for name in _ID_PREFIXES",
        "    }",
    ]
    return "\n".join(lines)


_NEW_ID = '''\
def _new_id(self, collection):
    self.counters[collection] += 1
    return f"{_ID_PREFIXES[collection]}-{self.counters[collection]:04d}"'''

_NOW = """\
def _now(self):
    return datetime.fromisoformat(self.now)"""


def _without_unused(module: str) -> str:
    """Drops module-level functions, constants and imported names that nothing uses, directly or through one another."""
    tree = parse_module(module)
    uses = {at: _names_used(node) for at, node in enumerate(tree.body)}
    defines = {at: _names_defined(node) for at, node in enumerate(tree.body)}
    needed = {at for at, node in enumerate(tree.body) if isinstance(node, ast.ClassDef)}
    used: set[str] = set()
    while not used.issuperset(wanted := {name for at in needed for name in uses[at]}):
        used |= wanted
        needed |= {at for at, names in defines.items() if names & used}
    lines = module.splitlines()
    kept: list[str] = []
    end = 0
    for at, node in enumerate(tree.body):
        between = lines[end : node.lineno - 1]
        end = node.end_lineno or node.lineno
        if at not in needed:
            continue
        if isinstance(node, ast.ImportFrom):
            names = ", ".join(each.name for each in node.names if each.name in used)
            kept += [*between, f"from {node.module} import {names}"]
        else:
            kept += [*between, *lines[node.lineno - 1 : end]]
    return "\n".join(kept) + "\n"


def _names_used(node: ast.stmt) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)}


def _names_defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {each.name for each in node.names}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()


def _docstring(title: str, module: str) -> str:
    notes = []
    if "_as_date(" in module or "_as_moment(" in module:
        notes.append('Dates are "YYYY-MM-DD" and moments "YYYY-MM-DDTHH:MM", in local time.')
    if "cents" in module:
        notes.append("Money is in euro cents.")
    notes.append("The clock is `now`, a part of the state that no tool moves: the same calls give the same results.")
    return "\n".join([f'"""{title}.', "", *wrap(" ".join(notes), _LONGEST_LINE), '"""'])


def _tidy(module: str) -> str:
    """Two blank lines between top-level definitions, one elsewhere, no trailing blanks."""
    text = "\n".join(line.rstrip() for line in module.splitlines())
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = re.sub(r"\n+(?=(?:def |class ))", "\n\n\n", text)
    return text.strip() + "\n"
