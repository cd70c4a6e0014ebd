"""Rows with a few values replaced, removed, doubled or renamed: always the same for a seed."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 3, 1.5, 1e308, float("nan"), float("inf"), 1 << 70, -(1 << 70), 10**400),
    *("", " ", "\0", "\ud800", "\u202e", "x" * 5000, "{", "[1, 2", "{}", "{inputs}", "'''", "../../x", "/"),
    *("def f(:", "def f(x):\n    return x", "9" * 5000, "1e999", "None", "2024-13-45", "\U0001f600" * 30),
    *([], [[]], [None], [1, "a"], {}, {"": None}, {"a": {"b": []}}, [[[[[[[[]]]]]]]], ["x"] * 300),
)


def mutants(value: Any, *, count: int, seed: int = 0) -> Iterator[Any]:
    """Return copies of a JSON value that differ from it in one to three places."""
    chance = random.Random(seed)
    for _ in range(count):
        mutant = copy.deepcopy(value)
        for _ in range(chance.randint(1, 3)):
            mutant = _changed(mutant, chance)
        yield mutant


def _changed(value: Any, chance: random.Random) -> Any:
    places = list(_places(value))
    if not places:
        return chance.choice(ODD)
    holder, key = chance.choice(places)
    way = chance.randrange(6)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[chance.choice(("", "x", "task_id", "\0", str(key) * 50))] = holder.pop(key)
    elif way == 2 and isinstance(holder[key], str):
        text = holder[key]
        at = chance.randrange(len(text) + 1)
        holder[key] = text[:at] + chance.choice(("\0", "'", '"', "}{", "\n", "\ud800")) + text[at:]
    elif way == 3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif way == 4:
        holder[key] = [holder[key]]
    else:
        holder[key] = copy.deepcopy(chance.choice(ODD))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return each container with each of its keys or indexes."""
    if not isinstance(value, dict | list):
        return
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        yield from _places(value[key])
