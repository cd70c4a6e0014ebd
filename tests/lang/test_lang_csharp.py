"""C#: comments, declarations, and documentation in XML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.lang.docstyles.styles import detect, parse, shows_style
from kit.needs import need_module

need_module("tree_sitter_c_sharp", "reads C#: the extra `code`")
METHOD = """public async Task<int> Add(int a, string b = "//")
{
    if (a < 0) throw new ArgumentException("a");
    return a; // sum
}"""
DOC = """/// <summary>
/// Adds <see cref="Sum"/> to <c>a</c>.
/// </summary>
/// <param name="a">The first
/// number.</param>
/// <returns>The sum.</returns>
/// <exception cref="T:System.ArgumentException">If a &lt; 0.</exception>
"""


def test_a_documented_method() -> None:
    """Its comments are apart from its code; the string with slashes is code."""
    bare, read = read_comments(METHOD, "C#"), read_comments(DOC + METHOD, "C#")
    (declared,) = read.declared

    assert first_change(bare, read) is None
    assert [(each.kind, each.owner) for each in read.comments] == [("doc", "Add"), ("line", "")]
    assert (declared.name, declared.returns, declared.raises) == ("Add", True, ["ArgumentException"])
    assert [(each.name, each.default) for each in declared.parameters] == [("a", False), ("b", True)]


def test_members_of_a_class() -> None:
    """Names are dotted; a property can be documented, and `void` returns nothing."""
    code = "class A\n{\n    /// <summary>x</summary>\n    public int P { get; }\n    /** y */\n    void F() { }\n}\n"
    read = read_comments(code, "csharp")

    assert [each.owner for each in read.comments] == ["A.P", "A.F"]
    assert [(each.name, each.returns) for each in read.declared] == [("A", False), ("A.F", False)]


@pytest.mark.parametrize("change", [("a < 0", "a > 0"), ("return a;", "return b;"), ("int a", "long a")])
def test_changed_code_is_noticed(change: tuple[str, str]) -> None:
    """Changes of code are found independent of comments."""
    assert first_change(read_comments(METHOD, "C#"), read_comments(METHOD.replace(*change), "C#")) is not None


def test_parts_of_xml() -> None:
    """Inner tags are read as their text or name."""
    text = read_comments(DOC + METHOD, "C#").comments[0].text
    found = parse(text)

    assert (detect(text), shows_style(text, "xml"), found.style) == ("xml", True, "xml")
    assert found.summary == "Adds Sum to a."
    assert [(each.name, each.text, each.line) for each in found.parameters] == [
        ("a", "The first\nnumber.", 4)
    ]
    assert ([each.text for each in found.returns], found.raises[0].name) == (
        ["The sum."],
        "System.ArgumentException",
    )


PARTS = st.sampled_from(
    ["<summary>", "</summary>", '<param name="x">', "</param>", "<returns/>", "<see cref='y'/>", "q\n", "<"]
)


@given(st.lists(PARTS, max_size=12).map("".join))
def test_broken_xml_loses_no_line(text: str) -> None:
    """Nothing raises, and each part has a line of the text."""
    found = parse(text, "xml")

    assert all(1 <= each.line <= text.count("\n") + 1 for each in (*found.parameters, *found.returns))
    assert text.count("q") == found.prose().count("q")
