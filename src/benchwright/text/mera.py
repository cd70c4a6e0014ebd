"""MERA's two rules for taking a program from a generation, with their quirks, for comparable scores.

Both concatenate the text with the function's head. They are poor rules (a fence tagged `py` is lost,
reasoning is executed), but published scores depend on them.
"""

from __future__ import annotations

import re

# `\w` of the tag is Unicode's, and `^` is after "\n" only: a "\r" before it does not start a line.
_CLOSED = re.compile(r"^```([\w-]+)\n(.*?\n)```", re.DOTALL | re.MULTILINE)
_OPEN = re.compile(r"^```([\w-]+)\n(.*)", re.DOTALL | re.MULTILINE)


def process_mera_code(text: str | None) -> str:
    """Extract the blocks tagged exactly `python`, else the raw text, as MERA Code does.

    Quirks: any tagged block disables the raw text, so an answer with only a `py` block becomes a newline; a
    tag is required, of letters, digits, `_` and `-` only; the closing fence needs no line end after it; an
    unclosed block counts only if no block is closed.
    """
    if text is None:
        return ""
    blocks = _CLOSED.findall(text) or _OPEN.findall(text)
    if not blocks:
        return text
    return "\n" + "\n".join(code for tag, code in blocks if tag == "python")


def process_mera_text(text: str | None) -> str:
    """Extract the inside of XXXpython … XXX, else the raw text, as MERA (text) does.

    X is the first character, except space, newline and tab. Nothing may precede or follow the fence, not
    even a newline, and `python3` leaves its "3" in the program. MERA itself fails on None; here it is an
    empty answer, as in MERA Code.
    """
    if not text or text[0] in " \n\t":
        return text or ""
    fence = text[0] * 3
    if text.startswith(fence + "python") and text.endswith(fence):
        return text[len(fence + "python") : -len(fence)]
    return text


def program(function: str, processed: str) -> str:
    """Concatenate head and processed answer without a separator, as MERA does.

    A body must therefore begin with a newline or come from a fence; `    return x` directly after the
    docstring's quotes is a syntax error, as in MERA.
    """
    return function + processed
