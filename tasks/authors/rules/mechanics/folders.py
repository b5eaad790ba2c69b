"""Folders: a tree of folders with documents, which are moved, copied, archived, and checked out to be changed."""

from collections.abc import Callable
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.folders_deeds import add_folder_deeds, add_folder_finders
from tasks.authors.rules.mechanics.folders_options import Folders
from tasks.authors.rules.mechanics.folders_rules import add_folder_rules
from tasks.authors.rules.spec import Draft, EntitySpec, Record, State
from tasks.authors.rules.spoken import pick

_STATUSES = ("active", "archived")


def add_folders(draft: Draft, what: Folders) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    folder, document, version, person = what.folder, what.document, what.version, what.person
    draft.alias(f"{document.title}Tag", what.tags)
    draft.alias(f"{document.title}Status", _STATUSES)
    draft.settings[what.level_setting] = what.deepest
    up = f"The {folder.spoken} that it is in; null at the top."
    draft.entity(
        EntitySpec(
            folder,
            f"{folder.a.capitalize()} for {document.spoken_many} and other {folder.spoken_many}.",
            (
                Attribute(name="name", type="string", max_length=80, description="What it is called."),
                Attribute(name=what.parent, type="reference", to=folder.many, nullable=True, description=up),
            ),
            count=(9, 12),
            make=_folder_maker(what),
        )
    )
    who = f"The {person.spoken} who has checked it out; null when nobody has."
    draft.entity(
        EntitySpec(
            document,
            f"{document.a.capitalize()} in one {folder.spoken}.",
            (
                Attribute(name="title", type="string", max_length=80, description="What it is called."),
                Attribute(name=folder.key, type="reference", to=folder.many, description=f"The {folder.spoken}."),
                Attribute(name=person.key, type="reference", to=person.many, description="Its owner."),
                Attribute(name="tags", type="list", items="enum", values=what.tags, description="What it is about."),
                Attribute(
                    name="newest_version", type="integer", minimum=1, description="Number of the newest version."
                ),
                Attribute(name=what.holder, type="reference", to=person.many, nullable=True, description=who),
                Attribute(
                    name="status", type="enum", values=_STATUSES, description="Archived: nothing is changed in it."
                ),
            ),
            count=(14, 18),
            make=_document_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            version,
            f"One state of the content of {document.a}.",
            (
                Attribute(name=document.key, type="reference", to=document.many, description=f"The {document.spoken}."),
                Attribute(name="number", type="integer", minimum=1, description="Counts up from 1."),
                Attribute(name=person.key, type="reference", to=person.many, description="Who wrote it."),
                Attribute(name="summary", type="string", max_length=200, description="What is new in it."),
                Attribute(name="written_at", type="datetime", description="When."),
            ),
            count=(200, 200),
            make=_version_maker(what),
        )
    )
    draft.hook(
        f"{person.one}.retire",
        f"for {document.one} in self.{document.many}.values():",
        f'    if {document.one}["{what.holder}"] == {person.key}:',
        f"        return _fail(f\"{{{person.key}}} has checked {{{document.one}['{document.key}']}} out.\")",
    )
    add_folder_rules(draft, what)
    context = {"what": what, "folder": folder, "document": document, "version": version, "person": person}
    draft.templates.append(("folders", context))
    draft.templates.append(("folders_documents", context))
    draft.templates.append(("folders_editing", context))
    add_folder_finders(draft, what)
    add_folder_deeds(draft, what)


def level_of(what: Folders, state: State, folder_id: str | None) -> int:
    """Level of a folder; 0 above the top ones."""
    level = 0
    while folder_id is not None:
        level += 1
        folder_id = state[what.folder.many][folder_id][what.parent]
    return level


def _folder_maker(what: Folders) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        folders = state[what.folder.many]
        parents = [key for key in folders if level_of(what, state, key) < what.deepest - 1]
        parent = pick(rng, parents) if len(folders) >= 3 and parents else None
        taken = [record["name"] for record in folders.values() if record[what.parent] == parent]
        used = [record["name"] for record in folders.values()]
        free = [name for name in what.folder_names if name not in (taken if rng.random() < 0.25 else used)]
        if not free:
            return None
        return {what.folder.key: new_id, "name": pick(rng, free), what.parent: parent}

    return make


def _document_maker(what: Folders) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        folder_id = pick(rng, list(state[what.folder.many]))
        documents = state[what.document.many].values()
        taken = [record["title"] for record in documents if record[what.folder.key] == folder_id]
        free = [title for title in what.titles if title not in taken]
        people = [key for key, each in state[what.person.many].items() if each["status"] == what.active_person]
        if not free or not people:
            return None
        return {
            what.document.key: new_id,
            "title": pick(rng, free),
            what.folder.key: folder_id,
            what.person.key: pick(rng, people),
            "tags": [tag for tag in what.tags if rng.random() < 0.25],
            "newest_version": rng.randint(1, 3),
            what.holder: None,
            "status": "archived" if rng.random() < 0.15 else "active",
        }

    return make


def _version_maker(what: Folders) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        versions = list(state[what.version.many].values())
        for key, document in state[what.document.many].items():
            there = sum(record[what.document.key] == key for record in versions)
            if there < document["newest_version"]:
                return {
                    what.version.key: new_id,
                    what.document.key: key,
                    "number": there + 1,
                    what.person.key: document[what.person.key],
                    "summary": pick(rng, what.summaries) if there else "First version",
                    "written_at": state["now"],
                }
        return None

    return make
