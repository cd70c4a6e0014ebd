"""Faults of syntax, and texts that are too much for a parser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.languages import LANGUAGES
from benchwright.lang.source import syntax_fault
from benchwright.lang.source_errors import MAX_BYTES, MAX_NODES, SyntaxFault
from kit.examples import examples
from kit.lang_samples import CACHE_GO, CACHE_JAVA, CACHE_PY, CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY

GOOD = [
    ("Python", CACHE_PY),
    ("Python", CACHE_TEST_PY),
    ("Python", "\ufeffx = 1\n"),
    ("Python", ""),
    ("Java", CACHE_JAVA),
    ("Java", CACHE_TEST_JAVA),
    ("Java", "record P(int x) { P { if (x < 0) throw new Error(); } }"),
    ("Go", CACHE_GO),
    ("Go", CACHE_TEST_GO),
    ("Go", "package a\n\nfunc F[T any](x T) T { for range 3 {}; return x }\n"),
]


@pytest.mark.parametrize(("lang", "code"), GOOD)
def test_no_fault(lang: str, code: str) -> None:
    """Source that is source has none."""
    assert syntax_fault(code, lang) is None


FAULTS = {
    "python": ("Python", "x = 1\ndef f(:\n", 2),
    "python NUL": ("Python", "x = 1\n\0", 2),
    "python surrogate": ("Python", "x = 1\ny = '\ud800'\n", 2),
    "python nesting": ("Python", "(" * 5000, 1),
    "python depth": ("Python", "-" * 100_000 + "1", 0),
    "java": ("Java", "class A {\n  int f( { }\n}\n", 2),
    "java end": ("Java", "class A {\n  void f() {\n", 3),
    "java missing": ("Java", "class A {\n  int x = 1\n}\n", 2),
    "java surrogate": ("Java", "class A {}\n// \udfff", 2),
    "go": ("Go", "package a\n\nfunc f( {\n}\n", 3),
    "go words": ("Go", "this is not Go at all", 1),
}


@pytest.mark.parametrize(("lang", "code", "line"), FAULTS.values(), ids=FAULTS)
def test_fault(lang: str, code: str, line: int) -> None:
    """A fault has a message and, where the parser says one, the line."""
    fault = syntax_fault(code, lang)

    assert fault is not None
    assert fault.message != ""
    assert fault.line == line or lang != "Python"


def test_fault_text() -> None:
    """The message has the line if it is known."""
    assert (str(SyntaxFault("bad", 3)), str(SyntaxFault("bad", 0))) == ("bad (line 3)", "bad")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("unit", ["x", "я"])
def test_size_limit(lang: str, unit: str) -> None:
    """Texts over a megabyte are not parsed, counted in bytes."""
    fault = syntax_fault(unit * (MAX_BYTES // len(unit.encode()) + 1), lang)

    assert fault is not None
    assert (fault.reason, fault.message) == ("too_large", "source code is larger than 1 MiB")


def test_node_limit() -> None:
    """A text of many tiny pieces is refused: each costs a thousand times its length in memory."""
    fault = syntax_fault("x;" * (MAX_NODES // 2 + 1), "Python")

    assert fault is not None
    assert fault.reason == "too_large"


@pytest.mark.parametrize("lang", ["Java", "Go"])
def test_deep_trees(lang: str) -> None:
    """A hundred thousand levels are walked without recursion."""
    code = {"Java": "class A { int x = " + "(" * 100_000, "Go": "package a\nvar x = " + "(" * 100_000}[lang]

    assert syntax_fault(code, lang) is not None


@given(st.sampled_from(LANGUAGES), st.text(max_size=200))
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary_text(lang: str, code: str) -> None:
    """Any text has a fault or none, and never raises."""
    fault = syntax_fault(code, lang)

    assert fault is None or fault.line <= code.count("\n") + code.count("\r") + 2
