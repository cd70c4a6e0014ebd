"""Error reports that derive from the texts of other events."""

from __future__ import annotations

from benchwright.records import Drop
from benchwright.sources.error_reports import with_error_reports
from benchwright.sources.event_maker import EventMaker
from benchwright.sources.events import RepoEvent
from kit.marking_cleaner import MarkingCleaner

TEXT = 'It fails:\nTraceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n'
MAKER = EventMaker("github", "ours/scales", MarkingCleaner(), "MIT")


def _event(kind: str, text: str, **parts: str) -> RepoEvent:
    return MAKER.event(kind, "7", subject="issue:3", text=text, at="2024-01-01T00:00:00Z", **parts)


def test_one_report_for_each_traceback() -> None:
    event = _event("comment", f"{TEXT}\n{TEXT}", actor="ann", guard="canary")
    drop = Drop(unit="x", reason="y")
    found = list(with_error_reports([event, drop]))
    assert (found[0], found[3]) == (event, drop)
    first, second = found[1], found[2]
    assert isinstance(first, RepoEvent) and isinstance(second, RepoEvent)
    assert (first.kind, first.state, first.tool) == ("error_report", "KeyError", "python")
    assert first.parents == ["issue:3"] and first.subject == "issue:3" and first.at == event.at
    assert first.text.startswith("Traceback") and first.licence == "MIT" and first.guard == "canary"
    assert event.id < first.id < second.id


def test_commits_and_reports_have_none() -> None:
    for event in (_event("commit", TEXT), _event("error_report", TEXT), _event("comment", "no traceback")):
        assert list(with_error_reports([event])) == [event]
