"""What people ask for around folders and documents, and how they say which one they mean."""

from collections.abc import Callable

from tasks.authors.rules.mechanics.folders_options import Folders
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import Where, in_status


def add_folder_finders(draft: Draft, what: Folders) -> None:
    """Ways to find one folder or one document."""
    folder, document, person = what.folder, what.document, what.person
    name, title = Filter("name_contains", "name"), Filter("title_contains", "title")
    inside = Filter(folder.key, folder.key, "reference")
    owner, status = Filter(person.key, person.key, "reference"), Filter("status", "status")
    a_folder, a_document = f'the {folder.spoken} "{{name_contains}}"', f'the {document.spoken} "{{title_contains}}"'
    above = Filter(what.parent, what.parent, "reference")
    draft.finders += [
        Finder(folder.many, f"list_{folder.many}", (name,), (a_folder,)),
        Finder(folder.many, f"list_{folder.many}", (name, above), (f"{a_folder} inside {{{what.parent}}}",)),
    ]
    for filters, says in (
        ((title,), a_document),
        ((title, inside), f"{a_document} in {{{folder.key}}}"),
        ((title, owner), f'{{{person.key}}}\'s {document.spoken} "{{title_contains}}"'),
        ((title, status), f'the {{status}} {document.spoken} "{{title_contains}}"'),
        ((title, inside, owner), f'{{{person.key}}}\'s {document.spoken} "{{title_contains}}" in {{{folder.key}}}'),
    ):
        draft.finders.append(Finder(document.many, f"list_{document.many}", filters, (says,)))


def add_folder_deeds(draft: Draft, what: Folders) -> None:
    """Changes of the tree, of documents, and of their content."""
    _add_tree(draft, what)
    _add_documents(draft, what)
    _add_marks(draft, what)
    _add_editing(draft, what)


def _add_tree(draft: Draft, what: Folders) -> None:
    folder, it = what.folder, f"{{{what.folder.key}}}"
    new_name = Value("name", _new_name(what))
    create = words_of(what.create)
    draft.deeds += [
        Deed(
            what.of_folder(what.create),
            (Pick(what.parent, folder.many), new_name),
            (
                f"{create} {folder.a} called {{name}} in {{{what.parent}}}",
                f"{create} {folder.a} {{name}} inside {{{what.parent}}}",
            ),
            f"The {folder.spoken} {{name}} is there.",
            creates=folder.many,
            weight=2,
        ),
        Deed(
            what.of_folder("rename"),
            (Pick(folder.key, folder.many), new_name),
            (f"rename {it} to {{name}}", f"give {it} the new name {{name}}"),
            f"{it} is called {{name}} now.",
            weight=1,
        ),
        Deed(
            what.of_folder("move"),
            (Pick(folder.key, folder.many), Pick(what.parent, folder.many, _is_another_parent(what))),
            (f"move {it} into {{{what.parent}}}", f"put {it} inside {{{what.parent}}}"),
            f"{it} is in {{{what.parent}}} now.",
            weight=2,
        ),
        Deed(
            what.of_folder("delete"),
            (Pick(folder.key, folder.many, _is_empty(what)),),
            (f"delete {it}", f"delete {it}, which is empty"),
            f"{it} is deleted.",
            weight=0,
        ),
    ]


def _add_documents(draft: Draft, what: Folders) -> None:
    folder, document, person, it = what.folder, what.document, what.person, f"{{{what.document.key}}}"
    owner = Pick(person.key, person.many, is_active(what.active_person))
    active = Pick(document.key, document.many, in_status("active"))
    create, place = words_of(what.create), f"{{{folder.key}}}"
    new = (Pick(folder.key, folder.many), owner, Value("title", _new_title(what)))
    made = what.of_folder(what.create)
    for follows in ((), (made,)):
        draft.deeds.append(
            Deed(
                what.of_document(what.create),
                new,
                (
                    f"{create} {document.a} {{title}} in {place} for {{{person.key}}}",
                    f"{create} {document.a} with the title {{title}} in {place}, owned by {{{person.key}}}",
                ),
                f"The {document.spoken} {{title}} is in {place}.",
                creates=document.many,
                follows=follows,
                weight=0 if follows else 4,
            )
        )
        draft.deeds.append(
            Deed(
                what.of_document("move"),
                (active, Pick(folder.key, folder.many, _can_hold(what, "move"))),
                (f"move {it} to {place}", f"put {it} into {place}"),
                f"{it} is in {place} now.",
                follows=follows,
                weight=0 if follows else 3,
            )
        )
        draft.deeds.append(
            Deed(
                what.of_document("copy"),
                (Pick(document.key, document.many), Pick(folder.key, folder.many, _can_hold(what, "copy"))),
                (f"copy {it} into {place}", f"put a copy of {it} into {place}"),
                f"A copy of {it} is in {place}.",
                creates=document.many,
                follows=follows,
                weight=0 if follows else 2,
            )
        )
    draft.deeds.append(
        Deed(
            what.of_document("rename"),
            (active, Value("title", _new_title(what))),
            (f"rename {it} to {{title}}", f"change the title of {it} to {{title}}"),
            f"{it} is called {{title}} now.",
            weight=2,
        )
    )
    for verb, before, asks, end in (
        ("archive", _is_idle(what), (f"archive {it}", f"move {it} to the archive"), "is archived"),
        ("restore", in_status("archived"), (f"restore {it}", f"take {it} out of the archive"), "is active again"),
    ):
        slots = (Pick(document.key, document.many, before),)
        draft.deeds.append(Deed(what.of_document(verb), slots, asks, f"{it} {end}.", weight=1))


