"""Templates: filled once, with text fields only."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.tracks import filling
from benchwright.tracks.filling import fill

BRACES = st.text(st.sampled_from("{}ab !:.[]0"), max_size=20)


@given(
    st.text(st.characters(exclude_characters="{}")), BRACES, st.text(st.characters(exclude_characters="{}"))
)
def test_a_value_is_put_in_as_it_is(before: str, value: str, after: str) -> None:
    """Code is full of braces, and none of them is read as a field."""
    assert before + value + after == fill(before + "{function}" + after, {"function": value})


@given(BRACES, BRACES)
def test_a_template_fills_as_str_format_does_or_is_refused(template: str, value: str) -> None:
    """On the part that is known, the result is the one that MERA's own filling gives."""
    values = {"a": value, "b": "x"}
    try:
        actual = fill(template, values)
    except ValueError:
        actual = None

    assert actual is None or template.format(**values) == actual


@pytest.mark.parametrize(
    "template",
    [
        "{",
        "}",
        "{function",
        "{}",
        "{0}",
        "{other}",
        "{function.__class__}",
        "{function!r}",
        "{function:>9}",
        "{n}",
        "{a b}",
    ],
)
def test_what_is_not_a_plain_text_field_is_refused(template: str) -> None:
    """Attributes, conversions, widths, numbers and unknown names are no fields."""
    with pytest.raises(ValueError, match=r"single|names no text field") as caught:
        fill(template, {"function": "f", "n": 3})

    assert str(caught.value)


def test_doubled_braces_are_single_ones() -> None:
    """A template can show a brace."""
    assert fill("{{function}} {{{function}}}", {"function": "f"}) == "{function} {f}"


def test_the_example_in_the_module_holds() -> None:
    """What the documentation shows is what happens."""
    result = doctest.testmod(filling)

    assert (result.failed, result.attempted > 0) == (0, True)
