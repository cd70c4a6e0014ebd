"""Fenced code blocks in Markdown, and MERA's two rules for taking a program from a generation."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from benchwright.records import Record

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})(.*)")
_TAG = re.compile(r"[\s{.]*(?:(?:language|lang)-)?([\w+#-]+)")
_CODE = re.compile(
    r"[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+|class[ \t]+\w.*:"
    r"|import[ \t]+\w|from[ \t]+\S+[ \t]+import\b|return\b)"
)


class Block(Record, frozen=True, kw_only=True):
    """One fenced block: its tag (lower case, "" for none), content without the fence's own indentation."""

    tag: str
    content: str
    closed: bool


class LocatedBlock(NamedTuple):
    """A block and the first and last line of its content in the text, counted from 1.

    Of an empty block the last line is the one before the first.
    """

    block: Block
    first_line: int
    last_line: int


class _Opening(NamedTuple):
    indent: str
    run: str
    info: str
    line: int
    depth: int  # columns of the indentation, measured once: it may be as long as the text


def find_blocks(text: str) -> list[Block]:
    """All fenced blocks in order. Only the last can be unclosed; a bare fence that ends the text is none."""
    return [located.block for located in locate_blocks(text)]


def locate_blocks(text: str) -> list[LocatedBlock]:
    """The same, each with its lines."""
    if "```" not in text and "~~~" not in text:
        return []
    lines = text.split("\n")
    blocks: list[LocatedBlock] = []
    opening: _Opening | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence is None:
            continue
        here = _Opening(fence[1], fence[2], fence[3], number, len(fence[1].expandtabs(4)))
        if opening is None:
            opening = here if _opens(here) else None
        elif _closes(here, opening):
            blocks.append(_block(lines, opening, number, by="fence"))
            opening = None
        elif _reopens(here, opening):
            blocks.append(_block(lines, opening, number, by="next"))
            opening = here
    if opening is not None:
        blocks.append(_block(lines, opening, len(lines), by="end"))
    return [each for each in blocks if each.block.closed or each.block.tag or each.block.content.strip()]


def _opens(fence: _Opening) -> bool:
    """A run of backticks with another backtick on its line is inline code."""
    return not (fence.run[0] == "`" and "`" in fence.info)


def _matches(fence: _Opening, opening: _Opening) -> bool:
    return (
        fence.depth - opening.depth < 4
        and fence.run[0] == opening.run[0]
        and len(fence.run) >= len(opening.run)
    )


def _closes(fence: _Opening, opening: _Opening) -> bool:
    return _matches(fence, opening) and not fence.info.strip()


def _reopens(fence: _Opening, opening: _Opening) -> bool:
    return _matches(fence, opening) and _opens(fence)


def _block(
    lines: list[str], opening: _Opening, end: int, *, by: Literal["fence", "next", "end"]
) -> LocatedBlock:
    """The block from its opening line to `end`: its fence, the next block's, or the end of the text."""
    content, first = lines[opening.line + 1 : end], opening.line + 2
    info, tag = opening.info, ""
    if _CODE.match(info):  # ```def f(x): … the model forgot the line end
        content.insert(0, opening.indent + info.strip())
        first -= 1
    elif found := _TAG.match(info):
        tag = found[1].lower()
    glued = None if by == "fence" else _line_with_glued_fence(content, opening.run)
    if glued is not None:
        content[glued:] = [content[glued].rstrip()[: -len(opening.run)]]
    text = "\n".join(_dedent(content, opening.indent))
    block = Block(tag=tag, content=text, closed=by != "end" or glued is not None)
    return LocatedBlock(block, first, first + len(content) - 1)


def _line_with_glued_fence(content: list[str], run: str) -> int | None:
    """The first line that ends with the fence, as in `return x` followed at once by three backticks."""
    return next((at for at, line in enumerate(content) if line.rstrip().endswith(run)), None)


def _dedent(content: list[str], indent: str) -> list[str]:
    """Takes the fence's indentation off, unless some line has less: then only the fence was indented."""
    if not indent or not all(line.startswith(indent) for line in content if line.strip()):
        return content
    return [line[len(indent) :] for line in content]


# `\w` of the tag is Unicode's, and `^` is after "\n" only: a "\r" before it does not start a line.
_CLOSED_FENCE = re.compile(r"^```([\w-]+)\n(.*?\n)```", re.DOTALL | re.MULTILINE)
_OPEN = re.compile(r"^```([\w-]+)\n(.*)", re.DOTALL | re.MULTILINE)


def process_mera_code(text: str | None) -> str:
    """Extract the blocks tagged exactly `python`, else the raw text, as MERA Code does.

    Quirks: any tagged block disables the raw text, so an answer with only a `py` block becomes a newline; a
    tag is required, of letters, digits, `_` and `-` only; the closing fence needs no line end after it; an
    unclosed block counts only if no block is closed.
    """
    if text is None:
        return ""
    blocks = _CLOSED_FENCE.findall(text) or _OPEN.findall(text)
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
