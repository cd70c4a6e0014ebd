"""Preconditions: allowed inputs of a task by its words, hints and solution, if every test satisfies them.

A list that is sorted in all tests may be a gap in the tests or a precondition. It is a precondition only if
the task also mentions it, so tests with sorted lists still reveal a forgotten `sorted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from benchwright.building.adequacy.inputs import Arguments, own_calls
from benchwright.building.adequacy.parameter_contracts import contracts, numbers, parameters
from benchwright.building.solved import SolvedTask
from benchwright.text.source_text import source_text

_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_LEAST = 2  # tests that a precondition must apply to


class Promise(NamedTuple):
    """A property of one value: the values it applies to, and a check."""

    concerns: Callable[[Any], bool]
    holds: Callable[[Any], bool]


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 1


def _rises(value: Any) -> bool:
    try:
        return all(first <= second for first, second in pairwise(value))
    except TypeError:
        return False


def _is_distinct(value: Any) -> bool:
    return len({source_text(each) for each in value}) == len(value)


def _has_brackets(value: Any) -> bool:
    return isinstance(value, str) and any(each in value for each in "()[]{}<>")


def _is_balanced(value: Any) -> bool:
    waiting: list[str] = []
    for each in value:
        if each in _PAIRS.values():
            waiting.append(each)
        elif each in _PAIRS and (not waiting or waiting.pop() != _PAIRS[each]):
            return False
    return not waiting


def _has_numbers(value: Any) -> bool:
    return any(True for _ in numbers(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    for each in inner if isinstance(inner, list | tuple | set | frozenset) else ():
        yield from _texts(each)


def _has_texts(value: Any) -> bool:
    return any(True for _ in _texts(value))


_SORTED = r"sorted|ascending|increasing|in order|упорядоч|отсортир|возраст"
_DISTINCT = r"distinct|unique|duplicate|различн|уникальн|повтор"
_BALANCED = r"balanced|nested|paren|bracket|скоб|вложен"
_NOUN = r"(?:integer|number|int|float|value|element|item|count|длин|цел|числ)"
_POSITIVE = (
    rf"(?<!non-)(?<!non)\bpositive\s+(?:\w+\s+){{0,2}}{_NOUN}|natural number"
    rf"|{_NOUN}s?\s+(?:is|are)\s+positive"
    r"|(?<!\w)(?:положительн|натуральн)\w*\s+(?:\w+\s+)?(?:цел|числ)"
)
_NOT_NEGATIVE = rf"non-?\s?negative|неотрицательн|{_POSITIVE}"
_PROMISES = tuple(
    (re.compile(words, re.IGNORECASE), Promise(concerns, holds))
    for words, concerns, holds in (
        (_SORTED, _is_list, _rises),
        (_DISTINCT, _is_list, _is_distinct),
        (_BALANCED, _has_brackets, _is_balanced),
        (_POSITIVE, _has_numbers, lambda value: all(each > 0 for each in numbers(value))),
        (_NOT_NEGATIVE, _has_numbers, lambda value: all(each >= 0 for each in numbers(value))),
        (
            "lower ?-?case|строчн",
            _has_texts,
            lambda value: all(each == each.lower() for each in _texts(value)),
        ),
        (
            "upper ?-?case|заглавн",
            _has_texts,
            lambda value: all(each == each.upper() for each in _texts(value)),
        ),
        ("", _has_texts, lambda value: all(map(str.isascii, _texts(value)))),
    )
)
_FORMAT = re.compile(
    r"(?<!\w)(?:y{4}|y{2}|m{2}|d{2}|h{2}|s{2})(?:[-/.:](?:y{4}|y{2}|m{2}|d{2}|h{2}|s{2})){1,2}(?!\w)",
    re.IGNORECASE,
)
Place = int | str


class Promises:
    """The preconditions of one task: for each parameter those that the task mentions and all tests
    satisfy.
    """

    def __init__(self, task: SolvedTask) -> None:
        calls = own_calls(task.spec)
        shown = [_places(call) for call in calls]
        general = [*_general(task.prompt)]
        of_parameters = _of_parameters(task)
        self._kept = {
            place: [
                each
                for each in (*general, *of_parameters.get(place, ()))
                if _is_kept(each, [call[place] for call in shown if place in call])
            ]
            for place in {place for call in shown for place in call}
        }

    def are_kept(self, call: Arguments) -> bool:
        """Whether a call satisfies all preconditions."""
        values = _places(call)
        return all(
            each.holds(values[place])
            for place, promises in self._kept.items()
            if place in values
            for each in promises
            if each.concerns(values[place])
        )


def _general(prompt: str) -> Iterator[Promise]:
    """The preconditions whose words occur in the prompt, and the date and time formats that it mentions."""
    for words, promise in _PROMISES:
        if words.search(prompt):
            yield promise
    for found in dict.fromkeys(_FORMAT.findall(prompt)):
        pattern = re.compile(re.sub(r"[a-zA-Z]", r"\\d", found.replace(".", "\\.")), re.ASCII)
        yield Promise(
            _has_texts,
            lambda value, pattern=pattern: all(map(pattern.fullmatch, _texts(value))),  # type: ignore[misc]
        )


def _of_parameters(task: SolvedTask) -> dict[Place, list[Promise]]:
    """The preconditions of each parameter, by its position and by its name."""
    names = [each.arg for each in parameters(task.gold, task.entry_point)]
    found = contracts(task.gold, task.entry_point, task.prompt)
    by_name: dict[Place, list[Promise]] = {
        name: [Promise(lambda _: True, each) for each in tests] for name, tests in found.items()
    }
    return {**by_name, **{at: by_name[name] for at, name in enumerate(names)}}


def _is_kept(promise: Promise, values: Sequence[Any]) -> bool:
    """Whether every test satisfies it, and at least two tests are concerned."""
    concerned = [value for value in values if promise.concerns(value)]
    return len(concerned) >= _LEAST and all(map(promise.holds, concerned))


def _places(call: Arguments) -> Mapping[Place, Any]:
    values: dict[Place, Any] = dict(enumerate(call.args))
    return values | call.kwargs
