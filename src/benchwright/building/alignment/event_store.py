"""The event store: events, patches and gaps of repositories in files by source and quarter of a year.

`FOLDER/REPO/SOURCE-YEAR-Qn.jsonl` has the events of a quarter, sorted by time and id, each id once.
`….changes.jsonl` has the patches of its commits, `….gaps.jsonl` the objects that could not be read. Files are
replaced in one step and only if something new belongs into them, so ten more commits rewrite the last
quarter. A quarter's patches and gaps are written before its events: what is known by its event is complete.
"""

from __future__ import annotations

import hashlib
import heapq
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import msgspec

from benchwright.records import Drop
from benchwright.sources.events import FilePatch, RepoEvent
from benchwright.store.atomic_files import lock
from benchwright.store.writing import decode_record, read_records, replacing

UNDATED = "undated"
EVENTS, CHANGES, GAPS = ".jsonl", ".changes.jsonl", ".gaps.jsonl"
MAX_LABEL = 180  # characters of a file's name
MAX_PENDING = 4 << 20  # bytes of records that wait for their file
_ENCODE = msgspec.json.Encoder().encode


class Shard(NamedTuple):
    """The file of one kind of records of a repository: its folder, its stem and its suffix."""

    folder: str
    stem: str  # "git-2024-Q1"
    suffix: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.stem + self.suffix

    @property
    def period(self) -> str:
        """The quarter, or "undated"; undated events come first."""
        found = self.stem.rsplit("-", 2)
        return "" if self.stem.endswith(f"-{UNDATED}") else "-".join(found[1:])


class EventHead(msgspec.Struct, frozen=True):
    """The part of an event that decides where it is published."""

    id: str
    kind: str
    subject: str
    at: str = ""


class PatchHead(msgspec.Struct, frozen=True):
    """The part of a patch that identifies it."""

    sha: str
    path: str
    at: str = ""


class GapHead(msgspec.Struct, frozen=True):
    """The part of a gap that identifies it."""

    unit: str
    reason: str


class StoredLine(NamedTuple):
    """A record as it is stored: its order in the file, its key, its line, and its head or the record."""

    order: tuple[str, ...]
    key: tuple[str, ...]
    line: bytes
    head: Any


_HEADS: Mapping[str, Any] = {EVENTS: EventHead, CHANGES: PatchHead, GAPS: GapHead}


def _stored_line(head: Any, line: bytes) -> StoredLine:
    if isinstance(head, EventHead | RepoEvent):
        return StoredLine((head.at, head.id), (head.id,), line, head)
    if isinstance(head, PatchHead | FilePatch):
        return StoredLine((head.at, head.sha, head.path), (head.sha, head.path), line, head)
    return StoredLine((head.unit, head.reason), (head.unit, head.reason), line, head)


@cache
def folder_name(repo: str) -> str:
    """The folder of a repository: "owner+name", with other characters in percent-encoding.

    >>> folder_name("pallets/click"), folder_name("a+b/..")
    ('pallets+click', 'a%2Bb+%2E%2E')
    """
    name = "+".join(quote(part, safe="") for part in repo.split("/"))
    parts = ("%2E" * len(part) if set(part) == {"."} else part for part in name.split("+"))
    return "+".join(parts) or "%"


def repo_name(folder: str) -> str:
    """The repository of a folder: the inverse of `folder_name`."""
    return "/".join(unquote(part) for part in folder.split("+")) if folder != "%" else ""


def label_name(label: str) -> str:
    """The name of a file or folder for a source, whose text may be longer than the name of a file."""
    name = quote(label, safe="")
    return (
        name if len(name) <= MAX_LABEL else f"{name[:80]}-{hashlib.sha256(label.encode()).hexdigest()[:16]}"
    )


def quarter(at: str) -> str:
    """The quarter of a time in ISO 8601.

    >>> quarter("2024-05-01T00:00:00Z"), quarter("")
    ('2024-Q2', 'undated')
    """
    return f"{at[:4]}-Q{(int(at[5:7]) + 2) // 3}" if at[:4].isdigit() and at[5:7].isdigit() else UNDATED


