"""Find the clone of a task's repository in the folder that the user names with --repositories."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError

LIBRARIES = "libraries"  # subfolder with packages and jars, as `judges.suites.libraries` reads it


class FoundClone(NamedTuple):
    """The folder of a clone, or why there is none."""

    path: str = ""
    missing: str = ""


def check_repositories(folder: Path) -> Path:
    """Return the folder. Raises UsageError if it does not exist."""
    if not folder.is_dir():
        where = escaped_path(folder)
        hint = f"mkdir {quoted(folder)} && git clone ADDRESS {quoted(folder / 'OWNER' / 'NAME')}"
        raise UsageError(f"--repositories {where}: not a folder", hint=hint)
    return folder


def find_clone(folder: Path | None, repository: str) -> FoundClone:
    """Find FOLDER/owner/name, FOLDER/owner+name, FOLDER/owner__name or FOLDER/name, or the same with .git."""
    if folder is None:
        return FoundClone(missing=f"no clone of {repository}: --repositories names no folder")
    owner, _, name = repository.rpartition("/")
    forms = [repository, f"{owner}+{name}", f"{owner}__{name}", name] if owner else [repository]
    for form in (f"{each}{end}" for each in forms for end in ("", ".git")):
        if (folder / form).is_dir():
            return FoundClone(path=str(folder / form))
    return FoundClone(missing=f"no clone of {repository} in {escaped_path(folder)}")


def libraries_in(folder: Path | None) -> str:
    """The folder of libraries that the user supplies with the clones; empty if there is none."""
    return str(folder / LIBRARIES) if folder is not None and (folder / LIBRARIES).is_dir() else ""
