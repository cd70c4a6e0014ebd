"""Predeclared names of Go: files that declare them again, and files that use Go's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.go.predeclared import (
    _ARITIES,
    FUNCTIONS,
    PREDECLARED,
    may_redeclare,
    predeclared_uses,
    redeclared,
)
from benchwright.lang.go.tree import parse, parse_outline
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Tree
from kit.examples import examples


def tree(code: str) -> Tree:
    parsed = parse(f"package a\n\n{code}\n")
    assert not isinstance(parsed, SyntaxFault)
    return parsed


DECLARING = {
    "func len(v any) int { return 0 }": {"len"},
    "func len[T any](v T) int { return 0 }": {"len"},
    "var len = func(v any) int { return 0 }": {"len"},
    "var (\n\ta = 1\n\tb, cap = 2, 3\n)": {"cap"},
    "const (\n\ta = 1\n\tiota = 5\n)": {"iota"},
    "const true, b = false, 1": {"true"},
    "type error interface{ never() }": {"error"},
    "type (\n\tstring = int\n\tbyte struct{}\n)": {"string", "byte"},
    "type any = interface{ f() }": {"any"},
    "type any = interface{}": set(),
    "type any interface{}": set(),
    "func (l list) len() int { return 0 }": set(),
    "type T struct{ len, new int }": set(),
    "func f() { len := 1; _ = len }": set(),
    "func f(len int) {}": set(),
    "func Len() {}\nvar lens, Max int": set(),
    'import len "strings"': set(),
    "func max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}": set(),
    "func max(a int, b int) int {\n\tif a >= b {\n\t\treturn a\n\t} else {\n\t\treturn b\n\t}\n}": set(),
    "func max(x, y int) int { if x < y { return y }; /* the first */ return x }": set(),
    "func min[T int | string](a, b T) T { if b < a { return b }; return a }": set(),
    "func max(a, b int) int { if a < b { return a }; return b }": {"max"},
    "func min(a, b int) int { if a > b { return a }; return b }": {"min"},
    "func min(a, b int) int { if a > a { return a }; return b }": {"min"},
    "func min(a, b int) int { return 0 }": {"min"},
    "func max(a, b, c int) int { if a > b { return a }; return b }": {"max"},
    "func (l list) each[T any](v T) T { return v }\nfunc len(v any) int { return 0 }": {"len"},
    "x x\n  func\tlen(v any) int { return 0 }\ntype error int\nvar a, cap int": {"len", "error", "cap"},
}


@pytest.mark.parametrize("code", DECLARING)
def test_redeclared(code: str) -> None:
    """Each form of a declaration for the package is seen, also where the grammar does not follow; what is local,
    a method, a field or a faithful stand-in is not."""
    outline = parse_outline(f"package a\n\n{code}\n")
    assert not isinstance(outline, SyntaxFault)

    assert redeclared(tree(code)) == DECLARING[code]
    assert may_redeclare(outline) or not DECLARING[code]


MEANING = {
    "func f() { g(len(list)) }": {"len"},
    "func f() { (append)(list, 1) }": {"append"},
    "func f() { g(len(a), cap(b)) }": {"len", "cap"},
    "func f() { defer func() { if recover() == nil { panic(1) } }() }": {"recover", "panic", "nil"},
    "func f() { for i := range make([]T, 2) { println(i) } }": {"make", "println"},
    "func f(x any) error { _, ok := x.(string); return nil }": {"any", "error", "string", "nil"},
    "var ok = map[bool]int{true: 1}": {"bool", "int", "true"},
    "const (\n\ta = iota\n\tb\n)": {"iota"},
    "func f() { x := new(T); _ = x }": {"new"},
    "func f() { g(max(h())) }": {"max"},
    "func f() { max := max(1, 2); _ = max }": {"max"},
    "func f() { { len := 1; _ = len }; g(len(a)) }": {"len"},
    # What can only be the package's own, or the file's.
    "func f() { x := new(); y := new(1, 2); g(x, y) }": set(),
    "func f() { reduce(list, max) }": set(),
    "func f() { max[T](1, 2) }": set(),
    "func f() { max := 3; if max > 2 { g(max) } }": set(),
    "func f(len func(T) T) { len(3) }": set(),
    "func f() { for _, new := range all { g(new(1)) } }": set(),
    "func f() { var close = g; close(x) }": set(),
    "func f() { g(T{min: 1, max: 2}) }": set(),
    "func f() { x.len(y); x.copy(1, 2); p.error() }": set(),
    "func f() { switch real := x.(type) { case T: g(real(1)) } }": set(),
    "func f[any fmt.Stringer](x any) {}": set(),
}


@pytest.mark.parametrize("code", MEANING)
def test_meant(code: str) -> None:
    """A use counts where it can be Go's own name, and no other."""
    assert predeclared_uses(tree(code), PREDECLARED) == MEANING[code]


def test_all_names_are_known() -> None:
    """The list is Go's own, as its package `builtin` documents it, and each function has its arguments."""
    assert (FUNCTIONS, len(PREDECLARED)) == (frozenset(_ARITIES), 44)
    assert {"min", "max", "clear", "any", "comparable", "true", "nil", "iota"} <= PREDECLARED
    assert "_" not in PREDECLARED


@pytest.mark.parametrize(
    "unit", ["len := 1; _ = len(a); ", "{ len := 1 }; g(len(a)); ", "f(func(len int) { "]
)
def test_many_uses(unit: str) -> None:
    """A test file with thousands of bindings and uses of a name is read in linear time."""
    for count in (50, 1500):
        assert predeclared_uses(tree("func f() { " + unit * count + "}"), {"len"}) <= {"len"}


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(
        st.sampled_from(["func", "len", "(", ")", "{", "}", ":=", "var", "\n", "max", "if", ",", "["]),
        max_size=40,
    )
)
def test_any_text(words: list[str]) -> None:
    """No text makes the questions raise."""
    parsed = tree(" ".join(words))

    assert redeclared(parsed) | predeclared_uses(parsed, PREDECLARED) <= PREDECLARED
