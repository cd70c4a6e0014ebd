"""What the stages of an AICoderEval build hand on."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.contracts import Decision
from benchwright.records import Outcome, Record
from benchwright.store.keys import content_key
from benchwright.tracks.aicodereval.entry import BenchmarkEntry


class Draft(Record, frozen=True, kw_only=True):
    """An entry that somebody proposes, with what is known of it before it is admitted.

    `alternatives` are further solutions held to be right, `wrong` solutions by the reason why they must
    fail; all are whole programs. `lineage` says what it was made of: source record, replies, edits.
    """

    entry: BenchmarkEntry
    alternatives: list[str] = []
    wrong: dict[str, str] = {}
    equivalent_mutants: list[str] = []  # ids of mutants declared to behave as the solution does
    licence: str = ""
    lineage: dict[str, Any] = {}

    @property
    def unit(self) -> str:
        """How drops and messages name it."""
        return self.entry.task_id

    @property
    def revision(self) -> str:
        """The content key of all that decides what it is; not of its date and its cost."""
        entry = msgspec.structs.replace(self.entry, created="", time_s=None)
        return content_key(msgspec.to_builtins(msgspec.structs.replace(self, entry=entry)))


class ExaminedDraft(Record, frozen=True, kw_only=True):
    """A draft that no gate has refused for good, with what was found out about it so far.

    A decision with a reason keeps it from being certified, and from nothing else. `levels` are the steady
    outcomes of the canonical solution by level; none before it was executed.
    """

    draft: Draft
    decisions: dict[str, Decision] = {}  # by the gate's name
    levels: dict[str, Outcome] = {}

    @property
    def reasons(self) -> dict[str, Decision]:
        """The decisions that keep it from being certified."""
        return {name: decision for name, decision in self.decisions.items() if decision.reason}


class AdmittedEntry(Record, frozen=True, kw_only=True):
    """An entry of a release: its status is its tier, and `split` the file that it stands in."""

    entry: BenchmarkEntry
    revision: str  # of the draft
    source: list[str]  # what it was made from: no entry of another split shares one of these
    licence: str = ""
    lineage: dict[str, Any] = {}
    decisions: dict[str, Decision] = {}
    levels: dict[str, Outcome] = {}
    split: str = ""

    @property
    def unit(self) -> str:
        """How drops and messages name it."""
        return self.entry.task_id
