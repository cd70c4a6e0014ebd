"""The rules of the filters. Each is a gate: it decides about one row and names its reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.release_rows import COMMITS, FEEDBACK, ReleaseRow
from benchwright.building.engine.gates import gate
from benchwright.building.text_overlap import Shingles, bands, jaccard, shingles
from benchwright.contracts import KEEP, Decision, Gate, GateOpener
from benchwright.store.keys import content_key


class ChangedFile(NamedTuple):
    """A changed file of a commit: its path and the counts of its lines."""

    path: str
    added: int | None = None
    removed: int | None = None


class RowFacts(NamedTuple):
    """The facts about a row that the rules read."""

    text: str = ""
    bot: bool = False
    files: tuple[ChangedFile, ...] = ()
    linked: bool = False  # an answer to feedback: kept although its message is trivial
    merge: bool = False
    benchmark: str = ""  # that its text or its patches share a run with
    end_dropped: str = ""  # of a link: the filter that dropped its feedback


class FilterCandidate(NamedTuple):
    """A row of a release with its facts; the gates of filters decide about it."""

    row: ReleaseRow
    facts: RowFacts

    @property
    def unit(self) -> str:
        """The table and the id of the row."""
        return f"{self.row.table}:{self.row.id}"

    @property
    def revision(self) -> str:
        """The content key of the row."""
        return content_key(self.row.table, self.row.id)


@cache
def filter_lists() -> Mapping[str, tuple[str, ...]]:
    """The lists of `filter_lists.toml`."""
    read = tomllib.loads(Path(__file__).with_name("filter_lists.toml").read_text("utf-8"))
    return {name: tuple(values) for name, values in read.items()}


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(filter_lists()[name])


@gate("licence")
def licence(candidate: FilterCandidate, options: AlignmentOptions) -> Decision:
    """The licence of the row's repository is allowed."""
    if options.allows(candidate.row.licence):
        return KEEP
    return Decision(reason="licence_not_allowed", detail=candidate.row.licence[:80] or "unknown")


