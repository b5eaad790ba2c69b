"""What a theme says of its folders and documents."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun


@dataclass(frozen=True)
class Folders:
    """A tree of folders with documents in them; every change of a document's content is a version."""

    folder: Noun
    document: Noun
    version: Noun
    person: Noun
    """Who owns documents and writes versions: a registry."""
    folder_names: tuple[str, ...]
    titles: tuple[str, ...]
    tags: tuple[str, ...]
    summaries: tuple[str, ...]
    """What people say about a new version."""
    deepest: int = 4
    """Levels of folders; a folder at the top is on level 1."""
    create: str = "create"
    active_person: str = "active"

    @property
    def parent(self) -> str:
        """Attribute with the folder that a folder is in; null at the top."""
        return f"parent_{self.folder.key}"

    @property
    def holder(self) -> str:
        """Attribute with the person who has checked a document out; null when nobody has."""
        return f"editing_{self.person.key}"

    @property
    def level_setting(self) -> str:
        """Name of the setting with the deepest level."""
        return f"deepest_{self.folder.one}_level"

    def of_document(self, verb: str) -> str:
        """Name of a tool: "move" -> "move_document"."""
        return f"{verb}_{self.document.one}"

    def of_folder(self, verb: str) -> str:
        """Name of a tool: "move" -> "move_folder"."""
        return f"{verb}_{self.folder.one}"
