"""Installed distributions: name, version, requirements and top-level folders, from `.dist-info` folders.

`importlib.metadata` reads all other layouts. For this one it takes 60 ms of processor time, mostly
for its own imports, as much as six executed test suites.

Format: https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_INFO, _OLDER = ".dist-info", ".egg-info"
_OUTSIDE = ("", "..")


class InstalledPackage(NamedTuple):
    """An installed distribution. `top_level`: its modules and folders that exist next to its metadata."""

    name: str
    version: str
    requirements: tuple[str, ...]
    top_level: frozenset[Path]


def find_package(name: str) -> InstalledPackage | None:
    """Return an installed distribution on `sys.path`, or None."""
    info = _infos(tuple(sys.path)).get(_normalized(name))
    if info is None and not any(
        path.endswith((".egg", ".zip")) and os.path.exists(path) for path in sys.path
    ):
        return None
    found = read_info(info) if info is not None and info.suffix == _INFO else None
    return found or _by_importlib(name)


def read_info(info: Path) -> InstalledPackage | None:
    """Read a `.dist-info` folder; None if it lacks a file or a field."""
    try:
        head = (info / "METADATA").read_text("utf-8", "replace").partition("\n\n")[0]
        record = (info / "RECORD").read_text("utf-8", "replace")
    except OSError:
        return None
    fields = [line.partition(": ") for line in head.splitlines()]
    single = {key: value.strip() for key, _, value in reversed(fields)}
    if not single.get("Name") or not single.get("Version"):
        return None
    return InstalledPackage(
        name=single["Name"],
        version=single["Version"],
        requirements=tuple(value.strip() for key, _, value in fields if key == "Requires-Dist"),
        top_level=_top_level(info.parent, {_first_part(line) for line in record.splitlines()}),
    )


def _first_part(line: str) -> str:
    """Return the first part of the path in a line of RECORD, which quotes paths with a comma."""
    path = line[1:].partition('"')[0] if line.startswith('"') else line.partition(",")[0]
    return path.partition("/")[0]


def _top_level(folder: Path, names: set[str]) -> frozenset[Path]:
    real = folder.resolve()
    packages = (name for name in names if name not in _OUTSIDE and not name.endswith(_INFO))
    return frozenset(real / name for name in packages if (real / name).exists())


@lru_cache(maxsize=4)
def _infos(path: tuple[str, ...]) -> dict[str, Path]:
    """Map normalized names to metadata folders. The first folder on the path wins, as for imports."""
    found: dict[str, Path] = {}
    for folder in path:
        for entry in _entries(folder or os.curdir):
            if entry.endswith((_INFO, _OLDER)):
                name = entry.removesuffix(_OLDER).partition("-")[0]
                found.setdefault(_normalized(name), Path(folder, entry))
    return found


def _entries(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:  # an archive, or a folder that is missing
        return []


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _by_importlib(name: str) -> InstalledPackage | None:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 (40 ms to import)

    try:
        return _converted(distribution(name))
    except PackageNotFoundError:
        return None


def _converted(package: Distribution) -> InstalledPackage:
    names = {file.parts[0] for file in package.files or [] if file.parts and file.parts[0] != "/"}
    folder = Path(str(package.locate_file("")))
    requirements = tuple(package.requires or [])
    return InstalledPackage(package.name, package.version, requirements, _top_level(folder, names))
