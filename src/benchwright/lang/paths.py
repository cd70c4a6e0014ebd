"""Check whether paths of a data set can be names of files in a project."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright.lang.source_errors import LayoutError

MOST_BYTES = 200  # of one part of a path: file systems allow 255, and suffixes are added
_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.$-]*")


def safe_name(path: str | None, suffix: str) -> str | None:
    """Return the last part of a path if it is an ordinary name with this suffix, else None."""
    name = (path or "").replace("\\", "/").rpartition("/")[2]
    fits = name.endswith(suffix) and _SAFE.fullmatch(name) and len(name.encode()) <= MOST_BYTES
    return name if fits and name != suffix else None


def is_plain_path(path: str) -> bool:
    """Return whether a path of a commit can be a file's path on any system: git stores any bytes, `..` and
    `.git` too.

    Rows carry paths, and writing a file under such a path must not leave its folder.
    """
    parts = path.split("/")
    odd = {"", ".", ".."}.intersection(parts) or any(part.lower() == ".git" for part in parts)
    return not odd and path.isprintable() and "\ufffd" not in path and "\\" not in path


def check_names(parts: Sequence[str]) -> Sequence[str]:
    """Return the parts. Raises LayoutError if one is not a valid name, or is too long for a file system."""
    for part in parts:
        if not part.replace("$", "_").isidentifier() or len(part.encode()) > MOST_BYTES:
            raise LayoutError(f"{part[:60]!r} cannot be the name of a file or folder", reason="package")
    return parts


def check_go_import(path: str) -> list[str]:
    """Return the parts of a Go import path. Raises LayoutError if it would leave its folder."""
    parts = path.split("/")
    for part in parts:
        if not re.fullmatch(r"[A-Za-z0-9_~][A-Za-z0-9_.~-]*", part) or len(part) > MOST_BYTES:
            raise LayoutError(f"{path[:100]!r} is not an import path", reason="package")
    return parts


def dotted_ends(module: str, names: Sequence[str]) -> list[str]:
    """Return ends of paths that a dotted module and names taken from it may mean, with a slash in front."""
    path = module.strip(".").replace(".", "/")
    return [f"/{path}", *(f"/{path}/{name}" for name in names)]