class EventStore:
    """The events of all repositories of one build. One process writes at a time; others may read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pending: dict[str, dict[Shard, dict[tuple[str, ...], StoredLine]]] = {}
        self._bytes: dict[str, int] = {}
        self._total = 0

    def write(self, label: str, records: Iterable[RepoEvent | FilePatch | Drop]) -> None:
        """Add the records of one source. An event that is equal to a stored one changes nothing.

        Equal means: but for `fetched_at`. A different event with a stored id replaces it. A Drop is a gap:
        one whose evidence has a time `at` belongs to a commit and is kept for ever; the others are those of
        this `label`, and replace the ones of the call before.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        current: list[Drop] = []
        with _locked(self.folder):
            for record in records:
                if isinstance(record, Drop) and not record.evidence.get("at"):
                    current.append(record)
                else:
                    self._add(record)
            self._flush(0)
            self._replace_gaps(label, current)

    def read(self, repo: str, kinds: Collection[str] | None = None) -> Iterator[RepoEvent]:
        """The events of a repository by time and id; with `kinds`, only these."""
        by_period: dict[str, list[Path]] = {}
        for shard in self.shards(repo, EVENTS):
            by_period.setdefault(shard.period, []).append(self.path(shard))
        for _, paths in sorted(by_period.items()):
            files = [read_records(path, RepoEvent) for path in paths]
            for event in heapq.merge(*files, key=lambda each: (each.at, each.id)):
                if kinds is None or event.kind in kinds:
                    yield event

    def changes(self, repo: str) -> Iterator[FilePatch]:
        """The patches of a repository by the time of their commit, its id, and the path."""
        for shard in self.shards(repo, CHANGES):
            yield from read_records(self.path(shard), FilePatch)

    def gaps(self, repo: str) -> Iterator[Drop]:
        """The gaps of the commits of a repository."""
        for shard in self.shards(repo, GAPS):
            yield from read_records(self.path(shard), Drop)

    def known(self, repo: str) -> Iterator[str]:
        """The ids of all events of a repository."""
        for shard in self.shards(repo, EVENTS):
            path = self.path(shard)
            yield from (each.head.id for each in _stored_lines(path, shard))

    def lines(self, shards: Iterable[Shard]) -> Iterator[StoredLine]:
        """The lines of files of one kind of records, in their order."""
        by_period: dict[str, list[Shard]] = {}
        for shard in shards:
            by_period.setdefault(shard.period, []).append(shard)
        for _, mine in sorted(by_period.items()):
            yield from heapq.merge(
                *(_stored_lines(self.path(each), each) for each in mine), key=itemgetter(0)
            )

    def repositories(self) -> list[str]:
        """The names of all repositories, sorted."""
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        return sorted(repo_name(path.name) for path in folders if path.is_dir())

    def shards(self, repo: str, suffix: str = "") -> list[Shard]:
        """The files of a repository, sorted; with a suffix, those of one kind of records."""
        name = folder_name(repo)
        paths = sorted((self.folder / name).glob("*.jsonl")) if (self.folder / name).is_dir() else []
        found = (Shard(name, *_split_name(path.name)) for path in paths if not path.name.startswith("."))
        return [each for each in found if suffix in ("", each.suffix)]

    def path(self, shard: Shard) -> Path:
        """The path of a file."""
        return self.folder / shard.folder / shard.name

    def rewrite(self, change: Callable[[Shard, bytes], bytes | None]) -> None:
        """Change each stored line, or remove it where `change` returns None; empty files are removed."""
        with _locked(self.folder):
            for repo in self.repositories():
                for shard in self.shards(repo):
                    _rewrite(self.path(shard), shard, change)
                folder = self.folder / folder_name(repo)
                if not any(folder.iterdir()):
                    folder.rmdir()

    def digest(self, repo: str) -> str:
        """SHA-256 over the names and the content of all files of a repository."""
        found = hashlib.sha256()
        for shard in self.shards(repo):
            with self.path(shard).open("rb") as file:
                found.update(f"{shard.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        return found.hexdigest()

    def _add(self, record: RepoEvent | FilePatch | Drop) -> None:
        line = _ENCODE(record) + b"\n"
        shard = _shard_of(record)
        stored = _stored_line(record, line)._replace(head=None)
        group = f"{shard.folder}/{shard.stem}"
        self._pending.setdefault(group, {}).setdefault(shard, {})[stored.key] = stored
        self._bytes[group] = self._bytes.get(group, 0) + len(line)
        self._total += len(line)
        if self._total > MAX_PENDING:
            self._flush(MAX_PENDING // 2)

    def _flush(self, most: int) -> None:
        """Write the largest groups until at most this number of bytes is pending."""
        while self._pending and (not most or self._total > most):
            group = max(self._bytes, key=lambda name: (self._bytes[name], name))
            shards = self._pending.pop(group)
            self._total -= self._bytes.pop(group)
            for suffix in (CHANGES, GAPS, EVENTS):
                for shard, lines in shards.items():
                    if shard.suffix == suffix:
                        self._merge(shard, lines)

    def _merge(self, shard: Shard, lines: dict[tuple[str, ...], StoredLine]) -> None:
        path = self.path(shard)
        replaced = _take_known(path, shard, lines) if path.exists() else set()
        if not lines:
            return
        path.parent.mkdir(exist_ok=True)
        new = sorted(lines.values(), key=itemgetter(0))
        old = (each for each in _stored_lines(path, shard) if each.key not in replaced)
        with replacing(path) as file:
            for each in heapq.merge(old, new, key=itemgetter(0)):
                file.write(each.line)

    def _replace_gaps(self, label: str, drops: Iterable[Drop]) -> None:
        path = self.folder / f"{label_name(label)}{GAPS}"
        found = sorted(set(map(_ENCODE, drops)))
        new = b"".join(each + b"\n" for each in found)
        if (path.read_bytes() if path.exists() else b"") != new:
            with replacing(path) as file:
                file.write(new)

    def current_gaps(self, label: str) -> Iterator[Drop]:
        """The gaps of a source that belong to no commit, as of its last call."""
        path = self.folder / f"{label_name(label)}{GAPS}"
        return read_records(path, Drop) if path.exists() else iter(())

    def source_gaps(self) -> Iterator[Drop]:
        """The gaps of all sources but clones, as of their last calls."""
        for path in sorted(self.folder.glob(f"*{GAPS}")):
            if not path.name.startswith(label_name("git:")):
                yield from read_records(path, Drop)


def _rewrite(path: Path, shard: Shard, change: Callable[[Shard, bytes], bytes | None]) -> None:
    old = path.read_bytes().splitlines(keepends=True)
    changed = [change(shard, line) for line in old]
    new = [line for line in changed if line is not None]
    if new == old:
        return
    if not new:
        path.unlink()
        return
    decode = _decoder(shard.suffix).decode
    with replacing(path) as file:
        for each in sorted((_stored_line(decode(line), line) for line in new), key=itemgetter(0)):
            file.write(each.line)


def _shard_of(record: RepoEvent | FilePatch | Drop) -> Shard:
    if isinstance(record, RepoEvent):
        return Shard(folder_name(record.repo), f"{record.source}-{quarter(record.at)}", EVENTS)
    if isinstance(record, FilePatch):
        return Shard(folder_name(record.repo), f"git-{quarter(record.at)}", CHANGES)
    source = record.unit.partition(":")[0]
    return Shard(folder_name(record.evidence["repo"]), f"{source}-{quarter(record.evidence['at'])}", GAPS)


def _split_name(name: str) -> tuple[str, str]:
    suffix = next(each for each in (CHANGES, GAPS, EVENTS) if name.endswith(each))
    return name.removesuffix(suffix), suffix


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the store. Raises RunError if another process writes."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        lock(fd, folder)
        yield
    finally:
        os.close(fd)


def _stored_lines(path: Path, shard: Shard) -> Iterator[StoredLine]:
    """The lines of a file with their order. Raises DataError for a corrupt one."""
    if not path.exists():
        return
    decode = _decoder(shard.suffix).decode
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield _stored_line(decode_record(decode, line, path, number), line)


def _take_known(path: Path, shard: Shard, lines: dict[tuple[str, ...], StoredLine]) -> set[tuple[str, ...]]:
    """Remove from `lines` what the file has already; the keys of stored records that are replaced."""
    replaced = set()
    for old in _stored_lines(path, shard):
        if (new := lines.get(old.key)) is None:
            continue
        if new.line == old.line or (shard.suffix == EVENTS and _undated(new.line) == _undated(old.line)):
            del lines[old.key]
        else:
            replaced.add(old.key)
    return replaced


def _undated(line: bytes) -> RepoEvent:
    """An event without the time at which it was fetched."""
    return msgspec.structs.replace(msgspec.json.decode(line, type=RepoEvent), fetched_at="")


@cache
def _decoder(suffix: str) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_HEADS[suffix])
