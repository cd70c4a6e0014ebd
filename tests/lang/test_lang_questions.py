"""Questions to Java and Go trees, edits of bytes, and tables of detectors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.go import tree as go
from benchwright.lang.java import tree as java
from benchwright.lang.nondeterminism import USES, Detectors
from benchwright.lang.source_errors import MAX_BYTES, CuttingError, SyntaxFault, encode_source
from benchwright.lang.text_edits import ARITHMETIC, BOUNDARY, NEGATED, Edit, TextEdit, mutants_of
from benchwright.lang.trees import Node, Tree, first_line, is_inside, walk_outside, without_nodes
from kit.examples import examples

CART = """package com.acme
    .shop;

import java.util.List;

/** A cart. */
@Deprecated
@SuppressWarnings({"a", "b"})
public final class Cart extends Base<String> implements Priced, com.acme.Sized, Comparable<Cart> {
    private int total; // in cents

    // adds
    @Override
    public void add(int price) { total += price; }

    static class Line { void show() {} }

    enum Kind { A, B; void kind() {} }
}

interface Priced extends Sized, Named {
    int price();
}

record Pair(int a, int b) {}
"""
SHOP = """package shop

import (
	"errors"
	m "math"
	. "strings"
)
import _ "embed"

var ErrEmpty, second = errors.New("x"), 1

const (
	A = iota
	B
)

type (
	Cart struct{ total int }
	Line = Cart
)

func init() {}

func Total() int { return 0 }

func (c *Cart) Add(price int) {}

var _ = m.Pi
"""


def tree(code: str, lang: str) -> Tree:
    """A tree of a text that parses."""
    parsed = java.parse(code) if lang == "Java" else go.parse(code)
    assert not isinstance(parsed, SyntaxFault)
    return parsed


def declared(parsed: Tree, name: str) -> Node:
    """The type of a name at the file's top."""
    return next(node for node in java.top_types(parsed) if java.name_of(parsed, node) == name)


def test_java_package_and_types() -> None:
    """A dotted name without its white space; types of the file and not of those in it."""
    parsed = tree(CART, "Java")
    names = [java.name_of(parsed, node) for node in java.top_types(parsed)]

    assert (java.package(parsed), java.package(tree("class A {}", "Java"))) == ("com.acme.shop", "")
    assert names == ["Cart", "Priced", "Pair"]


def test_java_members() -> None:
    """Methods and types of one class, not of the classes inside."""
    parsed = tree(CART, "Java")
    cart = declared(parsed, "Cart")
    kind = java.inner_types(cart)[1]

    assert [java.name_of(parsed, node) for node in java.methods(cart)] == ["add"]
    assert [java.name_of(parsed, node) for node in java.inner_types(cart)] == ["Line", "Kind"]
    assert [java.name_of(parsed, node) for node in java.methods(kind)] == ["kind"]


def test_java_words_and_annotations() -> None:
    """Modifiers, annotations by their simple names, and what stands in their brackets."""
    parsed = tree(CART, "Java")
    cart = declared(parsed, "Cart")
    marks = java.marks(parsed, cart)

    assert java.modifiers(parsed, cart) == {"public", "final"}
    assert list(marks) == ["Deprecated", "SuppressWarnings"]
    assert java.arguments_text(parsed, marks["SuppressWarnings"]) == '({"a", "b"})'
    assert java.arguments_text(parsed, marks["Deprecated"]) == java.arguments_text(parsed, None) == ""


def test_java_supertypes() -> None:
    """Simple names, without arguments and packages, in the file's order."""
    parsed = tree(CART, "Java")

    assert java.supertypes(parsed, declared(parsed, "Cart")) == ["Base", "Priced", "Sized", "Comparable"]
    assert java.supertypes(parsed, declared(parsed, "Priced")) == ["Sized", "Named"]
    assert java.supertypes(parsed, declared(parsed, "Pair")) == []


def test_go_declarations() -> None:
    """Names of the package; methods belong to their types, `init` and `_` are left out."""
    parsed = tree(SHOP, "Go")

    assert go.package(parsed) == "shop"
    assert go.declared_names(parsed) == {"ErrEmpty", "second", "A", "B", "Cart", "Line", "Total"}
    assert [go.name_of(parsed, node) for node in go.functions(parsed)] == ["init", "Total"]


def test_go_imports() -> None:
    """Of every block, with the names that they were given."""
    parsed = tree(SHOP, "Go")
    found = [(go.import_path(parsed, spec), go.name_of(parsed, spec)) for spec in go.import_specs(parsed)]

    assert found == [("errors", ""), ("math", "m"), ("strings", "."), ("embed", "_")]


def test_a_go_file_without_a_package() -> None:
    """It has no name."""
    assert go.package(tree("func f() {}\n", "Go")) == ""


