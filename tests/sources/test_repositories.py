"""Sources of repositories: named places and a search become commits with facts, or drops with reasons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchwright.contracts import Inventory, Item
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.github.search import SearchResult
from benchwright.sources.github.search_pages import RepositoryFacts, RepositorySearch
from benchwright.sources.licences import PERMISSIVE
from benchwright.sources.repositories import (
    PASSING,
    ClonesSource,
    GitHubSource,
    Repository,
    RepositoryAddress,
    folder_name,
    open_clones,
    open_github,
)
from kit.made_github import entry, serving
from kit.made_repositories import MIT, repository

_FILES = {"LICENSE": MIT, "a.py": "x"}


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def _facts(name: str, **changed: object) -> RepositoryFacts:
    facts = {
        "licence": "MIT",
        "stars": 7,
        "pushed_at": "2026-02-03T04:05:06Z",
        "created_at": "2015-03-04T05:06:07Z",
        **changed,
    }
    return RepositoryFacts(**{"name": name, "address": f"https://github.com/{name}.git", **facts})


def _searched(folder: Path, *found: RepositoryFacts) -> Inventory[Repository]:
    """Store the list of an earlier search in the folder."""
    (folder / "search").mkdir(parents=True)
    (folder / "search/found.json").write_bytes(
        msgspec.json.encode(SearchResult(repositories=list(found), notes=["n"]))
    )
    return GitHubSource(RepositorySearch(languages=("Go",)), PERMISSIVE).collect(folder, print)


def _cloned(facts: RepositoryFacts, folder: Path) -> RepositoryFacts:
    """Create the clone as an earlier call would."""
    place = RepositoryAddress(facts.address)
    repository(folder / "clones" / folder_name(place), _FILES | {"b.py": place.where}, bare=True)
    return facts


def test_facts_of_a_search_stay_with_a_repository(tmp_path: Path) -> None:
    """Stars and dates are GitHub's; licence and commit are those of the clone."""
    (item,) = _searched(tmp_path, _cloned(_facts("acme/sums", licence="ISC"), tmp_path)).items

    assert isinstance(item, Item)
    found = item.record
    assert (found.stars, found.pushed_at, found.created_at) == (
        7,
        "2026-02-03T04:05:06Z",
        "2015-03-04T05:06:07Z",
    )
    assert (found.licence, found.committed_at) == ("MIT", "2023-11-14T22:13:20+00:00")


def test_a_clone_has_no_such_facts(tmp_path: Path) -> None:
    """A folder has only the facts that the user gave."""
    named = str(repository(tmp_path / "one", _FILES)) + "/"
    (item,) = ClonesSource([named]).collect(tmp_path, print).items

    assert isinstance(item, Item)
    assert (item.origin, item.record.stars, item.record.pushed_at) == (named, None, "")


def test_what_was_refused_is_not_cloned(tmp_path: Path) -> None:
    """It is a drop with the reason of the search; nothing is fetched."""
    found = _searched(tmp_path, _facts("acme/fork", refused="fork", detail="why"))

    assert list(found.items) == [Drop(unit="https://github.com/acme/fork.git", reason="fork", detail="why")]
    assert (found.total, found.notes) == (1, ["n"])
    assert not (tmp_path / "clones").exists()


def test_what_cannot_be_cloned_is_a_drop(tmp_path: Path) -> None:
    """The reason has no password, and the next repository is read."""
    bad = ["file:///nowhere/at/all", "ssh://me:word@example.org/a", "https://[broken"]
    good = str(repository(tmp_path / "one", _FILES))
    found = ClonesSource([*bad, good]).collect(tmp_path, print)
    *drops, last = found.items

    assert [each.reason for each in drops if isinstance(each, Drop)] == [
        "not_cloned",
        "address_refused",
        "address_refused",
    ]
    assert (found.total, isinstance(last, Item)) == (4, True)
    assert ("word" in str(drops), "not_cloned" in PASSING) == (False, True)


def test_nothing_is_read_before_its_turn(tmp_path: Path) -> None:
    """A build that has collected lists its places again, without cloning or reading."""
    found = ClonesSource(["file:///nowhere/at/all"]).collect(tmp_path, print)

    assert (found.total, list(tmp_path.iterdir())) == (1, [])


def test_nothing_is_cloned_twice(tmp_path: Path) -> None:
    """Collecting again into one folder gives the same, even if the address is gone."""
    there = repository(tmp_path / "there", _FILES)
    source = ClonesSource([there.as_uri()])
    first = list(source.collect(tmp_path, print).items)
    there.rename(tmp_path / "away")

    assert (list(source.collect(tmp_path, print).items), len(first)) == (first, 1)


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    """Return a server with two repositories."""
    with serving([entry("acme/sums"), entry("acme/fork", fork=True)]) as github:
        yield github.api


def test_a_search(tmp_path: Path, api: str) -> None:
    """Every repository is counted, notes are reported, and the list is stored."""
    told: list[str] = []
    found = GitHubSource(RepositorySearch(languages=("Go",), api=api), PERMISSIVE).collect(
        tmp_path, told.append
    )
    stored = json.loads((tmp_path / "search/found.json").read_text())["repositories"]

    assert (found.total, found.notes) == (2, told)
    assert [(each["name"], each.get("refused", "")) for each in stored] == [
        ("acme/fork", "fork"),
        ("acme/sums", ""),
    ]


def test_sources_are_opened_by_what_follows_their_names(tmp_path: Path) -> None:
    """A folder for clones, a language for a search; invalid ones are refused before anything is done."""
    assert open_clones(str(tmp_path), licences=PERMISSIVE).collect(tmp_path, print).total == 1
    assert isinstance(open_github("Go", licences=PERMISSIVE), GitHubSource)
    with pytest.raises(UsageError):
        open_github("Cobol", licences=PERMISSIVE)
    with pytest.raises(UsageError):
        open_clones(str(tmp_path / "nothing"), licences=PERMISSIVE)
