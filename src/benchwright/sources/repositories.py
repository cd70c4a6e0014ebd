"""Sources of repositories: clones, addresses and lists of both, and the results of a search on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop, Record
from benchwright.sources.clones import (
    Clone,
    CloneError,
    File,
    TextError,
    check_enclosed,
    is_clone,
    without_password,
)
from benchwright.sources.cloning import CloneLimits, clone
from benchwright.sources.git_folder import lies_in
from benchwright.sources.github.search_pages import RepositoryFacts, RepositorySearch, check_search
from benchwright.sources.licences import FILE_NAMES, MAX_TEXT, spdx, spdx_of_pyproject
from benchwright.store.keys import content_key

PASSING = ("not_cloned", "clone_too_slow")  # reasons of drops that a retry may avoid


class Repository(Record, frozen=True, kw_only=True):
    """One commit of a repository."""

    name: str
    place: str  # folder of the clone
    commit: str
    committed_at: str
    licence: str  # SPDX; empty if not known for certain
    licence_file: str = ""
    remote: str = ""
    stars: int | None = None  # this and the following fields: from GitHub, if a search found it
    pushed_at: str = ""
    created_at: str = ""


class ClonesSource:
    """Clones, folders of clones, lists and addresses. Clones the newest `depth` commits of an address.

    With `references`, addresses are cloned with their whole history and these references. Raises UsageError
    for a missing place.
    """

    def __init__(self, named: Sequence[str], *, depth: int = 1, references: Sequence[str] = ()) -> None:
        self._places = list(clone_places(named))
        self._limits = LIMITS._replace(depth=0 if references else depth, references=tuple(references))

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[Repository]:
        """Each place once; an address is cloned into `folder`."""
        return _inventory(self._places, folder, limits=self._limits)


class GitHubSource:
    """The results of a search under one of these licences. Raises UsageError for an invalid search."""

    def __init__(self, search: RepositorySearch, licences: Collection[str], *, depth: int = 1) -> None:
        check_search(search)
        self._search, self._licences, self._depth = search, licences, depth

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[Repository]:
        """Search unless `folder` has the list; refused results are not cloned."""
        from benchwright.sources.github.search import find_repositories  # noqa: PLC0415 (loads httpx)

        found = find_repositories(self._search, folder / "search", licences=self._licences, tell=tell)
        listed = [RepositoryAddress(facts.address, facts=facts) for facts in found.repositories]
        return _inventory(listed, folder, found.notes, limits=LIMITS._replace(depth=self._depth))


def open_clones(rest: str, *, licences: Collection[str]) -> ClonesSource:
    """`clones:FOLDER`, for a folder whose name looks like a source."""
    return ClonesSource([rest])


def open_github(rest: str, *, licences: Collection[str]) -> GitHubSource:
    """`github:LANGUAGE`: the repositories of a language with most stars."""
    return GitHubSource(RepositorySearch(languages=(rest,)), licences)


def _inventory(
    listed: Sequence[RepositoryAddress], folder: Path, notes: Sequence[str] = (), *, limits: CloneLimits
) -> Inventory[Repository]:
    clones = folder / "clones"
    return Inventory(len(listed), (_item(place, clones, limits) for place in listed), list(notes))


def _item(place: RepositoryAddress, clones: Path, limits: CloneLimits) -> Item[Repository] | Drop:
    facts = place.facts or RepositoryFacts(name="", address="")
    if facts.refused:
        return Drop(unit=place.unit, reason=facts.refused, detail=facts.detail)
    try:
        path = fetch_clone(place, clones, limits=limits)
        clone = Clone(path, commit=place.commit)
        files = list(clone.files())
    except CloneError as error:
        return Drop(unit=_published(place), reason=error.reason, detail=error.message)
    licence, licence_file = repository_licence(clone, files)
    return Item(
        place.unit,
        Repository(
            name=_name(path, clone.remote),
            place=str(path),
            commit=clone.commit,
            committed_at=clone.committed_at,
            licence=licence,
            licence_file=licence_file,
            remote=clone.remote,
            stars=None if place.facts is None else facts.stars,
            pushed_at=facts.pushed_at,
            created_at=facts.created_at,
        ),
    )


def _published(place: RepositoryAddress) -> str:
    """The name of a place in drops, without the local folder of a clone."""
    return place.unit if place.is_address else Path(place.where).absolute().name


def _name(path: Path, remote: str) -> str:
    """The last two parts of the address, "owner/name"; without an address the name of the folder."""
    parts = remote.removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    if (len(parts) >= 2 and "://" in remote) or remote.startswith("git@"):
        return "/".join(parts[-2:])
    absolute = path.absolute()
    return absolute.parent.name if absolute.name in ("repo", ".git", "repo.git") else absolute.name


def repository_licence(clone: Clone, files: Sequence[File]) -> tuple[str, str]:
    """The licence of the files at the top; unknown if they disagree."""
    licence_files = [file for file in files if FILE_NAMES.match(file.path)]
    found = {file.path: spdx(text) for file in licence_files if (text := _text(clone, file))}
    if found:
        licences = set(found.values())
        return (licences.pop(), ", ".join(found)) if len(licences) == 1 else ("", ", ".join(found))
    for file in files:
        if file.path == "pyproject.toml" and (stated := spdx_of_pyproject(_text(clone, file))):
            return stated, file.path
    return "", ""


def _text(clone: Clone, file: File) -> str:
    """The text of a licence file; empty if it cannot be read."""
    try:
        return clone.text(file, limit=MAX_TEXT)
    except TextError:
        return ""


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


def clone_places(sources: Iterable[str]) -> Iterator[RepositoryAddress]:
    """The places behind the sources of a user, each once, in order. Raises UsageError for a missing one."""
    seen = set()
    for source in sources:
        for place in _expanded(source):
            if (key := place._replace(within="")) not in seen:
                seen.add(key)
                yield place


def fetch_clone(place: RepositoryAddress, into: Path, *, limits: CloneLimits = LIMITS) -> Path:
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
        clone(place.where, target, commit=place.commit, limits=limits._replace(depth=1, references=()))


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
