"""Finds tracebacks of Python, Java, Go and JavaScript in texts: issues, comments and logs.

A line is looked at a bounded number of times, so the cost grows with the length of the text. A header without
frames is not a traceback: people write names of exceptions in sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

MAX_SEARCHED = 1 << 20  # characters of a text; the rest is not searched
MAX_FOUND = 20
MAX_LINES = 400  # of one traceback
_MESSAGE_LINES = 5  # of an error's message, before the first frame

_PYTHON = "Traceback (most recent call last):"
_PYTHON_ERROR = re.compile(r"([A-Za-z_][\w.]*)(?::\s?(.*)|)")
_MARGIN = re.compile(r"[ \t>|]*(?:E[ \t]+)?")
_JAVA = re.compile(
    r"(?:Exception in thread \"[^\"]{0,200}\" |Caused by: )?"
    r"((?:[a-zA-Z_$][\w$]*\.)+[A-Za-z_$][\w$]*)(?::\s?(.*)|)"
)
_JAVA_FRAME = re.compile(
    r"at [\w.$<>/@-]+\((?:[\w$-]+\.(?:java|kt|kts|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source)\)"
)
_JAVA_MORE = re.compile(r"\.\.\. \d+ (?:more|common frames omitted)|Suppressed: |Caused by: ")
_SCRIPT = re.compile(r"(?:Uncaught )?(?:\(in promise\) )?((?:[A-Z]\w*)?(?:Error|Exception))(?::\s?(.*)|)")
_SCRIPT_FRAME = re.compile(r"at (?:.{1,300} )?\(?(?:[^\s()]{1,500}:\d+:\d+|<anonymous>|native)\)?")
_GO = re.compile(r"(?:panic|fatal error): (.*)")
_GO_ROUTINE = re.compile(r"goroutine \d+ \[[^\]]{1,100}\]:")


class FoundTraceback(NamedTuple):
    """A traceback: its language, the type of the error, its message, and its lines, counted from 1."""

    language: str
    error: str  # "ValueError", "java.lang.IllegalStateException"; "panic" or "fatal error" in Go
    message: str
    first_line: int
    last_line: int
    text: str


class _Header(NamedTuple):
    error: str
    message: str
    end: int  # the line behind the traceback


def find_tracebacks(text: str) -> list[FoundTraceback]:
    """Find the tracebacks of a text, in its order, at most MAX_FOUND. A chain of errors is one each.

    >>> find_tracebacks('Traceback (most recent call last):\\n  File "a.py", line 1\\nKeyError: 1')[0].error
    'KeyError'
    """
    return list(_tracebacks_in(text[:MAX_SEARCHED].split("\n")))


def _tracebacks_in(lines: list[str]) -> Iterator[FoundTraceback]:
    at = count = 0
    while at < len(lines) and count < MAX_FOUND:
        language, header = _at(lines, at)
        if header is None:
            at += 1
            continue
        text = "\n".join(lines[at : header.end]).rstrip()
        last = at + text.count("\n") + 1
        yield FoundTraceback(language, header.error, header.message.strip(), at + 1, last, text)
        at, count = header.end, count + 1


def _at(lines: list[str], at: int) -> tuple[str, _Header | None]:
    """The traceback that begins on a line."""
    line = lines[at]
    if len(line) > 4000:
        return "", None
    for language, mark, read in _READERS:
        if mark in line and (header := read(lines, at)) is not None:
            return language, header
    return "", None


def _python(lines: list[str], at: int) -> _Header | None:
    """Frames are indented; the first line that is not names the error."""
    margin = lines[at].partition(_PYTHON)[0]
    if not _MARGIN.fullmatch(margin):
        return None
    frames = 0
    for end in range(at + 1, min(at + MAX_LINES, len(lines))):
        line = lines[end].removeprefix(margin).rstrip()
        if line.startswith((" ", "\t")):
            frames += line.lstrip().startswith('File "')
        elif (error := _PYTHON_ERROR.fullmatch(line[:2000])) and frames:
            return _Header(error[1], error[2] or "", end + 1)
        else:
            return None
    return None


def _java(lines: list[str], at: int) -> _Header | None:
    found = _JAVA.fullmatch(lines[at].strip())
    if found is None:
        return None
    end = _frames(lines, at + 1, _JAVA_FRAME, _JAVA_MORE)
    return None if end is None else _Header(found[1], found[2] or "", end)


def _script(lines: list[str], at: int) -> _Header | None:
    found = _SCRIPT.fullmatch(lines[at].strip())
    if found is None:
        return None
    end = _frames(lines, at + 1, _SCRIPT_FRAME, None)
    return None if end is None else _Header(found[1], found[2] or "", end)


def _frames(lines: list[str], start: int, frame: re.Pattern[str], more: re.Pattern[str] | None) -> int | None:
    """The line behind the last frame; None if no frame follows the lines of a message."""
    first = next(
        (at for at in range(start, min(start + _MESSAGE_LINES, len(lines))) if _is(frame, lines[at])), None
    )
    if first is None:
        return None
    at = first + 1
    while at < min(first + MAX_LINES, len(lines)):
        if not _is(frame, lines[at]) and not (more and more.match(lines[at].strip()[:1000])):
            break
        at += 1
    return at


def _is(frame: re.Pattern[str], line: str) -> bool:
    return "at " in line[:200] and frame.fullmatch(line.strip()[:1000]) is not None


def _go(lines: list[str], at: int) -> _Header | None:
    """A panic, then goroutines up to the first line that is neither a call, a place, nor blank."""
    found = _GO.fullmatch(lines[at].strip())
    routine = range(at + 1, min(at + 1 + 2 * _MESSAGE_LINES, len(lines)))
    start = next((each for each in routine if _GO_ROUTINE.fullmatch(lines[each].strip())), None)
    if found is None or start is None:
        return None
    end = start + 1
    while end < min(start + MAX_LINES, len(lines)) and _is_of_go(lines[end]):
        end += 1
    return _Header(lines[at].strip().partition(":")[0], found[1], end)


def _is_of_go(line: str) -> bool:
    text = line.strip()
    is_call = text.endswith(")") and "(" in text
    return not text or is_call or line.startswith("\t") or bool(_GO_ROUTINE.fullmatch(text)) or "+0x" in text


_Reader = Callable[[list[str], int], _Header | None]
_READERS: tuple[tuple[str, str, _Reader], ...] = (
    ("python", _PYTHON, _python),
    ("go", "panic: ", _go),
    ("go", "fatal error: ", _go),
    ("java", ".", _java),
    ("javascript", "Err", _script),
    ("javascript", "Exc", _script),
)
