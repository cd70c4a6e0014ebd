"""Sources of repositories: clones and addresses that a user names, and what a search on GitHub finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from benchwright.contracts import Inventory, Item
from benchwright.records import Drop, Record
from benchwright.sources.addresses import LIMITS, RepositoryAddress, fetched, places
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.cloning import CloneLimits
from benchwright.sources.github.entries import RepositoryFacts
from benchwright.sources.github.finding import find
from benchwright.sources.github.query import Search, check_search
from benchwright.sources.licences import FILE_NAMES, MAX_TEXT, spdx, spdx_of_pyproject

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
    """Clones, folders of clones, lists and addresses, of which the newest `depth` commits are cloned.

    Raises UsageError for a missing place.
    """

    def __init__(self, named: Sequence[str], *, depth: int = 1) -> None:
        self._places, self._depth = list(places(named)), depth

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[Repository]:
        """Each place once; an address is cloned into `folder`."""
        return _inventory(self._places, folder, depth=self._depth)


class GitHubSource:
    """The results of a search under one of these licences. Raises UsageError for an invalid search."""

    def __init__(self, search: Search, licences: Collection[str], *, depth: int = 1) -> None:
        check_search(search)
        self._search, self._licences, self._depth = search, licences, depth

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[Repository]:
        """Search unless `folder` has the list; refused results are not cloned."""
        found = find(self._search, folder / "search", licences=self._licences, tell=tell)
        listed = [RepositoryAddress(facts.address, facts=facts) for facts in found.repositories]
        return _inventory(listed, folder, found.notes, depth=self._depth)


def open_clones(rest: str, *, licences: Collection[str]) -> ClonesSource:
    """`clones:FOLDER`, for a folder whose name looks like a source."""
    return ClonesSource([rest])


def open_github(rest: str, *, licences: Collection[str]) -> GitHubSource:
    """`github:LANGUAGE`: the repositories of a language with most stars."""
    return GitHubSource(Search(languages=(rest,)), licences)


def _inventory(
    listed: Sequence[RepositoryAddress], folder: Path, notes: Sequence[str] = (), *, depth: int = 1
) -> Inventory[Repository]:
    clones, limits = folder / "clones", LIMITS._replace(depth=depth)
    return Inventory(len(listed), (_item(place, clones, limits) for place in listed), list(notes))


def _item(place: RepositoryAddress, clones: Path, limits: CloneLimits) -> Item[Repository] | Drop:
    facts = place.facts or RepositoryFacts(name="", address="")
    if facts.refused:
        return Drop(unit=place.unit, reason=facts.refused, detail=facts.detail)
    try:
        path = fetched(place, clones, limits=limits)
        clone = Clone(path, commit=place.commit)
        files = list(clone.files())
    except CloneError as error:
        return Drop(unit=_published(place), reason=error.reason, detail=error.message)
    licence, licence_file = licence_of(clone, files)
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


def licence_of(clone: Clone, files: Sequence[File]) -> tuple[str, str]:
    """The licence of the files at the top; unknown if they disagree."""
    named = [file for file in files if FILE_NAMES.match(file.path)]
    found = {file.path: spdx(text) for file in named if (text := _text(clone, file))}
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
