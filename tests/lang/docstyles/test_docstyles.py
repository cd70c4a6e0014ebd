"""Documentation comments: each style gives back the parts that were written, and no text is too much."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.lang.docstyles.doc_records import Documentation, DocumentedPart
from benchwright.lang.docstyles.styles import STYLES, detect, parse, shows_style
from kit.made_docs import RENDERED


def without_lines(doc: Documentation) -> Documentation:
    """Return the parts without line numbers and style."""
    return doc._replace(
        style="",
        parameters=tuple(part._replace(line=0) for part in doc.parameters),
        returns=tuple(part._replace(line=0) for part in doc.returns),
        raises=tuple(part._replace(line=0) for part in doc.raises),
    )


@pytest.mark.parametrize("style", STYLES)
@given(data=st.data())
def test_what_is_written_is_read(style: str, data: st.DataObject) -> None:
    """In each style, of any parts."""
    render, documentations = RENDERED[style]
    doc = data.draw(documentations)
    text = render(doc)

    found = parse(text, style)

    assert without_lines(found) == doc
    assert found.style in (style, "") and found.is_prose == (found.style == "")
    lines = text.split("\n")
    assert all(part.name in lines[part.line - 1] for part in (*found.parameters, *found.raises))


@pytest.mark.parametrize("style", STYLES)
@given(data=st.data())
def test_a_style_is_known_by_its_marks(style: str, data: st.DataObject) -> None:
    """A text that has parts shows the style that it was written in, and prose shows none."""
    render, documentations = RENDERED[style]
    doc = data.draw(documentations)

    assert detect(render(doc)) == ("" if doc.is_prose else style)
    assert shows_style(render(doc), style)


@given(text=st.text(alphabet=":@{}[]()-=# \n\tabZя_*,|.\x00\u202e\ud800", max_size=200))
def test_no_text_is_too_much(text: str) -> None:
    """Any text is read, and each line is a line of the text."""
    for style in ("", *STYLES):
        doc = parse(text, style)
        parts = [*doc.parameters, *doc.returns, *doc.raises]
        assert all(0 <= part.line <= text.count("\n") + 1 for part in parts)
        assert isinstance(doc.prose(), str)


def test_an_unknown_style_is_refused() -> None:
    """With those that are known."""
    with pytest.raises(DataError, match="'epytext' is not a documentation style") as refused:
        parse("text", "epytext")
    assert "google, numpy" in str(refused.value.hint)


GOOGLE = """Area of a rectangle.

More of it.

Args:
    width (int, optional): Its width
        in pixels.
    *args: Ignored.
    a, b: Both.
    flag

Returns:
    dict[str, int]: By name.

Raises:
    ValueError, TypeError: If bad.

Note:
    One more thing.
After all.
"""
NUMPY = """Area.

Parameters
----------
width, height : int
    Sides.
**options
    Others.

Returns
-------
float
    The area.
bool
    Whether it is square.

See Also
--------
volume
"""
REST = """Area.

:param width: Its width
    in pixels.
:type width: int or None
:param \\*rest: Ignored.
:rtype: float
:raises ValueError, TypeError: If bad.
:since: 1.2
"""
JAVADOC = """Area of a {@code @Rectangle}.

@param <T> number type
@param width its width
       in pixels
@return the area
@exception IllegalArgumentException if bad
@since 1.2
"""
JSDOC = """Area.
@param {{w: number, h: number}} [options={}] - Sides.
@param {number} options.w - Width.
@param plain of no type
@returns {Promise<number>} The area.
@throws {RangeError} If bad.
@yields {number}
"""
GO = """Area returns the area, see [Rectangle].

# Rounding

It rounds down.

Deprecated: use Volume
instead.

