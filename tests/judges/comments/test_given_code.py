"""Names that prose mentions: what is taken for one, and what exists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.comments.given_code import MOST, exists, mentions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Calls `read_all` and then close().", ["read_all", "close"]),
        ("`self.total` or self.count, this.size", ["self.total", "self.count", "this.size"]),
        (
            "max_width, MAX_WIDTH, maxWidth and _hidden_one",
            ["max_width", "MAX_WIDTH", "maxWidth", "_hidden_one"],
        ),
        ("raises KeyError or json.JSONDecodeError", ["KeyError"]),
        ("``os.path.join()`` of Array#push() and std::move()", ["os.path.join", "Array#push", "std::move"]),
        ('`42` and `"key"` but `a + b` and `two words` not', ["42", '"key"']),
        ("`f(x, y)` once, `f(z)` again", ["f"]),
        ("See example.com, README.md, e.g. GitHub or user@mail.org.", []),
        ("value(s), O(n), (see below), up-to-date, 1.5x", []),
        ("length of the items", []),
        ("", []),
    ],
)
def test_what_is_a_mention(text: str, names: list[str]) -> None:
    """By form alone, each once, in order."""
    assert mentions(text) == names


def test_mentions_are_bounded() -> None:
    """However many there are."""
    assert len(mentions(" ".join(f"name_{k}" for k in range(5000)))) == MOST


@given(text=st.text(alphabet="`ab_C.(): #self\n\ud800", max_size=300))
def test_any_text_is_read(text: str) -> None:
    """A mention is a piece of the text."""
    assert all(name in text for name in mentions(text))


@pytest.mark.parametrize(
    ("mention", "there"),
    [
        ("total", True),
        ("self.total", True),
        ("self.count", False),
        ("basket.total", True),
        ("basket.count", False),
        ("math.sqrt", True),
        ("sqrt", False),
        ("__init__", True),
        ("print", True),
    ],
)
def test_what_exists(mention: str, there: bool) -> None:
    """Every part of a dotted name, but below a module of the language."""
    assert exists(mention, {"total", "basket"}, {"print", "math"}) is there