def test_comments_right_above_belong_to_a_definition() -> None:
    """Those at the end of another line, or with a gap between, do not."""
    parsed = tree(CART, "Java")
    cart = declared(parsed, "Cart")
    (add,) = java.methods(cart)
    gap = tree("class A {\n    // far\n\n    void a() {}\n}\n", "Java")
    (far,) = java.methods(java.top_types(gap)[0])

    assert (first_line(cart), first_line(add), first_line(far)) == (6, 12, 4)


def test_definitions_are_cut_as_whole_lines() -> None:
    """With their comments; the gap that is left is one that was there."""
    parsed = tree(CART, "Java")
    left = without_nodes(parsed, java.methods(declared(parsed, "Cart")))

    assert "adds" not in left and "add(int" not in left
    assert "    private int total; // in cents\n\n    static class Line" in left


@pytest.mark.parametrize(
    "code", ["class A { void a() {} void b() {} }", "class A {\n  void a() {} int b;\n}"]
)
def test_shared_lines_cannot_be_cut(code: str) -> None:
    """Half a line is never cut."""
    parsed = tree(code, "Java")
    with pytest.raises(CuttingError) as caught:
        without_nodes(parsed, java.methods(java.top_types(parsed)[0]))

    assert caught.value.reason == "entangled"


def test_walking_around_what_is_cut() -> None:
    """Neither a skipped node nor anything below it is seen."""
    parsed = tree(CART, "Java")
    cart = declared(parsed, "Cart")
    seen = list(walk_outside(parsed.root, {cart}))
    (add,) = java.methods(cart)

    assert (cart in seen, add in seen, declared(parsed, "Pair") in seen) == (False, False, True)
    assert (is_inside(add, {cart}), is_inside(cart, {add}), is_inside(add, {add})) == (True, False, True)


@given(st.text(max_size=40))
@settings(max_examples=examples(40))
def test_encoding_is_a_value_or_a_fault(code: str) -> None:
    """Bytes where there are any; else the line of the half character."""
    found = encode_source(code)
    lone = any(0xD800 <= ord(char) < 0xE000 for char in code)

    assert isinstance(found, SyntaxFault) is lone
    assert lone or found == code.encode()


@pytest.mark.parametrize("code", ["x" * (MAX_BYTES + 1), "é" * (MAX_BYTES // 2 + 1)])
def test_length_is_of_bytes(code: str) -> None:
    """A text over the limit is not parsed."""
    found = encode_source(code)

    assert isinstance(found, SyntaxFault)
    assert (found.reason, "larger than 1 MiB" in str(found)) == ("too_large", True)


def test_edits_have_names_by_their_place() -> None:
    """In the order of the text, for edits in any order; an edit without a place is ignored."""
    edits = [
        Edit("late", [TextEdit(4, 5, "Z")]),
        Edit("none", []),
        Edit("swap", [TextEdit(2, 3, "a"), TextEdit(0, 1, "b")]),
    ]
    found = list(mutants_of(b"a,b\nc\n", edits))

    assert [(each.name, each.code, each.line) for each in found] == [
        ("swap-1-3", "b,a\nc\n", 1),
        ("late-2-1", "a,b\nZ\n", 2),
    ]


def test_words_do_not_grow_together() -> None:
    """A word that replaces a sign right behind another word gets a space."""
    (found,) = mutants_of(b"return!x", [Edit("negate", [TextEdit(6, 7, "not ")])])

    assert found.code == "return not x"


@given(st.text(max_size=30), st.data())
@settings(max_examples=examples(40))
def test_the_rest_stays_letter_for_letter(text: str, data: st.DataObject) -> None:
    """Only the bytes of the place are others."""
    at = data.draw(st.integers(0, len(text)))
    before, after = text[:at].encode("utf-8", "replace"), text[at:].encode("utf-8", "replace")
    (found,) = mutants_of(before + after, [Edit("put", [TextEdit(len(before), len(before), "!")])])

    assert found.code.encode() == before + b"!" + after


def test_operators_become_others() -> None:
    """Negations come back after two steps; nothing becomes itself."""
    assert all(NEGATED[NEGATED[each]] == each for each in NEGATED)
    assert all(BOUNDARY[BOUNDARY[each]] == each for each in BOUNDARY)
    assert all(each != made for table in (NEGATED, BOUNDARY, ARITHMETIC) for each, made in table.items())


def test_detectors_know_names_and_what_is_below_them() -> None:
    """A name is what it stands for, and so is everything that begins with it and a dot."""
    table = Detectors({"time": "time datetime.now", "network": "socket time.net"})

    assert table.of(["time.sleep.x", "datetime.nowhere"]) == {"time"}
    assert table.of(["time.net.call"]) == {"time", "network"}
    assert table.of(["sockets", ""]) == set()


def test_a_use_must_be_known() -> None:
    """A table with another word is a mistake of ours."""
    assert "network" in USES
    with pytest.raises(AssertionError):
        Detectors({"telepathy": "mind"})
