"""Stubs: programs that solve nothing and must fail, such as constants, a returned argument and exceptions."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median
from typing import Any

from benchwright.cases.reading import calls_of, resolve
from benchwright.contracts import BatchSpec, CallCase, LevelsSpec, MeraSpec, ProgramSpec
from benchwright.sandbox.codec import CodecError, decode
from benchwright.text.literal import source_text

_CONSTANTS = ("None", "True", "False", "0", "1", "-1", "0.0", "''", "'a'", "[]", "{}", "()", "set()")
_BODIES = {
    **{f"returns {text}": f"return {text}" for text in _CONSTANTS},
    "returns its first argument": "return (*args, *kwargs.values())[0]",
    "returns its last argument": "return (*args, *kwargs.values())[-1]",
    "raises NotImplementedError": "raise NotImplementedError",
    "raises ValueError": "raise ValueError",
}
_ARGUMENTS = ("returns its first argument", "returns its last argument")
_NUMBER = "number"
_CONSTANTS_TRIED = 6  # expected values combined with the exceptions
_LONGEST = 2000  # maximum length of an expected value in a stub


def stubs(entry_point: str, spec: ProgramSpec) -> dict[str, str]:
    """Whole programs by their behaviour.

    One returns the most frequent expected value, if the tests make several calls; for a single call it would
    say nothing about them.
    """
    bodies = dict(_BODIES)
    expected = [*expected_values(spec)]
    common = Counter(expected).most_common(1)
    if len(expected) > 1 and f"returns {common[0][0]}" not in bodies:
        bodies["returns the most frequent expected value"] = f"return {common[0][0]}"
    if isinstance(spec, LevelsSpec):
        bodies |= _of_levels(spec, expected)
    return {name: f"def {entry_point}(*args, **kwargs):\n    {body}\n" for name, body in bodies.items()}


def _of_levels(spec: LevelsSpec, expected: Sequence[str]) -> dict[str, str]:
    """Constants between the expected values, and each expected value and argument, with the required
    exceptions.

    A tolerance may be so wide that an unexpected value passes. A constant may pass one level and an exception
    another, so their combination may pass all.
    """
    between = [source_text(value) for value in between_values([ast.literal_eval(each) for each in expected])]
    found = {f"returns {text}, between the expected values": f"return {text}" for text in between}
    raising = _raising(spec.cases)
    if raising and sum(not case.expected.raises for case in spec.cases) > 1:
        required = [repr(value) for value in _of_properties(spec.cases)]
        texts = dict.fromkeys([*expected[:_CONSTANTS_TRIED], *between, *required, *_CONSTANTS])
        idle = {f"returns {text}": f"return {text}" for text in texts}
        idle |= {name: _BODIES[name] for name in _ARGUMENTS}
        for name, body in idle.items():
            found[f"{name}, and raises where the tests ask for it"] = f"{raising}\n    {body}"
    return found


def _of_properties(cases: Sequence[CallCase]) -> Iterator[Any]:
    """The simplest value with the properties that a case requires: keys, a length, a number in a range."""
    for case in cases:
        wanted = case.expected.properties
        least, most = (wanted.get("range") or [0, 0])[:2]
        number = next((each for each in (least, most) if each is not None), 0)
        if "keys" in wanted:
            yield dict.fromkeys(wanted["keys"], number)
        elif isinstance(wanted.get("length"), int):
            yield [number] * min(wanted["length"], _LONGEST)
        elif "range" in wanted:
            yield number
        elif wanted.get("one_of"):
            yield wanted["one_of"][0]


def between_values(values: Sequence[Any]) -> list[Any]:
    """Means and midpoints of values of the same form, number by number."""
    forms: dict[str, list[Any]] = {}
    for value in values:
        forms.setdefault(repr(_form(value)), []).append(value)
    found = [
        _merged(alike, how)
        for alike in forms.values()
        if len(alike) > 1 and _form(alike[0]) != alike[0]
        for how in (mean, median, lambda numbers: (min(numbers) + max(numbers)) / 2)
    ]
    halves = [0.5] if any(isinstance(each, float) for each in values) else []
    return [*{repr(each): each for each in [*halves, *found]}.values()]


def _form(value: Any) -> Any:
    """A value with placeholders for its numbers; texts and keys stay as they are."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _NUMBER
    if isinstance(value, dict):
        return {key: _form(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_form(inner) for inner in value]
    return value


def _merged(alike: Sequence[Any], how: Callable[[Sequence[float]], float]) -> Any:
    first = alike[0]
    if isinstance(first, dict):
        return {key: _merged([each[key] for each in alike], how) for key in first}
    if isinstance(first, list):
        return [_merged([each[at] for each in alike], how) for at in range(len(first))]
    return how(alike) if _form(first) == _NUMBER else first


def _raising(cases: Sequence[CallCase]) -> str:
    """Statements that raise on the calls for which the tests expect an exception; empty without one."""
    lines = []
    for case in cases:
        for args, kwargs in calls_of(case)[:1] if case.expected.raises else ():
            given = source_text((args, kwargs))
            if _is_literal(given):
                lines.append(
                    f"if repr((args, kwargs)) == {given!r}:\n        {_statement(case.expected.raises)}"
                )
    return "\n    ".join(lines)


def _statement(name: str) -> str:
    module, _, kind = name.rpartition(".")
    return f"import {module.partition('.')[0]}; raise {name}" if module else f"raise {kind}"


def expected_values(spec: ProgramSpec) -> Iterator[str]:
    """The expected values of the tests that are Python literals."""
    for value in _values(spec):
        text = source_text(value)
        if len(text) <= _LONGEST and _is_literal(text):
            yield text


def _values(spec: ProgramSpec) -> Iterator[Any]:
    match spec:
        case BatchSpec(expected=[_, *_] as expected):
            for payload in expected:
                try:
                    yield decode(payload)
                except CodecError:
                    continue
        case BatchSpec(expected_text=texts) | MeraSpec(expected_text=texts):
            yield from texts
        case LevelsSpec(cases=cases):
            yield from (resolve(case.expected.value) for case in cases if case.expected.value is not None)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
