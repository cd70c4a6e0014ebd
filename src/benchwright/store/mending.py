"""Repairs of JSON as people write it by hand: the comma that is missing between two members of an object,
and the comma after the last member or element. Nothing else, and nothing inside a string.

A repair is never silent: each is named with its line and column. The work grows with the text's length.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.records import Record

MOST = 1000  # repairs of one record; more are no slips of the pen
_JSON_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\[^\n])*"|[\[\]{},:]|[^\s"\[\]{},:]++|"')
_SIGNS = frozenset("[]{},:")

Fault = Literal["missing comma", "trailing comma"]


class Repair(Record, frozen=True, kw_only=True):
    """One repair: where the comma was missing or stood, in characters of the line, both counted from 1."""

    path: str
    line: int
    column: int
    fault: Fault
    near: str  # what stands there, escaped

    def __str__(self) -> str:
        done = "added" if self.fault == "missing comma" else "removed"
        return f"{self.path}:{self.line}:{self.column}: {self.fault} {done} near `{self.near}`"


class Place(NamedTuple):
    """Where a text begins: a file, its line and its column, counted from 1."""

    path: str
    line: int = 1
    column: int = 1


class Mended(NamedTuple):
    """A text, and what was repaired in it; without repairs it is the same object."""

    text: str
    repairs: list[Repair]


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def mend(text: str, place: Place) -> Mended:
    """The text with its commas set right. JSON that is valid is never changed.

    A text with a string that does not end on its line is left as it is, since nobody can tell where its
    members are; one that needs more than MOST repairs as well.
    """
    tokens = [_Token(found[0], *found.span()) for found in _JSON_TOKEN.finditer(text)]
    if any(token.text == '"' for token in tokens):
        return Mended(text, [])
    faults = _faults(tokens)
    if not faults or len(faults) > MOST:
        return Mended(text, [])
    parts, done = [], 0
    for fault, at in faults:
        parts.append(text[done:at])
        parts.append("," if fault == "missing comma" else "")
        done = at if fault == "missing comma" else at + 1
    return Mended("".join([*parts, text[done:]]), _repairs(text, faults, place))


def _faults(tokens: list[_Token]) -> list[tuple[Fault, int]]:
    """Each fault with its offset, in order."""
    faults: list[tuple[Fault, int]] = []
    inside: list[str] = []
    before, is_value = _Token("", 0, 0), False  # the token before, and whether it ends a value
    following = [*(each.text for each in tokens), ""][1:]
    for token, after in zip(tokens, following, strict=True):
        in_object = bool(inside) and inside[-1] == "{"
        if token.text == "," and is_value and inside and after in ("]", "}"):
            faults.append(("trailing comma", token.start))
            continue  # so that what ends a value before the comma ends one before the bracket
        if is_value and in_object and token.text[0] == '"' and after == ":":
            faults.append(("missing comma", before.end))
        is_value = _ends_value(token.text, before.text, in_object=in_object)
        _step(inside, token.text)
        before = token
    return faults


def _ends_value(token: str, before: str, *, in_object: bool) -> bool:
    """Whether a token is the last of a value: in an object, a string that no colon comes before is a key."""
    if token in _SIGNS:
        return token in ("]", "}")
    return before == ":" or not in_object


def _step(inside: list[str], token: str) -> None:
    if token in ("[", "{"):
        inside.append(token)
    elif token in ("]", "}") and inside:
        inside.pop()


def _repairs(text: str, faults: list[tuple[Fault, int]], place: Place) -> list[Repair]:
    found, line, begin, done = [], place.line, 1 - place.column, 0
    for fault, at in faults:
        newest = text.rfind("\n", done, at)
        if newest >= 0:
            line += text.count("\n", done, at)
            begin = newest + 1
        done = at
        near = text[max(0, at - 20, begin) : at + 20].partition("\n")[0].strip()
        found.append(
            Repair(
                path=place.path, line=line, column=at - begin + 1, fault=fault, near=escaped_name(near, 44)
            )
        )
    return found
