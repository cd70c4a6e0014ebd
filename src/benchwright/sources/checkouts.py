"""The files of one commit of a clone, for judges that place an answer in a repository.

They are read from the object database: the work tree, with its uncommitted changes, has no effect.
"""

from __future__ import annotations

from pathlib import Path

from benchwright.display.escape import escaped_path
from benchwright.sources.clones import Clone, CloneError

MOST_FILES = 10_000
MOST_BYTES = 32 << 20  # of all files
MOST_FILE = 4 << 20


def read_checkout(folder: str | Path, commit: str) -> dict[str, bytes]:
    """Return the content of each regular file of a commit by path, without links and submodules.

    Raises CloneError for a folder that is not a clone, for an unknown commit, and for a damaged or large one.
    """
    path = Path(folder)
    clone = Clone(path, commit=commit)
    files, left = list(clone.files()), MOST_BYTES
    if len(files) > MOST_FILES:
        raise _too_large(path, f"{len(files):,} files, over {MOST_FILES:,}")
    found = {}
    for each in files:
        left -= each.size
        if each.size > MOST_FILE or left < 0:
            raise _too_large(path, f"over {MOST_FILE >> 20} MiB in a file or {MOST_BYTES >> 20} MiB in all")
        found[each.path] = clone.content(each, limit=MOST_FILE)
    return found


def _too_large(path: Path, what: str) -> CloneError:
    return CloneError(
        f"the commit has {what}",
        reason="too_many_files",
        path=path,
        hint=f"leave its tasks out: --exclude TASK   ({escaped_path(path)})",
    )
