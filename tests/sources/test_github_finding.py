"""Complete searches: every match is seen, missing ones are reported, and an interrupted search resumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError
from benchwright.sources.github import search as finding
from benchwright.sources.github.client import RateLimitError
from benchwright.sources.github.search import SearchResult, find_repositories, search_repositories
from benchwright.sources.github.search_pages import RepositoryFacts, RepositorySearch, SearchPage
from benchwright.sources.licences import PERMISSIVE
from kit.made_github import GitHub, entry, limited, serving


@pytest.fixture(scope="module")
def served() -> Iterator[GitHub]:
    """Use one server for all tests here."""
    with serving() as github:
        yield github


@pytest.fixture
def github(served: GitHub, monkeypatch: pytest.MonkeyPatch) -> GitHub:
    """Return the server in its first state, without a token."""
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    served.asked.clear()
    served.script.clear()
    served.incomplete = False
    return served


def _find(
    github: GitHub, folder: Path, *, licences: tuple[str, ...] = PERMISSIVE, **search: Any
) -> SearchResult:
    given = {"languages": ("Go",), "api": github.api, **search}
    return find_repositories(RepositorySearch(**given), folder, licences=licences, tell=lambda text: None)


def _names(found: SearchResult, reason: str = "") -> list[str]:
    return [each.name for each in found.repositories if each.refused == reason]


def test_those_with_most_stars(tmp_path: Path, github: GitHub) -> None:
    """The requested number of each language; the total is reported."""
    github.entries = [entry(f"go/r{number}", stars=number) for number in range(10, 20)]
    github.entries += [entry("java/one", language="Java", stars=99), entry("few/stars", stars=3)]
    found = _find(github, tmp_path, languages=("Java", "Go"), most=2)

    assert _names(found) == ["java/one", "go/r19", "go/r18"]
    assert found.notes == [
        "GitHub: repositories in Java that match: 1; taken, those with most stars: 1",
        "GitHub: repositories in Go that match: 10; taken, those with most stars: 2",
    ]


def test_what_is_refused_is_listed(tmp_path: Path, github: GitHub) -> None:
    """Each has its reason, and does not count as a result."""
    github.entries = [
        entry("a/fork", stars=60, fork=True),
        entry("a/old", stars=59, archived=True),
        entry("a/mine", stars=58, private=True),
        entry("a/gpl", stars=57, licence="GPL-3.0"),
        entry("a/none", stars=56, licence=None),
        entry("a/good", stars=55),
        entry("a/more", stars=54),
    ]
    found = _find(github, tmp_path, most=1)

    assert {each.refused: each.name for each in found.repositories} == {
        "fork": "a/fork",
        "archived": "a/old",
        "private": "a/mine",
        "licence": "a/gpl",
        "licence_unknown": "a/none",
        "": "a/good",
    }


@pytest.mark.parametrize(("licences", "asked"), [(("MIT",), True), (("MIT", "ISC"), False)])
def test_one_licence_is_asked_for(
    tmp_path: Path, github: GitHub, licences: tuple[str, ...], asked: bool
) -> None:
    """With several, the results are filtered here."""
    github.entries = [entry("a/mit"), entry("a/gpl", licence="GPL-3.0")]
    found = _find(github, tmp_path, licences=licences)

    assert ("license:mit" in github.asked[0].query, _names(found)) == (asked, ["a/mit"])


def test_a_stored_search(tmp_path: Path, github: GitHub) -> None:
    """It is not repeated, whatever the server has now."""
    github.entries = [entry("a/one")]
    first = _find(github, tmp_path)
    github.entries = [entry("a/two")]

    assert (_find(github, tmp_path), len(github.asked)) == (first, 1)


def test_a_damaged_list(tmp_path: Path, github: GitHub) -> None:
    """The error has a hint; no new list is made silently."""
    (tmp_path / "found.json").write_text("{")
    with pytest.raises(RunError, match=r"found\.json cannot be read") as caught:
        _find(github, tmp_path)

    assert f"rm {tmp_path}/found.json" in (caught.value.hint or "")


def test_a_limit_in_the_middle(tmp_path: Path, github: GitHub) -> None:
    """Results are stored: the same search continues with the missing page, and finds the same."""
    github.entries = [entry(f"go/r{number:03}", stars=500 - number) for number in range(250)]
    whole = _find(github, tmp_path / "whole", most=999)
    github.asked.clear()
    github.script += [None, None, limited(reset_s=3000)]
    with pytest.raises(RateLimitError, match="accepts no requests before"):
        _find(github, tmp_path / "ended", most=999)
    again = _find(github, tmp_path / "ended", most=999)

    assert (again, [asked.page for asked in github.asked]) == (whole, [1, 2, 3, 3])


def test_a_search_that_github_ended(tmp_path: Path, github: GitHub) -> None:
    """The note says that some may be missing."""
    github.entries, github.incomplete = [entry("a/one")], True
    notes = _find(github, tmp_path).notes

    assert notes[1:] == ["GitHub: it stopped searching Go early; some may be missing"]


class _Index:
    """Repositories by stars, returned page by page without a server."""

    def __init__(self, stars: list[int]) -> None:
        self.all = [
            RepositoryFacts(name=f"o/r{n}", address="a", stars=s, licence="MIT") for n, s in enumerate(stars)
        ]
        self.all.sort(key=lambda each: -each.stars)
        self.asked = 0

    def get(self, url: str) -> SearchPage:
        self.asked += 1
        low, high = url.partition("stars%3A")[2].partition("+")[0].split("..")
        page = int(url.rpartition("=")[2])
        most = 10**9 if high == "%2A" else int(high)
        matching = [each for each in self.all if int(low) <= each.stars <= most]
        entries = matching[:1000][100 * (page - 1) : 100 * page]
        return SearchPage(total=len(matching), incomplete=False, entries=entries)


def _all(stars: list[int], *, given: str = "0..") -> tuple[int, list[str], int]:
    index = _Index(stars)
    search = RepositorySearch(languages=("Go",), stars=given, most=10**6)
    found = search_repositories(search, index.get, licences=("MIT",))
    assert len({each.name for each in found.repositories}) == len(found.repositories)
    return len(found.repositories), found.notes[1:], index.asked


@pytest.mark.parametrize("given", ["0..", "0..5000", "..700"])
def test_more_than_github_lists(given: str) -> None:
    """Ranges of stars show all of them, each once."""
    count, notes, _ = _all([number // 4 for number in range(2600)], given=given)

    assert (count, notes) == (2600, [])


def test_exactly_as_many_as_github_lists() -> None:
    """No further request is sent."""
    assert _all([5] * 1000) == (1000, [], 10)


def test_too_many_of_one_kind() -> None:
    """After the first thousand with equal stars, others are not listed: a note reports it, and the search
    continues."""
    count, notes, _ = _all([9] * 20 + [7] * 1500 + [3] * 30)

    assert (count, notes) == (20 + 1000 + 30, ["GitHub: over 1,000 in Go have 7 stars; 1,000 were seen"])


def test_too_many_without_stars() -> None:
    """The range ends there."""
    count, notes, _ = _all([0] * 1200)

    assert (count, notes) == (1000, ["GitHub: over 1,000 in Go have 0 stars; 1,000 were seen"])


def test_a_server_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of pages is limited."""
    monkeypatch.setattr(finding, "MAX_PAGES", 30)
    asked = []

    def endless(url: str) -> SearchPage:
        asked.append(url)
        entries = [RepositoryFacts(name=f"o/r{len(asked)}-{n}", address="a", stars=10**6) for n in range(100)]
        return SearchPage(total=10**9, incomplete=False, entries=entries)

    found = search_repositories(
        RepositorySearch(languages=("Go",), stars="0..900"), endless, licences=("MIT",)
    )

    assert (len(asked), found.notes[-1]) == (30, "GitHub: no more than 30 pages of Go were read")
