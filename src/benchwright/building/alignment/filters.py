"""Filters: which rows are published. Each is declared, counted and reversible.

A dropped row keeps its reason in the table `dropped` of the release; `--filter no-NAME` brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.building.alignment.benchmark_hits import HITS, StoredHits
from benchwright.building.alignment.decontamination import BenchmarkIndex, added_lines, benchmarks
from benchwright.building.alignment.event_store import CHANGES
from benchwright.building.alignment.filter_rules import (
    FILTERS,
    ChangedFile,
    FilterCandidate,
    RowFacts,
)
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.records import EvidenceLink, Feedback
from benchwright.building.alignment.release_rows import COMMITS, FEEDBACK, LINKS, TRAJECTORIES, ReleaseRow
from benchwright.building.alignment.stage_parts import AlignmentContext
from benchwright.building.engine.gates import decide, refusal
from benchwright.contracts import Gate, StatefulGate
from benchwright.errors import UsageError
from benchwright.records import Drop, Record
from benchwright.sources.events import FilePatch
from benchwright.store.writing import read_records

VERSION = 1  # increase it when a rule may decide otherwise about the same row
OFF = "no-"


class DroppedRow(Record, frozen=True, kw_only=True):
    """A row that a filter dropped, in the table `dropped` of a release."""

    table: str
    id: str
    repo: str
    filter: str  # `--filter no-FILTER` brings it back
    reason: str
    detail: str = ""


def applied(options: AlignmentOptions) -> list[str]:
    """The names of the filters that apply. Raises UsageError for an unknown one."""
    names = [name for name, _, _ in FILTERS]
    for each in options.filters:
        if each.removeprefix(OFF) not in names:
            hint = f"one of {', '.join(names)}; {OFF}NAME switches one off"
            raise UsageError(f"--filter {each}: unknown filter", hint=hint)
    return [
        name
        for name, _, usual in FILTERS
        if (usual or name in options.filters) and f"{OFF}{name}" not in options.filters
    ]


def filter_identity(options: AlignmentOptions) -> dict[str, Any]:
    """Everything that decides which rows are published."""
    names = applied(options)
    found: dict[str, Any] = {"version": VERSION, "filters": names, "seed": options.seed}
    if "decontamination" in names:
        found["benchmarks"] = {each.name: each.digest for each in benchmarks(options.against)}
    return found


def filtered(rows: Iterator[ReleaseRow | Drop], context: AlignmentContext) -> Iterator[ReleaseRow | Drop]:
    """The rows that are published, and a drop for each other."""
    names = applied(context.options)
    gates = [opener(context.options) for name, opener, _ in FILTERS if name in names]
    remembering = [each for each in gates if isinstance(each, StatefulGate)]  # a slow test, once
    facts = _Facts(context, decontaminate="decontamination" in names)
    for row in rows:
        if isinstance(row, Drop):
            yield row
            continue
        candidate = FilterCandidate(row, facts.of(row))
        drop = _drop_of(candidate, gates, remembering)
        if drop is None:
            yield row
        else:
            facts.dropped[row.table, row.id] = drop.evidence["filter"]
            yield drop
    facts.hits.save()


def _drop_of(
    candidate: FilterCandidate,
    gates: Sequence[Gate[FilterCandidate]],
    remembering: Sequence[StatefulGate[FilterCandidate]],
) -> Drop | None:
    """The drop of a row, or None after every gate that has a memory has stored it."""
    decisions = decide(candidate, gates)
    refused = refusal(decisions)
    if refused is None:
        for each in remembering:
            each.remember(candidate)
        return None
    row, name = candidate.row, list(decisions)[-1]
    evidence = {"table": row.table, "id": row.id, "repo": row.repo, "filter": name, **refused.evidence}
    return Drop(unit=candidate.unit, reason=refused.reason, detail=refused.detail, evidence=evidence)


class _Facts:
    """The facts of rows, one repository of commits at a time."""

    def __init__(self, context: AlignmentContext, *, decontaminate: bool) -> None:
        self._context = context
        against = benchmarks(context.options.against) if decontaminate else []
        self._index = BenchmarkIndex(against)
        self.hits = StoredHits(context.folder.path / HITS, against)
        self._commits: dict[str, RowFacts] = {}
        self._repo = ""
        self.dropped: dict[tuple[str, str], str] = {}  # the filter, by table and id
        self._links: dict[str, EvidenceLink] = {}
        self._feedback: dict[str, Feedback] | None = None
        self._answers = {
            (each.repo, each.target)
            for each in context.folder.kept("links", EvidenceLink)
            if each.state == "answered"
        }

    def of(self, row: ReleaseRow) -> RowFacts:
        """The facts of a row."""
        if row.table == COMMITS:
            if row.repo != self._repo:
                self._read(row.repo)
            return self._commits[row.id]
        if row.table == FEEDBACK:
            return self._of_feedback(row)
        if row.table == LINKS:
            return self._of_link(row)
        assert row.table == TRAJECTORIES
        return RowFacts()

    def _read(self, repo: str) -> None:
        """Read the commits of a repository, and search their patches for runs of benchmarks."""
        self._repo, self._commits = repo, {}
        found = self._contaminated(repo)
        for event in self._context.store.read(repo, ("commit",)):
            files = tuple(ChangedFile(each.path, each.added, each.removed) for each in event.files)
            self._commits[event.id] = RowFacts(
                text=event.text,
                bot=event.bot,
                files=files,
                linked=(repo, event.subject) in self._answers,
                merge=len(event.heads) > 1,
                benchmark=found.get(event.source_id, "") or self._index.hit(event.text),
            )

    def _contaminated(self, repo: str) -> dict[str, str]:
        """The benchmark that each contaminated commit shares a run with, by the commit's id."""
        found: dict[str, str] = {}
        if not len(self._index):
            return found
        store = self._context.store
        for shard in store.shards(repo, CHANGES):
            path = store.path(shard)
            found |= self.hits.of(path, partial(self._searched, path))
        return found

    def _searched(self, path: Path) -> dict[str, str]:
        found: dict[str, str] = {}
        for patch in read_records(path, FilePatch):
            if patch.sha not in found and (name := self._index.hit(added_lines(patch.patch))):
                found[patch.sha] = name
        return found

    def _of_feedback(self, row: ReleaseRow) -> RowFacts:
        if self._feedback is None:
            self._commits = {}
            self._feedback = {each.id: each for each in self._context.folder.kept("resolve", Feedback)}
        each = self._feedback[row.id]
        files = (ChangedFile(each.path),) if each.path else ()
        return RowFacts(
            text=each.text, bot=each.bot, files=files, benchmark=self._index.hit(f"{each.text}\n{each.hunk}")
        )

    def _of_link(self, row: ReleaseRow) -> RowFacts:
        if not self._links:
            self._links = {each.id: each for each in self._context.folder.kept("links", EvidenceLink)}
        return RowFacts(end_dropped=self.dropped.get((FEEDBACK, self._links[row.id].source), ""))
