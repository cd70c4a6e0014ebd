"""The names that a Java file uses, and its imports."""

from __future__ import annotations

from benchwright.lang.java.tree import names

TEXT = """
package shop.cart;
import java.util.List;
import java.util.concurrent.*;
import static java.lang.Math.abs;
import static org.junit.Assert.*;
class T<E extends Deep> { /* Gone */ Map.Entry<A> f = Other.make("Text", this::call); }
"""


def test_names_of_a_file() -> None:
    """Identifiers of the code, not of imports, comments and literals."""
    found = names(TEXT)

    assert found is not None
    assert {"T", "Deep", "Map", "Entry", "A", "Other", "make", "call"} <= found.used
    assert found.used & {"Gone", "Text", "List", "util", "shop", "abs"} == set()


def test_imports_of_a_file() -> None:
    """Single ones by their names, stars by their modules, static ones apart."""
    found = names(TEXT)

    assert found is not None
    assert (found.package, found.singles, found.static_singles) == (
        "shop.cart",
        {"List": "java.util"},
        {"abs": "java.lang.Math"},
    )
    assert (found.stars, found.static_stars) == ({"java.util.concurrent"}, {"org.junit.Assert"})


def test_a_text_without_a_tree() -> None:
    """Too large a text has no names that are known."""
    assert names("class A {}" * 200_000) is None
