"""Search for a program in an answer: lines that parse, indentation, and programs inside other formats."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from benchwright.text.prompt_frame import PromptFrame
from benchwright.text.syntax import (
    ParseFault,
    always_leaves,
    first_line,
    parse_program,
    same_program,
    string_lines,
)

# Lines that may begin code, at column 0, and those that surely are code even if they do not parse.
START = re.compile(r"@\w|(?:async\s+)?def\s|class\s|import\s|from\s|if\s|try:|with\s|[A-Za-z_][^=\n]{0,200}=")
_DEFINITION = re.compile(r"@\w|(?:async\s+)?def\s+\w+\s*[(\[]|class\s+\w+\s*[(:]")
_BLOCK = re.compile(
    r"@\w|(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match)\b.*:\s*(?:#.*)?$"
)
_PROSE_BEGINS = "0123456789-*#>!%<[`~|\"'"  # bullets, headings, quotes, tags, commands of a notebook
_OPERATOR = re.compile(r"[=()\[\]{}<>+*/%|&^~\\\"@]")
_WORD = re.compile(r"[^\W\d_]{2,}")
TRIES = 12  # maximum parses of a search; the text is hostile and each parse takes linear time


class ProgramReading(NamedTuple):
    """A program read from a text.

    `shape` is the name of the rule. `prose` and `cut`: text before or after was removed. `hollow`: the entry
    point does nothing, so another reading is preferable. `problem`: that of the final record.
    """

    program: str
    shape: str
    prose: bool = False
    cut: bool = False
    hollow: bool = False
    problem: str | None = None


class Window(NamedTuple):
    """Lines that parse, and their tree. Prose is blanked, so line numbers are those of the text."""

    lines: list[str]
    tree: ast.Module
    prose: bool = False
    cut: bool = False


def longest_window(lines: Sequence[str], *, anchor: int) -> Window | None:
    """Return the longest run of lines that parses and contains the function whose head is line `anchor`.

    The parser's error line determines the parts to remove: prose above the anchor, and everything below from
    a line at column 0. A function is kept completely or not at all, unless the removed text could not run
    (`_mid_function`): half a function would be judged as if the model had intended it.
    """
    candidate_lines, high, prose = list(lines), len(lines), False
    for _ in range(TRIES):
        found = parse_program("\n".join(candidate_lines[:high]))
        if not isinstance(found, ParseFault):
            if high < len(lines) and _tears(lines, high, found, anchor):
                return None
            return Window(candidate_lines[:high], found, prose, _has_text(lines[high:]))
        if not found.line:
            return None
        bad = min(found.line, high) - 1
        if bad < anchor:
            if not _blank_prose(candidate_lines, bad, anchor):
                return None
            prose = True
        elif end := _boundary(candidate_lines, anchor, bad):
            high = end
        else:
            return _mid_function(candidate_lines[:bad], anchor=anchor, prose=prose)
    return None


def _has_text(lines: Sequence[str]) -> bool:
    return any(line.strip() for line in lines)


def _blank_prose(lines: list[str], bad: int, anchor: int) -> bool:
    """Blank the prose around `bad`, down to the next line that may be code.

    Returns False for broken code, because removing it would repair the answer.
    """
    owner = next((at for at in range(bad, -1, -1) if lines[at][:1].strip()), bad)
    if not reads_as_prose(lines[owner]) or (_DEFINITION if owner == bad else _BLOCK).match(lines[owner]):
        return False
    while owner > 0 and lines[owner - 1][:1].strip() and reads_as_prose(lines[owner - 1]):
        owner -= 1
    rest = range(bad + 1, anchor)
    end = next((at for at in rest if START.match(lines[at]) or not reads_as_prose(lines[at])), anchor)
    lines[owner:end] = [""] * (end - owner)
    return True


def reads_as_prose(line: str) -> bool:
    """Guess whether a line that does not parse is prose: three words without operators, or its start."""
    text = line.strip()
    if not text or text[0].isupper() or not text[0].isascii() or text[0] in _PROSE_BEGINS:
        return True
    return not _OPERATOR.search(text) and len(_WORD.findall(text)) >= 3


def _tears(lines: Sequence[str], end: int, tree: ast.Module, anchor: int) -> bool:
    """Return whether a cut at `end` would split the anchor's function."""
    function = next((item for item in tree.body if item.lineno == anchor + 1), None)
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or always_leaves(function.body[-1]):
        return False
    goes_on = end + 1 < len(lines) and lines[end + 1].strip() and indent_of(lines[end + 1])
    return lines[end].startswith(("return", "yield")) or bool(
        goes_on and not lines[end].rstrip().endswith(":")
    )


def _boundary(lines: Sequence[str], anchor: int, bad: int) -> int | None:
    """Return the last line up to `bad` that begins a statement at column 0, below the anchor."""
    return next((at for at in range(bad, anchor, -1) if lines[at] and lines[at][0] not in " \t#"), None)


