"""A check that a clone is wholly in its folder, since a stranger's clone may point to repositories here.

git lets a clone borrow from other places: `.git` may be a file that names another folder (worktrees and
submodules have one), `commondir` names the folder of its objects and references, `alternates` names further
object databases, and any part may be a link. Format: gitrepository-layout(5).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

READ = ("HEAD", "config", "packed-refs", "refs", "objects")  # files that are read from a clone
BORROWING = ("commondir", "objects/info/alternates", "objects/info/http-alternates")


def git_folder(path: Path) -> Path:
    """The folder of a clone's database, for bare clones and those with a work tree."""
    return inner if os.path.lexists(inner := path / ".git") else path


def leads_out(path: Path) -> str:
    """The part of a clone that is outside its folder, or is neither file nor folder; "" if there is none.

    Raises OSError for an unreadable folder.
    """
    folder = git_folder(path)
    if not folder.is_dir():
        return "`.git` is a file, which names another folder" if folder.is_file() else ""
    if not lies_in(folder, path):
        return "`.git` is a link to another folder"
    for name in BORROWING:
        if os.path.lexists(folder / name):
            return f"`{name}` names another repository"
    return next(_foreign(folder), "")


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path, with all links resolved, is a folder or is inside it."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _foreign(folder: Path) -> Iterator[str]:
    waiting = [os.path.join(folder, name) for name in READ]
    seen = set()
    while waiting:
        place = waiting.pop()
        if not os.path.exists(place):
            continue
        name = os.path.relpath(place, folder)
        if os.path.islink(place) and not lies_in(Path(place), folder):
            yield f"`{name}` is a link that leads out of it"
        elif os.path.isdir(place):
            if (real := os.path.realpath(place)) not in seen:
                seen.add(real)
                waiting.extend(_entries(place))
        elif not stat.S_ISREG(os.stat(place).st_mode):
            yield f"`{name}` is neither a file nor a folder"


def _entries(folder: str) -> Iterator[str]:
    """The entries of a folder to check; most objects are plain files, which their entry shows."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                yield entry.path
