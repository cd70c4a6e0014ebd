"""The query of a search, and its form in GitHub's language."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.sources.github.search_pages import (
    GITHUB,
    RepositorySearch,
    check_search,
    page_url,
    star_bounds,
)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("100..", (100, None)),
        ("10..500", (10, 500)),
        ("..500", (0, 500)),
        (">100", (101, None)),
        (">=100", (100, None)),
        (" 7..7 ", (7, 7)),
    ],
)
def test_ranges_of_stars(text: str, bounds: tuple[int, int | None]) -> None:
    """The forms of the help, and GitHub's own."""
    assert star_bounds(text) == bounds


@given(st.integers(0, 10**9 - 1), st.none() | st.integers(0, 10**9 - 1))
def test_any_range_is_read_back(low: int, high: int | None) -> None:
    """A written range is read back as the same range."""
    assert star_bounds(f"{low}..{'' if high is None else high}") == (low, high)


@pytest.mark.parametrize(
    "text", ["", "..", "100", "-5..", "a..b", "1..2..3", "10...500", "<5", "9" * 10 + "..", "1٣.."]
)
def test_what_is_no_range(text: str) -> None:
    """A single number is ambiguous, so it is refused."""
    with pytest.raises(UsageError, match="invalid range of stars") as caught:
        star_bounds(text)

    assert (caught.value.hint or "").startswith("--stars")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"languages": ("Cobol",)}, "--github Cobol"),
        ({"most": 0}, "--max-repositories 0"),
        ({"stars": "500..10"}, "the range is empty"),
        ({"pushed_since": "last year"}, "invalid date"),
        ({"pushed_since": "20250131"}, "invalid date"),
        ({"pushed_since": "2025-02-30"}, "invalid date"),
        ({"api": "http://git.example.org/api/v3"}, "not encrypted"),
        ({"api": "ftp://git.example.org"}, "not encrypted"),
        ({"api": "git.example.org"}, "invalid address"),
        ({"api": "https://me:word@git.example.org"}, "invalid address"),
        ({"api": "https://git.example.org/api?x=1"}, "invalid address"),
        ({"api": "https://[::"}, "invalid address"),
        ({"api": "https://git.example.org\\@evil.example"}, "invalid address"),
    ],
)
def test_what_cannot_be_meant(changed: dict[str, Any], said: str) -> None:
    """The error has the wrong option."""
    with pytest.raises(UsageError) as caught:
        check_search(RepositorySearch(**{"languages": ("Go",), **changed}))

    assert said in caught.value.message


@pytest.mark.parametrize(
    "api", [GITHUB, "https://git.example.org/api/v3", "http://127.0.0.1:9", "http://localhost:9"]
)
def test_what_can_be_meant(api: str) -> None:
    """GitHub, an Enterprise Server, and servers on this machine."""
    check_search(RepositorySearch(languages=("Go", "Java"), stars="1..", pushed_since="2025-01-31", api=api))


def test_the_address_of_a_page() -> None:
    """Public repositories only, those with most stars first, a hundred per page."""
    search = RepositorySearch(languages=("Go",), pushed_since="2025-01-31")
    url = page_url(search, "Go", low=10, high=500, licence="Apache-2.0", number=3)
    query = parse_qs(urlsplit(url).query)

    assert url.startswith("https://api.github.com/search/repositories?")
    assert query == {
        "q": ["language:Go stars:10..500 is:public pushed:>=2025-01-31 license:apache-2.0"],
        "sort": ["stars"],
        "order": ["desc"],
        "per_page": ["100"],
        "page": ["3"],
    }


def test_an_open_range() -> None:
    """It has no upper end, and no other qualifier."""
    url = page_url(RepositorySearch(languages=("Go",)), "Go", low=10, high=None, licence=None, number=1)

    assert parse_qs(urlsplit(url).query)["q"] == ["language:Go stars:10..* is:public"]
