"""Tokenize Python with one regular expression, in time linear in the text's length.

For a text that Python's parser accepts these are the tokens of `tokenize`, except that an f-string is one
token, as before Python 3.12. For any other text, where `tokenize` may raise, invalid text becomes a token, so
that no character of the code is lost: a stray character, the rest of the line for an unclosed string, the
rest of the text for an unclosed one in triple quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.lang.comment_records import DEDENT, END_OF_LINE, INDENT

COMMENT, STRING, NAME, OTHER, STRUCTURE = range(1, 6)
_DIGITS = "[0-9](?:_?[0-9])*"
_TOKEN = re.compile(
    r"[ \t\f]*(?:"
    r"(\#[^\n]*)"
    r"|((?:[bB][rR]?|[fFtT][rR]?|[rR][bBfFtT]?|[uU])?(?:'''|\"\"\"|'|\"))"
    r"|([^\W0-9]\w*)"
    rf"|(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+"
    rf"|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?[jJ]?"
    r"|\*\*=?|//=?|>>=?|<<=?|->|\.\.\.|:=|[-+*/%&|^=!<>@]=?|[^ \t\f\n\\]|\\(?!\n))"
    r"|(\n)"
    r"|(\\\n)"
    r")"
)
_STEPS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_FIELDLESS, _PREFIXES = frozenset("bBrRuU"), "bBfFrRtTuU"  # of strings
_REST = {  # content of a string, by its quotes; possessive
    "'": re.compile(r"[^\\\n']*+(?:\\.[^\\\n']*+)*'", re.DOTALL),
    '"': re.compile(r'[^\\\n"]*+(?:\\.[^\\\n"]*+)*"', re.DOTALL),
    "'''": re.compile(r"[^\\']*+(?:(?:\\.|'(?!''))[^\\']*+)*'''", re.DOTALL),
    '"""': re.compile(r'[^\\"]*+(?:(?:\\.|"(?!""))[^\\"]*+)*"""', re.DOTALL),
}
_IN_TEXT = re.compile(r"""\\N\{[^}\n]*+\}|\\[^{}]|\{\{|\}\}|[{}\n]|\"{3}|'{3}|["']""", re.DOTALL)
_IN_FIELD = re.compile(r"""\#[^\n]*+|(\b[bBfFrRtTuU]{1,2})?("{3}|'{3}|["'])|[()\[\]{}:]|!=""")
Piece = tuple[int, str, int, int]  # kind, text, line from 1, column from 0


def scan(code: str) -> Iterator[Piece]:
    """Yield all tokens, comments and structure of a text whose lines end in line feeds."""
    at, line, line_start, depth, fresh = 0, 1, 0, 0, True
    indents = [0]
    match = _TOKEN.match
    while found := match(code, at):
        kind = found.lastindex or OTHER
        start, at = found.span(kind)
        if fresh and kind not in (COMMENT, STRUCTURE):
            fresh = False
            yield from _shifts(indents, code[line_start:start], line)
        if kind >= STRUCTURE:  # a line feed, with or without a backslash
            if kind == STRUCTURE and not (fresh or depth):
                fresh = True
                yield STRUCTURE, END_OF_LINE, line, start - line_start
            line, line_start = line + 1, at
            continue
        if kind == STRING:
            at = _string_end(code, start, at)
        text = code[start:at]
        yield kind, text, line, start - line_start
        if kind == OTHER:
            depth = max(depth + _STEPS.get(text, 0), 0)
        elif kind == STRING and "\n" in text:
            line, line_start = line + text.count("\n"), start + text.rindex("\n") + 1
    if not fresh:
        yield STRUCTURE, END_OF_LINE, line, 0
    yield from _shifts(indents, "", line)


def _shifts(indents: list[int], margin: str, line: int) -> Iterator[Piece]:
    """Yield blocks that start or end with the white space before a line's first token."""
    width = len(margin.rpartition("\f")[2].expandtabs(8))
    if width > indents[-1]:
        indents.append(width)
        yield STRUCTURE, INDENT, line, 0
    while width < indents[-1]:
        indents.pop()
        yield STRUCTURE, DEDENT, line, 0


def _string_end(code: str, start: int, body: int) -> int:
    """Return the end of a string whose first quotes end at `body`."""
    quotes = code[start:body].lstrip(_PREFIXES)
    if not _FIELDLESS.issuperset(code[start : body - len(quotes)]):
        end = _field_string_end(code, body, quotes)
    else:
        found = _REST[quotes].match(code, body)
        end = found.end() if found else -1
    if end >= 0:
        return end
    end = code.find("\n", body) if len(quotes) == 1 else -1
    return end if end >= 0 else len(code)


class _Part:
    """A part of an f-string that can be nested: text up to its quotes, or a field up to its brace."""

    __slots__ = ("depth", "kind", "quotes")

    def __init__(self, kind: str, quotes: str) -> None:
        self.kind = kind  # "text", "field", or "format": of a field, which is text up to its brace
        self.quotes = quotes  # quotes of the text, or of the text around a field
        self.depth = 0  # open brackets in a field


def _field_string_end(code: str, at: int, quotes: str) -> int:
    """Return the end of an f-string, whose fields may contain strings and comments; -1 if it has none."""
    parts = [_Part("text", quotes)]
    while parts and at >= 0:
        step = _after_field if parts[-1].kind == "field" else _after_text
        at = step(code, at, parts)
    return at


def _after_text(code: str, at: int, parts: list[_Part]) -> int:
    """Return where to continue after the next significant character of text; -1 if the string is not
    closed."""
    part = parts[-1]
    found = _IN_TEXT.search(code, at)
    if found is None:
        return -1
    token, start = found.group(), found.start()
    if token.startswith(part.quotes):
        parts.pop()
        return start + len(part.quotes) if part.kind == "text" else -1
    if token == "\n":
        return found.end() if len(part.quotes) == 3 else -1
    if token[0] == "{" and (token == "{" or part.kind == "format"):
        parts.append(_Part("field", part.quotes))
        return start + 1
    if token[0] == "}" and part.kind == "format":
        del parts[-2:]
        return start + 1
    return found.end()


def _after_field(code: str, at: int, parts: list[_Part]) -> int:
    """Return where to continue after the next significant character of a field."""
    part = parts[-1]
    found = _IN_FIELD.search(code, at)
    if found is None:
        return -1
    token, end = found.group(), found.end()
    if found[2]:
        if set(found[1] or "") & set("fFtT"):
            parts.append(_Part("text", found[2]))
            return end
        inner = _REST[found[2]].match(code, end)
        return inner.end() if inner else -1
    if token in ("(", "[", "{"):
        part.depth += 1
    elif token in (")", "]", "}"):
        part.depth -= 1
        if part.depth < 0:
            parts.pop()
    elif token == ":" and not part.depth:
        parts.append(_Part("format", part.quotes))
    return end
