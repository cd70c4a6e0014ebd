"""Forget a person, a repository or an address: remove them from a build, and publish again.

A request is stored as a keyed hash first, so that an interrupted call can be repeated and later calls of
`build alignment` leave out the same. Then the event store, the caches and the stages are rewritten.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from benchwright.building.alignment.benchmark_hits import HITS
from benchwright.building.alignment.event_store import CHANGES, EVENTS, EventStore, Shard, folder_name
from benchwright.building.alignment.forgotten_events import is_forgotten
from benchwright.building.alignment.mining import EVENTS as EVENT_FOLDER
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.pipeline import (
    STAGES,
    AlignmentBuild,
    mined_before,
    rebuild,
    stored_options,
)
from benchwright.building.alignment.publish import RELEASE
from benchwright.building.alignment.records import MinedRepository
from benchwright.building.engine.stages import BuildFolder, StageFiles, remove_stage_files
from benchwright.errors import DataError, UsageError, command_name
from benchwright.progress import Watcher
from benchwright.records import Drop
from benchwright.sources.cleaning.pseudonyms import FORGOTTEN, PSEUDONYM, identity_of
from benchwright.sources.cleaning.text_cleaner import TextCleaner, Tombstone, add_tombstones, open_cleaner
from benchwright.sources.events import RepoEvent
from benchwright.store.writing import read_records, replacing, write_json

USER, REPO, URL = "user", "repo", "url"
_CACHES = ("sources", "links", "search", RELEASE)  # made again by the next call


class ForgetResult(NamedTuple):
    """Counts of removed records, and the build after it; None if no row is left."""

    events: int
    patches: int
    changed: int  # other records that named the person
    build: AlignmentBuild | None


def forget(requests: Sequence[str], out: Path, *, watch: Watcher | None = None) -> ForgetResult:
    """Remove people, repositories and addresses from a build, and publish the release again.

    Raises UsageError for a folder without a build, and for the login of an owner of a mined repository.
    """
    options = stored_options(out)
    store, before = EventStore(out / EVENT_FOLDER), open_cleaner(out)
    kinds = {each: request_kind(each, store) for each in requests}
    marks = [Tombstone(kind=kind, mark=before.people.mark(kind, name)) for name, kind in _names(kinds, store)]
    add_tombstones(out, marks)
    removal = _Removal(kinds, store.repositories(), before, open_cleaner(out))
    store.rewrite(removal.events)
    store.rewrite(removal.others)
    options = _without_caches(out, options, removal)
    build = _published(options, out, removal, watch=watch)
    return ForgetResult(removal.removed[EVENTS], removal.removed[CHANGES], removal.changed, build)


def request_kind(request: str, store: EventStore) -> str:
    """Whether a request names a user, a repository or an address. Raises UsageError for an owner."""
    if "://" in request:
        return URL
    repositories = [each.lower() for each in store.repositories()]
    if request.lower() in repositories or ("/" in request and "@" not in request):
        return REPO
    name = identity_of(request)
    if not name:
        raise UsageError("the name to remove is empty", hint=f"{command_name()} forget LOGIN --in BUILD")
    if owned := [each for each in repositories if name in each.split("/")]:
        message = f"{request}: the name of an owner or a repository of this build"
        raise UsageError(message, hint=f"{command_name()} forget {owned[0]} --in BUILD")
    return USER


def _names(kinds: dict[str, str], store: EventStore) -> Iterable[tuple[str, str]]:
    """The names to mark, as they are looked up later, with their kinds."""
    for request, kind in kinds.items():
        if kind == USER:
            yield identity_of(request), USER
        elif kind == REPO:
            yield request.lower(), REPO
        else:
            yield request, URL
            for repo in store.repositories():
                subjects = {each.subject for each in store.read(repo) if each.url == request}
                yield from ((f"{repo} {subject}", URL) for subject in sorted(subjects))


class _Removal:
    """Decides about each stored line. `before` still knows the pseudonyms of the people to forget."""

    def __init__(
        self, kinds: dict[str, str], stored: Sequence[str], before: TextCleaner, after: TextCleaner
    ) -> None:
        self._people = after.people
        names = [identity_of(each) for each, kind in kinds.items() if kind == USER]
        removed_names = {each.lower() for each, kind in kinds.items() if kind == REPO}
        self.repositories = sorted(removed_names | {each for each in stored if each.lower() in removed_names})
        found = [before.person(each) for each in names]
        self._pseudonyms = {each for each in found if PSEUDONYM.fullmatch(each)}
        # Whole words only: a login may be a part of other words.
        words = sorted({*names, *self._pseudonyms}, key=lambda each: (-len(each), each))
        addresses = [each for each, kind in kinds.items() if kind == URL]
        pattern = "|".join(
            [*(rf"(?<![\w-]){re.escape(each)}(?![\w-])" for each in words), *map(re.escape, addresses)]
        )
        self._words = re.compile(pattern or r"(?!)", re.IGNORECASE)
        self._needles = [each.lower().encode() for each in (*words, *addresses)]
        self._commits: set[tuple[str, str]] = set()
        self.removed = {EVENTS: 0, CHANGES: 0}
        self.changed = 0

    def events(self, shard: Shard, line: bytes) -> bytes | None:
        """Remove events of the forgotten, and remember their commits."""
        if shard.suffix != EVENTS:
            return line
        event = msgspec.json.decode(line, type=RepoEvent)
        people = {event.actor, event.committer}
        if people.isdisjoint(self._pseudonyms) and not is_forgotten(event, self._people):
            return line
        self.removed[EVENTS] += 1
        if event.kind == "commit":
            self._commits.add((folder_name(event.repo), event.source_id))
        return None

    def others(self, shard: Shard, line: bytes) -> bytes | None:
        """Remove the patches and gaps of removed commits, and names in all other records."""
        if shard.suffix == EVENTS:
            return self.scrubbed(line)
        if shard.folder in {folder_name(each) for each in self.repositories}:
            self.removed[CHANGES] += shard.suffix == CHANGES
            return None
        record = msgspec.json.decode(line)
        sha = record["sha"] if shard.suffix == CHANGES else next(iter(record["unit"].split(":")[3:]), "")[:40]
        if (shard.folder, sha) in self._commits:
            self.removed[CHANGES] += shard.suffix == CHANGES
            return None
        return self.scrubbed(line)

    def scrubbed(self, line: bytes) -> bytes:
        """The line without the names of the forgotten."""
        if not any(each in line.lower() for each in self._needles):
            return line
        record = msgspec.json.decode(line)
        changed = self._without_names(record)
        if changed == record:
            return line
        self.changed += 1
        return msgspec.json.encode(changed) + b"\n"

    def _without_names(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._words.sub(FORGOTTEN, value)
        if isinstance(value, list):
            return [self._without_names(each) for each in value]
        if isinstance(value, dict):
            return {name: self._without_names(each) for name, each in value.items()}
        return value


def _without_caches(out: Path, options: AlignmentOptions, removal: _Removal) -> AlignmentOptions:
    """Remove the caches, and the clones and sources of removed repositories from the build."""
    for name in _CACHES:
        if (out / name).exists():
            shutil.rmtree(out / name)
    for name in (HITS, "release-shards.json"):
        (out / name).unlink(missing_ok=True)
    removed_names = [each.lower() for each in removal.repositories]
    for path in sorted((out / EVENT_FOLDER).glob("*.gaps.jsonl")):
        _rewrite_file(
            path,
            removal,
            is_removed=any(each.replace("/", "%2f") in path.name.lower() for each in removed_names),
        )
    for path in (out / "clones").iterdir() if (out / "clones").is_dir() else ():
        if any(folder_name(each).lower() in path.name.lower() for each in removed_names):
            shutil.rmtree(path)
    left = tuple(
        source for source in options.sources if not any(each in source.lower() for each in removed_names)
    )
    name = "" if options.name.lower() in removed_names else options.name
    changed = replace(options, sources=left, name=name)
    if changed != options:
        build = msgspec.json.decode((out / "build.json").read_bytes())
        identity = {**changed.identity(), "building": build["identity"]["building"]}
        write_json(out / "build.json", {**build, "identity": identity})
    return changed


def _rewrite_file(path: Path, removal: _Removal, *, is_removed: bool) -> None:
    if is_removed:
        path.unlink()
        return
    lines = path.read_bytes().splitlines(keepends=True)
    with replacing(path) as file:
        file.writelines(map(removal.scrubbed, lines))


def _published(
    options: AlignmentOptions, out: Path, removal: _Removal, *, watch: Watcher | None
) -> AlignmentBuild | None:
    """Remove the files of all stages, and publish again unless no repository is left."""
    identity = msgspec.json.decode((out / "build.json").read_bytes())["identity"]
    folder = BuildFolder(out, identity)
    removed_names = {each.lower() for each in removal.repositories}
    found = [
        _scrubbed_record(each, removal)
        for each in mined_before(folder)
        if (each.unit if isinstance(each, Drop) else each.name).lower() not in removed_names
    ]
    remove_stage_files(folder.stages, 1)
    (out / "funnel.json").unlink(missing_ok=True)
    files = StageFiles.of(folder.stages, 1, STAGES[0].name)
    files.write(found)
    try:
        return rebuild(options, out, watch=watch)
    except DataError:
        if next(read_records(files.kept, MinedRepository), None) is not None and list(
            EventStore(out / EVENT_FOLDER).repositories()
        ):
            raise
        return None


def _scrubbed_record(record: MinedRepository | Drop, removal: _Removal) -> MinedRepository | Drop:
    return msgspec.json.decode(removal.scrubbed(msgspec.json.encode(record)), type=type(record))
