"""What makes Python's own parser slow, found before it is asked: nothing can stop it once it has begun.

CPython parses almost every text in time that grows with its length. Two things grow with the square:
an identifier with many combining characters, which is put into a normal form by an insertion sort (16,000
of them take 1.5 s), and in CPython 3.11 the fields of an f-string on one long line, each of which is looked
for from the line's beginning (20,000 take 1 s). Both limits are far above what people and models write.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import NamedTuple

MOST_MARKS = 256  # combining characters in a row; Unicode's stream-safe format has 30
LONG_LINE = 4096  # characters; shorter lines are not looked at
MOST_STEPS = 1 << 24  # of a line: its length times its fields, some 10 ms

_BEYOND_ASCII = re.compile(rf"(?<![^\x00-\x7f])[^\x00-\x7f]{{{MOST_MARKS + 1},}}")
# No group is possessive: before CPython 3.11.5 such a group may end too early (python/cpython#106052). Each
# alternative begins with a character of its own and the end always matches, so nothing is tried twice.
_LITERAL = re.compile(  # a comment, or a string whose group `f` says that it is formatted; ends with the text
    r"""
    \#[^\r\n]*+
    | (?P<f> [fF][rR]? | [rR][fF] )?
      (?: "{3} (?: [^"\\]++ | \\. | \\\Z | "(?!"") )* (?: "{3} | \Z )
        | '{3} (?: [^'\\]++ | \\. | \\\Z | '(?!'') )* (?: '{3} | \Z )
        | " (?: [^"\\\r\n]++ | \\. | \\\Z )* "?
        | ' (?: [^'\\\r\n]++ | \\. | \\\Z )* '? )
    """,
    re.VERBOSE | re.DOTALL,
)
_HALFWIDTH = "\uff9e\uff9f"  # letters by category, and yet combining once normalised; the only two


class SlowSource(NamedTuple):
    """Why a text would take the parser long, and the line (from 1) where."""

    message: str
    line: int


def slow_to_parse(source: str) -> SlowSource | None:
    """Why Python's parser should not be asked about a text; None for nearly every text.

    Takes time in proportion to the length; of a text in ASCII with short lines, next to none.
    """
    at = long_run_of_marks(source)
    if at >= 0:
        return SlowSource(
            f"more than {MOST_MARKS} combining characters in a row", source.count("\n", 0, at) + 1
        )
    line = _crowded_line(source) if len(source) > LONG_LINE else 0
    return SlowSource("too many fields of an f-string on one line", line) if line else None


def long_run_of_marks(source: str) -> int:
    """Where there are too many combining characters in a row for a normal form; -1 for nowhere."""
    if len(source) <= MOST_MARKS or source.isascii():
        return -1
    for found in _BEYOND_ASCII.finditer(source):
        run = 0
        for at, char in enumerate(found.group(), found.start()):
            run = run + 1 if unicodedata.category(char)[0] == "M" or char in _HALFWIDTH else 0
            if run > MOST_MARKS:
                return at
    return -1


def _crowded_line(source: str) -> int:
    """The line with too many fields for its length; 0 for none."""
    lines = source.split("\n")
    if not any(_is_crowded(line, line.count("{")) for line in lines):
        return 0
    fields = _fields(source)
    return next((number for number, line in enumerate(lines, 1) if _is_crowded(line, fields[number])), 0)


def _is_crowded(line: str, fields: int) -> bool:
    return len(line) > LONG_LINE and len(line) * fields > MOST_STEPS


def _fields(source: str) -> Counter[int]:
    """By line (from 1) the opening braces within f-strings: their fields, and braces that are doubled."""
    found: Counter[int] = Counter()
    line, behind = 1, 0
    for literal in _LITERAL.finditer(source):
        if literal["f"]:
            line, behind = line + source.count("\n", behind, literal.start()), literal.start()
            for number, part in enumerate(literal.group().split("\n"), line):
                found[number] += part.count("{")
    return found
