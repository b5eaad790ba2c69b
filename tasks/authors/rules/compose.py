"""A topic -> the finished draft of its environment: a theme's nouns, put together by mechanics."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any, get_args, get_type_hints

import yaml

from schemas.ids import seed_for
from tasks.authors.base import TopicBrief
from tasks.authors.rules.attributes import Extra
from tasks.authors.rules.invent import invented_section
from tasks.authors.rules.mechanics.library import MECHANICS
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft

Section = Mapping[str, Any]


def compose(topic: TopicBrief, theme: str | None, seed: int) -> Draft:
    """Put the environment of a topic together from what a theme declares in `environments/`.

    The optional mechanics are drawn from the topic's slug and the seed, so that two environments of one theme differ in
    structure too. A topic in a person's own words names the class; otherwise the theme does. Without a theme, the
    topic's own words make up the plan.

    Raises:
        FileNotFoundError: there is no such theme.
        KeyError: the theme uses a mechanic, a role or a word that does not exist.
    """
    section = environment_section(theme) if theme else invented_section(topic.title)
    rng = Random(seed_for("compose", topic.slug, seed))
    nouns = {
        role: Noun(role, words["many"], words["prefix"], words.get("label")) for role, words in section["nouns"].items()
    }
    is_own_words = topic.slug != theme and theme is not None
    draft = Draft(
        title=topic.title,
        class_name=_class_name(topic.title) if is_own_words else section["class_name"],
        summary=section["summary"],
        nouns=nouns,
        rng=rng,
    )
    chosen = [*section["mechanics"], *_optional(section.get("optional", []), rng)]
    for entry in chosen:
        for kind, words in entry.items():
            what_type, add = MECHANICS[kind]
            add(draft, bind(what_type, words, nouns))
    for number, text in enumerate(section.get("policies", ()), start=1):
        draft.rule(f"policy_{number}", "policy", text)
    draft.asks_before = tuple(section.get("asks_before", ()))
    return draft


@lru_cache
def environment_section(theme: str) -> Section:
    """What `environments/<theme>.yaml` says: nouns, mechanics, optional mechanics, policies.

    `asks_before` names the tools that a policy ties to the word of the person.


    Raises:
        FileNotFoundError: there is no such theme.
    """
    text = files("tasks.authors.rules").joinpath("environments", f"{theme}.yaml").read_text(encoding="utf-8")
    section: Section = yaml.safe_load(text)
    return section


def bind(what_type: type[Any], words: Section, nouns: Mapping[str, Noun]) -> Any:
    """A mechanic's record from a theme's words: role names become nouns, lists become tuples."""
    hints = get_type_hints(what_type)
    known = {each.name for each in fields(what_type)}
    unknown = sorted(set(words) - known)
    if unknown:
        raise KeyError(f"{what_type.__name__} knows no {', '.join(unknown)}; it knows {', '.join(sorted(known))}")
    return what_type(**{name: _bound(hints[name], value, nouns) for name, value in words.items()})


def _bound(hint: Any, value: Any, nouns: Mapping[str, Noun]) -> Any:
    options = get_args(hint)
    if hint is Noun or Noun in options:
        return tuple(nouns[each] for each in value) if isinstance(value, list) else nouns[value]
    if isinstance(value, list):
        inner = next((option for option in options if is_dataclass(option)), None)
        if inner is Extra:
            return tuple(Extra(**{key: _as_tuple(part) for key, part in each.items()}) for each in value)
        if isinstance(inner, type):
            return tuple(bind(inner, each, nouns) for each in value)
        return tuple(_as_tuple(each) for each in value)
    return value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _optional(entries: list[Section], rng: Random) -> list[Section]:
    """A drawn half of the optional entries, at least one where there are any; their order stays.

    An entry with several mechanics is taken or left as a whole.
    """
    if not entries:
        return []
    chosen = set(rng.sample(range(len(entries)), (len(entries) + 1) // 2))
    return [entry for at, entry in enumerate(entries) if at in chosen]


def _class_name(title: str) -> str:
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*", title)
    return "".join(word[0].upper() + word[1:] for word in words) or "Environment"
