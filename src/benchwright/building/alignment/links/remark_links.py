"""Rungs 0 to 3: follow the lines of a remark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchwright.building.alignment.categories import speaks_of_spaces
from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.links.link_records import answered, unchanged, unknown
from benchwright.building.alignment.links.rewrites import not_taken, only_spaces, too_wide
from benchwright.building.alignment.links.second_evidence import contradicted, lacks_evidence, noted_commit
from benchwright.building.alignment.links.spans import LineSpan, follow, place_of
from benchwright.building.alignment.links.tracking import (
    LineTrack,
    TouchedStep,
    TrackStep,
    later_steps,
    one_step,
    track,
)
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback, LineRange
from benchwright.sources.clone_objects import MissingObjectError

SUGGESTION_COMMIT = re.compile(
    r"^Apply suggestions? from (code review|@\S+)|^Update \S+\n\n.*^Co-authored-by:",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
MAX_MESSAGE = 4000  # characters of a message that are searched
_TELLING = 4  # letters and digits of a suggestion that is found among other new lines


class PlatformThread(NamedTuple):
    """The state of a thread on its platform; None if the platform does not report it."""

    resolved: bool | None
    outdated: bool | None


class RemarkLinks:
    """The links of the remarks of one pull request."""

    def __init__(self, known: RepositoryEvents, unit: DevelopmentTrajectory, objects: Objects) -> None:
        self._known, self._unit, self._objects = known, unit, objects
        self._steps: dict[str, list[TrackStep]] = {}

    def of(
        self, item: Feedback, thread: PlatformThread, *, claimed: bool = False, done: bool = False
    ) -> Iterator[EvidenceLink]:
        """Yield the links of one remark; an "unknown" one if no rung holds.

        `claimed`: a reply says that something was changed, so unchanged lines do not show the opposite.
        `done`: it does more than agree, so it supports a change of the lines.
        """
        rest: dict[str, Any] = {"trajectory": self._unit.id}
        start, gap = self._start(item)
        if start is None:
            yield from self._platform(item, thread, None, rest)
            yield unknown(item.repo, item.id, gap, **rest)
            return
        steps = self._steps_after(item.commit)
        if start.commit != item.commit and not steps:
            gap = "no_later_head"
        spaces = self._minds_spaces(item, start)
        tracked = track(self._objects, start, steps, spaces=spaces)
        sure = [*self._suggested(item, start, steps, rest)]
        sure += self._platform(item, thread, tracked.touched, rest)
        yield from sure
        found = self._tracked(item, tracked, rest, claimed=claimed)
        if found.rung == 3 and found.target not in {each.target for each in sure}:
            firm = done or bool(thread.resolved)
            found = self._narrow(item, found, rest, spaces=spaces, firm=firm)
        yield found

    def _narrow(
        self, item: Feedback, found: EvidenceLink, rest: dict[str, Any], *, spaces: bool, firm: bool
    ) -> EvidenceLink:
        """The link; "unknown" if the change may have another reason. `firm`: other evidence supports it."""
        assert found.before is not None and found.after is not None
        commit, wanted = found.target.removeprefix("commit:"), item.replacement
        gap = too_wide(self._objects, found.before, commit, item.text, spaces=spaces)
        if not gap and wanted and not_taken(self._objects, found.before, found.after, wanted):
            gap = "suggestion_not_taken"
        if not gap:
            gap = contradicted(self._objects, found.before, commit, item, spaces=spaces)
        firm = firm or noted_commit(item.text, commit) or self._takes(found, wanted)
        if not gap and not firm:
            gap = lacks_evidence(self._objects, found.before, commit, item, spaces=spaces)
        return unknown(item.repo, item.id, gap, before=found.before, **rest) if gap else found

    def _takes(self, found: EvidenceLink, wanted: str | None) -> bool:
        """Whether the new lines have a word that the suggestion adds; names and words alone count."""
        assert found.before is not None and found.after is not None
        return wanted is not None and not not_taken(
            self._objects, found.before, found.after, wanted, names=True
        )

    def _tracked(
        self, item: Feedback, tracked: LineTrack, rest: dict[str, Any], *, claimed: bool
    ) -> EvidenceLink:
        """Rung 3, rung 0 or unknown."""
        touched = tracked.touched
        if touched is None:
            near = "changed_next_to" if tracked.next_to else "reply_claims_change" if claimed else ""
            if gap := tracked.gap or near or self._not_merged(item, tracked):
                return unknown(item.repo, item.id, gap, before=tracked.end, **rest)
            merge = self._unit.merge_commit
            target = f"commit:{merge}" if merge else self._unit.pull
            return unchanged(item.repo, item.id, target, before=tracked.end, **rest)
        if touched.step.commit in self._seen_before(item):
            return unknown(item.repo, item.id, "changed_before_remark", before=touched.before, **rest)
        finer = "file_deleted" if touched.file_deleted else "heads" if touched.step.forced else ""
        return answered(
            item.repo,
            3,
            item.id,
            _commit(touched.after),
            finer=finer,
            before=touched.before,
            after=touched.after,
            **rest,
        )

    def _platform(
        self, item: Feedback, thread: PlatformThread, touched: TouchedStep | None, rest: dict[str, Any]
    ) -> Iterator[EvidenceLink]:
        """Rung 2: a commit that the platform made of a suggestion; a thread that is resolved and outdated."""
        places: dict[str, Any] = {**rest}
        if touched is not None:
            places |= {"before": touched.before, "after": touched.after}
            commit = self._known.commits.get(touched.step.commit)
            if (
                item.replacement is not None
                and commit
                and SUGGESTION_COMMIT.search(commit.text[:MAX_MESSAGE])
                and not not_taken(self._objects, touched.before, touched.after, item.replacement)
            ):
                target = f"commit:{commit.sha}"
                yield answered(item.repo, 2, item.id, target, finer="suggestion_commit", **places)
        if thread.resolved and thread.outdated:
            target = f"commit:{touched.step.commit}" if touched else self._unit.pull
            yield answered(item.repo, 2, item.id, target, finer="resolved_outdated", **places)

    def _start(self, item: Feedback) -> tuple[LineRange | None, str]:
        """The lines of a remark on the new side of its head, or the name of the gap."""
        if not (item.path and item.commit and item.first):
            return None, "whole_file" if item.path and item.commit else "no_place"
        here = LineRange(commit=item.commit, path=item.path, first=item.first, last=item.last)
        try:
            if item.side == "old":
                return self._lines_after(here)
            text = self._objects.lines(here.commit, here.path)
        except MissingObjectError as error:
            return None, error.reason
        if text is None:
            return None, "no_file"
        if here.last > len(text) or _differs(item, text[here.last - 1]):
            return None, "place_mismatch"
        return here, ""

    def _lines_after(self, here: LineRange) -> tuple[LineRange | None, str]:
        """The lines that replaced old lines, or the place where they were removed."""
        own = self._known.own_commits(here.commit, base=self._unit.base)
        base = next(iter(self._known.commits[own[0]].parents), "") if own else ""
        text = self._objects.lines(base, here.path) if base else None
        if text is None:
            return None, "no_base"
        if here.last > len(text):
            return None, "place_mismatch"
        diff = self._objects.diff(base, here.commit, here.path)
        span = (
            follow(LineSpan(here.first, here.last), diff.hunks).span
            if diff
            else LineSpan(here.first, here.last)
        )
        path = diff.path if diff else here.path
        if not path:
            return None, "file_deleted"
        return LineRange(commit=here.commit, path=path, first=span.first, last=span.last), ""

    def _steps_after(self, commit: str) -> list[TrackStep]:
        if commit not in self._steps:
            self._steps[commit] = later_steps(self._known, self._unit, commit)
        return self._steps[commit]

    def _minds_spaces(self, item: Feedback, start: LineRange) -> bool:
        """Whether a change of white space can answer a remark."""
        wanted = item.replacement
        try:
            return speaks_of_spaces(item.text) or (
                wanted is not None and only_spaces(self._objects, start, wanted)
            )
        except MissingObjectError:
            return False  # line tracking names the gap

    def _suggested(
        self, item: Feedback, start: LineRange, steps: list[TrackStep], rest: dict[str, Any]
    ) -> Iterator[EvidenceLink]:
        """The link of rung 1."""
        if item.replacement is not None and (applied := self._applied(item, start, steps)):
            after = applied.after
            yield answered(item.repo, 1, item.id, _commit(after), before=applied.before, after=after, **rest)

    def _applied(self, item: Feedback, start: LineRange, steps: list[TrackStep]) -> TouchedStep | None:
        """Rung 1: the step after which the lines are those of the suggestion, and were not before."""
        assert item.replacement is not None
        wanted = [each.rstrip() for each in item.replacement.removesuffix("\n").split("\n")]
        wanted = [] if item.replacement == "" else wanted
        seen = self._seen_before(item)
        try:
            if wanted == self._texts(start):
                return None
            for step in steps:
                state, touched = one_step(self._objects, start, step)
                counts = state == "changed" and step.commit not in seen and not step.merges
                if counts and (span := _suggestion_lines(wanted, self._texts(touched.after), touched.after)):
                    return touched._replace(after=span)
                if touched.file_deleted:
                    return None
                start = touched.after
        except MissingObjectError:
            return None  # rung 3 names the gap
        return None

    def _texts(self, place: LineRange) -> list[str]:
        lines = self._objects.lines(place.commit, place.path) if place.path else None
        return [each.rstrip() for each in (lines or [])[place.first - 1 : place.last]]

    def _seen_before(self, item: Feedback) -> set[str]:
        """Commits of later heads that somebody had already seen when the remark was written."""
        heads = [each.head for each in self._unit.iterations]
        if item.commit not in heads or not item.at:
            return set()
        later = self._unit.iterations[heads.index(item.commit) + 1 :]
        return {sha for each in later if each.at and each.at <= item.at for sha in (each.head, *each.commits)}

    def _not_merged(self, item: Feedback, tracked: LineTrack) -> str:
        """Why lines that no step changed are not shown unchanged until the merge; "" if they are."""
        unit = self._unit
        if unit.outcome not in ("merged", "reverted"):
            return "not_merged"
        if not unit.iterations or unit.iterations[-1].gap:
            return "lost_head"
        head = unit.iterations[-1].head
        if tracked.end.commit != head:
            return "lost_head"
        merge = self._known.commits.get(unit.merge_commit)
        if merge is not None and item.at and merge.at and merge.at < item.at:
            return "remark_after_merge"
        if merge is None or head in merge.parents or head == merge.sha:
            return ""
        return self._changed_at_merge(tracked.end, merge.sha)

    def _changed_at_merge(self, end: LineRange, merge: str) -> str:
        try:
            state, _ = one_step(self._objects, end, TrackStep(merge))
        except MissingObjectError as error:
            return error.reason
        return "" if state == "same" else "changed_at_merge"


def _suggestion_lines(wanted: list[str], lines: Sequence[str], after: LineRange) -> LineRange | None:
    """The lines of a suggestion among the new lines."""
    if not wanted:
        return after if not lines else None
    at = place_of(wanted, lines)
    telling = sum(each.isalnum() for line in wanted for each in line) >= _TELLING
    if at is None or (len(lines) != len(wanted) and not telling):
        return None
    first = after.first + at
    return LineRange(commit=after.commit, path=after.path, first=first, last=first + len(wanted) - 1)


def _differs(item: Feedback, line: str) -> bool:
    """Whether the last line of the hunk is another one than the last line of the place."""
    last_line = item.hunk.rstrip("\n").rpartition("\n")[2]
    return last_line[:1] == "+" and last_line[1:].rstrip() != line.rstrip() and "�" not in line


def _commit(place: LineRange) -> str:
    return f"commit:{place.commit}"
