"""Generated inputs: calls of the tests, and calls derived from them by one or two small changes of a type.

Generated values stay within the range of each parameter in the tests: its types, and of each type the least
and the greatest value or length.
"""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import isnan
from typing import Any, NamedTuple

from benchwright.cases.reading import calls_of
from benchwright.contracts import BatchSpec, CallsSpec, LevelsSpec, MeraSpec, ProgramSpec
from benchwright.sandbox.codec import Unsendable, decode, encode
from benchwright.text.literal import source_text
from benchwright.tracks.constant_folding import NotConstant, fold, looped_calls, weight

MAX_WEIGHT = 5000  # items and characters of one call
TRIES = 12  # attempts for each required call: many changes give a known one
_SEPARATORS = re.compile(r"([\s,;:./_|+-]+)")
_EDGES: dict[type, tuple[Any, ...]] = {
    int: (*range(11), -1, -2, -3, 100),
    float: (0.0, 1.0, -1.0, 0.5, -2.5),
    str: ("", " ", "a"),
    list: ([],),
    tuple: ((),),
    dict: ({},),
    set: (set(),),
}
_CHARACTERS = "abcxyzAEZ019 _-.,;!?'\u00e9"


class Arguments(NamedTuple):
    """The arguments of one call. `beyond`: the tests show no such type there, or no value in this range."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    beyond: bool = False

    @property
    def size(self) -> float:
        """The largest absolute number in the arguments."""
        return max(map(abs, _numbers([self.args, self.kwargs])), default=0.0)

    @property
    def least(self) -> float:
        """The least number in the arguments; 1 without any."""
        return min(_numbers([self.args, self.kwargs]), default=1.0)

    def text(self, name: str) -> str:
        """The call as source text."""
        keywords = (f"{key}={source_text(value)}" for key, value in self.kwargs.items())
        return f"{name}({', '.join([*map(source_text, self.args), *keywords])})"


def calls_of_tests(spec: ProgramSpec) -> list[Arguments]:
    """The calls that the tests make, if they are data; a file stands for its path."""
    found = []
    for args, kwargs in _arguments(spec):
        try:
            encode((args, kwargs))
        except (Unsendable, ValueError):
            continue
        found.append(Arguments(tuple(args), dict(kwargs)))
    return found


def generate_inputs(
    calls: Sequence[Arguments],
    count: int,
    *,
    seed: str,
    allowed: Callable[[Arguments], bool] = lambda _: True,
) -> list[Arguments]:
    """At most `count` additional allowed calls, always the same for a seed.

    Calls within the range of `calls` come first, then those with smaller numbers: if a solution takes too
    long for one of them, later ones are no better.
    """
    if not calls:
        return []
    chance, test_values = random.Random(seed), _TestValues(calls)
    known = {_encoded(call) for call in calls}
    grown: list[Arguments] = []
    random_calls = (_changed(chance, test_values, calls) for _ in range(TRIES * count))
    for call in chain(_edges(chance, test_values, calls), random_calls):
        key = _encoded(call)
        if key is not None and key not in known and weight([call.args, call.kwargs]) <= MAX_WEIGHT:
            known.add(key)
            if not allowed(call):
                continue
            grown.append(call._replace(beyond=not test_values.holds(call)))
        if len(grown) == count:
            break
    return sorted(grown, key=lambda call: (call.beyond, call.size))


def _arguments(spec: ProgramSpec) -> Iterator[tuple[Sequence[Any], dict[str, Any]]]:
    match spec:
        case BatchSpec(calls=calls) | MeraSpec(calls=calls):
            yield from decode(calls)
        case CallsSpec(test=test, entry_point=name):
            tree, names = ast.parse(test), frozenset({"candidate", name})
            yield from _constant_calls(tree, names)
            yield from ((each.args, each.kwargs) for each in looped_calls(tree, names))
        case LevelsSpec(cases=cases):
            for case in cases:
                yield from calls_of(case)


def _constant_calls(
    tree: ast.Module, names: frozenset[str]
) -> Iterator[tuple[Sequence[Any], dict[str, Any]]]:
    """The calls with constant arguments in a test program."""
    called = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    for node in sorted(called, key=lambda node: (node.lineno, node.col_offset)):
        if isinstance(node.func, ast.Name) and node.func.id in names:
            try:
                kwargs = {keyword.arg: fold(keyword.value) for keyword in node.keywords if keyword.arg}
                yield [fold(arg) for arg in node.args], kwargs
            except NotConstant:
                continue


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float):
        yield max(-1e300, min(value, 1e300))
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    if isinstance(inner, list | tuple | set | frozenset):
        for each in inner:
            yield from _numbers(each)


def _encoded(call: Arguments) -> bytes | None:
    try:
        return encode((call.args, call.kwargs))
    except (Unsendable, ValueError):
        return None


class _TestValues:
    """The values in the tests: the range of each parameter, and values of each type to choose from."""

    def __init__(self, calls: Sequence[Arguments]) -> None:
        self.ranges: dict[int | str, ValueRange] = {}
        self.values: dict[int | str, list[Any]] = {}
        self.texts = [text for call in calls for text in _texts([call.args, call.kwargs])]
        self.characters = sorted({character for text in self.texts for character in text}) or list(
            _CHARACTERS
        )
        for call in calls:
            for place, value in _places(call):
                self.ranges.setdefault(place, ValueRange()).learn(value)
                self.values.setdefault(place, []).append(value)

    def holds(self, call: Arguments) -> bool:
        """Whether each argument has a type and a range that the tests show for it."""
        return all(place in self.ranges and self.ranges[place].holds(value) for place, value in _places(call))


def _places(call: Arguments) -> Iterator[tuple[int | str, Any]]:
    yield from enumerate(call.args)
    yield from call.kwargs.items()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value if isinstance(value, list | tuple) else sorted(value, key=source_text):
            yield from _texts(item)


def _edges(
    chance: random.Random, test_values: _TestValues, calls: Sequence[Arguments]
) -> Iterator[Arguments]:
    """For each parameter, the empty, zero or one value of its type in some call of the tests."""
    for place, values in test_values.values.items():
        for edge in _edges_like(values):
            call = chance.choice(calls)
            if place in dict(_places(call)):
                yield _with(call, {**dict(_places(call)), place: edge})


def _edges_like(values: Sequence[Any]) -> Iterator[Any]:
    for kind in dict.fromkeys(map(type, values)):
        yield from _EDGES.get(kind, ())
        alike: list[Any] = [
            value for value in values if type(value) is kind and kind in (list, tuple, str) and value
        ]
        for value in alike[:3]:
            yield from (value[:1], value[:2], value[:1] + value[:1], value[::-1])
            if kind is str:
                yield from (value.swapcase(), f" {value}")


def _with(call: Arguments, values: dict[int | str, Any]) -> Arguments:
    args = tuple(values[place] for place in range(len(call.args)))
    return Arguments(args, {name: values[name] for name in call.kwargs})


def _changed(chance: random.Random, test_values: _TestValues, calls: Sequence[Arguments]) -> Arguments:
    """A call of the tests with one or two changes."""
    call = chance.choice(calls)
    values = dict(_places(call))
    if not values:
        return call
    if chance.random() < 0.1:  # shift all numbers by the same amount
        return _with(call, _shift(values, chance.choice((-100, -10, -1, 1, 10))))
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.choice([*values])
        if chance.random() < 0.15:  # the value of another call of the tests
            values[place] = copy.deepcopy(chance.choice(test_values.values[place]))
        else:
            values[place] = _ValueChange(chance, test_values).of(values[place])
    return _with(call, values)


def _shift(value: Any, by: int) -> Any:
    """A value with all its numbers shifted by the same amount."""
    match value:
        case bool():
            return value
        case int() | float():
            return value + by
        case dict():
            return {key: _shift(inner, by) for key, inner in value.items()}
        case list() | tuple():
            return type(value)([_shift(inner, by) for inner in value])
    return value


class _ValueChange:
    """One small change of a value at a random place."""

    def __init__(self, chance: random.Random, test_values: _TestValues) -> None:
        self._chance, self._test_values = chance, test_values
        self._ways: dict[type, Callable[[Any], Any]] = {
            bool: lambda value: not value,
            int: self._integer,
            float: self._float,
            str: self._text,
            list: lambda value: self._sequence([*value]),
            tuple: lambda value: (*self._sequence([*value]),),
            set: self._set,
            frozenset: self._set,
            dict: self._dict,
            type(None): lambda value: chance.choice((0, "", [], None)),
        }

    def of(self, value: Any) -> Any:
        """Another value, usually of the same type; the value itself if nothing can be changed."""
        change = self._ways.get(type(value))
        return value if change is None else change(value)

    def _integer(self, value: int) -> int | float:
        near = (value + 1, value - 1, value + self._chance.randint(2, 9), value - self._chance.randint(2, 9))
        far = (0, 1, -value, 2 * value, value // 2, value * 10 + self._chance.randint(0, 9))
        other: tuple[float, ...] = (float(value), bool(value % 2)) if value.bit_length() < 64 else ()
        choices: tuple[int | float, ...] = (*near, *near, *far, *other)
        return self._chance.choice(choices)

    def _float(self, value: float) -> float:
        choices = (value + 1, value - 1, value + 0.5, value / 2, -value, 0.0, value * 1.1)
        changed = self._chance.choice(choices)
        return round(changed, 4) if abs(changed) < 1e12 else changed

    def _text(self, text: str) -> str:
        """Change characters, digits, or parts between separators."""
        ways: list[Callable[[str], str]] = [self._characters]
        if any(character.isdigit() for character in text):
            ways += [self._digit] * 2
        if _SEPARATORS.search(text):
            ways += [self._parts] * 2
        return self._chance.choice(ways)(text)

    def _characters(self, text: str) -> str:
        chance = self._chance
        at = chance.randrange(len(text) + 1)
        before, here, after = text[:at], text[at : at + 1], text[at + 1 :]
        new = chance.choice(self._test_values.characters if chance.random() < 0.8 else _CHARACTERS)
        return chance.choice(
            (
                before + new + here + after,  # one more
                before + new + after,  # another
                before + after,  # one less
                before + here * 2 + after,
                before + here.swapcase() + after,
                before + after[:1] + here + after[1:],
                text[::-1] if chance.random() < 0.3 else before + here + new + after,
                "" if chance.random() < 0.2 else text + chance.choice(self._test_values.texts or [new]),
            )
        )

    def _digit(self, text: str) -> str:
        at = self._chance.choice([at for at, character in enumerate(text) if character.isdigit()])
        return text[:at] + self._chance.choice("0123456789") + text[at + 1 :]

    def _parts(self, text: str) -> str:
        """Change parts of a text: even positions are parts, odd ones separators."""
        parts = _SEPARATORS.split(text)
        at = self._chance.randrange(0, len(parts), 2)
        match self._chance.randrange(5):
            case 0:
                del parts[at : at + 2]
            case 1:
                parts[at + 1 : at + 1] = [parts[1], parts[at]]
            case 2:
                other = self._chance.randrange(0, len(parts), 2)
                parts[at], parts[other] = parts[other], parts[at]
            case 3:
                parts[at] = self._chance.choice(
                    _SEPARATORS.split(self._chance.choice(self._test_values.texts))[::2]
                )
            case 4:
                parts[at] = self._text(parts[at])
        return "".join(parts)

    def _sequence(self, items: list[Any]) -> list[Any]:
        chance = self._chance
        at = chance.randrange(len(items)) if items else 0
        way = chance.randrange(10)
        if not items:
            return items
        if way < 4:
            return [*items[:at], self.of(items[at]), *items[at + 1 :]]
        if way == 4:
            return [*items[:at], *items[at + 1 :]]
        if way in (5, 6):
            return [*items[:at], self.of(items[at]) if way == 5 else items[at], *items[at:]]
        if way == 7:
            other = chance.randrange(len(items))
            items[at], items[other] = items[other], items[at]
            return items
        return chance.choice((items[::-1], items[:at], items + items[at:], [self.of(items[at])]))

    def _set(self, value: set[Any] | frozenset[Any]) -> Any:
        changed = self._sequence(sorted(value, key=source_text))
        try:
            return type(value)(changed)
        except TypeError:
            return value

    def _dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        if not value:
            return value
        key = self._chance.choice([*value])
        way, changed = self._chance.randrange(4), dict(value)
        if way < 2:
            changed[key] = self.of(value[key])
        elif way == 2:
            del changed[key]
        elif isinstance(key, str | int | float | bool):
            changed[self.of(key)] = value[key]
        return changed


_SEQUENCES = (list, tuple, set, frozenset)


class ValueRange:
    """The types of some values, and for each type the least and the greatest value or length.

    >>> shown = ValueRange()
    >>> shown.learn([3, 5])
    >>> shown.holds([4, 4]), shown.holds([4, -4]), shown.holds(["4", "4"])
    (True, False, False)
    """

    def __init__(self) -> None:
        self._bounds: dict[type, tuple[Any, Any]] = {}
        self._classes: set[str] = set()  # of the characters of texts
        self._inner: dict[type, ValueRange] = {}  # of the items of sequences, of the keys of dicts
        self._values: ValueRange | None = None  # of the values of dicts

    def learn(self, value: Any) -> None:
        """Extend the range by a value."""
        kind, size = _kind(value), _size(value)
        low, high = self._bounds.get(kind, (size, size))
        self._bounds[kind] = (min(low, size), max(high, size))
        if isinstance(value, str):
            self._classes.update(map(_class, value))
        for item in value if isinstance(value, (*_SEQUENCES, dict)) else ():
            self._inner.setdefault(kind, ValueRange()).learn(item)
        if isinstance(value, dict):
            self._values = self._values or ValueRange()
            for item in value.values():
                self._values.learn(item)

    def holds(self, value: Any) -> bool:
        """Whether a value has a known type, and all its parts are within the range."""
        kind, size = _kind(value), _size(value)
        if kind not in self._bounds:
            return False
        low, high = self._bounds[kind]
        if not low <= size <= high:
            return False
        if isinstance(value, str):
            return self._classes.issuperset(map(_class, value))
        items = value if isinstance(value, (*_SEQUENCES, dict)) else ()
        inside = self._inner.get(kind)
        if not all(inside is not None and inside.holds(item) for item in items):
            return False
        values = value.values() if isinstance(value, dict) else ()
        return all(self._values is not None and self._values.holds(item) for item in values)


def _kind(value: Any) -> type:
    return type(value)


def _size(value: Any) -> Any:
    """The bounded quantity: a number itself, or a length; None for NaN, booleans and None."""
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, int | float):
        return 0 if isinstance(value, float) and isnan(value) else value
    return len(value) if hasattr(value, "__len__") else 0


def _class(character: str) -> str:
    """The class of a character: digits and letters by kind, all others as they are."""
    if character.isdigit():
        return "0"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return character
