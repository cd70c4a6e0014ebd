"""Extract the commented code from a model's answer, by named rules.

annotations: a JSON list of comments by line, inserted into the given code. fence: the fenced block with
most lines of the given code. line: in a task of one line, a text without that line is its comment, unless
it is a changed version of the line. text: the answer without the prose around the code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Annotation, CommentSpec, Extraction
from benchwright.errors import DataError
from benchwright.lang.comments import read_comments
from benchwright.lang.lines import split_lf
from benchwright.records import Answer, Outcome
from benchwright.store.strict_json import JsonOrigin, parse_value, replace_lone
from benchwright.text.clean import drop_marks, normalise, strip_reasoning
from benchwright.text.extract import CUT_OFF, MAX_BYTES, MOST, answer_blocks
from benchwright.text.fences import Block
from benchwright.tracks.comments.marking import annotated, code_lines

_MOST_SHARED = 0.6  # of a line's names and signs, in a comment on it
_DATA = frozenset({"", "json", "jsonc", "json5"})
_LINE_KEYS = ("line_number", "line", "lineno")
_TEXT_KEYS = ("annotation", "text", "comment")
_OPENERS = ("#", "//", "/*", "*", '"""', "'''")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*$")


class _Found(NamedTuple):
    program: str
    rule: str


def take_commented(answer: Answer, spec: CommentSpec) -> Extraction:
    """Extract the commented code from an answer; problem "no_code" if the answer is empty."""
    if len(answer.text) > MAX_BYTES:
        detail = f"the answer has {len(answer.text):,} characters, more than {MAX_BYTES:,}"
        return Extraction(program="", rule="none", problem=Outcome.no_code.value, detail=detail)
    stripped = strip_reasoning(normalise(answer.text))
    text = replace_lone(drop_marks(stripped.text))
    cut = answer.finish_reason in CUT_OFF or stripped.truncated
    if not text.strip():
        detail = "nothing is left of the answer"
        return Extraction(
            program="", rule="none", problem=Outcome.no_code.value, detail=detail, truncated=cut
        )
    found = _chosen(text, spec)
    rule = ("reasoning+" if stripped.found else "") + found.rule
    return Extraction(program=found.program, rule=rule, truncated=cut)


def _chosen(text: str, spec: CommentSpec) -> _Found:
    known = {line.strip() for line in split_lf(spec.code) if line.strip()}
    blocks = answer_blocks(text)[-MOST:]
    listed = _listed([*(block.content for block in blocks if block.tag in _DATA), text], spec)
    fenced = _best(blocks, known)
    if fenced and _shared(fenced.content, known):
        return _Found(fenced.content, "fence")
    if listed:
        return listed
    if _shared(text, known):
        return _Found(_without_prose(text, known), "text")
    if spec.unit == "line" and not _is_changed_code(fenced.content if fenced else text, spec):
        said = fenced.content if fenced else text
        return _Found(annotated(spec.code, spec.lang, [Annotation(line=1, text=said)]), "line")
    return _Found(fenced.content, "fence") if fenced else _Found(text, "text")


def _is_changed_code(text: str, spec: CommentSpec) -> bool:
    """Whether a text without the given line is a changed version of it, not a comment on it.

    Decided by the names and operators that both contain outside comments; prose has few of a code line.
    """
    given, found = (
        {token.text for token in read_comments(code, spec.lang).tokens} for code in (spec.code, text)
    )
    return len(given & found) > len(given) * _MOST_SHARED


def _best(blocks: Sequence[Block], known: set[str]) -> Block | None:
    """The block with most lines of the code; the last one if several are equal."""
    return max(reversed(blocks), key=lambda block: _shared(block.content, known), default=None)


def _shared(text: str, known: set[str]) -> int:
    return len(known & code_lines(text))


def _without_prose(text: str, known: set[str]) -> str:
    """The lines from the comments above the first code line to the last code line, or to the end of a fence.

    If the removed text might be a multi-line comment, nothing is removed.
    """
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if known & code_lines(line)]
    first, last = places[0], places[-1] + 1
    while first and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith(_OPENERS)):
        first -= 1
    head = "\n".join(lines[:first])
    if any(mark in head for mark in ('"""', "'''", "/*")):
        first = 0
    end = next((at for at in range(last, len(lines)) if _FENCE.match(lines[at])), len(lines))
    return "\n".join(lines[first:end])


def _listed(texts: Sequence[str], spec: CommentSpec) -> _Found | None:
    for text in texts:
        if text.lstrip()[:1] not in ("{", "["):
            continue
        entries = _entries(text)
        if entries:
            return _put_in(entries, spec)
    return None


def _entries(text: str) -> list[Any]:
    """The annotations of a JSON text; empty if it has none."""
    try:
        value = parse_value(text.encode("utf-8", "replace"), JsonOrigin("", 1), surrogates="replace")
    except DataError:
        return []
    given = value.get("annotations") if isinstance(value, dict) else value
    return given if isinstance(given, list) and all(isinstance(each, dict) for each in given) else []


def _put_in(entries: Sequence[dict[str, Any]], spec: CommentSpec) -> _Found:
    """Insert annotations into the given code; the rule counts those without a line of it."""
    lines = len(split_lf(spec.code))
    read = [_annotation(each, lines) for each in entries]
    kept = [each for each in read if each is not None]
    lost = len(read) - len(kept)
    rule = f"annotations, {lost} of {len(read)} without a place" if lost else "annotations"
    return _Found(annotated(spec.code, spec.lang, kept), rule)


def _annotation(entry: dict[str, Any], lines: int) -> Annotation | None:
    line = next((entry[key] for key in _LINE_KEYS if key in entry), None)
    text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
    if isinstance(line, bool) or not isinstance(line, int) or not isinstance(text, str):
        return None
    return Annotation(line=line, text=text) if 1 <= line <= lines and text.strip() else None
