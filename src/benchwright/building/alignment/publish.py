"""Publish a release: tables as Parquet and JSON Lines, a card, and a manifest with the SHA-256 of each file.

Events and patches are in files by repository and year, so new commits rewrite the last year only.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.alignment.card import card
from benchwright.building.alignment.card_facts import PLAIN, CardOptions, card_facts
from benchwright.building.alignment.event_store import CHANGES as PATCH_FILES
from benchwright.building.alignment.event_store import EVENTS as EVENT_FILES
from benchwright.building.alignment.event_store import UNDATED, Shard, folder_name
from benchwright.building.alignment.filters import DroppedRow, filter_identity
from benchwright.building.alignment.mining import consents
from benchwright.building.alignment.records import MinedRepository
from benchwright.building.alignment.release_rows import (
    CHANGES,
    COMMITS,
    EVENTS,
    REPOSITORIES,
    ROW_TABLES,
    PublishedEvent,
    PublishedPatch,
    ReleaseRow,
    RowTable,
)
from benchwright.building.alignment.release_shards import ReleaseFile, ReleaseShards, ShardInput
from benchwright.building.alignment.stage_parts import AlignmentContext
from benchwright.building.engine.recipe import MADE_BY, tally, write_card_and_manifest
from benchwright.building.engine.stages import FunnelLevel
from benchwright.records import Drop, Record
from benchwright.store.parquet_lines import LinesToParquet

DROPPED = "dropped"  # table of the rows that the filters dropped
RELEASE = "release"  # folder of the release in the build
FORMAT = 1


def publish(
    context: AlignmentContext,
    writer: LinesToParquet,
    *,
    levels: Sequence[FunnelLevel],
    shown: CardOptions = PLAIN,
) -> tuple[Path, dict[str, Any]]:
    """Write the release of a complete build; its folder and its manifest."""
    release = context.folder.path / RELEASE
    rows = _RowSplits(context.folder.kept("split", ReleaseRow))
    repositories = list(context.repositories())
    shards = ReleaseShards(release, context.folder.path / "release-shards.json", writer)
    shards.add(_repositories_input(repositories))
    for repository in repositories:
        for given in _event_inputs(repository, context, rows):
            shards.add(given)
        for table in ROW_TABLES:
            shards.add(_table_input(table, repository.name, context, rows))
    shards.add(_dropped_input(context))
    files = shards.finish()
    manifest = _manifest(context, repositories, files, rows.counts)
    facts = card_facts(context, repositories, manifest, levels, shown)
    write_card_and_manifest(release, card(facts), manifest)
    return release, manifest


class _RowSplits:
    """The splits of the rows that are published, by table and repository; those of commits also by year."""

    def __init__(self, rows: Iterator[ReleaseRow]) -> None:
        self.commits: dict[tuple[str, str], dict[str, str]] = {}
        self.others: dict[tuple[str, str], dict[str, str]] = {}
        self.counts: Counter[str] = Counter()
        self._of: dict[str, Counter[str]] = {}
        for row in rows:
            table = self.commits if row.table == COMMITS else self.others
            key = (row.repo, row.at[:4]) if row.table == COMMITS else (row.table, row.repo)
            table.setdefault(key, {})[row.id] = row.split
            self.counts[row.table] += 1
            self._of.setdefault(row.repo, Counter())[row.split] += 1

    def usual(self, repo: str) -> str:
        """The split of most rows of a repository."""
        found = self._of.get(repo, Counter())
        return max(sorted(found), key=lambda split: found[split], default="")


class _YearShard(NamedTuple):
    """The events or patches of one repository in one year."""

    repo: str
    files: list[Shard]
    splits: dict[str, str]  # of commits that are published, by the id of their event
    usual: str
    deleted: frozenset[str]  # subjects that the source has no more

    def key(self, context: AlignmentContext) -> str:
        """A digest of everything that decides the lines."""
        found = hashlib.sha256(f"{FORMAT} {self.repo} {self.usual} {sorted(self.deleted)}".encode())
        for shard in self.files:
            with context.store.path(shard).open("rb") as file:
                found.update(f"{shard.name} {hashlib.file_digest(file, 'sha256').hexdigest()}".encode())
        for name, split in self.splits.items():
            found.update(f"{name} {split}".encode())
        return found.hexdigest()

    def events(self, context: AlignmentContext) -> Iterator[bytes]:
        """The events that are published. One that belongs to no commit has the split of the commit before."""
        last = next(iter(self.splits.values()), self.usual)
        for stored in context.store.lines(self.files):
            head = stored.head
            if head.subject in self.deleted and head.kind != "deleted":
                continue
            commit = _commit_event(self.repo, head.subject) if head.kind in _OF_COMMITS else ""
            if commit and commit not in self.splits:
                continue
            last = self.splits.get(commit, last)
            yield _with_split(stored.line, last)

    def patches(self, context: AlignmentContext) -> Iterator[bytes]:
        """The patches of the commits that are published."""
        for stored in context.store.lines(self.files):
            split = self.splits.get(_commit_event(self.repo, f"commit:{stored.head.sha}"))
            if split is not None:
                yield _with_split(stored.line, split)


_OF_COMMITS = ("commit", "merge", "revert")


def _commit_event(repo: str, subject: str) -> str:
    """The id of the event of a commit; empty for another subject."""
    return f"git:{repo}:{subject}" if subject.startswith("commit:") else ""


def _with_split(line: bytes, split: str) -> bytes:
    return line.rstrip()[:-1] + b',"split":' + msgspec.json.encode(split) + b"}\n"


def _event_inputs(
    repository: MinedRepository, context: AlignmentContext, rows: _RowSplits
) -> Iterator[ShardInput]:
    """The files of the events and patches of a repository, by year."""
    repo, store = repository.name, context.store
    deletions = store.read(repo, ("deleted",)) if "deleted" in repository.kinds else iter(())
    deleted = frozenset(each.subject for each in deletions)
    for suffix, table, record in (
        (EVENT_FILES, EVENTS, PublishedEvent),
        (PATCH_FILES, CHANGES, PublishedPatch),
    ):
        for year, files in groupby(store.shards(repo, suffix), key=_year):
            splits = rows.commits.get((repo, "" if year == UNDATED else year), {})
            shard = _YearShard(repo, list(files), splits, rows.usual(repo), deleted)
            yield ShardInput(
                table,
                f"{folder_name(repo)}-{year}",
                shard.key(context),
                record,
                partial(shard.events if table == EVENTS else shard.patches, context),
            )


def _year(shard: Shard) -> str:
    return shard.period[:4] or UNDATED


def _table_input(table: RowTable, repo: str, context: AlignmentContext, rows: _RowSplits) -> ShardInput:
    """The file of a table of one repository."""
    splits = rows.others.get((table.name, repo), {})
    lines = [
        _with_split(msgspec.json.encode(each), splits[each.id])
        for each in context.folder.kept(table.stage, table.record)
        if each.repo == repo and each.id in splits
    ]
    key = hashlib.sha256(f"{FORMAT} {table.name}".encode() + b"".join(lines)).hexdigest()
    return ShardInput(table.name, folder_name(repo), key, table.published, lambda: lines, readable=True)


def _dropped_input(context: AlignmentContext) -> ShardInput:
    """The rows that the filters dropped; a drop of an earlier stage has no filter."""
    drops = (each for each in context.folder.dropped("filter") if "filter" in each.evidence)
    lines = [msgspec.json.encode(_dropped_row(each)) + b"\n" for each in drops]
    key = hashlib.sha256(f"{FORMAT} {DROPPED}".encode() + b"".join(lines)).hexdigest()
    return ShardInput(DROPPED, DROPPED, key, DroppedRow, lambda: lines, readable=True)


def _dropped_row(drop: Drop) -> DroppedRow:
    place = {name: str(drop.evidence[name]) for name in ("table", "id", "repo", "filter")}
    return DroppedRow(reason=drop.reason, detail=drop.detail, **place)


def _repositories_input(repositories: Sequence[MinedRepository]) -> ShardInput:
    lines = [msgspec.json.encode(_PublishedRepository.of(each)) + b"\n" for each in repositories]
    key = hashlib.sha256(f"{FORMAT}".encode() + b"".join(lines)).hexdigest()
    return ShardInput(REPOSITORIES, REPOSITORIES, key, _PublishedRepository, lambda: lines, readable=True)


class _Count(Record, frozen=True, kw_only=True):
    name: str
    count: int


class _PublishedRepository(Record, frozen=True, kw_only=True):
    """A repository in a release, without folders of this machine."""

    name: str
    licence: str = ""
    head: str = ""
    remote: str = ""
    digest: str = ""
    kinds: list[_Count] = []
    gaps: list[_Count] = []

    @classmethod
    def of(cls, mined: MinedRepository) -> _PublishedRepository:
        """The published part of a mined repository."""
        return cls(
            name=mined.name,
            licence=mined.licence,
            head=mined.head,
            remote=mined.remote,
            digest=mined.digest,
            kinds=[_Count(name=name, count=count) for name, count in mined.kinds.items()],
            gaps=[_Count(name=name, count=count) for name, count in mined.gaps.items()],
        )


def _manifest(
    context: AlignmentContext,
    repositories: Sequence[MinedRepository],
    files: dict[str, ReleaseFile],
    counts: Counter[str],
) -> dict[str, Any]:
    tables: Counter[str] = Counter()
    for path, each in files.items():
        if path.endswith(".parquet"):
            tables[path.split("/")[1]] += each.rows
    gaps: Counter[str] = Counter()
    for repository in repositories:
        gaps.update(repository.gaps)
    gaps.update(each.reason for each in context.store.source_gaps())
    options = context.options.identity()
    del options["sources"]  # folders of this machine
    return {
        "made_by": MADE_BY,
        "format": FORMAT,
        "options": options,
        "repositories": [each.name for each in repositories],
        "licences": tally(each.licence for each in repositories),
        "tables": dict(sorted(tables.items())),
        "filtered": dict(sorted(counts.items())),
        "filters": filter_identity(context.options),
        "benchmark_hits": _benchmark_hits(context),
        "gaps": dict(sorted(gaps.items())),
        "consents": consents(context.folder.path),
        "engines": {name: version(name) for name in ("duckdb", "pygit2")},
        "files": msgspec.to_builtins(files),
    }


def _benchmark_hits(context: AlignmentContext) -> dict[str, int]:
    """The number of rows that share a run of tokens with each benchmark."""
    return tally(
        str(each.evidence["benchmark"])
        for each in context.folder.dropped("filter")
        if "benchmark" in each.evidence
    )
