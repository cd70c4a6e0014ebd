"""Tests of the helpers for text."""

import pytest
from toolbox import wording


def test_slug():
    assert wording.slug("Hello, World 2!") == "hello-world-2"
    assert wording.slug("  ") == ""


def test_initials():
    assert wording.initials("ada king lovelace") == "A.K.L."


def test_shorten():
    assert wording.shorten("short", 10) == "short"
    assert wording.shorten("a long sentence", 9) == "a long..."
    assert wording.shorten("abcdef", 2) == ".."


def test_count_words():
    assert wording.count_words("One two. TWO") == {"one": 1, "two": 2}


@pytest.mark.parametrize(("width", "lines"), [(7, ["aa bbb", "cccc"]), (3, ["aa", "bbb", "cccc"])])
def test_wrap(width, lines):
    assert wording.wrap("aa bbb cccc", width) == lines


def test_is_palindrome():
    assert wording.is_palindrome("Never odd or even!")
    assert not wording.is_palindrome("odd")


def test_common_prefix():
    assert wording.common_prefix(["inter", "internal", "interval"]) == "inter"
    assert wording.common_prefix(["abc", "xyz"]) == ""
    assert wording.common_prefix([]) == ""


def test_parse_pairs():
    assert wording.parse_pairs("a=1; b = 2;") == {"a": "1", "b": "2"}
    with pytest.raises(ValueError):
        wording.parse_pairs("a")


def test_title_case():
    assert wording.title_case("the LORD of the rings") == "The Lord of the Rings"


def test_expand():
    assert wording.expand("$a and $b", {"a": 1}) == "1 and $b"
