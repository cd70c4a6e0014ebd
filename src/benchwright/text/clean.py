"""Raw model text made uniform: line ends, and the control marks that some servers leave in."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\A(?:\s*<\|[a-z_]+\|>(?:assistant\b)?)+[ \t]*\n?", re.IGNORECASE)
_MARK = re.compile(
    r"<\|(?:endoftext|end_of_text|end|eot_id|eom_id|eot|im_end|im_start|return|call|file_sep"
    r"|fim_prefix|fim_middle|fim_suffix|fim_pad)\|>|<｜end▁of▁sentence｜>|<end_of_turn>|<eos>|</s>\s*\Z",
    re.IGNORECASE,
)


def normalise(raw: str) -> str:
    """The text without a byte order mark and with "\\n" as its only line end.

    Python reads "\\r\\n" and a lone "\\r" as line ends itself, so no program changes its meaning.
    """
    text = raw.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def drop_marks(text: str) -> str:
    """The text up to the first end mark such as `<|im_end|>`, and without a role header before it.

    What follows an end mark is another document. A mark inside a string literal is left alone: a program
    that handles chat templates is still a program.
    """
    if "<" not in text:
        return text
    if text.lstrip().startswith("<|"):
        text = _HEADER.sub("", text)
    for mark in _MARK.finditer(text):
        if not _in_string(text, mark.start()):
            return text[: mark.start()]
    return text


def _in_string(text: str, at: int) -> bool:
    """True when a quote is open on the line before `at`: a guess that needs no tokenizer."""
    floor = max(at - 2000, 0)
    before = text[max(text.rfind("\n", floor, at) + 1, floor) : at]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1 or "`" in before
