"""A mount namespace in which a checkout is at the paths that the files of an example contain.

The published files contain paths of their authors' machines. To run them unmodified, bubblewrap mounts a copy of the
checkout at each of these paths.
"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Sequence
from pathlib import Path

from kit.needs import need

CHECKOUT = "/checkout"  # the default working directory of Ianvs


def seen_at(copy: Path, homes: Sequence[str], folder: str) -> list[str]:
    """Command prefix that mounts the copy at CHECKOUT and at each home, and changes to `folder`."""
    shadowed = {Path(home).parts[1] for home in (*homes, CHECKOUT)}
    words = [need("bwrap", "shows a checkout at the homes that examples name"), "--die-with-parent"]
    for entry in sorted(Path("/").iterdir()):
        if entry.is_symlink():
            words += ["--symlink", os.readlink(entry), str(entry)]
        elif entry.name in shadowed and entry.is_dir():
            words += _bound(sorted(entry.iterdir()))
        elif entry.is_dir() and entry.name not in ("proc", "dev"):
            words += _bound([entry])
    words += ["--proc", "/proc", "--dev", "/dev"]
    for home in (CHECKOUT, *homes):
        words += ["--bind", str(copy), home]
    return [*words, "--chdir", folder]


def _bound(paths: Sequence[Path]) -> list[str]:
    return [word for path in paths for word in ("--bind", str(path), str(path))]


def changed(source: Path, copy: Path) -> list[str]:
    """Files of an example that are missing or differ from the published bytes."""
    names = [str(path.relative_to(source)) for path in sorted(source.rglob("*")) if path.is_file()]
    assert names, f"nothing is in {source}: see setup_ianvs.sh"
    same, _, _ = filecmp.cmpfiles(source, copy, names, shallow=False)
    return [name for name in names if name not in same]
