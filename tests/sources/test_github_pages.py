"""Pages on disk: recent ones are used, older ones are revalidated with their ETag."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.errors import RunError
from benchwright.http_client import WaitingClock
from benchwright.sources.github.client import GitHubClient, GitHubToken
from benchwright.sources.github.search import FRESH_S, PageCache
from benchwright.sources.github.search_pages import RepositorySearch, SearchPage, page_url
from kit.made_github import GitHub, Scripted, entry, serving


@pytest.fixture
def github() -> Iterator[GitHub]:
    """Return a server with one repository."""
    with serving([entry("acme/sums")]) as served:
        yield served


def _get(github: GitHub, folder: Path, *, later: float = 0.0) -> SearchPage:
    clock = WaitingClock(now=lambda: 1_800_000_000.0 + later)
    url = page_url(
        RepositorySearch(languages=("Go",), api=github.api), "Go", low=1, high=None, licence=None, number=1
    )
    token = GitHubToken({"GH_TOKEN": "ghp_a-secret"})
    with GitHubClient(github.api, token, tell=lambda text: None, clock=clock) as asker:
        return PageCache(folder, asker, api=github.api, clock=clock).get(url)


def test_a_young_page(tmp_path: Path, github: GitHub) -> None:
    """It is requested once."""
    first = _get(github, tmp_path / "pages")
    again = _get(github, tmp_path / "pages", later=FRESH_S - 1)

    assert ([each.name for each in first.entries], again, len(github.asked)) == (["acme/sums"], first, 1)


@pytest.mark.parametrize("later", [FRESH_S + 1, -10.0])
def test_an_old_page(tmp_path: Path, github: GitHub, later: float) -> None:
    """If unchanged, it costs a 304 and becomes recent again. A clock that was set back makes it old too."""
    first = _get(github, tmp_path)
    again = [_get(github, tmp_path, later=later), _get(github, tmp_path, later=later + 5)]
    tags = ["if-none-match" in asked.headers for asked in github.asked]

    assert (again, tags) == ([first, first], [False, True])


def test_an_old_page_that_changed(tmp_path: Path, github: GitHub) -> None:
    """The new one replaces it."""
    _get(github, tmp_path)
    github.entries.append(entry("acme/more"))
    _get(github, tmp_path, later=FRESH_S + 1)
    github.entries.clear()

    assert [each.name for each in _get(github, tmp_path, later=FRESH_S + 2).entries] == [
        "acme/more",
        "acme/sums",
    ]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"url": "other", "fetched_at": 1800000000, "body": "{}"}']
)
def test_a_damaged_page(tmp_path: Path, github: GitHub, content: bytes) -> None:
    """It is requested as if it were missing."""
    first = _get(github, tmp_path)
    next(tmp_path.glob("*.json")).write_bytes(content)

    assert (_get(github, tmp_path), len(github.asked)) == (first, 2)


@pytest.mark.parametrize("etag", ["\xe9\xff", '"' + "x" * 200, "a\tb", "a\x7f"])
def test_an_etag_that_no_header_can_carry(tmp_path: Path, github: GitHub, etag: str) -> None:
    """It is not stored; the page is, and is requested again when it is old."""
    page = github.answer("/search?q=language:Go+stars:1..*+is:public&page=1", {})
    github.asked.clear()
    github.script += [Scripted(200, {"etag": etag}, page.body), None]
    first = _get(github, tmp_path)
    stored = json.loads(next(tmp_path.glob("*.json")).read_bytes())
    again = _get(github, tmp_path, later=FRESH_S + 1)

    assert (stored.get("etag", ""), again) == ("", first)
    assert ["if-none-match" in asked.headers for asked in github.asked] == [False, False]


@pytest.mark.parametrize("etag", ["\u20ac", "\r\nx: y", "x" * 201])
def test_such_an_etag_from_a_stored_page(tmp_path: Path, github: GitHub, etag: str) -> None:
    """A folder of an earlier version may have one: it is not sent."""
    first = _get(github, tmp_path)
    path = next(tmp_path.glob("*.json"))
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "etag": etag}))

    assert _get(github, tmp_path, later=FRESH_S + 1) == first
    assert "if-none-match" not in github.asked[-1].headers


def test_what_is_no_page_is_not_kept(tmp_path: Path, github: GitHub) -> None:
    """A 304 without a stored page is not stored either."""
    github.script += [Scripted(200, {}, b"<html>"), Scripted(304, {}, b"")]
    for said in ("not a reply of GitHub's search", "without an ETag"):
        with pytest.raises(RunError, match=said):
            _get(github, tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_token_is_not_stored(tmp_path: Path, github: GitHub) -> None:
    """The folder of a build may be shared."""
    _get(github, tmp_path)
    stored = next(tmp_path.glob("*.json")).read_bytes()

    assert (b"ghp_a-secret" in stored, sorted(json.loads(stored))) == (
        False,
        ["body", "etag", "fetched_at", "url"],
    )
