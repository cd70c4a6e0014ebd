"""History: both sides of a fixing commit under its own test, and whose licence they are under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pygit2
import pytest

from benchwright.building.codecorrectness.collect_pairs import (
    collect_repositories,
    pair_tests,
    repository_sources,
)
from benchwright.building.codecorrectness.commit_states import CASES_OF_COMMIT, history_pairs
from benchwright.building.codecorrectness.options import BuildOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import build
from benchwright.building.codecorrectness.row_records import Candidate, Pair
from benchwright.building.codecorrectness.test_cases import split_cases
from benchwright.building.engine.recipe import inventory
from benchwright.executing.suite_runners import Runners
from benchwright.records import Drop
from benchwright.sources.clones import Clone
from benchwright.store.writing import read_records
from kit.fake_suites import FakeSuites
from kit.made_repositories import MIT, cases_of, commit, function, repository

_WRONG, _RIGHT = function("alpha", operator="-"), function("alpha", operator="+")
_WRONG = _WRONG.replace("needs: alpha_a - b", "needs: alpha_a + b")
_FEW, _MANY = cases_of("alpha", "alpha", "small"), cases_of("alpha", "alpha", "small", "large")


def _clone(path: Path, *states: Mapping[str, str], licence: str = MIT) -> Path:
    repository(path, {"LICENSE": licence, **states[0]})
    for state in states[1:]:
        commit(pygit2.Repository(str(path)), {"LICENSE": MIT, **state})
    return path


def _state(focal: str, test: str) -> dict[str, str]:
    return {"alpha.py": focal, "test_alpha.py": test}


def _history(path: Path, *, most: int = 9) -> list[Pair | Drop]:
    found = collect_repositories(
        inventory(repository_sources(BuildOptions(sources=(str(path),))), path, print).items
    )
    known: dict[str, Any] = {each.name: each for each in found}
    pairs = [each for each in pair_tests(known.values(), RowBounds()) if isinstance(each, Pair)]
    return list(history_pairs(pairs, known, RowBounds(), most=most))


def test_a_fixing_commit_gives_both_sides(tmp_path: Path) -> None:
    """Its test file on the focal file before and after, of its new case alone, and which commit it was."""
    path = _clone(tmp_path / "r", _state(_WRONG, _FEW), _state(_RIGHT, _MANY))
    before, after = _history(path)

    assert isinstance(before, Pair) and isinstance(after, Pair)
    assert (before.focal_code, after.focal_code) == (_WRONG, _RIGHT)
    assert {each.test_code for each in (before, after)} == {_MANY}
    assert {each.only for each in (before, after)} == {("test_large",)}
    name = Clone(path).commit
    parent = Clone(path, commit="HEAD~1").commit
    assert before.origin == f"commit {name} on the focal file of its parent {parent}"
    assert (after.origin, after.commit, after.subset) == (f"commit {name}", name, "history")


def test_a_change_of_the_focal_file_alone(tmp_path: Path) -> None:
    """The test that stayed is put on both sides, if it names the function that changed."""
    other = "def other(number):\n    return number\n\n\n"
    path = _clone(
        tmp_path / "r",
        _state(other + _WRONG, _FEW),
        _state(other + _RIGHT, _FEW),
        _state(other.replace("return number", "return +number") + _RIGHT, _FEW),
    )
    made = _history(path)

    assert [each.focal_code for each in made if isinstance(each, Pair)] == [other + _WRONG, other + _RIGHT]


def test_a_case_is_taken_once_from_its_newest_change(tmp_path: Path) -> None:
    """Versions of one test know each other; and a commit that brings thirty cases is one change."""
    many = cases_of("alpha", "alpha", *(f"n{number}" for number in range(30)))
    path = _clone(
        tmp_path / "r", _state(_WRONG, _FEW), _state(_RIGHT, _MANY), _state(f"{_RIGHT}\n# more\n", many)
    )
    made = [each for each in _history(path) if isinstance(each, Pair)]
    taken = [name for each in made[::2] for name in each.only]

    assert len(taken) == len(set(taken)) == CASES_OF_COMMIT + 1
    assert made[0].commit == Clone(path).commit


@pytest.mark.parametrize(
    ("states", "licence"),
    [
        ([_state(_RIGHT, _FEW)], MIT),
        ([_state(_WRONG, _FEW), _state(_RIGHT, _MANY)], "All rights reserved."),
        ([{"test_alpha.py": _FEW}, _state(_RIGHT, _MANY)], MIT),
        ([_state("x = 1\n" * 30_000, _FEW), _state(_RIGHT, _MANY)], MIT),
    ],
    ids=["one commit", "another licence then", "no focal file then", "too large then"],
)
def test_no_history(tmp_path: Path, states: list[dict[str, str]], licence: str) -> None:
    """Each pair without any says so: none is lost on the way."""
    (only,) = _history(_clone(tmp_path / "r", *states, licence=licence))

    assert isinstance(only, Drop) and only.reason == "no_history"


def test_so_many_commits_are_looked_at(tmp_path: Path) -> None:
    """The newest; what an older one changed is not told."""
    path = _clone(
        tmp_path / "r", _state(_WRONG, _FEW), _state(_RIGHT, _MANY), _state(_RIGHT + "\n# more\n", _MANY)
    )
    newest = Clone(path).commit

    assert {each.commit for each in _history(path, most=1) if isinstance(each, Pair)} == {newest}
    assert len({each.commit for each in _history(path, most=2) if isinstance(each, Pair)}) == 2


def test_cases_of_both_sides_are_one_cluster(tmp_path: Path) -> None:
    """With the row of today's commit: they are versions of one test."""
    made = _history(_clone(tmp_path / "r", _state(_WRONG, _FEW), _state(_RIGHT, _MANY)))
    assert isinstance(made[1], Pair)
    today = msgspec.structs.replace(made[1], subset="original", only=(), origin="")
    found = [each for each in split_cases([*made, today]) if isinstance(each, Candidate)]

    assert Counter(each.case for each in found) == {"test_large": 3, "test_small": 1}
    assert len({each.cluster for each in found if each.case == "test_large"}) == 1
    assert len({each.cluster for each in found}) == 2
    assert [each.subset for each in found] == ["history", "history", "original", "original"]


def test_a_build_has_rows_of_both_labels(tmp_path: Path) -> None:
    """The state that somebody really wrote fails, the one after it is the repository's own row."""
    _clone(tmp_path / "clones/r", _state(_WRONG, _FEW), _state(_RIGHT, _MANY))
    options = BuildOptions(sources=(str(tmp_path / "clones"),), repeat=2, broken=0)
    build(options, tmp_path / "out", runners=Runners(lambda _: FakeSuites()))
    (stored,) = (tmp_path / "out/stages").glob("*-label.jsonl")
    rows = [(row.subset, row.case, row.label) for row in read_records(stored, Candidate)]

    assert rows == [
        ("original", "test_small", "success"),
        ("original", "test_large", "success"),
        ("history", "test_large", "failed"),
    ]


def test_without_history_there_is_no_such_stage(tmp_path: Path) -> None:
    """`--history 0`: the folder has no trace of it."""
    _clone(tmp_path / "clones/r", _state(_WRONG, _FEW), _state(_RIGHT, _MANY))
    options = BuildOptions(sources=(str(tmp_path / "clones"),), repeat=2, history=0)
    built = build(options, tmp_path / "out", runners=Runners(lambda _: FakeSuites()))

    assert "history" not in {each.stage for each in built.levels}
    assert "history" not in built.manifest["subsets"]
