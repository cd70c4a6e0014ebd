"""Insert comments into given code: reference annotations, and answers that list comments by line.

Only line comments are written, each on a separate line, because no text can end them early.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from benchwright.contracts import Annotation
from benchwright.lang.commented import DEDENT, END_OF_LINE, INDENT, CommentedCode
from benchwright.lang.comments import anchors, first_change, read_comments
from benchwright.lang.languages import commented_language
from benchwright.lang.lines import split_lf
from benchwright.text.fences import find_blocks

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
    begun = _begun(read)
    places = [(_place(lines, begun, each.line), each.text) for each in annotations]
    program = _with(lines, lang, places)
    if first_change(read, read_comments(program, lang)) is None:
        return program
    first = _place(lines, begun, 1)
    return _with(lines, lang, [(first, text) for _, text in places])


def _with(lines: list[str], lang: str, places: Iterable[tuple[int, str]]) -> str:
    above: dict[int, list[str]] = {}
    for line, text in places:
        above.setdefault(line, []).append(text)
    return "".join(_parts(lines, lang, above))


def as_comment(text: str, lang: str, indent: str = "") -> str:
    """A text as line comments, one per line, without its own comment markers."""
    inner = _QUOTES.match(text.strip())
    lines = (inner[2] if inner else text).strip().splitlines() or [""]
    said = (_MARKER.sub("", line.strip()).replace("\0", "\ufffd").rstrip() for line in lines)
    return "".join(f"{indent}{marker(lang)} {line}".rstrip() + "\n" for line in said)


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


def _begun(read: CommentedCode) -> dict[int, int]:
    """For each line inside a multi-line token or comment, the line where that begins."""
    spans = [(each.line, each.end_line) for each in read.comments if each.kind != "line"]
    spans += [
        (each.line, each.line + each.text.count("\n")) for each in read.tokens if each.text not in _STRUCTURE
    ]
    return {line: first for first, last in spans for line in range(first + 1, last + 1)}


def _place(lines: list[str], begun: Mapping[int, int], line: int) -> int:
    at = line
    while at in begun or (at > 1 and lines[at - 2].rstrip("\r\n").endswith("\\")):
        at = begun.get(at, at - 1)
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
