"""Stage 1, collect: which commit of which repository under which licence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from benchwright.building.codecorrectness.nouns import Drop, Repository
from benchwright.building.codecorrectness.options import Options
from benchwright.progress import Silent, Watcher, stage
from benchwright.sources.addresses import Place, fetched
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.github.entries import Facts
from benchwright.sources.github.finding import find
from benchwright.sources.licences import FILE_NAMES, MAX_TEXT, spdx, spdx_of_pyproject

AGAIN = ("not_cloned", "clone_too_slow")  # the next run of the same command tries these once more


def search(options: Options, folder: Path, watch: Watcher) -> tuple[list[Place], list[str]]:
    """The places that a search finds, and what is to be said of it; none where none is asked for.

    What is found is stored in `folder`: a build that goes on has the list that it began with.
    """
    if options.search is None:
        return [], []
    found = find(options.search, folder, licences=options.bounds.licences, tell=watch.note)
    return [Place(facts.address, facts=facts) for facts in found.repositories], found.notes


def collect(
    places: Sequence[Place], *, clones: Path, watch: Watcher | None = None
) -> Iterator[Repository | Drop]:
    """A repository, or why there is none, for each place. Two places with one commit are one repository."""
    with stage(watch or Silent(), "collect", total=len(places), done=0):
        yield from _told(_each_once(places, clones), watch or Silent())


def _told(found: Iterator[Repository | Drop], watch: Watcher) -> Iterator[Repository | Drop]:
    for each in found:
        watch.tick(None)
        yield each


def _each_once(places: Iterable[Place], clones: Path) -> Iterator[Repository | Drop]:
    seen: dict[str, str] = {}
    names: set[str] = set()
    for place in places:
        found = _repository(place, clones)
        if isinstance(found, Repository):
            if found.commit in seen:
                yield Drop(unit=place.unit, reason="same_commit", detail=f"as {seen[found.commit]}")
                continue
            seen[found.commit] = found.place
            if found.name in names:  # two forks: rows and drops must still say which
                found = msgspec.structs.replace(found, name=f"{found.name}@{found.commit[:8]}")
            names.add(found.name)
        yield found


def _repository(place: Place, clones: Path) -> Repository | Drop:
    facts = place.facts or Facts(name="", address="")
    if facts.refused:
        return Drop(unit=place.unit, reason=facts.refused, detail=facts.detail)
    try:
        path = fetched(place, clones)
        clone = Clone(path, commit=place.commit)
        files = list(clone.files())
    except CloneError as error:
        return Drop(unit=place.unit, reason=error.reason, detail=error.message)
    licence, licence_file = _licence(clone, files)
    return Repository(
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
    )


def _name(path: Path, remote: str) -> str:
    """The last two parts of the address, "owner/name"; of a clone without an address, the folder's name."""
    parts = remote.removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    if (len(parts) >= 2 and "://" in remote) or remote.startswith("git@"):
        return "/".join(parts[-2:])
    absolute = path.absolute()
    return absolute.parent.name if absolute.name in ("repo", ".git", "repo.git") else absolute.name


def _licence(clone: Clone, files: list[File]) -> tuple[str, str]:
    """The licence of the files at the top; texts that disagree leave it unknown."""
    named = [file for file in files if FILE_NAMES.match(file.path)]
    found = {file.path: spdx(text) for file in named if (text := _text(clone, file))}
    if found:
        licences = set(found.values())
        return (licences.pop(), ", ".join(found)) if len(licences) == 1 else ("", ", ".join(found))
    for file in files:
        if file.path == "pyproject.toml" and (said := spdx_of_pyproject(_text(clone, file))):
            return said, file.path
    return "", ""


def _text(clone: Clone, file: File) -> str:
    """The text; a licence that cannot be read is one that is not known."""
    try:
        return clone.text(file, limit=MAX_TEXT)
    except TextError:
        return ""
