"""Where clones come from: folders, folders of clones, and text files with one place a line."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchwright.errors import DataError, UsageError
from benchwright.sources.clones import is_clone, load_pygit2
from benchwright.store.files import shown
from benchwright.store.keys import content_key

SCHEMES = ("https", "file")
MAX_LIST = 10 << 20


class Place(NamedTuple):
    """A repository to read: a clone's folder, or an address to clone from; the commit if one is asked."""

    where: str
    commit: str | None = None

    @property
    def is_address(self) -> bool:
        """Whether it must be cloned first."""
        return "://" in self.where


def places(sources: Iterable[str]) -> Iterator[Place]:
    """The places behind what a user names, each once, in order. Raises UsageError for what is not there."""
    seen = set()
    for source in sources:
        for place in _expanded(source):
            if place not in seen:
                seen.add(place)
                yield place


def fetched(place: Place, into: Path) -> Path:
    """The clone's folder; an address is cloned below `into`, bare, once. Raises DataError when it fails."""
    if not place.is_address:
        return Path(place.where)
    scheme = urlsplit(place.where).scheme
    if scheme not in SCHEMES:
        message = f"{shown(place.where)}: {scheme} addresses are not cloned"
        raise DataError(message, hint=f"use {' or '.join(SCHEMES)}, or clone it yourself and name the folder")
    name = Path(urlsplit(place.where).path).name.removesuffix(".git") or "repository"
    target = into / f"{name[:60]}-{content_key(place.where)[:8]}"
    if not target.exists():
        _clone(place.where, target)
    return target


def _expanded(source: str) -> Iterator[Place]:
    path = Path(source)
    if "://" in source:
        yield Place(source)
    elif path.is_file():
        yield from _listed(path)
    elif not path.is_dir():
        raise UsageError(f"no clone and no list at {shown(path)}", hint="name the folder of a clone")
    elif not is_clone(path) and (below := _clones_below(path)):
        yield from (Place(str(folder)) for folder in below)
    else:
        yield Place(source)  # if it is no clone, reading it says so


def _clones_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and is_clone(path))


def _listed(path: Path) -> Iterator[Place]:
    """One folder or address a line, after it the commit if it matters; `#` begins a remark."""
    if path.stat().st_size > MAX_LIST:
        raise DataError("too long for a list of repositories", path=shown(path))
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if len(words) > 2:
            hint = "one folder or address a line, and a commit after it if you like"
            raise DataError("more than two words", path=shown(path), line=number, hint=hint)
        if words:
            where = words[0] if "://" in words[0] else str(path.parent / words[0])
            yield Place(where, words[1] if len(words) == 2 else None)


def _clone(address: str, target: Path) -> None:
    """Clone next to the target and rename: half a clone is never taken for one."""
    git: Any = load_pygit2()
    half = target.with_name(f".{target.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    half.parent.mkdir(parents=True, exist_ok=True)
    try:
        git.clone_repository(address, str(half), bare=True)
    except (git.GitError, KeyError, ValueError) as error:
        shutil.rmtree(half, ignore_errors=True)
        raise DataError(f"{shown(address)} cannot be cloned: {error}", hint="check the address") from None
    half.rename(target)
