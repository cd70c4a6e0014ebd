"""Places of clones: folders, folders of clones, and text files with one place a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.sources.clones import CloneError, check_enclosed, is_clone, without_password
from benchwright.sources.cloning import CloneLimits, clone
from benchwright.sources.enclosure import lies_in
from benchwright.sources.github.entries import RepositoryFacts
from benchwright.store.keys import content_key

SCHEMES = ("https", "file")
MAX_LIST = 10 << 20
LIMITS = CloneLimits()


class RepositoryAddress(NamedTuple):
    """A repository to read: the folder of a clone, or an address to clone; with a commit if one is
    requested.
    """

    where: str
    commit: str | None = None
    facts: RepositoryFacts | None = None  # facts from GitHub, if a search found it
    within: str = ""  # the folder given by the user that contains it

    @property
    def is_address(self) -> bool:
        """Whether it must be cloned first."""
        return "://" in self.where

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        return without_password(self.where)


def places(sources: Iterable[str]) -> Iterator[RepositoryAddress]:
    """The places behind the sources of a user, each once, in order. Raises UsageError for a missing one."""
    seen = set()
    for source in sources:
        for place in _expanded(source):
            if (key := place._replace(within="")) not in seen:
                seen.add(key)
                yield place


def fetched(place: RepositoryAddress, into: Path, *, limits: CloneLimits = LIMITS) -> Path:
    """The folder of the clone; an address is cloned once, bare, below `into`. Raises CloneError."""
    if not place.is_address:
        return _enclosed(place)
    scheme = _scheme(place)
    if scheme not in SCHEMES:
        message = f"{escaped_path(place.unit)}: {scheme}: address scheme not supported"
        hint = f"use {' or '.join(SCHEMES)}, or clone it yourself and give the folder"
        raise CloneError(message, reason="address_refused", hint=hint)
    if scheme == "file":
        check_enclosed(Path(url2pathname(urlsplit(place.where).path)))
    target = into / folder_name(place)
    if not target.exists():
        _cloned(place, target, limits)
    return target


def _cloned(place: RepositoryAddress, target: Path, limits: CloneLimits) -> None:
    """Clone with history if requested and within the limits, else the newest commit alone."""
    try:
        clone(place.where, target, commit=place.commit, limits=limits)
    except CloneError as error:
        if limits.depth == 1 or error.reason not in ("clone_too_slow", "clone_too_large"):
            raise
        clone(place.where, target, commit=place.commit, limits=limits._replace(depth=1))


def _enclosed(place: RepositoryAddress) -> Path:
    path = Path(place.where)
    if place.within and not lies_in(path, Path(place.within)):
        message = f"a link that leads out of {escaped_path(Path(place.within))}"
        hint = "give the folder itself if this is intended"
        raise CloneError(message, reason="leads_out", path=path, hint=hint)
    return path


def _scheme(place: RepositoryAddress) -> str:
    try:
        return urlsplit(place.where).scheme
    except ValueError as error:
        message = f"{escaped_path(place.unit)} is not an address: {error}"
        raise CloneError(message, reason="address_refused", hint="check the list") from None


def folder_name(place: RepositoryAddress) -> str:
    """The folder for an address: readable, and different for each address and requested commit."""
    name = Path(urlsplit(place.where).path).name.removesuffix(".git") or "repository"
    plain = "".join(char if char.isalnum() or char in "._-" else "_" for char in name[:60])
    key = content_key(place.where) if place.commit is None else content_key(place.where, place.commit)
    return f"{plain}-{key[:8]}"


def _expanded(source: str) -> Iterator[RepositoryAddress]:
    path = Path(source)
    if "://" in source:
        yield RepositoryAddress(source)
    elif path.is_file():
        yield from _listed(path)
    elif not path.is_dir():
        raise UsageError(
            f"not a clone and not a list of clones: {escaped_path(path)}", hint="give the folder of a clone"
        )
    elif not is_clone(path) and (below := _clones_below(path)):
        yield from (RepositoryAddress(str(folder), within=source) for folder in below)
    else:
        yield RepositoryAddress(source)  # anything but a clone fails when it is read


def _clones_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and is_clone(path))


def _listed(path: Path) -> Iterator[RepositoryAddress]:
    """Read one folder or address a line, optionally followed by a commit; `#` starts a comment."""
    if path.stat().st_size > MAX_LIST:
        raise DataError("the list of repositories is too long", path=escaped_path(path))
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if len(words) > 2:
            hint = "one folder or address a line, optionally followed by a commit"
            raise DataError("more than two words on a line", path=escaped_path(path), line=number, hint=hint)
        if words:
            where = words[0] if "://" in words[0] else str(path.parent / words[0])
            yield RepositoryAddress(where, words[1] if len(words) == 2 else None)
