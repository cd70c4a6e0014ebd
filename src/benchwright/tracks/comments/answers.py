"""Commented code: extract it from an answer, and insert comments into given code (gold and stub answers)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from benchwright.contracts import Annotation, CommentSpec, Extraction
from benchwright.errors import DataError
from benchwright.lang.comment_reading import anchors, first_change, read_comments
from benchwright.lang.comment_records import DEDENT, END_OF_LINE, INDENT, CommentedCode
from benchwright.lang.languages import commented_language
from benchwright.lang.lines import split_lf
from benchwright.records import Answer, Outcome
from benchwright.store.strict_json import JsonOrigin, parse_value, replace_lone
from benchwright.text.extract import CUT_OFF, MAX_BYTES, MOST, answer_blocks
from benchwright.text.fences import Block, find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning
from benchwright.tracks.prompt_templates import fence

_STRUCTURE = (END_OF_LINE, INDENT, DEDENT)
_MARKER = re.compile(r"^(?:#+!?|//+|/\*+|\*+/?)[ \t]?|[ \t]*\*+/$")
_TRAILING = re.compile(r"[ \t]+(?:#|//|/\*).*")
_QUOTES = re.compile(r"^[rRuU]?(\"\"\"|''')(.*)\1$", re.DOTALL)
_FIXED = re.compile(r"#!|[ \t\f]*#.*coding[=:]")  # lines for Python and the shell at the start of a file


def marker(lang: str) -> str:
    """Marker of a line comment in a language."""
    return commented_language(lang).line_comment


def annotated(code: str, lang: str, annotations: Iterable[Annotation]) -> str:
    """Insert each annotation as a comment above its line, with the line's indentation.

    Lines are numbered from 1 and must exist. A comment on a line inside a string or comment is inserted
    above the line where that begins; one on a shebang or coding cookie below it, because these must be in
    the first lines of a file. If the code would change anyway, all comments are inserted above its first
    line.
    """
    lines, read = split_lf(code), read_comments(code, lang)
    token_starts = _token_starts(read)
    places = [(_place(lines, token_starts, each.line), each.text) for each in annotations]
    program = _insert_comments(lines, lang, places)
    if first_change(read, read_comments(program, lang)) is None:
        return program
    first = _place(lines, token_starts, 1)
    return _insert_comments(lines, lang, [(first, text) for _, text in places])


def _insert_comments(lines: list[str], lang: str, places: Iterable[tuple[int, str]]) -> str:
    above: dict[int, list[str]] = {}
    for line, text in places:
        above.setdefault(line, []).append(text)
    return "".join(_parts(lines, lang, above))


def as_comment(text: str, lang: str, indent: str = "") -> str:
    """A text as line comments, one per line, without its own comment markers."""
    inner = _QUOTES.match(text.strip())
    lines = (inner[2] if inner else text).strip().splitlines() or [""]
    texts = (_MARKER.sub("", line.strip()).replace("\0", "\ufffd").rstrip() for line in lines)
    return "".join(f"{indent}{marker(lang)} {line}".rstrip() + "\n" for line in texts)


def commented_code(text: str, code: str, lang: str) -> str | None:
    """The text, or its longest fenced block, if it is the code with comments added; else None."""
    blocks = [block.content for block in find_blocks(text)]
    program = max(blocks, key=len, default=text)
    lines = code_lines(program)
    if not all(line.strip() in lines or not line.strip() for line in code.split("\n")):
        return None  # rules out nearly all comments without a parser
    changed = first_change(read_comments(code, lang), read_comments(program, lang))
    return program if changed is None else None


def annotations_in(program: str, code: str, lang: str) -> list[Annotation]:
    """Comments that were added to the code, by the line that they refer to."""
    before, after = read_comments(code, lang), read_comments(program, lang)
    old = Counter(line for each in before.comments for line in each.text.split("\n"))
    about = anchors(before, after)
    found: dict[int, list[str]] = {}
    for index, each in enumerate(after.comments):
        new = [line for line in each.text.split("\n") if not _is_counted(old, line)]
        if any(line.strip() for line in new) and not each.directive and index in about:
            found.setdefault(about[index], []).extend(new)
    return [Annotation(line=line, text="\n".join(found[line])) for line in sorted(found)]


def _is_counted(counts: Counter[str], line: str) -> bool:
    """Whether a line is left in the counts; if so, reduce its count."""
    counts[line] -= 1
    return counts[line] >= 0


def code_lines(text: str) -> set[str]:
    """The stripped lines of a text, each with and without a possible comment."""
    lines = {line.strip() for line in text.split("\n")}
    return lines | {_TRAILING.sub("", line) for line in lines}


def _token_starts(read: CommentedCode) -> dict[int, int]:
    """For each line inside a multi-line token or comment, the line where that begins."""
    spans = [(each.line, each.end_line) for each in read.comments if each.kind != "line"]
    spans += [
        (each.line, each.line + each.text.count("\n")) for each in read.tokens if each.text not in _STRUCTURE
    ]
    return {line: first for first, last in spans for line in range(first + 1, last + 1)}


def _place(lines: list[str], token_starts: Mapping[int, int], line: int) -> int:
    at = line
    while at in token_starts or (at > 1 and lines[at - 2].rstrip("\r\n").endswith("\\")):
        at = token_starts.get(at, at - 1)
    while at <= min(2, len(lines)) and _FIXED.match(lines[at - 1]):
        at += 1
    return at


def _parts(lines: list[str], lang: str, above: Mapping[int, list[str]]) -> Iterable[str]:
    for number, line in enumerate(lines, 1):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        yield from (as_comment(text, lang, indent) for text in above.get(number, ()))
        yield line
    if above.get(len(lines) + 1) and lines and not lines[-1].endswith("\n"):
        yield "\n"
    yield from (as_comment(text, lang) for text in above.get(len(lines) + 1, ()))


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
    found = _select_program(text, spec)
    rule = ("reasoning+" if stripped.found else "") + found.rule
    return Extraction(program=found.program, rule=rule, truncated=cut)


def _select_program(text: str, spec: CommentSpec) -> _Found:
    known = {line.strip() for line in split_lf(spec.code) if line.strip()}
    blocks = answer_blocks(text)[-MOST:]
    from_list = _from_annotation_list(
        [*(block.content for block in blocks if block.tag in _DATA), text], spec
    )
    fenced = _best_block(blocks, known)
    if fenced and _shared_lines(fenced.content, known):
        return _Found(fenced.content, "fence")
    if from_list:
        return from_list
    if _shared_lines(text, known):
        return _Found(_without_prose(text, known), "text")
    if spec.unit == "line" and not _is_changed_code(fenced.content if fenced else text, spec):
        comment = fenced.content if fenced else text
        return _Found(annotated(spec.code, spec.lang, [Annotation(line=1, text=comment)]), "line")
    return _Found(fenced.content, "fence") if fenced else _Found(text, "text")


def _is_changed_code(text: str, spec: CommentSpec) -> bool:
    """Whether a text without the given line is a changed version of it, not a comment on it.

    Decided by the names and operators that both contain outside comments; prose has few of a code line.
    """
    given, found = (
        {token.text for token in read_comments(code, spec.lang).tokens} for code in (spec.code, text)
    )
    return len(given & found) > len(given) * _MOST_SHARED


def _best_block(blocks: Sequence[Block], known: set[str]) -> Block | None:
    """The block with most lines of the code; the last one if several are equal."""
    return max(reversed(blocks), key=lambda block: _shared_lines(block.content, known), default=None)


def _shared_lines(text: str, known: set[str]) -> int:
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


def _from_annotation_list(texts: Sequence[str], spec: CommentSpec) -> _Found | None:
    for text in texts:
        if text.lstrip()[:1] not in ("{", "["):
            continue
        entries = _entries(text)
        if entries:
            return _insert_annotations(entries, spec)
    return None


def _entries(text: str) -> list[Any]:
    """The annotations of a JSON text; empty if it has none."""
    try:
        value = parse_value(text.encode("utf-8", "replace"), JsonOrigin("", 1), surrogates="replace")
    except DataError:
        return []
    given = value.get("annotations") if isinstance(value, dict) else value
    return given if isinstance(given, list) and all(isinstance(each, dict) for each in given) else []


def _insert_annotations(entries: Sequence[dict[str, Any]], spec: CommentSpec) -> _Found:
    """Insert annotations into the given code; the rule counts those without a line of it."""
    lines = len(split_lf(spec.code))
    read = [_annotation(each, lines) for each in entries]
    placed = [each for each in read if each is not None]
    lost_count = len(read) - len(placed)
    rule = f"annotations, {lost_count} of {len(read)} without a place" if lost_count else "annotations"
    return _Found(annotated(spec.code, spec.lang, placed), rule)


def _annotation(entry: dict[str, Any], lines: int) -> Annotation | None:
    line = next((entry[key] for key in _LINE_KEYS if key in entry), None)
    text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
    if isinstance(line, bool) or not isinstance(line, int) or not isinstance(text, str):
        return None
    return Annotation(line=line, text=text) if 1 <= line <= lines and text.strip() else None


def commented(spec: CommentSpec) -> str | None:
    """An answer with the code and its reference comments; None if there are none.

    A reference comment that is the commented code itself is used as the answer.
    """
    if not spec.annotations and not spec.comment.strip():
        return None
    whole = commented_code(spec.comment, spec.code, spec.lang)
    if whole is not None:
        return fenced(whole, spec.lang)
    program = _with_comments(spec, "")
    if first_change(read_comments(spec.code, spec.lang), read_comments(program, spec.lang)) is not None:
        program = _with_comments(spec, "- ")  # a text such as "noqa" would be a directive
    return fenced(program, spec.lang)


def _with_comments(spec: CommentSpec, before: str) -> str:
    annotations = (replace(each, text=before + each.text) for each in spec.annotations)
    program = annotated(spec.code, spec.lang, annotations)
    first = [Annotation(line=1, text=before + spec.comment)] if spec.comment.strip() else []
    return annotated(program, spec.lang, first)


def altered(spec: CommentSpec) -> str:
    """An answer with an additional word at the end of the code, where it cannot be part of a comment."""
    return fenced(f"{spec.code}\naltered\n", spec.lang)


def fenced(program: str, lang: str) -> str:
    """A program as an answer: one fenced block with a fence longer than any in the program."""
    ticks = fence(program)
    return f"{ticks}{lang.lower()}\n{program.removesuffix(chr(10))}\n{ticks}\n"
