"""Stage history: states of a focal file that its authors wrote, under a test that judges them.

A commit that changes a focal file and its test file together is often a fix: its test fails on the file
before and passes on the file after. If only the focal file changed, the unchanged test is applied to both.
Execution decides the label, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.repository_files import MAX_FILE
from benchwright.building.codecorrectness.row_records import Pair
from benchwright.lang.protocol import Case
from benchwright.lang.source import cases
from benchwright.records import Drop
from benchwright.sources.clones import Clone, CloneError, File, TextError
from benchwright.sources.commit_history import CommitChange, History
from benchwright.sources.repositories import Repository, repository_licence
from benchwright.store.keys import content_key

CASES_OF_COMMIT = 3  # maximum for one test file; a commit with thirty new tests is one change
CASES_OF_PAIR = 12  # maximum for one test file in all its history, each from its newest change
MAX_BYTES = 256 << 20  # maximum size of texts read from one repository's history
_WORD = re.compile(r"\w+")
_NO_WORD = re.compile(r"\W")
_NO_NAMES = {"if", "for", "while", "switch", "catch", "func", "synchronized", "init", "__init__"}
_HEADS = ("def ", "async def ", "class ", "func ")


def history_pairs(
    pairs: Iterable[Pair], repositories: Mapping[str, Repository], bounds: RowBounds, *, most: int
) -> Iterator[Pair | Drop]:
    """For each pair both sides of the commits that changed it, the newest first, or why there are none."""
    grouped: dict[str, list[Pair]] = {}
    for each in pairs:
        grouped.setdefault(each.repository, []).append(each)
    for name, mine in grouped.items():
        try:
            past = _RepositoryHistory(repositories[name], bounds, mine, most=most)
        except CloneError as error:
            yield from (Drop(unit=_unit(each), reason=error.reason, detail=error.message) for each in mine)
            continue
        for each in mine:
            yield from past.sides(each)


def _unit(pair: Pair) -> str:
    return f"{pair.repository}:{pair.test_path} history"


class _RepositoryHistory:
    """The changes of one repository's commits to its pairs."""

    def __init__(
        self, repository: Repository, bounds: RowBounds, pairs: Sequence[Pair], *, most: int
    ) -> None:
        self._licence, self._bounds, self._bytes_left = repository.licence, bounds, MAX_BYTES
        self._clone = Clone(Path(repository.place), commit=repository.commit)
        self._history = History(self._clone)
        focal = {each.focal_path for each in pairs}
        paths = focal | {each.test_path for each in pairs}
        changes = self._history.changes(paths, most=most)
        self._changes = [each for each in changes if focal.intersection(each.files)]
        self._licences: dict[str, str] = {}

    def sides(self, pair: Pair) -> Iterator[Pair | Drop]:
        """Commits that changed both files, then those that changed the focal file alone."""
        mine = [each for each in self._changes if self._is_change_of(each, pair)]
        both = [each for each in mine if pair.test_path in each.files]
        used_names: set[str] = set()
        for change in (*both, *(each for each in mine if pair.test_path not in each.files)):
            if len(used_names) >= CASES_OF_PAIR:
                break
            pairs = self._two(change, pair, used_names)
            if pairs:
                used_names.update(pairs[0].only)
            yield from pairs
        if not used_names:
            detail = f"{len(mine)} commits changed {pair.focal_path}"
            yield Drop(unit=_unit(pair), reason="no_history", detail=detail)

    def _is_change_of(self, change: CommitChange, pair: Pair) -> bool:
        found = change.files.get(pair.focal_path)
        return found is not None and found.before is not None and found.after is not None

    def _two(self, change: CommitChange, pair: Pair, used_names: set[str]) -> list[Pair]:
        """The commit's test file on both states of the focal file; empty if it adds nothing new."""
        commit, focal = change.commit, change.files[pair.focal_path]
        if not self._may_publish(commit.tree) or not self._may_publish(commit.parent_tree):
            return []
        try:
            before, after = self._text(focal.before), self._text(focal.after)
            test, earlier = self._tests(change, pair)
        except (CloneError, TextError):
            return []
        if not test or max(len(before), len(after)) > self._bounds.focal_chars:
            return []
        if earlier is not None:
            names = _fresh(test, earlier, pair.lang)
        else:
            names = _touched(test, before, after, pair.lang)
        names = sorted(
            set(names) - used_names, key=lambda name: content_key(commit.name, pair.test_path, name)
        )
        names = names[: min(CASES_OF_COMMIT, CASES_OF_PAIR - len(used_names))]
        if not names:
            return []
        common = {"subset": "history", "only": tuple(names), "test_code": test}
        common |= {"commit": commit.name, "committed_at": commit.committed_at}
        origin = f"commit {commit.name} on the focal file of its parent {commit.parent}"
        return [
            msgspec.structs.replace(pair, **common, focal_code=before, origin=origin),
            msgspec.structs.replace(pair, **common, focal_code=after, origin=f"commit {commit.name}"),
        ]

    def _tests(self, change: CommitChange, pair: Pair) -> tuple[str, str | None]:
        """The test file after the commit, and before it if the commit changed it."""
        if pair.test_path not in change.files:
            return self._text(self._history.file(change.commit.tree, pair.test_path)), None
        changed = change.files[pair.test_path]
        return self._text(changed.after), self._text(changed.before)

    def _text(self, file: File | None) -> str:
        if file is None:
            return ""
        self._bytes_left -= file.size
        limit = MAX_FILE if self._bytes_left > 0 else -1
        return self._clone.text(file, limit=limit)

    def _may_publish(self, tree: str) -> bool:
        """Whether the project already had today's licence; an older text may have had another."""
        if tree not in self._licences:
            try:
                self._licences[tree] = repository_licence(self._clone, self._history.top(tree))[0]
            except CloneError:
                self._licences[tree] = "unreadable"
        return self._licences[tree] == self._licence


def _fresh(test: str, earlier: str, lang: str) -> list[str]:
    """The cases that are new or changed in a test file."""
    known = {(case.name, _lines_of(earlier, case)) for case in cases(earlier, lang)}
    return [case.name for case in cases(test, lang) if (case.name, _lines_of(test, case)) not in known]


def _touched(test: str, before: str, after: str, lang: str) -> list[str]:
    """The cases that mention a function in which the focal file changed."""
    names = _changed_names(before, after) | _changed_names(after, before)
    return [
        case.name for case in cases(test, lang) if not names.isdisjoint(_WORD.findall(_lines_of(test, case)))
    ]


def _changed_names(text: str, other: str) -> set[str]:
    """The functions and classes with lines that the other text does not have."""
    known, found, current = set(other.splitlines()), set[str](), ""
    for line in text.splitlines():
        if line.lstrip().startswith(_HEADS) or line.rstrip().endswith("{"):
            current = _declared_name(line) or current
        if current and line not in known:
            found.add(current)
    return found - _NO_NAMES


def _declared_name(line: str) -> str:
    """The name of the function, class or statement that a line begins: the word before a bracket."""
    head, bracket, rest = line.partition("(")
    if head.strip() == "func":  # a Go method with a receiver
        head, bracket, _ = rest.partition(")")[2].partition("(")
    word = _NO_WORD.split(head.rstrip().rstrip(":"))[-1]
    return word if bracket or line.lstrip().startswith("class ") else ""


def _lines_of(text: str, case: Case) -> str:
    return "\n".join(_lines(text)[case.first_line - 1 : case.last_line])


@lru_cache(maxsize=2)  # a test file before and after a commit, read for each case
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.splitlines())