def _add_marks(draft: Draft, what: Folders) -> None:
    document, it = what.document, f"{{{what.document.key}}}"
    made = what.of_document(what.create)
    for follows in ((), (made,)):
        draft.deeds.append(
            Deed(
                what.of_document("tag"),
                (
                    Pick(document.key, document.many, lambda record, world: _may_tag(what, record)),
                    Value("tag", _new_tag(what)),
                ),
                (f"tag {it} as {{tag}}", f"put the tag {{tag}} on {it}"),
                f"{it} has the tag {{tag}} now.",
                follows=follows,
                weight=0 if follows else 2,
            )
        )
    draft.deeds.append(
        Deed(
            what.of_document("untag"),
            (
                Pick(
                    document.key,
                    document.many,
                    lambda record, world: record["status"] == "active" and bool(record["tags"]),
                ),
                Value("tag", lambda world: told_word(pick(world.rng, world.records[document.key]["tags"]))),
            ),
            (f"take the tag {{tag}} off {it}", f"remove the tag {{tag}} from {it}"),
            f"{it} no longer has the tag {{tag}}.",
            weight=1,
        )
    )


def _add_editing(draft: Draft, what: Folders) -> None:
    document, person, it = what.document, what.person, f"{{{what.document.key}}}"
    made = what.of_document(what.create)
    for follows in ((), (made,)):
        draft.deeds.append(
            Deed(
                what.of_document("check_out"),
                (
                    Pick(document.key, document.many, _is_idle(what)),
                    Pick(person.key, person.many, is_active(what.active_person)),
                ),
                (f"check {it} out for {{{person.key}}}", f"check out {it}; {{{person.key}}} is going to edit it"),
                f"{it} is checked out for {{{person.key}}}.",
                follows=follows,
                weight=0 if follows else 7,
            )
        )
    is_out = Pick(document.key, document.many, lambda record, world: record[what.holder] is not None)
    draft.deeds += [
        Deed(
            what.of_document("check_in"),
            (is_out, Value("summary", lambda world: told_text(pick(world.rng, what.summaries)))),
            (f"check {it} in with the summary {{summary}}", f"check in {it}: {{summary}}"),
            f"{it} is checked in.",
            creates=what.version.many,
            weight=3,
        ),
        Deed(
            what.of_document("release"),
            (is_out,),
            (f"release {it} without a new {what.version.spoken}",),
            f"{it} is released.",
            weight=1,
        ),
    ]


def _is_idle(what: Folders) -> Where:
    return lambda record, world: bool(record["status"] == "active" and record[what.holder] is None)


def _is_empty(what: Folders) -> Where:
    def fits(record: Record, world: World) -> bool:
        key = record[what.folder.key]
        documents, folders = world.state[what.document.many].values(), world.state[what.folder.many].values()
        return not any(each[what.folder.key] == key for each in documents) and not any(
            each[what.parent] == key for each in folders
        )

    return fits


def _is_another_parent(what: Folders) -> Where:
    def fits(record: Record, world: World) -> bool:
        moved = world.records[what.folder.key]
        return record[what.folder.key] not in (moved[what.folder.key], moved[what.parent])

    return fits


def _can_hold(what: Folders, verb: str) -> Where:
    def fits(record: Record, world: World) -> bool:
        document, key = world.records[what.document.key], record[what.folder.key]
        inside = [each["title"] for each in world.state[what.document.many].values() if each[what.folder.key] == key]
        return document["title"] not in inside and not (verb == "move" and document[what.folder.key] == key)

    return fits


def _may_tag(what: Folders, record: Record) -> bool:
    return bool(record["status"] == "active" and len(record["tags"]) < len(what.tags))


def _new_tag(what: Folders) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        return told_word(
            pick(world.rng, [tag for tag in what.tags if tag not in world.records[what.document.key]["tags"]])
        )

    return make


def _new_name(what: Folders) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        taken = [record["name"] for record in world.state[what.folder.many].values()]
        free = [name for name in what.folder_names if name not in taken]
        return told_text(pick(world.rng, free)) if free else None

    return make


def _new_title(what: Folders) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        folder_id = world.chosen.get(what.folder.key) or world.records[what.document.key][what.folder.key]
        documents = world.state[what.document.many].values()
        taken = [record["title"] for record in documents if record[what.folder.key] == folder_id]
        free = [title for title in what.titles if title not in taken]
        return told_text(pick(world.rng, free)) if free else None

    return make
