"""The new hunk in an answer: a fenced block, a unified diff, or the whole text.

An answer that repeats lines around the hunk is read as the code with the hunk in it: the same lines around it
are removed. Where they were changed, the answer edits lines that it was not asked to, and is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.contracts import Extraction, RefineSpec
from benchwright.lang.hunks import diff_hunks, looks_like_diff, patched
from benchwright.lang.languages import commented_language
from benchwright.lang.lines import lines_of, split_lf
from benchwright.records import SOLUTION, Answer, Outcome
from benchwright.store.strict_json import replace_lone
from benchwright.text.extract import CUT_OFF, MAX_BYTES, answer_blocks
from benchwright.text.fences import Block
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.refine.rows import MAX_LINES

_DIFF = frozenset({"diff", "patch", "udiff"})
_END = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*$")
_NEAR = 10  # lines before and after the hunk in which repeated lines are searched
_SHORT = 3  # letters and digits of a line that any code may have, such as `} else`
_FEW = 2  # lines around the hunk that an answer may repeat by chance
_MOST_LINES = 5 * MAX_LINES  # of a new hunk


class _NotAHunk(Exception):
    """The text is not a replacement of the hunk; the outcome and the reason."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


def take_hunk(answer: Answer, spec: RefineSpec) -> Extraction:
    """Extract the new hunk, as `program`.

    Problem `no_code` if there is none, `wrong` if the answer changes other lines.
    """
    if len(answer.text) > MAX_BYTES:
        detail = f"the answer has {len(answer.text):,} characters, more than {MAX_BYTES:,}"
        return _problem(Outcome.no_code, "none", detail)
    stripped = strip_reasoning(normalise(answer.text))
    text = replace_lone(drop_marks(stripped.text))
    cut = answer.finish_reason in CUT_OFF or stripped.truncated
    rule, content = ("solution", text) if answer.form == SOLUTION else _choose_content(text, spec)
    if stripped.found:
        rule = f"reasoning+{rule}"
    try:
        hunk, hunk_rule = _hunk(content, rule, spec)
    except _NotAHunk as problem:
        return _problem(problem.outcome, rule, str(problem), truncated=cut)
    return Extraction(program=hunk, rule=hunk_rule, truncated=cut)


def _problem(outcome: Outcome, rule: str, detail: str, *, truncated: bool = False) -> Extraction:
    return Extraction(program="", rule=rule, problem=outcome.value, detail=detail, truncated=truncated)


def _choose_content(text: str, spec: RefineSpec) -> tuple[str, str]:
    """The rule, and the content: the last block of the language, else the last one, else the text.

    A diff counts as a block of the language. Of a text without a block, the part before a line that ends a
    fence is used: a prompt for a base model ends with the beginning of one.
    """
    blocks = answer_blocks(text)
    if not blocks:
        lines = text.split("\n")
        end = next((at for at, line in enumerate(lines) if _END.match(line)), len(lines))
        return "text", "\n".join(lines[:end])
    tags = _tags(spec.lang)
    tagged_blocks = [block for block in blocks if block.tag in tags or block.tag in _DIFF]
    block = (tagged_blocks or blocks)[-1]
    several = f" {_position(blocks, block)} of {len(blocks)}" if len(blocks) > 1 else ""
    kind = "diff" if block.tag in _DIFF or looks_like_diff(block.content) else "fence"
    return kind + several, block.content


def _position(blocks: Sequence[Block], block: Block) -> int:
    return next(at for at, each in enumerate(blocks, 1) if each is block)


def _tags(lang: str) -> frozenset[str]:
    if not lang:
        return frozenset({"text", "txt", "markdown", "md", "plain", "plaintext"})
    return commented_language(lang).fence_tags


def _hunk(content: str, rule: str, spec: RefineSpec) -> tuple[str, str]:
    """The new hunk and the rule. Raises _NotAHunk."""
    if not content.strip():
        raise _NotAHunk(Outcome.no_code, "nothing is left of the answer")
    given = _Surroundings.of(spec)
    if "diff" in rule or looks_like_diff(content):
        return _hunk_of_diff(content, spec, given), rule if "diff" in rule else f"diff in {rule}"
    inner = given.inner(content)
    if given.repeats(inner):
        raise _NotAHunk(
            Outcome.wrong, f"repeats or changes lines outside lines {spec.first} to {spec.last} of the code"
        )
    if not inner.strip():
        raise _NotAHunk(Outcome.wrong, "deletes the lines and writes nothing in their place")
    if inner.count("\n") >= _MOST_LINES:
        message = f"has {inner.count(chr(10)) + 1:,} lines in place of {spec.last - spec.first + 1}"
        raise _NotAHunk(Outcome.wrong, message)
    return inner, rule if inner == content else f"{rule}+lines around"


