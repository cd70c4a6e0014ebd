"""MERA's two rules that turn a generation into a program, quirks kept, so that scores can be compared.

Both build the program by plain concatenation with the function's head. They are not good rules (a fence
tagged `py` is lost, reasoning is run as code); they are here because published scores were made with them.
"""

from __future__ import annotations

import re

# `\w` of the tag is Unicode's, and `^` is after "\n" only: a "\r" before it does not start a line.
_CLOSED = re.compile(r"^```([\w-]+)\n(.*?\n)```", re.DOTALL | re.MULTILINE)
_OPEN = re.compile(r"^```([\w-]+)\n(.*)", re.DOTALL | re.MULTILINE)


def process_mera_code(text: str | None) -> str:
    """What MERA Code takes from a generation: the blocks tagged exactly `python`, else the raw text.

    The quirks: any tagged block switches the raw text off, so an answer with only a `py` block becomes
    a bare newline; a tag is required, and it may hold letters, digits, `_` and `-` only; the closing
    fence needs no line end after it; a cut-off block counts only when no block is closed.
    """
    if text is None:
        return ""
    blocks = _CLOSED.findall(text) or _OPEN.findall(text)
    if not blocks:
        return text
    return "\n" + "\n".join(code for tag, code in blocks if tag == "python")


def process_mera_text(text: str | None) -> str:
    """What MERA (text) takes from a generation: the inside of XXXpython … XXX, else the raw text.

    X is the first character, whatever it is, save space, newline and tab. Nothing may stand before or
    after the fence, not even a newline, and `python3` leaves its "3" in the program. MERA itself fails
    on a generation that is None; here it is the empty answer, as in MERA Code.
    """
    if not text or text[0] in " \n\t":
        return text or ""
    fence = text[0] * 3
    if text.startswith(fence + "python") and text.endswith(fence):
        return text[len(fence + "python") : -len(fence)]
    return text


def program(function: str, processed: str) -> str:
    """The program that MERA runs: head and processed answer glued together, with nothing between.

    So a body must begin with a newline or come from a fence; `    return x` straight after the
    docstring's quotes is a syntax error, and that is MERA's verdict too.
    """
    return function + processed
