"""The cache of files that are made once per toolchain, and its errors."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.errors import PrerequisiteError, clone_script
from benchwright.store.user_cache import VARIABLES, user_cache

SYSTEM_CACHE = Path("/var/cache")  # for root: the jail runs as nobody, who cannot pass through /root


def cache_folder() -> Path:
    """Return the folder below XDG_CACHE_HOME or ~/.cache; below /var/cache for root, if the jail's user
    cannot enter root's own cache."""
    own = user_cache()
    return own if os.geteuid() != 0 or _is_open(own.parent) else SYSTEM_CACHE / own.name


@contextmanager
def cache_errors(what: str, folder: Path) -> Iterator[None]:
    """Turn a folder that cannot be created or written to into a PrerequisiteError with the setting to change.

    There is no private fallback: another user could prepare a lasting folder, and a folder of this process
    would repeat in each command the work that is done once.
    """
    try:
        yield
    except OSError as error:
        message = f"{what} cannot be cached in {folder}: {error.strerror or error}"
        raise PrerequisiteError(message, hint=f"set {VARIABLES[0]} to a folder that is writable") from None


def check_place(what: str, folder: Path) -> None:
    """Raise PrerequisiteError if `folder` does not exist and could not be created.

    If checked early, that is an unusable toolchain instead of a failure of each suite.
    """
    if folder.is_dir():
        return
    with cache_errors(what, folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(folder.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def install_hint(languages: str, otherwise: str) -> str:
    """Return the command that installs a toolchain: the script's own in a clone, else `otherwise`."""
    script = clone_script()
    return f"{script} setup {languages}" if script else otherwise


def _is_open(folder: Path) -> bool:
    existing = (path for path in (folder, *folder.parents) if path.exists())
    return all(path.stat().st_mode & stat.S_IXOTH for path in existing)
