"""What a prompt promises of its inputs, where every test keeps it: a call that breaks it shows nothing.

A list that is sorted in all tests may be a gap in the tests or a promise. It is a promise only
where the prompt speaks of it too: a forgotten `sorted` is still found by tests that show sorted lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from benchwright.building.adequacy.inputs import Arguments, own_calls
from benchwright.building.solved import SolvedTask

_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


class Promise(NamedTuple):
    """A property of one value, and the words by which prompts speak of it."""

    words: re.Pattern[str]
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
    return len({repr(each) for each in value}) == len(value)


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


_SORTED = r"sorted|ascending|increasing|in order|упорядоч|отсортир|возраст"
_DISTINCT = r"distinct|unique|duplicate|различн|уникальн|повтор"
_BALANCED = r"balanced|nested|paren|bracket|скоб|вложен"
_PROMISES = (
    Promise(re.compile(_SORTED, re.IGNORECASE), _is_list, _rises),
    Promise(re.compile(_DISTINCT, re.IGNORECASE), _is_list, _is_distinct),
    Promise(re.compile(_BALANCED, re.IGNORECASE), _has_brackets, _is_balanced),
)
Place = int | str


class Promises:
    """The promises of one task: for each parameter those that its prompt names and all its tests keep."""

    def __init__(self, task: SolvedTask) -> None:
        named = [each for each in _PROMISES if each.words.search(task.prompt)]
        shown = [_places(call) for call in own_calls(task.spec)] if named else []
        self._kept = {
            place: [
                each for each in named if _is_kept(each, [call[place] for call in shown if place in call])
            ]
            for place in {place for call in shown for place in call}
        }

    def are_kept(self, call: Arguments) -> bool:
        """Whether a call keeps all of them."""
        values = _places(call)
        return all(
            each.holds(values[place])
            for place, promises in self._kept.items()
            if place in values
            for each in promises
            if each.concerns(values[place])
        )


def _is_kept(promise: Promise, values: Sequence[Any]) -> bool:
    """By every test, and by two at least that it concerns."""
    concerned = [value for value in values if promise.concerns(value)]
    return len(concerned) > 1 and all(map(promise.holds, concerned))


def _places(call: Arguments) -> Mapping[Place, Any]:
    values: dict[Place, Any] = dict(enumerate(call.args))
    return values | call.kwargs
