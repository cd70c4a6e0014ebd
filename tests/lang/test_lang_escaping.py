"""Texts that were escaped once too often."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.double_escapes import unescape_double
from benchwright.lang.source import syntax_fault
from kit.lang_samples import CACHE_GO, CACHE_JAVA, CACHE_PY, CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY

SAMPLES = [CACHE_PY, CACHE_TEST_PY, CACHE_JAVA, CACHE_TEST_JAVA, CACHE_GO, CACHE_TEST_GO]


@pytest.mark.parametrize("code", SAMPLES)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_samples(code: str, ascii_only: bool) -> None:
    """What one encoding too many made of a file is undone exactly; the file itself is left alone."""
    escaped = json.dumps(code, ensure_ascii=ascii_only)[1:-1]

    assert unescape_double(escaped) == code
    assert unescape_double(code) is None


ESCAPED = {
    "tabs and quotes": ('if x:\\n\\tprint(\\"a\\\\n\\")\\r\\n', 'if x:\n\tprint("a\\n")\r\n'),
    "a comment with an apostrophe": ("# don't\\nx = 1", "# don't\nx = 1"),
    "a comment that hides the rest": ("import os  # noqa\\nimport re\\n", "import os  # noqa\nimport re\n"),
    "character literals beside": ("class A {\\n  char c = '\\\\n';\\n}", "class A {\n  char c = '\\n';\n}"),
    "unicode": ("x = 1\\n# \\u0436\\n", "x = 1\n# ж\n"),
    "not JSON's escapes": ("x = \\'a\\'\\ny = 2", "x = 'a'\ny = 2"),
    "unknown escapes stay": ("x = 1\\n# \\d", "x = 1\n# \\d"),
}


@pytest.mark.parametrize(("code", "expected"), ESCAPED.values(), ids=ESCAPED)
def test_escaped(code: str, expected: str) -> None:
    """Escapes become what they stand for, once."""
    assert unescape_double(code) == expected


PLAIN = {
    "nothing to undo": "x = 1",
    "empty": "",
    "a real line end": "x = 'a\\nb'\n",
    "one line with a text": "print('a\\nb')",
    "one line with bytes": "x = b'a\\nb'",
    "one line with a raw text": "x = r'\\n'",
    "one line in double quotes": 'x = "a\\nb"',
    "one line of Java": "class A { char c = '\\n'; }",
    "one line of Go": "package a; var c = '\\n'",
    "a bare quote": 'x = "\\n',
    "an escaped backslash only": "x = C:\\\\new",
}


@pytest.mark.parametrize("code", PLAIN.values(), ids=PLAIN)
def test_plain(code: str) -> None:
    """Source that is itself, of one line even, is no escaped one."""
    assert unescape_double(code) is None


CODE = st.text(st.sampled_from("ab=#(\\\"'\n\t ж\U0001f600"), min_size=1, max_size=60)


@given(CODE)
def test_round_trip(code: str) -> None:
    """Any text of several lines that begins with a plain statement comes back as it was."""
    whole = f"x = 1\n{code}"

    assert unescape_double(json.dumps(whole)[1:-1]) == whole


@given(st.text(max_size=100))
def test_arbitrary(code: str) -> None:
    """Any text is un-escaped to a text or left alone, and what had a line end is left alone."""
    meant = unescape_double(code)

    assert meant is None or (meant != code and "\n" not in code)


def test_large() -> None:
    """The work grows with the length, not with its square."""
    code = "x = 1\\n" * 150_000
    meant = unescape_double(code)

    assert meant is not None
    assert meant.count("\n") == 150_000
    assert syntax_fault(meant[:600], "Python") is None