The end.
"""


def named(parts: tuple[DocumentedPart, ...]) -> list[tuple[str, str, str, int]]:
    return [tuple(part) for part in parts]  # type: ignore[misc]


def test_google_as_people_write_it() -> None:
    """Continued lines, shared and bare names, types with commas, several exceptions, prose after all."""
    doc = parse(GOOGLE)
    assert (doc.style, doc.summary, doc.body) == (
        "google",
        "Area of a rectangle.",
        "More of it.\n\nAfter all.",
    )
    assert named(doc.parameters) == [
        ("width", "int, optional", "Its width\nin pixels.", 6),
        ("args", "", "Ignored.", 8),
        ("a", "", "Both.", 9),
        ("b", "", "Both.", 9),
        ("flag", "", "", 10),
    ]
    assert named(doc.returns) == [("", "dict[str, int]", "By name.", 13)]
    assert named(doc.raises) == [("ValueError", "", "If bad.", 16), ("TypeError", "", "If bad.", 16)]
    assert [tuple(each) for each in doc.sections] == [("Note", "One more thing.", 18)]


def test_google_in_russian_and_on_one_line() -> None:
    """Titles are known in both languages, and a returned value may stand beside its title."""
    doc = parse("Площадь.\n\nАргументы:\n    ширина: В пикселях.\n\nReturns: the area: always.\n")
    assert named(doc.parameters) == [("ширина", "", "В пикселях.", 4)]
    assert named(doc.returns) == [("", "", "the area: always.", 6)]


def test_numpy_as_people_write_it() -> None:
    """Shared names, several values, other sections."""
    doc = parse(NUMPY)
    assert doc.style == "numpy"
    assert [part[:3] for part in named(doc.parameters)] == [
        ("width", "int", "Sides."),
        ("height", "int", "Sides."),
        ("options", "", "Others."),
    ]
    assert named(doc.returns) == [("", "float", "The area.", 12), ("", "bool", "Whether it is square.", 14)]
    assert [each.title for each in doc.sections] == ["See Also"]


def test_fields_as_people_write_them() -> None:
    """Types in fields of their own, a returned type alone, escaped asterisks."""
    doc = parse(REST)
    assert named(doc.parameters) == [
        ("width", "int or None", "Its width\nin pixels.", 3),
        ("rest", "", "Ignored.", 6),
    ]
    assert [part[:3] for part in named(doc.returns)] == [("", "float", "")]
    assert [part.name for part in doc.raises] == ["ValueError", "TypeError"]
    assert [each.title for each in doc.sections] == ["since"]


def test_tags_as_people_write_them() -> None:
    """Type parameters, inline tags that are prose, braces in types, defaults, dotted names."""
    java, script = parse(JAVADOC), parse(JSDOC)
    assert java.style == "javadoc" and java.summary == "Area of a {@code @Rectangle}."
    assert [part.name for part in java.parameters] == ["<T>", "width"]
    assert java.parameters[1].text == "its width\nin pixels" and java.raises[0].text == "if bad"
    assert script.style == "jsdoc"
    assert [part[:3] for part in named(script.parameters)] == [
        ("options", "{w: number, h: number}", "Sides."),
        ("options.w", "number", "Width."),
        ("plain", "", "of no type"),
    ]
    assert [(part.type, part.text) for part in script.returns] == [
        ("Promise<number>", "The area."),
        ("number", ""),
    ]
    assert script.raises[0].name == "RangeError"


def test_go_is_prose_with_titles() -> None:
    """Headings and notices stand apart."""
    doc = parse(GO, "go")
    assert doc.summary == "Area returns the area, see [Rectangle]." and doc.body == "The end."
    assert [(each.title, each.text) for each in doc.sections] == [
        ("Rounding", "It rounds down."),
        ("Deprecated", "use Volume\ninstead."),
    ]


@pytest.mark.parametrize(
    ("text", "style", "shows"),
    [
        ("Plain prose.", "google", True),
        ("@param x of no type", "jsdoc", True),
        ("@param {int} x typed", "javadoc", False),
        (":param x: text", "google", False),
        ("Args:\n    x: text", "go", False),
    ],
)
def test_a_style_is_contradicted_by_marks_of_another(text: str, style: str, shows: bool) -> None:
    """Prose contradicts none; JSDoc without types is Javadoc to look at."""
    assert shows_style(text, style) is shows
