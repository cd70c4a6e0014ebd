"""Self-revisions: an author rewrites lines of the same pull request again, and nobody had remarked on them.

The lines that each commit of a linear pull request writes are kept as ranges and moved along with later
commits. A commit that replaces some of them revises the commit that wrote them. A commit is left out where a
link says that it answers a remark on these lines, or where somebody else had given feedback on the file or on
the whole change before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchwright.building.alignment.event_index import GraphCommit, RepositoryEvents
from benchwright.building.alignment.links.link_records import self_revision, unknown
from benchwright.building.alignment.links.spans import LineSpan, follow, new_range, old_range, touches
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback, LineRange
from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.diff_records import FileDiff, LineHunk

MAX_COMMITS = 300  # of one pull request
MAX_WRITTEN = 2000  # ranges of one file


class _WrittenLines(NamedTuple):
    span: LineSpan
    commit: str


def self_revisions(
    known: RepositoryEvents,
    unit: DevelopmentTrajectory,
    items: Sequence[Feedback],
    answers: Sequence[EvidenceLink],
    objects: Objects,
) -> Iterator[EvidenceLink]:
    """Yield a link for each pair of commits and file in which the later commit rewrites the earlier one's
    lines."""
    own = [known.commits[sha] for each in unit.iterations for sha in each.commits if sha in known.commits]
    if not is_linear(own):
        return
    written: dict[str, list[_WrittenLines]] = {}
    for commit in own:
        try:
            changes = objects.changes(commit.parents[0] if commit.parents else "", commit.sha)
        except MissingObjectError as error:
            written.clear()
            yield unknown(known.repo, f"commit:{commit.sha}", error.reason, trajectory=unit.id)
            continue
        for change in changes:
            lines = written.pop(change.old_path or change.path, [])
            for link in _revised(known, unit, commit, change, lines):
                if not _answers(link, answers) and not _prompted(items, unit, commit, change.old_path):
                    yield link
            if change.path:
                written[change.path] = _after(commit.sha, change.hunks, lines)


def is_linear(own: Sequence[GraphCommit]) -> bool:
    """Return whether commits form one line of more than one commit."""
    joined = all(later.parents == (earlier.sha,) for earlier, later in pairwise(own))
    return joined and 1 < len(own) <= MAX_COMMITS


def _revised(
    known: RepositoryEvents,
    unit: DevelopmentTrajectory,
    commit: GraphCommit,
    change: FileDiff,
    lines: Sequence[_WrittenLines],
) -> Iterator[EvidenceLink]:
    """One link for each earlier commit, with the first of its lines that the change replaces."""
    seen = set()
    for hunk in change.hunks if lines else ():
        start, end = old_range(hunk)
        for each in lines:
            author = known.commits[each.commit].actor
            if each.commit in seen or end < start or not touches(each.span, start, end):
                continue
            if author == commit.actor:
                seen.add(each.commit)
                yield self_revision(
                    known.repo,
                    f"commit:{each.commit}",
                    f"commit:{commit.sha}",
                    trajectory=unit.id,
                    before=_lines(commit.parents[0], change.old_path, start, end),
                    after=_lines(commit.sha, change.path, *new_range(hunk)),
                )


def _after(sha: str, hunks: Sequence[LineHunk], lines: Sequence[_WrittenLines]) -> list[_WrittenLines]:
    """The written lines after a commit: earlier ones that it left, moved, and its own."""
    if len(lines) + len(hunks) > MAX_WRITTEN:
        return []
    left = []
    for each in lines:
        for part in _parts(each.span, hunks):
            left.append(_WrittenLines(follow(part, hunks).span, each.commit))
    own = [_WrittenLines(LineSpan(*new_range(hunk)), sha) for hunk in hunks if hunk.new_count]
    return left + own


def _parts(span: LineSpan, hunks: Sequence[LineHunk]) -> Iterator[LineSpan]:
    """The parts of a span that no hunk replaces or splits."""
    first = span.first
    for hunk in hunks:
        start, end = old_range(hunk)
        if touches(LineSpan(first, span.last), start, end):
            if first < start:
                yield LineSpan(first, start - 1)
            first = max(end + 1, first)
    if first <= span.last:
        yield LineSpan(first, span.last)


def _answers(link: EvidenceLink, answers: Sequence[EvidenceLink]) -> bool:
    """Whether the commit answers a remark on the same lines."""
    place = link.before
    return place is not None and any(
        each.target == link.target
        and each.state == "answered"
        and each.before is not None
        and each.before.path == place.path
        and touches(
            LineSpan(place.first, place.last), each.before.first, max(each.before.first, each.before.last)
        )
        for each in answers
    )


def _prompted(items: Sequence[Feedback], unit: DevelopmentTrajectory, commit: GraphCommit, path: str) -> bool:
    """Whether somebody else spoke about the file or the whole change before the commit."""
    return any(
        not each.self_made
        and not each.bot
        and each.path in ("", path)
        and (not each.at or each.at <= commit.at)
        for each in items
        if each.kind in ("remark", "suggestion", "review", "comment")
    )


def _lines(commit: str, path: str, first: int, last: int) -> LineRange:
    return LineRange(commit=commit, path=path, first=first, last=last)
