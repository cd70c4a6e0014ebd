"""Rung 7, weak: the commits that wrote the lines which a fix removes (Śliwerski, Zimmermann and Zeller,
2005).

A fix is a commit that closes an issue with the keyword "fix", or whose issue has a label of defects or a
traceback. Blank lines and comments are left out, and so are commits later than the issue. Lines that a fix
only adds have no author, so they prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.links.link_records import answered, unknown
from benchwright.building.alignment.links.spans import old_range
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import EvidenceLink, LineRange
from benchwright.lang.languages import language_of
from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.diff_records import FileDiff
from benchwright.text.tracebacks import find_tracebacks

MAX_LINES = 200  # removed lines of one fix; more are a rewrite
DEFECT_LABELS = re.compile(r"\b(bug|defect|regression|crash|error)s?\b", re.IGNORECASE)
_COMMENT = ("#", "//", "/*", "*", "--", "<!--", '"""', "'''")


class FixedIssue(NamedTuple):
    """A commit that fixes an issue."""

    issue: str
    opened_at: str
    commit: str


def fixes(known: RepositoryEvents, closings: Iterable[EvidenceLink]) -> Iterator[FixedIssue]:
    """Yield the fixes among the links that close issues; an issue without a known date has none."""
    opened = {each.subject: each.at for each in known.others if each.kind == "issue_opened" and each.at}
    defects = _defects(known)
    seen = set()
    for link in closings:
        commit = link.target.removeprefix("commit:")
        fix = FixedIssue(link.source, opened.get(link.source, ""), commit)
        reports_defect = link.source in defects or link.detail.lower().startswith("fix")
        if fix.opened_at and reports_defect and commit in known.main and fix not in seen:
            seen.add(fix)
            yield fix


def _defects(known: RepositoryEvents) -> set[str]:
    return {
        each.subject
        for each in known.others
        if (each.kind == "label" and DEFECT_LABELS.search(each.state))
        or (each.kind == "issue_opened" and find_tracebacks(each.text))
    }


def blamed(known: RepositoryEvents, fix: FixedIssue, objects: Objects) -> list[EvidenceLink]:
    """Return the links from the commits that wrote the removed lines to the fix, one for each and file."""
    parents = known.commits[fix.commit].parents
    if not parents:
        return []
    try:
        changes = objects.changes(parents[0], fix.commit)
        if sum(hunk.old_count for change in changes for hunk in change.hunks) > MAX_LINES:
            return []
        return [link for change in changes for link in _of_file(known, fix, parents[0], change, objects)]
    except MissingObjectError as error:
        return [unknown(known.repo, f"commit:{fix.commit}", error.reason)]


def _of_file(
    known: RepositoryEvents, fix: FixedIssue, parent: str, change: FileDiff, objects: Objects
) -> Iterator[EvidenceLink]:
    seen = set()
    lines = objects.lines(parent, change.old_path) if change.hunks and change.old_path else None
    for first, last in _code_ranges(change, lines or []):
        authors = objects.blame(parent, change.old_path, first, last)
        for line, sha in enumerate(authors, first):
            commit = known.commits.get(sha)
            if sha in seen or commit is None or not commit.at or commit.at >= fix.opened_at:
                continue
            seen.add(sha)
            yield answered(
                known.repo,
                7,
                f"commit:{sha}",
                f"commit:{fix.commit}",
                before=LineRange(commit=parent, path=change.old_path, first=line, last=line),
                detail=fix.issue,
            )


def _code_ranges(change: FileDiff, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Runs of removed lines with code."""
    language = language_of(change.old_path)
    signs = (language.line_comment, "/*", "*", '"""', "'''") if language else _COMMENT
    for hunk in change.hunks if change.old_path else ():
        start, end = old_range(hunk)
        numbers = range(start, min(end, len(lines)) + 1)
        for is_code, run in groupby(numbers, lambda number: _is_code(lines[number - 1], signs)):
            if is_code:
                found = list(run)
                yield found[0], found[-1]


def _is_code(line: str, signs: tuple[str, ...]) -> bool:
    text = line.strip()
    return any(each.isalnum() for each in text) and not text.startswith(signs)
