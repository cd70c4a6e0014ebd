"""Values and exceptions that are small in the answer, and costly, endless or odd in a test.

Each pair is a use of a value, as in tests of data sets, and the value that an answer returns. No answer is
right: a run with one of them between two right ones scores two of three.
"""

from __future__ import annotations

from typing import NamedTuple

from kit.examples import SCALE


class Use(NamedTuple):
    """The body of a test, and the expression that makes it pass."""

    test: str
    right: str


SEQUENCES = {
    "tuple": Use("assert tuple(candidate(3)) == (1, 2, 3)", "(1, 2, 3)"),
    "sum": Use("assert sum(candidate(3)) == 6", "[1, 2, 3]"),
    "sorted": Use("assert sorted(candidate(3), reverse=True) == [3, 2, 1]", "[1, 2, 3]"),
    "max": Use("assert max(candidate(3)) == 3", "[1, 2, 3]"),
    "set": Use("assert set(candidate(3)) == {1, 2, 3}", "[1, 2, 3]"),
    "text": Use("assert str(candidate(3)) == repr([1, 2, 3])", "[1, 2, 3]"),
    "format": Use("assert f'{candidate(3)}' == '[1, 2, 3]'", "[1, 2, 3]"),
    "pairs": Use("assert [a * b for a in candidate(3) for b in candidate(3)][:2] == [1, 2]", "[1, 2, 3]"),
    "copy": Use("import copy\n    assert copy.deepcopy(candidate(3)) == [1, 2, 3]", "[1, 2, 3]"),
}
NUMBERS = {
    "repeat": Use("assert [7] * candidate(3) == [7, 7, 7]", "x"),
    "range": Use("assert sum(range(candidate(3))) == 3", "x"),
    "loop": Use("n = 0\n    for n in range(candidate(3)):\n        pass\n    assert n == 2", "x"),
    "power": Use("assert 10 ** candidate(3) == 1000", "x"),
    "shift": Use("assert str(1 << candidate(3)) == '8'", "x"),
    "bytes": Use("assert len(bytes(candidate(3))) == 3", "x"),
    "text": Use("assert str(candidate(3)) == '3' and f'{candidate(3):d}' == '3'", "x"),
}
LOOPS = {
    "zip": Use("for got, want in zip(map(candidate, [1, 2]), [1, 2]):\n        assert got == want", "x"),
    "generator": Use("assert all(candidate(n) == n for n in (1, 2))", "x"),
    "any": Use("assert not any(value != 1 for value in map(candidate, [1, 1]))", "x"),
    "list": Use("for at, got in enumerate(list(map(candidate, [0, 1]))):\n        assert got == at", "x"),
    "next": Use("assert next(map(candidate, [1]), 1) == 1", "x"),
    "sentinel": Use("for got in iter(lambda: candidate(5), 5):\n        assert got == 5", "x"),
    "filter": Use("for got in filter(None, map(candidate, [1, 2])):\n        assert got in (1, 2)", "x"),
    "starred": Use("for got in [*map(candidate, [1, 2])]:\n        assert got in (1, 2)", "x"),
    "try": Use("try:\n        assert candidate(1) == 1\n    except ValueError:\n        pass", "x"),
    "unpack": Use("[*values] = map(candidate, [4])\n    for got in values:\n        assert got == 4", "x"),
}
WALKED = {
    "long_range": "return range(10**7)",
    "endless_range": "return range(10**13)",
    "range_beyond_len": "return range(-10**30, 10**30)",
    "empty_lists": "return [[] for _ in range(400_000)]",
    "empty_deques": "import collections\n    return [collections.deque() for _ in range(60_000)]",
    "deep": "value = []\n    for _ in range(150): value = [value, value[:1]]\n    return value",
    "deque": "import collections\n    return collections.deque(range(500_000))",
    "one_hash": "return [n * (2**61 - 1) for n in range(1, 30_000)]",
    "long_text": "return '\\U0001f600' * 3_000_000",
    "generator": "return (n for n in iter(int, 1))",
    "iterator": "return iter([1, 2, 3])",
    "large_set": "return set(range(300_000))",
}
COUNTED = {
    "seven_digits": "return 10**7",
    "nine_digits": "return 10**9",
    "endless": "return 10**18",
    "beyond_words": "return 10**40",
    "giant": "return 1 << (4 << 20)",
    "negative": "return -(10**18)",
}
RAISED = {
    "stop": "raise StopIteration",
    "stop_with_value": "raise StopIteration(x)",
    "stop_async": "raise StopAsyncIteration",
    "generator_exit": "raise GeneratorExit",
    "own_stop": "class Stop(StopIteration): pass\n    raise Stop(1)",
    "namesake": "raise type('StopIteration', (Exception,), {})('done')",
    "next_of_nothing": "return next(iter([]))",
    "exit": "raise SystemExit(0)",
    "interrupt": "raise KeyboardInterrupt",
    "memory": "raise MemoryError",
}


def cases() -> dict[str, tuple[Use, str]]:
    """Return the pairs to execute, by name: each use meets at least two values, and each value two uses."""
    weekly = SCALE > 1
    groups = (
        (SEQUENCES, WALKED, 3 if weekly else 4),
        (NUMBERS, COUNTED, 3),
        (LOOPS, RAISED, 3 if weekly else 5),
    )
    return {
        f"{kind}_{name}": (uses[kind], body)
        for uses, values, step in groups
        for at, kind in enumerate(uses)
        for number, (name, body) in enumerate(values.items())
        if (at + number) % step == 0
    }