def _hunk_of_diff(content: str, spec: RefineSpec, given: _Surroundings) -> str:
    try:
        whole = patched(spec.code, diff_hunks(content))
    except ValueError as error:
        raise _NotAHunk(Outcome.wrong, f"the diff cannot be applied: {error}") from None
    inner = given.cut(whole)
    if inner is None:
        raise _NotAHunk(Outcome.wrong, f"the diff changes lines outside lines {spec.first} to {spec.last}")
    if not inner.strip():
        raise _NotAHunk(Outcome.wrong, "deletes the lines and writes nothing in their place")
    return inner


class _Surroundings(NamedTuple):
    """The lines before, in and after the hunk, and those of the reference, without line ends."""

    before: list[str]
    hunk: list[str]
    after: list[str]
    reference: list[str]

    @classmethod
    def of(cls, spec: RefineSpec) -> _Surroundings:
        lines = lines_of(spec.code)
        hunk = lines[spec.first - 1 : spec.last]
        return cls(lines[: spec.first - 1], hunk, lines[spec.last :], lines_of(spec.reference))

    def cut(self, whole: str) -> str | None:
        """The part of a text between the lines before and after; None if it lacks them."""
        lines = lines_of(whole)
        end = len(lines) - len(self.after)
        is_surrounded = lines[: len(self.before)] == self.before and lines[max(0, end) :] == self.after
        return "\n".join(lines[len(self.before) : end]) if is_surrounded and end >= len(self.before) else None

    def inner(self, content: str) -> str:
        """The content without lines at its ends that repeat those around the hunk.

        A single line is removed only if it is all that is around, and none if the reference begins or ends
        with it: a hunk may begin like the line above it, such as with a bracket.
        """
        lines = lines_of(content)
        head = _overlap(self.before, lines, self.reference)
        lines = lines[head:]
        mirrored = (self.after[::-1], lines[::-1], self.reference[::-1])
        tail = _overlap(*mirrored)
        return "\n".join(lines[: len(lines) - tail]) if head or tail else content

    def repeats(self, content: str) -> bool:
        """Whether a text has most lines right before or right after the hunk.

        Lines of the hunk and the reference do not count, nor do those that any code may have.
        """
        own = {line.strip() for line in (*self.hunk, *self.reference)}
        lines = {line.strip() for line in content.split("\n")} - own
        for near in (self.before[-_NEAR:], self.after[:_NEAR]):
            telling = {line.strip() for line in near if sum(map(str.isalnum, line)) > _SHORT} - own
            found = len(telling & lines)
            if found >= _FEW and 2 * found > len(telling):
                return True
        return False


def _overlap(context: Sequence[str], lines: Sequence[str], reference: Sequence[str]) -> int:
    """The number of lines at the start of `lines` that are the last ones of `context`."""
    if not context or not lines:
        return 0
    for number in range(min(len(context), len(lines)), 0, -1):
        if context[len(context) - number] == lines[0] and list(context[-number:]) == list(lines[:number]):
            if list(reference[:number]) == list(lines[:number]):
                return 0
            nonblank_lines = sum(bool(line.strip()) for line in lines[:number])
            return number if nonblank_lines >= _FEW or (nonblank_lines and number == len(context)) else 0
    return 0


def fenced(text: str, lang: str) -> str:
    """A hunk as an answer: one fenced block with a fence longer than any in the hunk."""
    ticks = fence(text)
    return f"{ticks}{lang.lower() or 'text'}\n{text.removesuffix(chr(10))}\n{ticks}\n"


def unchanged(spec: RefineSpec) -> str:
    """The lines as given, as an answer."""
    return fenced("".join(split_lf(spec.code)[spec.first - 1 : spec.last]), spec.lang)
