"""Records that pass between the stages of an AICoderEval build."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.contracts import Decision
from benchwright.records import Outcome, Record
from benchwright.store.keys import content_key
from benchwright.tracks.aicodereval.entry import BenchmarkEntry


class Draft(Record, frozen=True, kw_only=True):
    """A proposed entry, with its origin.

    `alternatives` are further solutions believed to be right, `wrong` are solutions by the reason why they
    must fail; all are whole programs. `lineage` is the origin: source record, replies, edits.
    """

    entry: BenchmarkEntry
    alternatives: list[str] = []
    wrong: dict[str, str] = {}
    equivalent_mutants: list[str] = []  # ids of mutants declared equivalent
    licence: str = ""
    lineage: dict[str, Any] = {}

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        return self.entry.task_id

    @property
    def revision(self) -> str:
        """The content key of everything that decides what it is, without its date and its cost."""
        entry = msgspec.structs.replace(self.entry, created="", time_s=None)
        return content_key(msgspec.to_builtins(msgspec.structs.replace(self, entry=entry)))


class ExaminedDraft(Record, frozen=True, kw_only=True):
    """A draft that no form gate refused, with all findings so far.

    A decision with a reason only prevents certification. `levels` are the stable outcomes of the canonical
    solution by level; empty before execution.
    """

    draft: Draft
    decisions: dict[str, Decision] = {}  # by the gate's name
    levels: dict[str, Outcome] = {}

    @property
    def reasons(self) -> dict[str, Decision]:
        """The decisions that prevent certification."""
        return {name: decision for name, decision in self.decisions.items() if decision.reason}


class AdmittedEntry(Record, frozen=True, kw_only=True):
    """An entry of a release: its status is its tier, and `split` is its file."""

    entry: BenchmarkEntry
    revision: str  # of the draft
    source: list[str]  # origins; no entry of another split shares one
    licence: str = ""
    lineage: dict[str, Any] = {}
    decisions: dict[str, Decision] = {}
    levels: dict[str, Outcome] = {}
    split: str = ""

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        return self.entry.task_id
