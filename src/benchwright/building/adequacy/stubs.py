"""Programs that solve nothing, and so must fail: constants, an argument handed back, an exception."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchwright.cases.reading import resolve
from benchwright.contracts import BatchSpec, LevelsSpec, MeraSpec, ProgramSpec
from benchwright.sandbox.codec import CodecError, decode

_CONSTANTS = ("None", "True", "False", "0", "1", "-1", "0.0", "''", "'a'", "[]", "{}", "()", "set()")
_BODIES = {
    **{f"returns {text}": f"return {text}" for text in _CONSTANTS},
    "returns its first argument": "return (*args, *kwargs.values())[0]",
    "returns its last argument": "return (*args, *kwargs.values())[-1]",
    "raises NotImplementedError": "raise NotImplementedError",
    "raises ValueError": "raise ValueError",
}
_LONGEST = 2000  # characters of an expected value that a stub returns


def stubs(entry_point: str, spec: ProgramSpec) -> dict[str, str]:
    """Whole programs by what they do.

    One returns the value that the tests expect most often: of several calls, since it tells nothing of tests
    that make a single one.
    """
    bodies = dict(_BODIES)
    expected = [*_expected(spec)]
    common = Counter(expected).most_common(1)
    if len(expected) > 1 and f"returns {common[0][0]}" not in bodies:
        bodies["returns the most frequent expected value"] = f"return {common[0][0]}"
    return {name: f"def {entry_point}(*args, **kwargs):\n    {body}\n" for name, body in bodies.items()}


def _expected(spec: ProgramSpec) -> Iterator[str]:
    for value in _values(spec):
        text = repr(value)
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
