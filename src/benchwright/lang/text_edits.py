"""Small edits of a text: byte ranges with a replacement, and whole statements removed or swapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from benchwright.lang.lines import is_blank, without_lines
from benchwright.lang.protocol import Mutant


class TextEdit(NamedTuple):
    """A byte range and its replacement."""

    start: int
    end: int
    text: str


class Edit(NamedTuple):
    """One change in one or several places. `kind` is its name; `line` is that of the changed statement, if
    the text changes from another line on."""

    kind: str
    places: list[TextEdit]
    line: int = 0


def mutants_of(data: bytes, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """Yield the texts after each edit, in the order of their places; names contain kind, line and column."""
    found = [edit for edit in edits if edit.places]
    for kind, places, about in sorted(found, key=lambda edit: (edit.places[0], edit.kind)):
        start = places[0].start
        line = data.count(b"\n", 0, start) + 1
        column = start - (data.rfind(b"\n", 0, start) + 1) + 1
        name = f"{kind}-{line}-{column}"
        yield Mutant(name=name, kind=kind, code=_applied(data, places), line=about or line)


def with_unique_names(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Yield the mutants, with a number appended to each name that is already taken."""
    names = Counter[str]()
    for each in mutants:
        names[each.name] += 1
        number = names[each.name]
        yield each if number == 1 else msgspec.structs.replace(each, name=f"{each.name}-{number}")


def _applied(data: bytes, places: list[TextEdit]) -> str:
    parts, at = [], 0
    for start, end, text in sorted(places):
        touches = start > 0 and data[start - 1 : start].isalnum() and text[:1].isalnum()
        parts += [data[at:start], b" " if touches else b"", text.encode()]
        at = end
    return b"".join([*parts, data[at:]]).decode()


# an operator's negation, its neighbour at the boundary, its arithmetic opposite
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
NEGATED |= {"===": "!==", "!==": "==="}  # JavaScript
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "//": "*", "**": "*", "<<": ">>", ">>": "<<"}


class Span(NamedTuple):
    """A statement: its byte range and its lines, both ends included."""

    start: int
    end: int
    first: int
    last: int


class LineEditor:
    """The lines of a text. `comment` is the marker of a line comment."""

    def __init__(self, lines: Sequence[str], comment: str) -> None:
        self._lines, self._comment = lines, comment
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line.encode()))

    def is_alone(self, span: Span) -> bool:
        """Return whether the statement's lines hold only the statement and a trailing comment."""
        before = self._bytes(span.first)[: span.start - self._starts[span.first - 1]]
        after = (
            self._bytes(span.last)[span.end - self._starts[span.last - 1] :]
            .decode()
            .strip()
            .lstrip(";")
            .strip()
        )
        return not before.decode().removeprefix("\ufeff").strip() and (
            not after or after.startswith(self._comment)
        )

    def removed(self, kind: str, span: Span) -> list[Edit]:
        """Remove a statement and the comment right above it; return nothing if it shares its lines."""
        if not self.is_alone(span):
            return []
        first, last = self._commented(span.first), span.last
        if first > 1 and self._lines[first - 2].rstrip().endswith("*/"):
            return []
        top, bottom = self._window(first, last)
        text = without_lines(list(self._lines[top - 1 : bottom]), [(first - top + 1, last - top + 1)])
        return [Edit(kind, [self._replaced(top, bottom, text)], span.first)]

    def swapped(self, kind: str, one: Span, two: Span) -> list[Edit]:
        """Swap two adjacent statements, the second right below the first."""
        if one.last + 1 != two.first or not (self.is_alone(one) and self.is_alone(two)):
            return []
        parts = ["".join(self._lines[span.first - 1 : span.last]) for span in (two, one)]
        if not parts[0].endswith("\n"):
            return []
        return [Edit(kind, [self._replaced(one.first, two.last, "".join(parts))])]

    def _replaced(self, first: int, last: int, text: str) -> TextEdit:
        """Trim the unchanged start, so that the edit starts at the change."""
        start, end, new = self._starts[first - 1], self._starts[last], text
        for line in self._lines[first - 1 : last]:
            if not new.startswith(line):
                break
            start, new = start + len(line.encode()), new[len(line) :]
        return TextEdit(start, end, new)

    def _bytes(self, line: int) -> bytes:
        return self._lines[line - 1].encode()

    def _commented(self, first: int) -> int:
        indent = _indent(self._lines[first - 1])
        while (
            first > 1
            and _indent(above := self._lines[first - 2]) == indent
            and above.lstrip().startswith(self._comment)
        ):
            first -= 1
        return first

    def _window(self, first: int, last: int) -> tuple[int, int]:
        """Extend a range of lines to the surrounding blank lines and the next other line."""
        top, bottom = max(first - 1, 1), min(last + 1, len(self._lines))
        while top > 1 and is_blank(self._lines[top - 1]):
            top -= 1
        while bottom < len(self._lines) and is_blank(self._lines[bottom - 1]):
            bottom += 1
        return top, bottom


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
