"""Rung 3: follow the lines of a remark through later heads to the first commit that changes them.

A step compares two commits of the pull request: a commit with its first parent, or, after a force-push, the
old head with the next known one. The lines are followed through insertions above them, renames of the file
and moves within it. A merge of the default branch or a rebase can change lines too: such a change does
not answer the remark, and the lines are not followed further.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.links.spans import FollowedSpan, LineSpan, follow, moved_to, written_here
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import DevelopmentTrajectory, LineRange
from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.diff_records import FileDiff

MAX_STEPS = 1000


class TrackStep(NamedTuple):
    """One later state of a change: a commit, or the head that replaced the one before (`forced`)."""

    commit: str
    forced: bool = False
    others: tuple[
        str, ...
    ] = ()  # commits that bring changes of others: merged parents, or the base of a rebase

    @property
    def merges(self) -> bool:
        """Whether it is a merge, whose changes resolve conflicts or come from elsewhere."""
        return bool(self.others) and not self.forced


class TouchedStep(NamedTuple):
    """A step that changes the followed lines."""

    step: TrackStep
    before: LineRange
    after: LineRange
    file_deleted: bool = False


class LineTrack(NamedTuple):
    """How far lines were followed: to the changing step, or to the end. `gap` names why nobody can know."""

    touched: TouchedStep | None
    end: LineRange
    steps: int
    next_to: bool = False  # a line next to the range changed, and the range did not
    gap: str = ""  # "missing_object", "too_large", "no_text", "changed_by_others", "no_file"


def later_steps(known: RepositoryEvents, unit: DevelopmentTrajectory, commit: str) -> list[TrackStep]:
    """Return the states of a change after a commit, up to its last known head."""
    heads = [each.head for each in unit.iterations if not each.gap]
    if not heads:
        return []
    if (line := _line(known, commit, heads[-1])) is not None:
        return line
    at = next((place for place, each in enumerate(unit.iterations) if each.head == commit), -1)
    later = [each.head for each in unit.iterations[at + 1 :] if not each.gap and each.head != commit]
    if not later:
        return []
    first = next((head for head in later if _line(known, head, heads[-1]) is not None), heads[-1])
    own = known.own_commits(first, base=unit.base)
    bases = known.commits[own[0]].parents[:1] if own else ()
    return [TrackStep(first, forced=True, others=bases), *(_line(known, first, heads[-1]) or [])]


def _line(known: RepositoryEvents, commit: str, head: str) -> list[TrackStep] | None:
    """The commits after `commit` on the first-parent line of `head`, the oldest first; None if not on it."""
    found: list[TrackStep] = []
    for sha in islice(known.first_parents(head), MAX_STEPS):
        if sha == commit:
            return found[::-1]
        found.append(TrackStep(sha, others=known.commits[sha].parents[1:]))
    return None


def track(objects: Objects, start: LineRange, steps: list[TrackStep], *, spaces: bool = True) -> LineTrack:
    """Follow lines through steps to the first one that changes them."""
    next_to, count = False, 0
    try:
        if objects.lines(start.commit, start.path) is None:
            return LineTrack(None, start, 0, gap="no_file")
        for count, (state, touched) in enumerate(_walk(objects, start, steps, spaces=spaces), 1):
            start = touched.after
            next_to = next_to or state == "next_to"
            if state == "changed":
                by_others = touched.step.merges or _by_others(objects, touched)
                gap = "changed_by_others" if by_others else ""
                return LineTrack(None if gap else touched, start, count, next_to, gap)
    except MissingObjectError as error:
        return LineTrack(None, start, count, next_to, error.reason)
    return LineTrack(None, start, count, next_to)


def _walk(
    objects: Objects, at: LineRange, steps: list[TrackStep], *, spaces: bool
) -> Iterator[tuple[str, TouchedStep]]:
    """Yield each step with what it does to the lines, as long as the file exists."""
    for step in steps:
        state, touched = one_step(objects, at, step, spaces=spaces)
        yield state, touched
        if touched.file_deleted:
            return
        at = touched.after


def one_step(
    objects: Objects, at: LineRange, step: TrackStep, *, spaces: bool = True
) -> tuple[str, TouchedStep]:
    """Return what a step does to lines ("same", "next_to", "changed"), and the lines after it."""
    diff = objects.diff(at.commit, step.commit, at.path, spaces=spaces)
    if diff is None:
        return "same", TouchedStep(step, at, _range(step.commit, at.path, LineSpan(at.first, at.last)))
    followed = follow(LineSpan(at.first, at.last), diff.hunks)
    if not diff.path:
        after = _range(step.commit, "", LineSpan(1, 0))
        return "changed", TouchedStep(step, at, after, file_deleted=True)
    if followed.state == "changed" and (moved := _moved_span(objects, at, step, diff, spaces=spaces)):
        followed = FollowedSpan("same", moved)
    return followed.state, TouchedStep(step, at, _range(step.commit, diff.path, followed.span))


def _moved_span(
    objects: Objects, at: LineRange, step: TrackStep, diff: FileDiff, *, spaces: bool
) -> LineSpan | None:
    old, new = objects.lines(at.commit, at.path), objects.lines(step.commit, diff.path)
    if old is None or new is None:
        return None
    return moved_to(old[at.first - 1 : at.last], new, diff.hunks, spaces=spaces)


def _by_others(objects: Objects, touched: TouchedStep) -> bool:
    """Whether a merged parent, or the base of a rebase, already has the lines as they are after the step."""
    after = touched.after
    if touched.file_deleted:
        return any(objects.lines(each, touched.before.path) is None for each in touched.step.others)
    for other in touched.step.others:
        if objects.lines(other, after.path) is None:
            continue
        diff = objects.diff(other, after.commit, after.path)
        if diff is None or not written_here(LineSpan(after.first, after.last), diff.hunks):
            return True
    return False


def _range(commit: str, path: str, span: LineSpan) -> LineRange:
    return LineRange(commit=commit, path=path, first=span.first, last=span.last)
