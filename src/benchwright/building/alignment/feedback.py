"""Feedback: remarks, suggestions, reviews, comments, failed checks and tests, and error reports.

Checks and tests that passed stay events; rung 5 reads them. A comment or an
issue with a traceback is an error report. `resolution` and `answer` are set from the links
(`with_resolution`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from benchwright.building.alignment.categories import category
from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.hunk_places import complete_place
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback
from benchwright.sources.events import RemarkPlace, RepoEvent
from benchwright.text.tracebacks import find_tracebacks

KINDS = ("remark", "suggestion", "review", "comment", "check", "test_result", "error_report")
FAILED = frozenset({"failure", "failed", "error", "timed_out", "startup_failure", "action_required"})
PASSED = frozenset({"success", "passed"})
DECLINED = re.compile(
    r"\b(won.?t (fix|do|change)|not (going to|a bug|needed)|as (designed|intended)|by design|disagree"
    r"|out of scope|(i.d|i would|prefer to|let.s) (rather )?(keep|leave) (it|this))\b",
    re.IGNORECASE,
)
CLAIMS = re.compile(
    r"^\W*(done|fixed|changed|added|removed|deleted|updated|addressed|renamed|moved|reworded|applied|agreed?|yes|yep"
    r"|good (point|catch|call|idea|suggestion)|will do|right|sure|makes sense|ack)\b",
    re.IGNORECASE,
)
_STRONGEST = (1, 2, 3, 4, 5)  # rungs that answer feedback, the strongest first


def feedback(known: RepositoryEvents, trajectories: Iterable[DevelopmentTrajectory]) -> Iterator[Feedback]:
    """Yield the feedback of a repository in time order."""
    units = {each.pull: each for each in trajectories}
    threads = _threads(known.others)
    reported = {each.subject for each in known.others if each.kind == "error_report"}
    for event in known.others:
        if kind := _kind(event, reported):
            yield _feedback(event, kind, units.get(event.pull), threads.get(event.subject, ""))


def _kind(event: RepoEvent, reported: Collection[str]) -> str:
    """The kind of feedback that an event is; "" for none. `reported`: subjects with error reports of their
    own."""
    if event.kind in ("check", "test_result"):
        return event.kind if event.state.lower() in FAILED else ""
    may_report = event.kind in ("comment", "issue_opened") and event.subject not in reported
    if may_report and find_tracebacks(event.text):
        return "error_report"
    if event.kind == "review" and not event.text.strip():
        return ""
    return event.kind if event.kind in KINDS else ""


def _threads(events: Iterable[RepoEvent]) -> dict[str, str]:
    """Map the subject of each remark to the id of the first remark of its thread."""
    remarks = {each.subject: each for each in events if each.kind in ("remark", "suggestion")}
    found: dict[str, str] = {}
    for subject, event in remarks.items():
        first, seen = event, {subject}
        while first.parents and first.parents[0] in remarks and first.parents[0] not in seen:
            seen.add(first.parents[0])
            first = remarks[first.parents[0]]
        found[subject] = first.id
    return found


def _feedback(event: RepoEvent, kind: str, unit: DevelopmentTrajectory | None, thread: str) -> Feedback:
    place = complete_place(event.place) if event.place else RemarkPlace(path="", commit="")
    return Feedback(
        id=event.id,
        repo=event.repo,
        trajectory=unit.id if unit else "",
        kind=kind,
        at=event.at,
        actor=event.actor,
        role=event.role,
        bot=event.bot,
        self_made=event.role == "author" or bool(unit and unit.author and unit.author == event.actor),
        text=event.text,
        category=category(kind, event.text),
        path=place.path,
        commit=place.commit or next(iter(event.heads), ""),
        first=place.first,
        last=place.last,
        side=place.side,
        hunk=place.hunk,
        replacement=event.replacement,
        thread=thread,
    )


def with_resolution(given: Iterable[Feedback], links: Iterable[EvidenceLink]) -> Iterator[Feedback]:
    """Yield the feedback with its resolution and the commit of its strongest link.

    "declined": a later remark of the thread declines it and no rung from 1 to 5 answers it.
    """
    known = list(given)
    best = _strongest(links)
    declined = {each.thread for each in known if each.thread != each.id and DECLINED.search(each.text)}
    for each in known:
        link = best.get(each.id)
        if link is not None and link.state == "answered":
            yield replace(each, resolution="addressed", answer=link.target)
        elif each.thread in declined and each.thread == each.id:
            yield replace(each, resolution="declined")
        elif link is not None and link.state == "unchanged":
            yield replace(each, resolution="unchanged")
        else:
            yield replace(each, resolution="unknown")


def _strongest(links: Iterable[EvidenceLink]) -> Mapping[str, EvidenceLink]:
    found: dict[str, EvidenceLink] = {}
    for each in links:
        if _rank(each) < _rank(found.get(each.source)):
            found[each.source] = each
    return found


def _rank(link: EvidenceLink | None) -> int:
    if link is None:
        return 99
    if link.state == "answered" and link.rung in _STRONGEST and not link.weak:
        return _STRONGEST.index(link.rung)
    return 20 if link.state == "unchanged" else 50
