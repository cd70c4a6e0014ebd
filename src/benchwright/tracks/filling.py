"""Filling an instruction template, in one pass and with text fields only.

MERA fills templates with `str.format`. That would let a data file reach attributes (`{a.__class__}`)
and pad to any width (`{a:>99999999}`), so only the plain form `{name}` is known here, with `{{` and
`}}` for braces. Filled values are never read again: code is full of braces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}|[{}]")


def fill(template: str, values: Mapping[str, Any]) -> str:
    """The template with each `{name}` replaced. Raises ValueError for a name or a brace it cannot fill.

    >>> fill("Complete it:\\n{function}", {"function": "def f(x): {}"})
    'Complete it:\\ndef f(x): {}'
    """

    def part(match: re.Match[str]) -> str:
        found, name = match.group(), match.group(1)
        if name is None:
            if len(found) == 1:
                raise ValueError(f"a single `{found}` at character {match.start() + 1}; write it twice")
            return found[0]
        if not isinstance(values.get(name), str):
            raise ValueError(f"`{found}` names no text field; there are: {', '.join(sorted(values))}")
        text: str = values[name]
        return text

    return _PART.sub(part, template)