@gate("bots")
def bots(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """Neither the exact lists nor the platform name its author as a program."""
    return Decision(reason="bot") if candidate.facts.bot else KEEP


@gate("generated")
def generated(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """Not all changed files are generated or come from elsewhere."""
    files = candidate.facts.files
    if not files or not all(is_generated(each.path) for each in files):
        return KEEP
    return Decision(reason="generated_files", detail=files[0].path[:200])


def is_generated(path: str) -> bool:
    """True for a path of a generated or vendored file, by the whole names of its parts."""
    *folders, name = path.split("/")
    if name in _listed("generated_names") or name.endswith(filter_lists()["generated_suffixes"]):
        return True
    return not _listed("vendored_folders").isdisjoint(folders)


_WIP = re.compile(r"\[?wip\b|work in progress\b|(?:fixup|squash|amend)! ", re.IGNORECASE)
_SHA = re.compile(r"(?:commit )?[0-9a-f]{7,40}", re.IGNORECASE)
_URL = re.compile(r"\S+://\S+")
_NUMBERS = re.compile(
    r"(?:(?:issue|pr|pull request|gh|fix(?:es|ed)?|closes?d?|resolves?d?|refs?)?[\s:]*#?(?:gh-)?\d+[\s,]*)+",
    re.I,
)
_PREFIX = re.compile(r"[a-z]+(?:\([^)]{1,40}\))?!?: ", re.IGNORECASE)
LEAST_WORDS = 2


@gate("messages")
def messages(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """The subject of a commit says something. A commit that answers feedback is kept in any case."""
    if candidate.row.table != COMMITS or candidate.facts.linked or candidate.facts.merge:
        return KEEP
    reason = _trivial(candidate.facts.text.partition("\n")[0].strip())
    return Decision(reason=reason) if reason else KEEP


def _trivial(subject: str) -> str:
    plain = subject.lower().strip(" .!…-*#")
    checks = {
        "empty_message": not plain,
        "work_in_progress": _WIP.match(subject) is not None,
        "only_sha": _SHA.fullmatch(plain) is not None,
        "only_address": _URL.fullmatch(subject) is not None,
        "only_number": _NUMBERS.fullmatch(subject) is not None,
        "trivial_message": plain in _listed("trivial_subjects") or len(plain.split()) < LEAST_WORDS,
    }
    return next((reason for reason, holds in checks.items() if holds), "")


@gate("imperative")
def imperative(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """The subject of a commit starts with a verb of the list, after a prefix such as `fix: `."""
    if candidate.row.table != COMMITS or candidate.facts.linked:
        return KEEP
    subject = _PREFIX.sub("", candidate.facts.text.partition("\n")[0].strip(), count=1)
    word = subject.split(" ", 1)[0].lower().strip(".,:;!")
    return KEEP if word in _listed("imperatives") else Decision(reason="not_imperative")


_BUMP = re.compile(
    r"(?:\w+(?:\([^)]{1,40}\))?: )?(?:bump|update|upgrade) \S+ (?:from|to) \S*\d", re.IGNORECASE
)
KEPT_BUMPS = 10  # per cent


@gate("bumps")
def bumps(candidate: FilterCandidate, options: AlignmentOptions) -> Decision:
    """A tenth of the commits that raise the version of a dependency are kept, chosen by the seed."""
    if candidate.row.table != COMMITS or not _BUMP.match(candidate.facts.text):
        return KEEP
    chosen = int(content_key("bumps", options.seed, candidate.row.id)[:8], 16) % 100 < KEPT_BUMPS
    return KEEP if chosen else Decision(reason="version_bump")


MAX_FILES, MAX_LINES = 100, 5_000  # of a commit
MAX_TEXT = 20_000  # characters of feedback


@gate("size")
def size(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """A commit changes at most 100 files and 5,000 lines; feedback has 1 to 20,000 characters."""
    facts = candidate.facts
    if candidate.row.table == FEEDBACK:
        if not facts.text.strip():
            return Decision(reason="empty_text")
        return (
            KEEP if len(facts.text) <= MAX_TEXT else Decision(reason="long_text", detail=f"{len(facts.text)}")
        )
    lines = sum((each.added or 0) + (each.removed or 0) for each in facts.files)
    if len(facts.files) > MAX_FILES:
        return Decision(reason="many_files", detail=str(len(facts.files)))
    return KEEP if lines <= MAX_LINES else Decision(reason="many_lines", detail=str(lines))


@gate("decontamination")
def decontamination(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """No run of 13 tokens is that of a benchmark, and the text contains no canary."""
    text = candidate.facts.text
    if any(each in text for each in filter_lists()["canaries"]):
        return Decision(reason="canary")
    if not (name := candidate.facts.benchmark):
        return KEEP
    return Decision(reason="benchmark", detail=name, evidence={"benchmark": name})


LIKENESS = 0.85  # share of common runs of five tokens
_LEAST_TOKENS = 12  # shorter texts are alike by chance


class NearDuplicates:
    """No commit repeats the message and the counts of an earlier one; no feedback nearly repeats another.

    A rebased or cherry-picked commit has the message and the changes of the original. The first in the
    order of the rows is kept, so the result is the same in every build.
    """

    name = "near_duplicates"
    version = 1

    def __init__(self) -> None:
        self._commits: dict[str, str] = {}
        self._bands: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        self._texts: list[tuple[str, Shingles]] = []

    def decide(self, candidate: FilterCandidate) -> Decision:
        """Refuse a repeated commit or remark."""
        facts, row = candidate.facts, candidate.row
        if row.table == COMMITS and facts.files and not facts.linked:
            first = self._commits.get(_change_key(row.repo, facts), row.id)
            return KEEP if first == row.id else Decision(reason="repeated_commit", detail=f"as {first}"[:200])
        if row.table == FEEDBACK and (first := self._like(facts.text)):
            return Decision(reason="near_duplicate", detail=f"as {first}"[:200])
        return KEEP

    def remember(self, candidate: FilterCandidate) -> None:
        """Store a kept row."""
        if candidate.row.table == COMMITS and candidate.facts.files:
            self._commits.setdefault(_change_key(candidate.row.repo, candidate.facts), candidate.row.id)
        elif candidate.row.table == FEEDBACK and (marks := _marks(candidate.facts.text)):
            self._texts.append((candidate.row.id, marks))
            for band in bands(marks):
                self._bands.setdefault(band, []).append(len(self._texts) - 1)

    def _like(self, text: str) -> str:
        marks = _marks(text)
        near = {number for band in bands(marks) for number in self._bands.get(band, ())} if marks else set()
        alike = (
            self._texts[each][0] for each in sorted(near) if jaccard(marks, self._texts[each][1]) >= LIKENESS
        )
        return next(alike, "")


def _marks(text: str) -> Shingles:
    return shingles(text) if len(text.split()) >= _LEAST_TOKENS else frozenset()


def _change_key(repo: str, facts: RowFacts) -> str:
    message = " ".join(facts.text.split())
    return content_key(repo, message, [list(each) for each in facts.files])


def near_duplicates(_: AlignmentOptions) -> Gate[FilterCandidate]:
    """Open the gate."""
    return NearDuplicates()


@gate("ends")
def ends(candidate: FilterCandidate, _: AlignmentOptions) -> Decision:
    """The feedback of a link is published."""
    name = candidate.facts.end_dropped
    return Decision(reason="feedback_dropped", detail=name) if name else KEEP


# Name, gate, and whether it applies without a request, in the order of application.
FILTERS: tuple[tuple[str, GateOpener, bool], ...] = (
    ("licence", licence, True),
    ("bots", bots, True),
    ("generated", generated, True),
    ("messages", messages, True),
    ("imperative", imperative, False),
    ("bumps", bumps, True),
    ("size", size, True),
    ("decontamination", decontamination, True),
    ("near_duplicates", near_duplicates, True),
    ("ends", ends, True),
)
