"""What the stages of an AICoderEval build hand on."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.records import Record
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
        """The content key of all that decides what it is."""
        return content_key(msgspec.to_builtins(self))
