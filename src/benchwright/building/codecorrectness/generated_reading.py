"""The test file in a model's reply, or the name of what is wrong with it.

Nothing is mended: a file that was cut off has lost an end that nobody knows, and of two files it would be
chance which one was meant.
"""

from __future__ import annotations

from typing import NamedTuple

from benchwright.lang.languages import language
from benchwright.lang.source import cases, syntax_fault
from benchwright.records import Answer
from benchwright.text.clean import drop_marks, normalise
from benchwright.text.extract import CUT_OFF
from benchwright.text.fences import Block, find_blocks
from benchwright.text.reasoning import strip_reasoning

MAX_CHARS = 256 << 10  # of a reply; a test file that a row can hold has a few thousand
MOST_BLOCKS = 32
_UNTAGGED = ("", "code", "tool_code", "test", "tests")


class GeneratedTest(NamedTuple):
    """The test file; where there is none, `problem` names why, and `detail` says more."""

    code: str
    problem: str = ""
    detail: str = ""


def read_reply(answer: Answer, lang: str) -> GeneratedTest:
    """The test file in a reply. Never raises, whatever the text."""
    if answer.error is not None:
        return _problem("model_error", answer.error)
    if len(answer.text) > MAX_CHARS:
        return _problem("reply_too_large", f"{len(answer.text):,} characters")
    stripped = strip_reasoning(normalise(answer.text))
    if stripped.truncated or answer.finish_reason in CUT_OFF:
        return _problem("reply_truncated", f"it ended by {answer.finish_reason or 'no end of its reasoning'}")
    text = drop_marks(stripped.text)
    if not text.strip():
        return _problem("reply_empty", "nothing beside reasoning" if stripped.found else "")
    blocks = _inner(text)
    if len(blocks) > MOST_BLOCKS:
        return _problem("reply_in_pieces", f"{len(blocks)} blocks")
    return _fenced(blocks, lang) if blocks else _bare(text, lang)


def _inner(text: str) -> list[Block]:
    """Fenced blocks; a block of Markdown stands for those inside it."""
    found: list[Block] = []
    for block in find_blocks(text):
        found += find_blocks(block.content) if block.tag in ("markdown", "md") else [block]
    return [block for block in found if block.content.strip()]


def _bare(text: str, lang: str) -> GeneratedTest:
    """A reply without fences is a file itself, or it is none."""
    if syntax_fault(text, lang) is None and cases(text, lang):
        return _file(text)
    return _problem("reply_without_code", "no fenced block, and the text itself is no test file")


def _fenced(blocks: list[Block], lang: str) -> GeneratedTest:
    """The one block with test cases. Blocks that show how to run them, or the code again, have none."""
    own = language(lang).fence_tags.union(_UNTAGGED)
    mine = [block for block in blocks if block.tag in own]
    if not mine:
        return _problem("reply_other_language", ", ".join(block.tag for block in blocks)[:100])
    faults = {at: fault for at, block in enumerate(mine) if (fault := syntax_fault(block.content, lang))}
    files = [block for at, block in enumerate(mine) if at not in faults and cases(block.content, lang)]
    if len(files) > 1:
        return _problem("reply_several_files", f"{len(files)} blocks hold test cases")
    if any(not block.closed for block in mine):
        return _problem("reply_truncated", "its last block has no end")
    if files:
        return _file(files[0].content)
    if faults:
        return _problem("reply_syntax", str(next(iter(faults.values()))))
    return _problem("reply_without_tests", "no block holds a test case")


def _file(code: str) -> GeneratedTest:
    return GeneratedTest(code.strip("\n") + "\n")


def _problem(name: str, detail: str) -> GeneratedTest:
    return GeneratedTest("", name, detail[:300])
