"""What makes Python's own parser slow, found before it is asked: nothing can stop it once it has begun.

CPython parses almost every text in time that grows with its length. Two things grow with the square:
an identifier with many combining characters, which is put into a normal form by an insertion sort (16,000
of them take 1.5 s), and in CPython 3.11 the fields of an f-string on one long line, each of which is looked
for from the line's beginning (20,000 take 1 s). Both limits are far above what people and models write.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

MOST_MARKS = 256  # combining characters in a row; Unicode's stream-safe format has 30
LONG_LINE = 4096  # characters; shorter lines are not looked at
MOST_STEPS = 1 << 24  # of a line: its length times its braces, some 10 ms

_BEYOND_ASCII = re.compile(rf"(?<![^\x00-\x7f])[^\x00-\x7f]{{{MOST_MARKS + 1},}}")
_F_STRING = re.compile(r"[fF][rR]?[\"']")
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
    for number, line in enumerate(source.split("\n"), 1):
        if len(line) > LONG_LINE and len(line) * line.count("{") > MOST_STEPS and _F_STRING.search(line):
            return number
    return 0
