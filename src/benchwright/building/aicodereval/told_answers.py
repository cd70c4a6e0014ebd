"""Whether a prompt reveals the result of a graded call: as a call, in prose, or in another notation.

Prompt, arguments and result are compared as words and numbers, so quotes, brackets, keywords, spaces and
trailing digits make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.cases.reading import resolve
from benchwright.contracts import CallCase

_WORD = re.compile(r"[^\W\d_][\w'-]*|_\w+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?\.\d+")
_BETWEEN = {"and", "or", "then"}  # words between the items of a list
_GAP = 4  # words between two arguments
_REACH = 14  # words between a call and its result
_DISTINCT = 4  # minimum length of an argument mentioned without the function's name
SMALL_NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def tells(case: CallCase, entry_point: str, prompt: str) -> bool:
    """Whether the prompt contains the arguments of a case and its value close to them."""
    expected = case.expected
    if expected.raises or expected.properties:
        return False
    value, arguments = [*_of(_safe(expected.value))], [[*_of(_safe(each))] for each in _given(case)]
    given = [each for each in arguments if each]
    if not value or not given:
        return False
    alone = len(given) == len(arguments) and _is_distinct(given)  # an empty argument matches everywhere
    words = [*_spelled(prompt)]
    name = [*_spelled(entry_point)]
    for start, end in _places(words, given):
        named = _holds(words[max(0, start - 3) : start], name)
        if (named or alone) and _near(words, value, start, end):
            return True
    return False


def _given(case: CallCase) -> list[Any]:
    return [*case.input.args, *case.input.kwargs.values()]


def _safe(value: Any) -> Any:
    return resolve(value, lambda name: name)


def _of(value: Any) -> Iterator[str]:
    """The words of a value, flattened."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _of(key)
            yield from _of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _of(inner)
    elif isinstance(value, set | frozenset):
        for inner in sorted(value, key=repr):
            yield from _of(inner)
    else:
        yield from _spelled(str(value))


def _spelled(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if word.lower() in _BETWEEN:
            continue
        yield _number(word) if word[0].isdigit() or word[0] in "-." else word.lower()


def _number(word: str) -> str:
    return f"{float(word):g}"


def _find(words: Sequence[str], part: Sequence[str], first: int = 0) -> Iterator[int]:
    """The position of a part in the words."""
    for at in range(first, len(words) - len(part) + 1):
        if all(_same(a, b) for a, b in zip(words[at : at + len(part)], part, strict=True)):
            yield at


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return next(_find(words, part), None) is not None


def _same(word: str, wanted: str) -> bool:
    return word == wanted or (word in SMALL_NUMBERS and wanted == str(SMALL_NUMBERS.index(word)))


def _places(words: Sequence[str], given: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """The ranges where all arguments occur in order and close together."""
    for start in _find(words, given[0]):
        end = start + len(given[0])
        for part in given[1:]:
            at = next(_find(words[: end + _GAP + len(part)], part, end), None)
            if at is None:
                break
            end = at + len(part)
        else:
            yield start, end


def _is_distinct(given: Sequence[Sequence[str]]) -> bool:
    words = [word for part in given for word in part]
    return len(words) > 1 or len(words[0]) >= _DISTINCT


def _near(words: Sequence[str], value: Sequence[str], start: int, end: int) -> bool:
    behind = words[end : end + _REACH + len(value)]
    before = words[max(0, start - _REACH - len(value)) : start]
    return any(_holds(part, each) for part in (behind, before) for each in (value, _in_percent(value)))


def _in_percent(value: Sequence[str]) -> list[str]:
    """A share as a percentage: 93 for 0.93."""
    return [f"{float(each) * 100:g}" if re.fullmatch(r"0\.\d+", each) else each for each in value]
