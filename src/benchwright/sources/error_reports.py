"""Error reports that only derive from other events: tracebacks in issues, comments, remarks and logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.records import Drop
from benchwright.sources.event_maker import excerpt
from benchwright.sources.events import RepoEvent
from benchwright.text.tracebacks import find_tracebacks

SEARCHED = frozenset(
    {"issue_opened", "pull_opened", "comment", "remark", "review", "command", "test_result", "check"}
)


def with_error_reports(events: Iterable[RepoEvent | Drop]) -> Iterator[RepoEvent | Drop]:
    """Yield the events, and after each one an error report for each traceback in its text."""
    for event in events:
        yield event
        if isinstance(event, RepoEvent):
            yield from error_reports(event)


def error_reports(event: RepoEvent) -> Iterator[RepoEvent]:
    """The tracebacks in the cleaned text of an event; an edit of it has its own reports."""
    if event.kind not in SEARCHED or "\n" not in event.text:
        return
    for number, found in enumerate(find_tracebacks(event.text), 1):
        yield RepoEvent(
            id=f"{event.id}/error_report-{number}",  # sorts behind the event
            repo=event.repo,
            kind="error_report",
            at=event.at,
            subject=event.subject,
            actor=event.actor,
            role=event.role,
            bot=event.bot,
            pull=event.pull,
            parents=[event.subject],
            text=excerpt(found.text),
            state=found.error[:200],
            heads=event.heads,
            tool=found.language,
            source=event.source,
            source_id=f"{event.source_id}/error_report-{number}",
            url=event.url,
            fetched_at=event.fetched_at,
            licence=event.licence,
            subject_rank=event.subject_rank,
            guard=event.guard,
        )
