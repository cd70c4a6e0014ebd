"""Reasoning blocks taken out of raw model text, before anything looks for code in it.

Drafts inside the reasoning look like answers, so they must go first. Tags inside code must stay: they
are recognised only where a model writes its reasoning, that is before the first sign of an answer.
"""

from __future__ import annotations

import re

from benchwright.records import Record

_NAMES = r"(?:think|thinking|reasoning|thoughts?|scratchpad|reflection|analysis|inner_monologue|seed:think)"
# Compiled where they are used first (`re` remembers them): few answers need more than the hint.
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


class Stripped(Record, frozen=True, kw_only=True):
    """What is left of a text; `found` if there was reasoning, `truncated` if it never ended."""

    text: str
    found: bool = False
    truncated: bool = False


def strip_reasoning(text: str) -> Stripped:
    """The text without its reasoning blocks.

    A block that opens and never closes takes all after it: the model was cut off while it thought.
    A closing tag whose opening tag is missing (the chat template wrote it) takes all before it.
    """
    if text.startswith("analysis") and "assistantfinal" in text:
        # The harmony format after a server dropped its marks: channel names glued to the text.
        return Stripped(text=text.rpartition("assistantfinal")[2], found=True)
    if not _HINT.search(text):
        return Stripped(text=text)
    return _channels(text) if re.compile(_CHANNEL).match(text) else _tags(text)


def _tags(text: str) -> Stripped:
    kept: list[str] = []
    position = 0
    while opening := _opening(text, position):
        kept.append(text[position : opening.start()])
        closing = re.compile(_CLOSING).search(text, opening.end())
        if closing is None:
            return Stripped(text="".join(kept), found=True, truncated=True)
        position = closing.end()
    after = _after_orphan(text, position)
    if after is not None:
        return Stripped(text=text[after:], found=True)
    return Stripped(text="".join(kept) + text[position:], found=position > 0)


def _opening(text: str, position: int) -> re.Match[str] | None:
    """The next opening tag, if it begins a line and nothing that looks like an answer stands before it."""
    found = re.compile(_OPENING).search(text, position)
    if found is None:
        return None
    before = text[position : found.start()]
    if before[before.rfind("\n") + 1 :].strip() or re.compile(_ANSWER).search(before):
        return None
    return found


def _after_orphan(text: str, position: int) -> int | None:
    """Where the answer begins after closing tags that nothing opened; None when there are none.

    Code that handles such tags writes the opening one first, or has the tag in quotes. Several in a row
    come from reasoning that mentions its own end, so the search goes on until an answer has begun.
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
    """True when a tag is neither in quotes, nor in a comment, nor a word in the middle of a sentence."""
    floor = max(tag.start() - 500, 0)  # a longer line is not code, and the text is hostile
    before = text[max(text.rfind("\n", floor, tag.start()) + 1, floor) : tag.start()]
    if re.compile(_QUOTED).search(before) or re.compile(_ENDS_QUOTE).match(text, tag.end()):
        return False
    return not (before.strip() and before[-1].isspace() and re.compile(_MORE).match(text, tag.end()))


def _channels(text: str) -> Stripped:
    """The `final` channel of a reply in the harmony format; nothing when the model never reached it."""
    final = list(re.compile(_FINAL).finditer(text))
    if not final:
        return Stripped(text="", found=True, truncated=True)
    return Stripped(text=text[final[-1].end() :], found=True)
