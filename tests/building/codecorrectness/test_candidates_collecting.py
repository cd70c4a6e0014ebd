"""Stage collect: sources become repositories, each commit once, or a named drop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.building.codecorrectness.collect_pairs import collect_repositories, repository_sources
from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.codecorrectness.pipeline import build
from benchwright.contracts import Item
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.github.search_pages import RepositorySearch
from benchwright.sources.repositories import ClonesSource, GitHubSource, Repository
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_candidates import candidate
from kit.made_repositories import MIT, cases_of, function, repository


def _item(name: str, commit: str) -> Item[Any]:
    made = Repository(name=name, place=f"/{name}", commit=commit, committed_at="", licence="MIT")
    return Item(f"https://example.org/{commit}/{name}", made)


def test_one_commit_in_two_places_is_one_repository() -> None:
    """The second is a drop that says which it repeats; drops of a source pass through."""
    lost = Drop(unit="gone", reason="not_cloned")
    found = list(collect_repositories([_item("one", "a"), lost, _item("two", "a")]))
    same = Drop(unit="two", reason="same_commit", detail="as one")

    assert found == [_item("one", "a").record, lost, same]


def test_two_repositories_of_one_name() -> None:
    """Rows and drops must still say which: the second has its commit in its name."""
    found = collect_repositories([_item("sums", "a" * 40), _item("sums", "b" * 40)])

    assert [each.name for each in found if isinstance(each, Repository)] == ["sums", "sums@bbbbbbbb"]


def test_a_source_of_something_else() -> None:
    """Rows are made of repositories; the error names the item and what it is."""
    with pytest.raises(UsageError, match=r"made\.py: the source yields Candidate records"):
        list(collect_repositories([Item("made.py", candidate())]))


def test_what_is_named_becomes_sources(tmp_path: Path) -> None:
    """Paths and addresses are one source, sources by name follow, then the search."""
    clone = str(repository(tmp_path / "clone", {"a.py": ""}))
    named = (f"clones:{clone}", clone, "github:Go", "https://example.org/a")
    found = repository_sources(BuildOptions(sources=named, search=RepositorySearch(languages=("Java",))))

    assert [type(each) for each in found] == [ClonesSource, ClonesSource, GitHubSource, GitHubSource]
    assert [source.collect(tmp_path, print).total for source in found[:2]] == [2, 1]


def test_no_search(tmp_path: Path) -> None:
    """Where none is asked for, there is no source that would."""
    assert [type(each) for each in repository_sources(BuildOptions(sources=(str(tmp_path),)))] == [
        ClonesSource
    ]


def test_a_search_is_part_of_what_is_built() -> None:
    """Another search is another build; without one, a build is what it was before there were searches."""
    one = BuildOptions(sources=(), search=RepositorySearch(languages=("Go",))).identity()
    two = BuildOptions(sources=(), search=RepositorySearch(languages=("Go",), stars="50..")).identity()

    assert (one == two, "search" in BuildOptions(sources=("x",)).identity()) == (False, False)


def test_what_could_not_be_cloned_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build ends without it; the same build later has its rows."""
    use_fakes(monkeypatch, FakeSuites)
    here, there = tmp_path / "here", tmp_path / "there"
    for path, name in ((here, "alpha"), (there, "beta")):
        tests = cases_of(name, name, "small")
        repository(path, {"LICENSE": MIT, f"{name}.py": function(name), f"test_{name}.py": tests})
    there.rename(tmp_path / "away")
    options = BuildOptions(sources=(here.as_uri(), there.as_uri()), repeat=2)
    first = build(options, tmp_path / "out")
    (tmp_path / "away").rename(there)
    second = build(options, tmp_path / "out")

    assert [each.levels[0].dropped for each in (first, second)] == [{"not_cloned": 1}, {}]
    assert [len(each.manifest["repositories"]) for each in (first, second)] == [1, 2]
