"""Python's tokens by our own scanner, beside those of the standard library."""

from __future__ import annotations

import ast
import io
import re
import sys
import sysconfig
import tokenize
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.comment_records import DEDENT, END_OF_LINE, INDENT
from benchwright.lang.python.tokens import COMMENT, STRUCTURE, scan
from kit.examples import examples

LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = [
    "ast.py",
    "dataclasses.py",
    "json/decoder.py",
    "reprlib.py",
    "tokenize.py",
    "tabnanny.py",
    "textwrap.py",
]
LONE_BACKSLASH = re.compile(r"^[ \t\f]*\\\n", re.MULTILINE)
SHAPES = {tokenize.NEWLINE: END_OF_LINE, tokenize.INDENT: INDENT, tokenize.DEDENT: DEDENT}
Found = tuple[list[str], list[tuple[str, int, int]]]


def scanned(code: str) -> Found:
    """Tokens with structure, and comments with their places."""
    pieces = list(scan(code))
    return (
        [text for kind, text, _, _ in pieces if kind != COMMENT],
        [(text, line, column) for kind, text, line, column in pieces if kind == COMMENT],
    )


def tokenized(code: str) -> Found:
    """The same by the standard library, f-strings as one token.

    It leaves out a last line's end where that line is a comment without a line feed: so it is given one.
    """
    code_tokens, comments, inside = [], [], 0
    starts = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")}
    ends = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")}
    for token in tokenize.generate_tokens(io.StringIO(code.removesuffix("\n") + "\n", newline="\n").readline):
        if token.type in starts and not inside:
            begun = token.start
        inside += (token.type in starts) - (token.type in ends)
        if token.type in ends and not inside:
            code_tokens.append(_between(code, begun, token.end))
        elif inside or token.type in (tokenize.NL, tokenize.ENDMARKER):
            continue
        elif token.type == tokenize.COMMENT:
            comments.append((token.string, *token.start))
        else:
            code_tokens.append(SHAPES.get(token.type, token.string))
    return code_tokens, comments


def _between(code: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    lines = code.split("\n")[start[0] - 1 : end[0]]
    lines[-1] = lines[-1][: end[1]]
    lines[0] = lines[0][start[1] :]
    return "\n".join(lines)


@pytest.mark.parametrize("name", FILES)
def test_the_standard_library(name: str) -> None:
    """All tokens, structure and comments are those of `tokenize`."""
    code = (LIBRARY / name).read_text(encoding="utf-8")

    assert scanned(code) == tokenized(code)


PIECES = [
    "a", "if a:", "\n", "\n  ", "\n\t", "\n    ", "# b", "\\\n", "'c'", "'''d\ne'''", 'f"{a}"', "rb'\\''", "1.5e-3j", "0x_f",
    "1_0", "(", ")", "[", "]", "**=", "->", ":=", "...", "\f", " ", ";", "é", "lambda: 0", "f'''{a!r:>{b}}'''", "u'x'", "@", "1.", ".5",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=examples(300), deadline=None)
def test_made_programs(code: str) -> None:
    """Whatever Python's parser takes is read as `tokenize` reads it.

    From Python 3.12 on that takes a line that holds a backslash alone for an empty one: left out there, since the
    scanner reads it alike in all versions.
    """
    if sys.version_info >= (3, 12) and LONE_BACKSLASH.search(code):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError:
        return
    assert scanned(code) == tokenized(code)


def test_a_lone_backslash_is_read_alike_in_all_versions() -> None:
    """As the end of a logical line."""
    assert scanned("a\n\\\n\nb\n") == (["a", END_OF_LINE, END_OF_LINE, "b", END_OF_LINE], [])


@given(st.text("ab'\"\\\n#{}:f( )\t", max_size=40))
@settings(max_examples=examples(200), deadline=None)
def test_no_character_is_left_out(code: str) -> None:
    """Of any text: white space, line ends and backslashes apart, everything is in a piece, in order."""
    said = "".join(text for kind, text, _, _ in scan(code) if kind != STRUCTURE)

    assert "".join(said.replace("\\", "").split()) == "".join(code.replace("\\", "").split())


@pytest.mark.parametrize(
    "string",
    [
        'f"{a}"', 'f"{a["b"]}"', "f'{a['b']!r:>{c['d']}}'", 'f"{{ # }}"', 'f"""{\na  # "c"\n}"""', 'f"{f"{f"{1}"}"}"', "rf'\\{a}'",
        "f'\\N{DIGIT ONE}'", 'f"{a:%H:%M}"', 'f"{(lambda: {1: 2})()}"', 'f"{a!r:"', "t'{a}'", "f'{a:{b}}' ",
    ],
)  # fmt: skip
def test_strings_with_fields(string: str) -> None:
    """Strings within fields may have the same quotes, as from Python 3.12 on; the code behind is seen."""
    pieces = [text for kind, text, _, _ in scan(f"{string} + b # c\n") if kind != STRUCTURE]

    if string == 'f"{a!r:"':
        assert pieces == [f"{string} + b # c"]
    else:
        assert pieces == [string.strip(), "+", "b", "# c"]
