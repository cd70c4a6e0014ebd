"""The code that MERA takes from an answer to UnitTests."""

from __future__ import annotations

import re

_CLOSED = re.compile(r"```(?P<tag>(?:\w|-)+)\n(?P<code>.*?)```", re.DOTALL)
_OPEN = re.compile(r"```(?P<tag>(?:\w|-)+)\n(?P<code>.*)", re.DOTALL)
_PLAIN = re.compile(r"```\n(?P<code>.*?)```", re.DOTALL)


def take_code(text: str, language: str) -> str:
    """The blocks with the row's language as their tag, joined by a line end; the whole text without any.

    Blocks are those that end, else one that never ends, else those without a tag.
    """
    found = [(each["tag"], each["code"]) for each in _CLOSED.finditer(text)]
    found = found or [(each["tag"], each["code"]) for each in _OPEN.finditer(text)]
    found = found or [(language, each["code"]) for each in _PLAIN.finditer(text)]
    joined = "\n".join(code for tag, code in found if tag == language)
    return joined.strip("\n") if joined.strip() else text
