"""Probes: the copy parses, keeps its lines, and each line belongs to the statement that it is part of."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.go.slips import probed_go
from benchwright.lang.java.slips import probed_java
from benchwright.lang.source import syntax_fault
from benchwright.lang.tree_probes import ProbedFile, reached_probes
from kit.examples import examples
from kit.lang_samples import CACHE_GO, CACHE_JAVA

JAVA = [
    "if (a) b(); else if (c) d(); else { e(); }",
    "for (int i = 0; i < 3; i++)\n    for (int j : v)\n        f();",
    "do g(); while (a);",
    "switch (a) { case 1: b(); case 2: { c(); } default: d(); }",
    "int x = switch (a) { case 1 -> 2; default -> { yield 3; } };",
    "outer:\nwhile (a) { continue outer; }",
    "try { a(); } catch (E e) { b(); } finally { c(); }",
    "Runnable r = () -> { a(); };",
    "class Inner { int f() { return 1; } }",
    "// words only",
    "synchronized (this) { a(); }",
    ";",
]
GO = [
    "if a {\n\tb()\n} else if c {\n\td()\n} else {\n\te()\n}",
    "for i := 0; i < 3; i++ {\n\tf()\n}",
    "switch a {\ncase 1:\n\tb()\n\tfallthrough\ndefault:\n\tc()\n}",
    "switch x := a.(type) {\ncase int:\n\tg(x)\n}",
    "select {\ncase v := <-c:\n\tg(v)\n}",
    "L:\nfor {\n\tbreak L\n}",
    "f := func() { a() }\nf()",
    "x := []int{1, 2}\n_ = x",
    "// words only",
    "{\n\ta()\n}",
]


def in_java(bodies: list[str]) -> str:
    head = "class A {\n    A() {\n        super();\n        g();\n    }\n    void m() {\n"
    return "\n".join([head, *bodies, "    }", "}", ""])


def in_go(bodies: list[str]) -> str:
    return "\n".join(["package a\n\nfunc m() {", *bodies, "}", ""])


def check(code: str, found: ProbedFile | None, lang: str, call: str) -> None:
    """What must hold of every copy."""
    assert found is not None
    kept = found.code.split("\n")[: code.count("\n")]
    calls = re.findall(call, "\n".join(kept))

    assert syntax_fault(found.code, lang) is None, found.code
    assert sorted(map(int, calls)) == list(range(len(found.lines)))
    for old, new in zip(code.split("\n"), kept, strict=False):
        bare = re.sub(r"[{}\s]", "", re.sub(call + r";", "", new))
        assert bare == re.sub(r"[{}\s]", "", old)
    assert all(lines and all(1 <= line <= len(kept) for line in lines) for lines in found.lines)


@given(st.lists(st.sampled_from(JAVA), min_size=1, max_size=4))
@settings(max_examples=examples(40), deadline=None)
def test_java(bodies: list[str]) -> None:
    """Every statement has one, also one without brackets; a constructor's first call none before it."""
    check(in_java(bodies), probed_java(in_java(bodies), "word"), "Java", r"Word\.at\((\d+)\)")


@given(st.lists(st.sampled_from(GO), min_size=1, max_size=4))
@settings(max_examples=examples(40), deadline=None)
def test_go(bodies: list[str]) -> None:
    """The same in Go."""
    check(in_go(bodies), probed_go(in_go(bodies), "word"), "Go", r"word\((\d+)\)")


def test_samples() -> None:
    """Whole files."""
    check(CACHE_JAVA, probed_java(CACHE_JAVA, "word"), "Java", r"Word\.at\((\d+)\)")
    check(CACHE_GO, probed_go(CACHE_GO, "word"), "Go", r"word\((\d+)\)")


def test_lines_of_a_statement_without_those_inside_it() -> None:
    """The head of a condition over lines is the statement's, its body is not."""
    found = probed_go("package a\n\nfunc m() {\n\tif a &&\n\t\tb {\n\t\tc()\n\t}\n\td()\n}\n", "word")

    assert found is not None
    assert [sorted(set(each)) for each in found.lines] == [[4, 5, 7], [6], [8]]
    assert (found.executed({0, 2}), found.executed({7, -1})) == ([4, 5, 7, 8], [])


@pytest.mark.parametrize(
    ("output", "numbers"), [(b"word 1\nword 22 x\nother 3", {1, 22}), (b"word 1234567", set())]
)
def test_reached(output: bytes, numbers: set[int]) -> None:
    """Numbers after the word, of six digits at most."""
    assert reached_probes(output, "word") == numbers


def test_a_deep_nest_takes_a_moment() -> None:
    """One way down the file, however deep."""
    code = "package a\nfunc m() {\n" + "if a {\n" * 5000 + "}\n" * 5000 + "}\n"
    found = probed_go(code, "word")

    assert found is not None and len(found.lines) == 5000
    assert sum(map(len, found.lines)) < 5 * code.count("\n")


def test_nothing_to_probe() -> None:
    """A file without statements stays unchanged; one with a syntax error has no copy."""
    assert probed_java("interface A { int f(); }", "word") == ProbedFile("interface A { int f(); }", [])
    assert probed_java("class {", "word") is None
    assert probed_go("func {", "word") is None
