"""Raw model text made uniform: line ends, the control marks that some servers leave in, stop strings."""

from __future__ import annotations

import re
from collections.abc import Iterable

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


def cut_at_stop(text: str, stops: Iterable[str]) -> tuple[str, str]:
    """The text before the first stop string, and the tail from that string on; joined they are the text.

    The earliest place in the text decides, not the order of the stops: it is where a model that is
    watched token by token would have been stopped. An empty stop string stops nothing.

    Some servers end a generation at the right token and still send the stop string with the rest of its
    token, so the text is cut here whatever the server has said about stops.
    """
    places = (text.find(stop) for stop in stops if stop)
    first = min((place for place in places if place >= 0), default=len(text))
    return text[:first], text[first:]
