"""Rewrites of a canonical solution: other programs, the same values."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from benchwright.building.adequacy.rewrites import rewrites

COLLATZ = """
def f(n, limit=50):
    seen = []
    for step in range(limit):
        seen.append(n)
        if n == 1:
            break
        elif n % 2:
            n = 3 * n + 1
        else:
            n = n // 2
    return seen if len(seen) < limit else None
"""
NESTED = """
import math as m
def f(words):
    def size(word):
        total = 0
        for letter in word:
            if letter == "x":
                continue
            total += 1
        return total
    best, most = "", -m.inf
    for word in words:
        score = size(word)
        if most < score:
            best, most = word, score
    try:
        first = {word: size(word) for word in words}[words[0]]
    except IndexError as error:
        return str(error)
    return best, first
"""
GENERATOR = """
def f(n):
    def walk(k):
        for i in range(k):
            yield i
            yield from (j for j in range(i))
    return [value for value in walk(n)]
"""
CASES: list[tuple[str, list[tuple[Any, ...]]]] = [
    (COLLATZ, [(1,), (6,), (27,), (27, 200), (0, 3)]),
    (NESTED, [([],), (["ab", "x", "abc"],), (["xx", "axb"],)]),
    (GENERATOR, [(0,), (1,), (4,)]),
]


def values(program: str, calls: list[tuple[Any, ...]]) -> list[Any]:
    """What our own program gives."""
    space: dict[str, Any] = {}
    exec(program, space)
    return [space["f"](*args) for args in calls]


@pytest.mark.parametrize(("gold", "calls"), CASES, ids=["loop", "nested", "generator"])
def test_each_rewrite_gives_the_same_values(gold: str, calls: list[tuple[Any, ...]]) -> None:
    """And none is the text that it was made of."""
    made = rewrites(gold, "f")

    assert made
    for name, program in made.items():
        assert values(program, calls) == values(gold, calls), name
        assert ast.dump(ast.parse(program)) != ast.dump(ast.parse(gold)), name


def test_every_kind_is_made() -> None:
    """Of a program that has something of each."""
    kinds = {name for gold, _ in CASES for name in rewrites(gold, "f")}

    assert kinds == {
        "renamed variables", "swapped branches", "flipped comparisons", "for as while", "returned by a variable"
    }  # fmt: skip


def test_parameters_keep_their_names() -> None:
    """Tests may name them."""
    program = rewrites(COLLATZ, "f")["renamed variables"]

    assert values(program + "\n_ = f\n", [(6, 4)]) == values(COLLATZ, [(6, 4)])
    assert "def f(n, limit=50)" in program
    assert "seen_renamed" in program


@pytest.mark.parametrize(
    "gold",
    [
        "def f(:",
        "def f(x):\n    y = x\n    return locals()['y']\n",
        "def f(x):\n    return x\n\x00",
        "def g(x):\n    y = x\n    return y\n",
    ],
)
def test_what_cannot_be_rewritten_is_left(gold: str) -> None:
    """A text that does not parse, one that looks at its own names, one without the function."""
    assert rewrites(gold, "f") == {}
