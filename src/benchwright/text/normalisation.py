"""Normalisation of raw model text before extraction: line ends, control marks, stop strings, reasoning."""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchwright.records import Record

# Line ends, control marks that some servers leave in, stop strings.

_HEADER = re.compile(r"\A(?:\s*<\|[a-z_]+\|>(?:assistant\b)?)+[ \t]*\n?", re.IGNORECASE)
_MARK = re.compile(
    r"<\|(?:endoftext|end_of_text|end|eot_id|eom_id|eot|im_end|im_start|return|call|file_sep"
    r"|fim_prefix|fim_middle|fim_suffix|fim_pad)\|>|<｜end▁of▁sentence｜>|<end_of_turn>|<eos>|</s>\s*\Z",
    re.IGNORECASE,
)


def normalise(raw: str) -> str:
    """Remove a byte order mark and convert line ends to "\\n".

    Python itself reads "\\r\\n" and "\\r" as line ends, so programs keep their meaning.
    """
    text = raw.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def drop_marks(text: str) -> str:
    """Cut a text at the first end mark such as `<|im_end|>`, and remove a role header at its start.

    Text after an end mark is another document. Marks inside string literals stay: they belong to programs
    that handle chat templates.
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
    """Guess without a tokenizer whether a quote is open on the line before `at`."""
    floor = max(at - 2000, 0)
    before = text[max(text.rfind("\n", floor, at) + 1, floor) : at]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1 or "`" in before


def cut_at_stop(text: str, stops: Iterable[str]) -> tuple[str, str]:
    """Split a text at the first stop string; the tail begins with it.

    The earliest position decides, not the order of the stop strings, as if the model had been stopped there.
    An empty stop string is ignored.

    Some servers end a generation at the right token but send the stop string and the rest of the token, so
    the text is always cut here.
    """
    places = (text.find(stop) for stop in stops if stop)
    first = min((place for place in places if place >= 0), default=len(text))
    return text[:first], text[first:]


# Reasoning blocks are removed before extraction, because drafts inside them look like answers. Tags inside
# code must stay: they are recognised only before the first sign of an answer, where models write reasoning.

_NAMES = r"(?:think|thinking|reasoning|thoughts?|scratchpad|reflection|analysis|inner_monologue|seed:think)"
# Patterns are compiled at first use (`re` caches them): few answers need more than the hint.
_OPENING = rf"(?i)<{_NAMES}>|\[THINK\]|<\|begin_of_thought\|>|◁think▷"
_CLOSING = rf"(?i)</{_NAMES}>|\[/THINK\]|<\|end_of_thought\|>|◁/think▷"
_HINT = re.compile(r"<[/a-z|]|\[/?THINK|◁", re.IGNORECASE)
_ANSWER = (
    r"(?m)^[ \t]*(?:```|~~~|@\w|(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|class[ \t]+\w[^\n]*:[ \t]*$"
    r"|import[ \t]+\w|from[ \t]+\S+[ \t]+import\b|\w+[ \t]*=[^=])"
)
_QUOTED = r"""["`#]|(?<!\w)'|'(?!\w)"""
_ENDS_QUOTE = r"""["'\\]|`(?!``)"""
_MORE = r"[ \t]*\S"
_FINAL = r"<\|channel\|>[ \t]*final\b[^<\n]*<\|message\|>"
_CHANNEL = r"\s*(?:<\|start\|>assistant)?<\|channel\|>"


class StrippedText(Record, frozen=True, kw_only=True):
    """A text without reasoning; `found` if there was some, `truncated` if it never ended."""

    text: str
    found: bool = False
    truncated: bool = False


def strip_reasoning(text: str) -> StrippedText:
    """Remove reasoning blocks from a text.

    A block that never closes extends to the end: the model was truncated while reasoning. A closing tag
    without an opening tag (which the chat template contained) removes everything before it.
    """
    if text.startswith("analysis") and "assistantfinal" in text:
        # The harmony format after a server dropped its marks: channel names glued to the text.
        return StrippedText(text=text.rpartition("assistantfinal")[2], found=True)
    if not _HINT.search(text):
        return StrippedText(text=text)
    return _channels(text) if re.compile(_CHANNEL).match(text) else _tags(text)


def _tags(text: str) -> StrippedText:
    pieces: list[str] = []
    position = 0
    while opening := _next_opening_tag(text, position):
        pieces.append(text[position : opening.start()])
        closing = re.compile(_CLOSING).search(text, opening.end())
        if closing is None:
            return StrippedText(text="".join(pieces), found=True, truncated=True)
        position = closing.end()
    after = _after_orphan(text, position)
    if after is not None:
        return StrippedText(text=text[after:], found=True)
    return StrippedText(text="".join(pieces) + text[position:], found=position > 0)


def _next_opening_tag(text: str, position: int) -> re.Match[str] | None:
    """Find the next opening tag at the start of a line, unless something like an answer precedes it."""
    found = re.compile(_OPENING).search(text, position)
    if found is None:
        return None
    before = text[position : found.start()]
    if before[before.rfind("\n") + 1 :].strip() or re.compile(_ANSWER).search(before):
        return None
    return found


def _after_orphan(text: str, position: int) -> int | None:
    """Return the start of the answer after closing tags without opening tags; None if there are none.

    Code that handles such tags contains the opening one first, or quotes the tag. Several tags in a row come
    from reasoning that mentions its own end, so the search continues until an answer begins.
    """
    opened = (tag.start() for tag in re.compile(_OPENING).finditer(text, position) if _stands_free(text, tag))
    limit = next(opened, len(text))
    answers = (found.start() for found in re.compile(_ANSWER).finditer(text, position, limit))
    after, answer = None, -1
    for closing in re.compile(_CLOSING).finditer(text, position, limit):
        if after is not None and closing.start() > answer:
            break
        if _stands_free(text, closing):
            after = closing.end()
            while (
                answer < after
            ):  # one scan for all tags: the answers lie in the text's order, as the tags do
                answer = next(answers, limit)
    return after


def _stands_free(text: str, tag: re.Match[str]) -> bool:
    """Return whether a tag is outside of quotes, comments and sentences."""
    floor = max(tag.start() - 500, 0)  # a longer line is not code, and the text is hostile
    before = text[max(text.rfind("\n", floor, tag.start()) + 1, floor) : tag.start()]
    if re.compile(_QUOTED).search(before) or re.compile(_ENDS_QUOTE).match(text, tag.end()):
        return False
    return not (before.strip() and before[-1].isspace() and re.compile(_MORE).match(text, tag.end()))


def _channels(text: str) -> StrippedText:
    """Return the `final` channel of a reply in the harmony format; empty if the model never reached it."""
    final = list(re.compile(_FINAL).finditer(text))
    if not final:
        return StrippedText(text="", found=True, truncated=True)
    return StrippedText(text=text[final[-1].end() :], found=True)
