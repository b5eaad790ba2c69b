"""A small file system with a working directory. Right: nothing in it is wrong.

Style: objects in private attributes, results are plain values or raise, nested directories as instances.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


class FileSystemError(Exception):
    """What a shell would print."""


@dataclass
class File:
    """One text file."""

    name: str
    content: str = ""
    changed_at: datetime | None = None


@dataclass
class Directory:
    """Files and directories by name."""

    name: str
    files: dict[str, File] = field(default_factory=dict)
    directories: dict[str, Directory] = field(default_factory=dict)


def _home() -> Directory:
    notes = Directory("notes", {"todo.txt": File("todo.txt", "buy milk\ncall Ada\n")})
    drafts = Directory("drafts", {"letter.md": File("letter.md", "# Dear Sir\nthank you\n")})
    return Directory("home", {"readme.txt": File("readme.txt", "welcome home\n")}, {"notes": notes, "drafts": drafts})


class FileSystem:
    """A file system of one user. Paths are names in the current directory; `..` is the one above."""

    def __init__(self) -> None:
        self._root: Directory = _home()
        self._current_path: list[str] = []

    def pwd(self) -> str:
        """Show the current directory as a path that begins with a slash."""
        return "/" + "/".join(self._current_path)

    def ls(self, show_hidden: bool = False) -> list[str]:
        """List the names in the current directory, in alphabetical order.

        Args:
            show_hidden: Whether to list names that begin with a dot.
        """
        here = self._here()
        names = sorted([*here.files, *here.directories])
        return [name for name in names if show_hidden or not name.startswith(".")]

    def cd(self, folder: str) -> str:
        """Change into a directory.

        Args:
            folder: Name of a directory in the current one, such as "notes", or ".." for the one above.

        Returns:
            The new current directory.
        """
        if folder == "..":
            if not self._current_path:
                raise FileSystemError("already at the top")
            self._current_path.pop()
        elif folder in self._here().directories:
            self._current_path.append(folder)
        else:
            raise FileSystemError(f"no such directory: {folder}")
        return self.pwd()

    def cat(self, file_name: str) -> str:
        """Show the content of a file.

        Args:
            file_name: Name of a file in the current directory.
        """
        return self._file(file_name).content

    def mkdir(self, dir_name: str) -> None:
        """Make a directory.

        Args:
            dir_name: Its name, without slashes.
        """
        self._refuse_bad_name(dir_name)
        self._here().directories[dir_name] = Directory(dir_name)

    def touch(self, file_name: str) -> None:
        """Make an empty file.

        Args:
            file_name: Its name, without slashes.
        """
        self._refuse_bad_name(file_name)
        self._here().files[file_name] = File(file_name, changed_at=datetime.now())

    def echo(self, content: str, file_name: str) -> None:
        """Write a text into a file that exists; what was in it is gone.

        Args:
            content: The text.
            file_name: Name of a file in the current directory.
        """
        file = self._file(file_name)
        file.content = content
        file.changed_at = datetime.now()

    def mv(self, source: str, destination: str) -> None:
        """Rename a file of the current directory.

        Args:
            source: Its name now.
            destination: Its new name, without slashes.
        """
        file = self._file(source)
        self._refuse_bad_name(destination)
        del self._here().files[source]
        file.name = destination
        self._here().files[destination] = file

    def rm(self, file_name: str) -> None:
        """Remove a file or an empty directory.

        Args:
            file_name: Name in the current directory.
        """
        here = self._here()
        if file_name in here.files:
            del here.files[file_name]
        elif file_name in here.directories:
            inner = here.directories[file_name]
            if inner.files or inner.directories:
                raise FileSystemError(f"directory not empty: {file_name}")
            del here.directories[file_name]
        else:
            raise FileSystemError(f"no such file or directory: {file_name}")

    def grep(self, file_name: str, pattern: str) -> list[str]:
        """Find the lines of a file that contain a text.

        Args:
            file_name: Name of a file in the current directory.
            pattern: The text, in the same case.
        """
        return [line for line in self._file(file_name).content.splitlines() if pattern in line]

    def wc(self, file_name: str, mode: str = "l") -> int:
        """Count the lines, words or characters of a file.

        Args:
            file_name: Name of a file in the current directory.
            mode: What to count: 'l' for lines, 'w' for words, 'c' for characters.
        """
        content = self._file(file_name).content
        if mode not in ("l", "w", "c"):
            raise FileSystemError("mode must be 'l', 'w' or 'c'")
        return {"l": len(content.splitlines()), "w": len(content.split()), "c": len(content)}[mode]

    def _here(self) -> Directory:
        place = self._root
        for name in self._current_path:
            place = place.directories[name]
        return place

    def _file(self, name: str) -> File:
        if name not in self._here().files:
            raise FileSystemError(f"no such file: {name}")
        return self._here().files[name]

    def _refuse_bad_name(self, name: str) -> None:
        if not name or "/" in name or name == ".." or len(name) > 255:
            raise FileSystemError(f"not a name: {name[:40]}")
        if name in self._here().files or name in self._here().directories:
            raise FileSystemError(f"exists already: {name}")
