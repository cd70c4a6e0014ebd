"""Values as source text, including those that `repr` refuses."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from benchwright.text.literal import source_text

LONG = 7**9999
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


LONG_ONES: dict[str, object] = {
    "plain": LONG,
    "negative": -LONG,
    "list": [LONG],
    "tuple": (1, LONG),
    "one": (LONG,),
    "set": {LONG, 2},
    "dict": {"a": [LONG]},
    "key": {LONG: 1},
}


@pytest.mark.parametrize("name", LONG_ONES)
def test_long_integers_are_read_back(name: str) -> None:
    """Different integers have different texts."""
    assert ast.literal_eval(source_text(LONG_ONES[name])) == LONG_ONES[name]


@pytest.mark.parametrize("value", [1, "é", [1.5, None], (1,), {"a": {2}}, set(), frozenset(), b"x"])
def test_all_else_is_as_python_writes_it(value: object) -> None:
    """The text equals Python's."""
    assert source_text(value) == repr(value)


def test_what_cannot_be_written_is_an_ellipsis() -> None:
    """It is shown and compared, so it needs a text."""
    assert source_text(DEEP) == "…"
    assert "0x" in source_text(frozenset({LONG}))
