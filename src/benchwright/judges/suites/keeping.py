"""Where what was made once for a toolchain is kept, and what is said where it cannot be."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.errors import PrerequisiteError, clone_script
from benchwright.store.own_cache import VARIABLES, own_cache

SYSTEM_CACHE = Path("/var/cache")  # root's: the jail is entered as nobody, who cannot pass through /root


def cache_folder() -> Path:
    """Below XDG_CACHE_HOME or ~/.cache, or below /var/cache for a root whose own cache is closed to the user
    that the jail is entered as."""
    own = own_cache()
    return own if os.geteuid() != 0 or _is_open(own.parent) else SYSTEM_CACHE / own.name


@contextmanager
def keeping(what: str, folder: Path) -> Iterator[None]:
    """Turn a folder that cannot be made or written to into a PrerequisiteError that says what to set.

    There is no private folder to fall back on: one that lasts could be prepared by somebody else, and one of
    this process alone would cost each command what is to be paid once.
    """
    try:
        yield
    except OSError as error:
        message = f"{what} cannot be kept in {folder}: {error.strerror or error}"
        raise PrerequisiteError(
            message, hint=f"set {VARIABLES[0]} to a folder that you may write to"
        ) from None


def check_place(what: str, folder: Path) -> None:
    """Raise PrerequisiteError where `folder` is not there yet and could not be made.

    Known before it is needed, that is a toolchain which cannot be used, not a failure of each suite.
    """
    if folder.is_dir():
        return
    with keeping(what, folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(folder.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def how_to_get(languages: str, otherwise: str) -> str:
    """The command that installs a toolchain: the script's own in a clone, else the system's."""
    script = clone_script()
    return f"{script} setup {languages}" if script else otherwise


def _is_open(folder: Path) -> bool:
    there = (path for path in (folder, *folder.parents) if path.exists())
    return all(path.stat().st_mode & stat.S_IXOTH for path in there)
