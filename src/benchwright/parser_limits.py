"""Detection of source texts that are slow for Python's parser, which cannot be interrupted.

CPython parses almost every text in linear time. Two inputs take quadratic time: an identifier with many
combining characters, which is normalised by an insertion sort (16,000 of them take 1.5 s), and in CPython
3.11 the fields of an f-string on one long line, because the search for each begins at the start of the line
(20,000 take 1 s). Both limits are far above what people and models write.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import NamedTuple

MOST_MARKS = 256  # combining characters in a row; Unicode's stream-safe format has 30
LONG_LINE = 4096  # characters; shorter lines are not checked
MOST_STEPS = 1 << 24  # length of a line times its fields: about 10 ms

_BEYOND_ASCII = re.compile(rf"(?<![^\x00-\x7f])[^\x00-\x7f]{{{MOST_MARKS + 1},}}")
# No group is possessive: before CPython 3.11.5 such a group may end too early (python/cpython#106052). The
# alternatives begin with different characters and the end always matches, so there is no backtracking.
_LITERAL = re.compile(  # a comment or a string, an f-string if group `f` matches; may be open at the end
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
_HALFWIDTH = "\uff9e\uff9f"  # the only two letters that become combining characters when normalised


class SlowSource(NamedTuple):
    """Reason why a text is slow to parse, and the line, counted from 1."""

    message: str
    line: int


def slow_to_parse(source: str) -> SlowSource | None:
    """Return the reason why Python's parser should not parse a text; None for almost all texts.

    Takes linear time; almost none for ASCII texts with short lines.
    """
    at = long_run_of_marks(source)
    if at >= 0:
        return SlowSource(
            f"more than {MOST_MARKS} combining characters in a row", source.count("\n", 0, at) + 1
        )
    line = _crowded_line(source) if len(source) > LONG_LINE else 0
    return SlowSource("too many fields of an f-string on one line", line) if line else None


def long_run_of_marks(source: str) -> int:
    """Return the offset where a run of combining characters exceeds MOST_MARKS; -1 if none does."""
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
    """Return the line with too many fields for its length; 0 if there is none."""
    lines = source.split("\n")
    if not any(_is_crowded(line, line.count("{")) for line in lines):
        return 0
    fields = _fields(source)
    return next((number for number, line in enumerate(lines, 1) if _is_crowded(line, fields[number])), 0)


def _is_crowded(line: str, fields: int) -> bool:
    return len(line) > LONG_LINE and len(line) * fields > MOST_STEPS


def _fields(source: str) -> Counter[int]:
    """Count opening braces within f-strings by line, from 1: fields and doubled braces."""
    found: Counter[int] = Counter()
    line, behind = 1, 0
    for literal in _LITERAL.finditer(source):
        if literal["f"]:
            line, behind = line + source.count("\n", behind, literal.start()), literal.start()
            for number, part in enumerate(literal.group().split("\n"), line):
                found[number] += part.count("{")
    return found
