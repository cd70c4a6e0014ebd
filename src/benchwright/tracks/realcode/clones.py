"""Find the clone of a task's repository in the folder that the user names with --repositories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, Self

from benchwright.display.escape import escaped_path, escaped_start, quoted
from benchwright.errors import UsageError

LIBRARIES = "libraries"  # subfolder with packages and jars, as `judges.suites.libraries` reads it


class InRepositories:
    """Part of tracks whose answers are judged in clones."""

    repositories: Path | None = None

    def in_repositories(self, folder: Path) -> Self:
        """The track with the folder that has the clones. Raises UsageError for a missing folder."""
        other = type(self)()
        other.repositories = check_repositories(folder)
        return other


class FoundClone(NamedTuple):
    """The folder of a clone, or why there is none."""

    path: str = ""
    missing: str = ""


def is_repository(name: str) -> bool:
    """Whether a text is a name, or an owner and a name."""
    parts = re.fullmatch(r"([\w.-]+)(?:/([\w.-]+))?", name)
    return parts is not None and not {".", ".."} & set(parts.groups())


def is_commit(text: str) -> bool:
    """Whether a text is the id of a commit: 7 to 64 hexadecimal digits."""
    return re.fullmatch(r"[0-9a-f]{7,64}", text) is not None


def check_repositories(folder: Path) -> Path:
    """Return the folder. Raises UsageError if it does not exist."""
    if not folder.is_dir():
        place = escaped_path(folder)
        hint = f"mkdir {quoted(folder)} && git clone ADDRESS {quoted(folder / 'OWNER' / 'NAME')}"
        raise UsageError(f"--repositories {place}: not a folder", hint=hint)
    return folder


def find_clone(folder: Path | None, repository: str) -> FoundClone:
    """Find FOLDER/owner/name, FOLDER/owner+name, FOLDER/owner__name or FOLDER/name, or the same with .git."""
    if folder is None:
        return FoundClone(missing=f"no clone of {repository}: --repositories names no folder")
    if not is_repository(repository):
        return FoundClone(missing=f"`{escaped_start(repository, 100)}` is not the name of a repository")
    owner, _, name = repository.rpartition("/")
    forms = [repository, f"{owner}+{name}", f"{owner}__{name}", name] if owner else [repository]
    for form in (f"{each}{end}" for each in forms for end in ("", ".git")):
        if (folder / form).is_dir():
            return FoundClone(path=str(folder / form))
    return FoundClone(missing=f"no clone of {repository} in {escaped_path(folder)}")


def libraries_in(folder: Path | None) -> str:
    """The folder of libraries that the user supplies with the clones; empty if there is none."""
    return str(folder / LIBRARIES) if folder is not None and (folder / LIBRARIES).is_dir() else ""
