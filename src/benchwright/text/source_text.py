"""Values as Python source text, including integers that are too long for `repr`."""

from __future__ import annotations

from typing import Any

_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ",)"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def source_text(value: Any) -> str:
    """Return a value as Python source code; "…" if it is nested too deeply.

    Integers of more than 4,300 digits, which `repr` rejects, are written in base 16, which has no limit.
    """
    try:
        return _written(value)
    except RecursionError:
        return "…"


def _written(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:
        return _with_long_integers(value)


def _with_long_integers(value: Any) -> str:
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, dict):
        pairs = (f"{_written(key)}: {_written(each)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if type(value) in _BRACKETS:
        first, last = _BRACKETS[type(value)]
        return first + ", ".join(map(_written, value)) + last
    return "…"