def _mid_function(lines: Sequence[str], *, anchor: int, prose: bool) -> Window | None:
    """Return the lines that parse, if the anchor's function is the last and returns on every path."""
    found = prefix(lines, parse_program)
    if found is None or not found.tree.body:
        return None
    last = found.tree.body[-1]
    if not isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef) or last.lineno != anchor + 1:
        return None
    return found._replace(prose=prose, cut=True) if always_leaves(last.body[-1]) else None


def prefix(lines: Sequence[str], parser: Callable[[str], ast.Module | ParseFault]) -> Window | None:
    """Return the lines before the first one that does not parse.

    Takes several steps, because the parser may report an open quote further down first.
    """
    high = len(lines)
    for _ in range(TRIES):
        found = parser("\n".join(lines[:high]))
        if not isinstance(found, ParseFault):
            return Window(list(lines[:high]), found, cut=_has_text(lines[high:]))
        high = min(found.line, high) - 1
        if high < 1:
            return None
    return None


def without_lines(lines: Sequence[str], statements: Iterable[ast.stmt], *, shift: int = 0) -> list[str]:
    """Remove the lines of statements; `shift` is the index of the tree's first line.

    A statement that shares its line with another one stays.
    """
    removed_lines: set[int] = set()
    shares = cache(lambda at: ";" in lines[at])  # a line is looked at once, however many statements are on it
    for statement in statements:
        span = range(first_line(statement) - 1 + shift, (statement.end_lineno or statement.lineno) + shift)
        if not any(map(shares, span)):
            removed_lines.update(span)
    return (
        [line for at, line in enumerate(lines) if at not in removed_lines] if removed_lines else list(lines)
    )


def with_indentation(lines: Sequence[str], *, old: str, new: str, fixed: Iterable[int] = ()) -> list[str]:
    """Replace the indentation `old` by `new`, except on blank lines and those in `fixed`."""
    fixed_lines = set(fixed)
    return [
        new + line[len(old) :] if line.startswith(old) and line.strip() and at not in fixed_lines else line
        for at, line in enumerate(lines)
    ]


def inside_strings(lines: Sequence[str], tree: ast.AST, *, shift: int) -> set[int]:
    """Return indexes of lines that begin inside a string, whose indentation must not change."""
    text = "\n".join(lines)
    if '"""' not in text and "'''" not in text and "\\\n" not in text:
        return set()  # most answers, and this saves walking their tree
    return {number - 1 + shift for number in string_lines(tree)}


def indent_of(line: str) -> str:
    """Return the leading white space of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


MOST_CHARS = 32 << 10  # of a text that is searched; encoded answers are far shorter
MOST_READINGS = 12
DEPTH = 3  # nested encodings
Read = Callable[[str], ProgramReading | None]
_UNINDENTED = frozenset({"stripped-body", "flat-body"})


def rescue(texts: Sequence[str], frame: PromptFrame, read: Read) -> ProgramReading | None:
    """Return the only program in encoded texts; None if there is none, or more than one.

    Its `shape` begins with the names of the rules.
    """
    search = _Search(frame, read)
    found = {reading.program: reading for text in texts for reading in search.look_into(text, DEPTH)}
    return next(iter(found.values())) if len(found) == 1 and not search.gave_up else None


def as_plain_body(reading: ProgramReading, prompt: str, text: str) -> ProgramReading:
    """Rename a reading to a plain body if prompt and text, concatenated, are the same program.

    So a pass is attributed to a rule only if harnesses that concatenate the two would run something else.
    """
    begun = reading.shape in _UNINDENTED and prompt.endswith((" ", "\t"))
    plain = (begun or reading.shape == "body+indent") and same_program(prompt + text, reading.program)
    return reading._replace(shape="body") if plain else reading


class _Search:
    def __init__(self, frame: PromptFrame, read: Read) -> None:
        self._frame, self._read = frame, read
        self._readings_left = MOST_READINGS
        self.gave_up = False  # there was more to read than is read, or programs that differ

    def look_into(self, text: str, depth: int) -> list[ProgramReading]:
        """Return the programs of the first rule with a result; several if they differ."""
        if depth == 0 or len(text) > MOST_CHARS:
            return []
        from benchwright.text.encodings import RULES  # noqa: PLC0415 (8 ms, and most answers are plain code)

        for name, rule in RULES.items():
            found = self._readings(self._candidates(rule(text), text), depth)
            if found:
                return [each._replace(shape=f"{name}+{each.shape}") for each in found]
        return []

    def _candidates(self, inner: Sequence[str], text: str) -> list[str]:
        """Return texts that define the entry point; all if the whole does not, since one may be its body."""
        others = [each for each in dict.fromkeys(inner) if each.strip() and each != text]
        head = f"def {self._frame.name}"
        return [each for each in others if head in each] if head in text else others

    def _readings(self, candidates: Sequence[str], depth: int) -> list[ProgramReading]:
        found: dict[str, ProgramReading] = {}
        for candidate in candidates:
            if self._readings_left == 0:
                self.gave_up = True
                return []
            self._readings_left -= 1
            reading = self._read(candidate)
            for each in [reading] if reading else self.look_into(candidate, depth - 1):
                found.setdefault(each.program, each)
        return list(found.values())
