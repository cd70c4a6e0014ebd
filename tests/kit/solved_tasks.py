"""Small tasks with their canonical solutions, for tests of code that examines them by execution."""

from __future__ import annotations

from typing import Any

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.contracts import BatchSpec, ProgramSpec
from benchwright.sandbox.codec import encode
from benchwright.store.keys import content_key

Pairs = list[tuple[tuple[Any, ...], Any]]


def pairs_spec(pairs: Pairs, *, cpu_s: float = 1.0) -> BatchSpec:
    """Return calls of `f` with their expected values."""
    return BatchSpec(
        entry_point="f",
        calls=encode([(args, {}) for args, _ in pairs]),
        expected=[encode(value) for _, value in pairs],
        cpu_limit_s=cpu_s,
    )


def solved(name: str, gold: str, tests: Pairs | ProgramSpec, **fields: Any) -> SolvedTask:
    """Return a task whose function is `f`."""
    spec = tests if isinstance(tests, ProgramSpec) else pairs_spec(tests)
    return SolvedTask(
        unit=name,
        revision=content_key(name, gold),
        prompt="",
        entry_point="f",
        gold=gold,
        spec=spec,
        **fields,
    )


ABSOLUTE = "def f(x):\n    if x < 0:\n        return -x\n    return x\n"
SOUND = solved("sound", ABSOLUTE, [((3,), 3), ((-3,), 3), ((0,), 0), ((-1,), 1), ((1,), 1), ((-40,), 40)])
CONSTANT = solved("constant", "def f(x):\n    return x % 2 == 0\n", [((2,), True), ((4,), True)])
FAILS = solved("fails", ABSOLUTE, [((3,), 4)])
FLAKY = solved("flaky", "def f():\n    return list({'a', 'b', 'c', 'd'})[0] in 'abcd'[:2]\n", [((), True)])
SUM = "def f(xs):\n    total = 0\n    for x in xs:\n        if x > 0:\n            total += x\n    return total\n"
WEAK = solved("weak", SUM, [(([1, 2],), 3), (([5],), 5), (([4, 4, 4],), 12)])
