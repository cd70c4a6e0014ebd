"""Formats of files that sources of events read, for `benchwright schema`."""

from __future__ import annotations

from benchwright.running.schemas import SchemaSource
from benchwright.sources.hand_records import CollectedRow
from benchwright.sources.session_records import SessionLine

COLLECTED_ROW = SchemaSource(CollectedRow, "a row of a file for --from records:FILE")
SESSION_LINE = SchemaSource(SessionLine, "a line of a log for --from sessions:FILE")
