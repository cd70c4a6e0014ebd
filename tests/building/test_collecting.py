"""The first stage: searched and named repositories become commits with facts, or named drops."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.building.collecting import AGAIN, collect, search
from benchwright.building.nouns import Drop, Repository
from benchwright.building.options import Options
from benchwright.building.pipeline import build
from benchwright.progress import Silent
from benchwright.records import Outcome
from benchwright.sources.addresses import Place, folder_name
from benchwright.sources.github.entries import Facts
from benchwright.sources.github.query import Search
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_github import entry, serving
from kit.made_repositories import MIT, cases_of, function, repository

_FILES = {"LICENSE": MIT, "a.py": "x"}


class _Watch(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.begun, self.ticks, self.notes = list[tuple[str, int]](), 0, list[str]()

    def begin(self, stage: str, total: int, done: int) -> None:
        self.begun.append((stage, total))

    def tick(self, outcome: Outcome | None) -> None:
        self.ticks += 1

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def _found(name: str, **changed: object) -> Place:
    facts = {
        "licence": "MIT",
        "stars": 7,
        "pushed_at": "2026-02-03T04:05:06Z",
        "created_at": "2015-03-04T05:06:07Z",
        **changed,
    }
    address = f"https://github.com/{name}.git"
    return Place(address, facts=Facts(**{"name": name, "address": address, **facts}))


def _cloned(place: Place, clones: Path) -> Place:
    """As if it had been cloned before."""
    repository(clones / folder_name(place), _FILES | {"b.py": place.where}, bare=True)
    return place


def test_facts_of_a_search_stay_with_a_repository(tmp_path: Path) -> None:
    """Stars and dates as GitHub has them; the licence and the commit as the clone has them."""
    place = _cloned(_found("acme/sums", licence="ISC"), tmp_path)
    (found,) = collect([place], clones=tmp_path)

    assert isinstance(found, Repository)
    assert (found.stars, found.pushed_at, found.created_at) == (
        7,
        "2026-02-03T04:05:06Z",
        "2015-03-04T05:06:07Z",
    )
    assert (found.licence, found.committed_at) == ("MIT", "2023-11-14T22:13:20+00:00")


def test_a_clone_has_no_such_facts(tmp_path: Path) -> None:
    """Nobody has said anything of a folder."""
    (found,) = collect([Place(str(repository(tmp_path / "one", _FILES)))], clones=tmp_path)

    assert isinstance(found, Repository) and (found.stars, found.pushed_at) == (None, "")


def test_what_was_refused_is_not_cloned(tmp_path: Path) -> None:
    """It is a drop with the reason of the search; nothing is fetched."""
    (found,) = collect([_found("acme/fork", refused="fork", detail="why")], clones=tmp_path / "clones")

    assert found == Drop(unit="https://github.com/acme/fork.git", reason="fork", detail="why")
    assert not (tmp_path / "clones").exists()


def test_what_cannot_be_cloned_is_a_drop(tmp_path: Path) -> None:
    """By its reason and without its password, and the next repository is there."""
    bad = [Place("file:///nowhere/at/all"), Place("ssh://me:word@example.org/a"), Place("https://[broken")]
    good = Place(str(repository(tmp_path / "one", _FILES)))
    *drops, last = collect([*bad, good], clones=tmp_path / "clones")

    assert [each.reason for each in drops if isinstance(each, Drop)] == [
        "not_cloned",
        "address_refused",
        "address_refused",
    ]
    assert (isinstance(last, Repository), "word" in str(drops), "not_cloned" in AGAIN) == (True, False, True)


def test_progress_is_told(tmp_path: Path) -> None:
    """Cloning takes minutes: whoever watches sees each repository."""
    watch = _Watch()
    places = [_found("acme/one", refused="fork"), _found("acme/two", refused="archived")]
    list(collect(places, clones=tmp_path, watch=watch))

    assert (watch.begun, watch.ticks) == ([("collect", 2)], 2)


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    """A server with two repositories."""
    with serving([entry("acme/sums"), entry("acme/fork", fork=True)]) as github:
        yield github.api


def test_a_search(tmp_path: Path, api: str) -> None:
    """Every repository is a place, its notes are told, and the list is stored."""
    watch = _Watch()
    options = Options(sources=(), search=Search(languages=("Go",), api=api))
    places, notes = search(options, tmp_path, watch)
    stored = json.loads((tmp_path / "found.json").read_text())["repositories"]

    assert [place.facts.refused for place in places if place.facts] == ["fork", ""]
    assert (watch.notes, [each["name"] for each in stored]) == (notes, ["acme/fork", "acme/sums"])


def test_no_search(tmp_path: Path) -> None:
    """Where none is asked for, nothing is asked and nothing is written."""
    found = search(Options(sources=("x",)), tmp_path / "search", Silent())

    assert (found, (tmp_path / "search").exists()) == (([], []), False)


def test_a_search_is_part_of_what_is_built() -> None:
    """Another search is another build; without one, a build is what it was before there were searches."""
    one = Options(sources=(), search=Search(languages=("Go",))).identity()
    two = Options(sources=(), search=Search(languages=("Go",), stars="50..")).identity()

    assert (one == two, "search" in Options(sources=("x",)).identity()) == (False, False)


def test_what_could_not_be_cloned_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build ends without it; the same build later has its rows."""
    use_fakes(monkeypatch, FakeSuites)
    here, there = tmp_path / "here", tmp_path / "there"
    for path, name in ((here, "alpha"), (there, "beta")):
        tests = cases_of(name, name, "small")
        repository(path, {"LICENSE": MIT, f"{name}.py": function(name), f"test_{name}.py": tests})
    there.rename(tmp_path / "away")
    options = Options(sources=(here.as_uri(), there.as_uri()), repeat=2)
    first = build(options, tmp_path / "out")
    (tmp_path / "away").rename(there)
    second = build(options, tmp_path / "out")

    assert [each.levels[0].dropped for each in (first, second)] == [{"not_cloned": 1}, {}]
    assert [len(each.manifest["repositories"]) for each in (first, second)] == [1, 2]
