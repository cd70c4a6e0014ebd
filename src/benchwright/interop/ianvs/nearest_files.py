"""Search for the file that a wrong path of a job may mean; only existing files are proposed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

MAX_FILES = 200_000
_SKIPPED = {".git", "node_modules", "__pycache__", ".venv", "workspace"}
# Names that many examples share: files that agree only in these may differ.
_COMMON = frozenset(
    [
        "data",
        "dataset",
        "train",
        "test",
        "train_data",
        "test_data",
        "data.json",
        "data.jsonl",
        "metadata.json",
        "index.txt",
        "train.txt",
        "test.txt",
        "testenv",
        "testalgorithms",
        "test_algorithms",
        "algorithm",
        "gen",
        "testenv.yaml",
        "algorithm.yaml",
        "basemodel.py",
        "acc.py",
    ]
)


class NearestFile(NamedTuple):
    """A file below the root that a path may mean, and the number of equal parts at the end."""

    path: PurePosixPath  # from the root
    shared: int


def nearest_file(text: str, *, root: Path, near: Path) -> NearestFile | None:
    """Return the file with the most similar end of the path; of equals, the one nearest to `near`.

    `near` is the file that contains the path. None if there is no such file, or several equal ones.
    """
    name = PurePosixPath(text).name
    wanted = [part for part in PurePosixPath(text).parts if part not in ("/", ".", "~")]
    home = _below(near.parent, root)
    found = [NearestFile(path, _shared(wanted, path.parts)) for path in _tree(root).get(name, ())]
    found = [each for each in found if _is_meant(each, wanted, home)]
    found.sort(key=lambda each: (each.shared, _leading(each.path.parts, home)), reverse=True)
    if len(found) > 1 and _rank(found[0], home) == _rank(found[1], home):
        return None
    return found[0] if found else None


def path_map(text: str, found: NearestFile) -> tuple[str, str]:
    """Return the prefix of a path to replace, and its replacement; common parts stay."""
    kept = found.path.parts[: len(found.path.parts) - found.shared]
    old = text
    for _ in range(found.shared):
        old = old.rpartition("/")[0]
    if old in ("", ".", "~"):  # it would hold for every other path too
        return text, str(found.path)
    return old, str(PurePosixPath(*kept)) if kept else "."


def root_above(text: str, near: Path) -> Path | None:
    """Return the folder above a file from which a relative path exists."""
    if PurePosixPath(text).is_absolute():
        return None
    return next((folder for folder in near.absolute().parents if (folder / text).exists()), None)


def _is_meant(found: NearestFile, wanted: Sequence[str], home: Sequence[str]) -> bool:
    """Return whether more than common names are equal, or the file is in the same example."""
    example = home[:2]
    alike = wanted[len(wanted) - found.shared :]
    return list(found.path.parts[: len(example)]) == list(example) or not _COMMON.issuperset(alike)


def _rank(found: NearestFile, home: Sequence[str]) -> tuple[int, int]:
    return found.shared, _leading(found.path.parts, home)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return _leading(one[::-1], other[::-1])


def _leading(one: Sequence[str], other: Sequence[str]) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _below(folder: Path, root: Path) -> Sequence[str]:
    folder, root = folder.absolute(), root.absolute()
    return folder.relative_to(root).parts if folder.is_relative_to(root) else ()


@lru_cache(maxsize=4)
def _tree(root: Path) -> dict[str, list[PurePosixPath]]:
    """Index all files and folders below a folder by name."""
    names: dict[str, list[PurePosixPath]] = {}
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED)
        below = PurePosixPath(Path(folder).relative_to(root).as_posix())
        for name in (*folders, *files):
            names.setdefault(name, []).append(below / name)
        count += len(folders) + len(files)
        if count > MAX_FILES:
            break
    return names
