"""The rules of folders and documents."""

from tasks.authors.rules.mechanics.folders_options import Folders
from tasks.authors.rules.spec import Draft


def add_folder_rules(draft: Draft, what: Folders) -> None:
    """The shape of the tree, unique names, what is not edited, and how versions count."""
    folder, document, version = what.folder, what.document, what.version
    folders, documents = f'state["{folder.many}"]', f'state["{document.many}"]'
    this = f'{documents}[args["{document.key}"]]'
    create_folder, create_document = what.of_folder(what.create), what.of_document(what.create)
    draft.rule(
        f"{folder.one}_tree",
        "invariant",
        f"No {folder.spoken} is inside itself, and none is below level {what.deepest}.",
        f'(lambda level: all(level(level, k, 50) <= state["settings"]["{what.level_setting}"] for k in {folders}))('
        f"lambda level, k, left: 0 if k is None else 99 if left == 0"
        f' else 1 + level(level, {folders}[k]["{what.parent}"], left - 1))',
        by=(create_folder, what.of_folder("move")),
    )
    names = f'[(r["{what.parent}"], r["name"].lower()) for r in {folders}.values()]'
    draft.rule(
        f"{folder.one}_name_unique",
        "uniqueness",
        f"No two {folder.spoken_many} in the same place have the same name.",
        f"len(set({names})) == len({names})",
        by=(create_folder, what.of_folder("rename"), what.of_folder("move")),
    )
    titles = f'[(r["{folder.key}"], r["title"].lower()) for r in {documents}.values()]'
    draft.rule(
        f"{document.one}_title_unique",
        "uniqueness",
        f"No two {document.spoken_many} in the same {folder.spoken} have the same title.",
        f"len(set({titles})) == len({titles})",
        by=(create_document, *map(what.of_document, ("rename", "move", "copy"))),
    )
    edits = tuple(map(what.of_document, ("rename", "move", "tag", "untag", "archive")))
    draft.rule(
        f"archived_{document.one}_not_edited",
        "precondition",
        f"Nothing is changed in an archived {document.spoken}.",
        f'{this}["status"] == "active"',
        by=(*edits, what.of_document("check_out")),
    )
    draft.rule(
        f"{document.one}_edited_by_one",
        "precondition",
        f"{document.a.capitalize()} is checked out by one {what.person.spoken} at a time.",
        f'{this}["{what.holder}"] is None',
        by=(what.of_document("check_out"),),
    )
    draft.rule(
        f"archived_{document.one}_not_out",
        "invariant",
        f"{document.a.capitalize()} that is checked out is not archived.",
        f'all(r["status"] == "active" or r["{what.holder}"] is None for r in {documents}.values())',
        by=(what.of_document("archive"),),
    )
    draft.rule(
        f"{folder.one}_deleted_when_empty",
        "precondition",
        f"{folder.a.capitalize()} is only deleted when nothing is in it.",
        f'not any(r["{folder.key}"] == args["{folder.key}"] for r in {documents}.values())'
        f' and not any(r["{what.parent}"] == args["{folder.key}"] for r in {folders}.values())',
        by=(what.of_folder("delete"),),
    )
    draft.rule(
        f"{version.many}_count_up",
        "invariant",
        f"The {version.spoken_many} of {document.a} are numbered 1, 2, 3 and so on up to its newest.",
        f'all(sorted(v["number"] for v in state["{version.many}"].values() if v["{document.key}"] == k)'
        f' == list(range(1, r["newest_version"] + 1)) for k, r in {documents}.items())',
        by=(create_document, what.of_document("copy"), what.of_document("check_in")),
    )
