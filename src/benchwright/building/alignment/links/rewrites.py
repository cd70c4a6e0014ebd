"""Changes that touch the lines of a remark for another reason: too wide, or unlike the suggestion."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from benchwright.building.alignment.links.spans import LineSpan, new_range, old_range, touches
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import LineRange
from benchwright.sources.diff_records import LineHunk

PLACE = 50  # lines of a remark; a change of one of them says little
WIDE = 30  # replaced lines of one hunk, without those of the remark; a passage, not an answer
_WORD = re.compile(r"\w+|[^\w\s]")
NAME = re.compile(r"\w\w+")


class WordChange(NamedTuple):
    """The words that a hunk removes and adds, without those on both sides."""

    removed: frozenset[str]
    added: frozenset[str]

    @property
    def names(self) -> set[str]:
        """The words of two letters or more, in lower case."""
        return {each.lower() for each in self.removed | self.added if NAME.fullmatch(each)}


class OwnChange(NamedTuple):
    """The difference of a file between two commits, and the hunks of it that change a range of lines."""

    hunks: list[LineHunk]
    others: list[LineHunk]
    old: list[str]
    new: list[str]

    def words(self) -> list[WordChange]:
        """The words that each hunk of the range removes and adds."""
        return [words_of(each, self.old, self.new) for each in self.hunks]

    def same_words(self) -> bool:
        """Whether each hunk has the same words in the same order: blank lines, or other line breaks."""
        return all(
            _tokens(self.old, *old_range(each)) == _tokens(self.new, *new_range(each)) for each in self.hunks
        )


def own_change(objects: Objects, before: LineRange, commit: str, *, spaces: bool) -> OwnChange | None:
    """Return what a commit does to a range of lines; None if the file does not differ."""
    diff = objects.diff(before.commit, commit, before.path, spaces=spaces)
    if diff is None:
        return None
    span = LineSpan(before.first, before.last)
    own = [each for each in diff.hunks if touches(span, *old_range(each))]
    return OwnChange(
        own,
        [each for each in diff.hunks if each not in own],
        objects.lines(before.commit, before.path) or [],
        (objects.lines(commit, diff.path) if diff.path else None) or [],
    )


def too_wide(objects: Objects, before: LineRange, commit: str, text: str, *, spaces: bool) -> str:
    """Return why the change of lines by a commit is part of a wider one; "" if it may answer the remark.

    "wide_place": the remark is on more than PLACE lines.
    "rewritten_with_others": one hunk replaces the lines together with more than WIDE others.
    "only_layout": only blank lines or line breaks change, and the remark is not about white space.
    "replaced_throughout": other lines of the file change by the same words, and the remark has none of them.
    """
    lines = max(before.last - before.first + 1, 0)
    if lines > PLACE:
        return "wide_place"
    own = own_change(objects, before, commit, spaces=spaces)
    if own is None:
        return ""
    if any(each.old_count > lines + WIDE for each in own.hunks):
        return "rewritten_with_others"
    if own.hunks and not spaces and own.same_words():
        return "only_layout"
    others = {words_of(each, own.old, own.new) for each in own.others}
    remark_words = {each.lower() for each in NAME.findall(text)}
    changes = own.words()
    if changes and all(each in others and each.names and not each.names & remark_words for each in changes):
        return "replaced_throughout"
    return ""


def not_taken(
    objects: Objects, before: LineRange, after: LineRange, replacement: str, *, names: bool = False
) -> bool:
    """Return whether new lines have none of the words that a suggestion adds.

    If it adds none, whether they keep all words that it removes. `names`: only words of two letters or more.
    """
    old = _texts(objects, before)
    new = _texts(objects, after) if after.path else []
    wanted, was = replacement.splitlines(), _count(old, 1, len(old))
    to_be, is_now = _count(wanted, 1, len(wanted)), _count(new, 1, len(new))
    if names:
        was, to_be, is_now = (_name_counts(each) for each in (was, to_be, is_now))
    if added := to_be - was:
        return not added & (is_now - was)
    removed = was - to_be
    return bool(removed) and not removed & (was - is_now)


def _name_counts(words: Counter[str]) -> Counter[str]:
    return Counter({each: many for each, many in words.items() if NAME.fullmatch(each)})


def only_spaces(objects: Objects, before: LineRange, replacement: str) -> bool:
    """Return whether a suggestion changes nothing but white space."""
    return "".join(replacement.split()) == "".join("".join(_texts(objects, before)).split())


def _texts(objects: Objects, place: LineRange) -> Sequence[str]:
    return (objects.lines(place.commit, place.path) or [])[place.first - 1 : place.last]


def words_of(hunk: LineHunk, old: Sequence[str], new: Sequence[str]) -> WordChange:
    """Return the words that a hunk removes from the old lines and adds to the new ones."""
    removed, added = _count(old, *old_range(hunk)), _count(new, *new_range(hunk))
    return WordChange(frozenset(removed - added), frozenset(added - removed))


def _count(lines: Sequence[str], first: int, last: int) -> Counter[str]:
    return Counter(_tokens(lines, first, last))


def _tokens(lines: Sequence[str], first: int, last: int) -> list[str]:
    return list(chain.from_iterable(_WORD.findall(each) for each in lines[first - 1 : last]))
