"""Cases completed from their repository: their own focal file, parts of others, and what is left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pygit2

from benchwright.building.codecorrectness.collect_pairs import collect_repositories, pair_tests
from benchwright.building.codecorrectness.commit_states import history_pairs
from benchwright.building.codecorrectness.label_executions import label_from_executions
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_records import Candidate, Pair, revision_of
from benchwright.building.codecorrectness.test_cases import complete_candidates, split_cases, tag_candidates
from benchwright.contracts import Variation
from benchwright.executing.suite_ledger import Execution
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource, Repository
from kit.made_repositories import MIT, commit, function, repository

_GO = {
    "sums.go": "package sums\n\nfunc Sum(a, b int) int { return plus(a, b) }\n",
    "plus.go": "package sums\n\nfunc plus(a, b int) int { return a + b }\n",
    "sums_test.go": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n'
    '\tif Sum(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n',
}


def _completed(folder: Path, files: dict[str, str], **bounds: Any) -> list[Candidate]:
    path = repository(folder / "r", {"LICENSE": MIT, **files})
    found = [
        each
        for each in collect_repositories(ClonesSource([str(path)]).collect(folder, print).items)
        if not isinstance(each, Drop)
    ]
    limits = RowBounds(**bounds)
    pairs = [each for each in pair_tests(found, limits) if isinstance(each, Pair)]
    made = complete_candidates(split_cases(pairs), found, limits)
    return [
        each
        for each in tag_candidates(each for each in made if isinstance(each, Candidate))
        if isinstance(each, Candidate)
    ]


def test_go_with_a_file_of_its_package(tmp_path: Path) -> None:
    """What was brought in is named in the tags and in the origin, and the revision is of the new texts."""
    (found,) = _completed(tmp_path, _GO)

    assert "func plus" in found.focal_code
    assert found.tags["inlined"] == found.inlined == ["plus.go"]
    assert found.origin == "with declarations of plus.go"


def test_a_completed_file_over_the_bound(tmp_path: Path) -> None:
    """The pair stays as it was, and the filter says what it lacks."""
    (found,) = _completed(tmp_path, _GO, focal_chars=70)

    assert (found.inlined, "plus(a, b int)" in found.focal_code) == ([], False)


def test_code_of_others_is_not_brought_in(tmp_path: Path) -> None:
    """A file under another licence stays where it is."""
    licensed = {**_GO, "plus.go": f"// Licensed under the GPL.\n\n{_GO['plus.go']}"}
    (found,) = _completed(tmp_path, licensed)

    assert found.inlined == []


def test_each_case_is_about_its_own_file(tmp_path: Path) -> None:
    """One file of tests of two modules gives pairs with both."""
    files = {
        "pkg/__init__.py": "from .one import one\nfrom .two import two\n",
        "pkg/one.py": function("one"),
        "pkg/two.py": function("two"),
        "tests/test_one.py": "from pkg import one, two\n\n\ndef test_a():\n    assert one(1, 2) == 3\n\n\n"
        "def test_b():\n    assert two(1, 2) == 3\n",
    }
    found = _completed(tmp_path, files)

    assert [(each.case, each.focal_path) for each in found] == [
        ("test_a", "pkg/one.py"),
        ("test_b", "pkg/two.py"),
    ]


def test_a_package_with_a_module_of_its_name(tmp_path: Path) -> None:
    """`pkg/pkg.py` behind `pkg/__init__.py` is no tie."""
    files = {
        "pkg/__init__.py": "from .pkg import total\n",
        "pkg/pkg.py": function("total"),
        "test_pkg.py": "from pkg import total\n\n\ndef test_a():\n    assert total(1, 2) == 3\n",
    }

    assert [each.focal_path for each in _completed(tmp_path, files)] == ["pkg/pkg.py"]


_WRONG = _GO["sums.go"].replace("plus(a, b) }", "plus(a, a) }")
_OLD = {**_GO, "plus.go": _GO["plus.go"].replace("a + b", "b + a"), "sums.go": _WRONG}


def _states(folder: Path, *states: dict[str, str], **bounds: Any) -> list[Candidate]:
    """The candidates of a clone's history, the newest change first."""
    path = repository(folder / "r", {"LICENSE": MIT, **states[0]})
    for state in states[1:]:
        commit(pygit2.Repository(str(path)), {"LICENSE": MIT, **state})
    known = list(collect_repositories(ClonesSource([str(path)]).collect(folder, print).items))
    found = [each for each in known if isinstance(each, Repository)]
    pairs = [each for each in pair_tests(found, RowBounds()) if isinstance(each, Pair)]
    names = {each.name: each for each in found}
    sides = [each for each in history_pairs(pairs, names, RowBounds(), most=9) if isinstance(each, Pair)]
    return [
        each
        for each in complete_candidates(split_cases(sides), found, RowBounds(**bounds))
        if isinstance(each, Candidate)
    ]


def test_both_states_of_a_commit_are_completed_from_it(tmp_path: Path) -> None:
    """With the other files as that commit left them, not as they are today."""
    moved = {**_GO, "plus.go": _GO["plus.go"].replace("a + b", "a + b + 0")}
    before, after = _states(tmp_path, _OLD, {**_OLD, "sums.go": _GO["sums.go"]}, moved)

    assert ["plus(a, a) }" in each.focal_code for each in (before, after)] == [True, False]
    assert all("return b + a" in each.focal_code for each in (before, after))
    assert [each.inlined for each in (before, after)] == [["plus.go"], ["plus.go"]]
    assert before.origin.endswith(", with declarations of plus.go") and before.origin.startswith("commit ")
    assert before.revision == revision_of("Go", before.focal_code, before.test_code)


def test_a_state_of_history_keeps_its_focal_file(tmp_path: Path) -> None:
    """Before the commit the test uses nothing of it: another file would be the focal one, so it stays as it was."""
    early = {**_GO, "sums.go": "package sums\n\nfunc Other() int { return 1 }\n"}
    before, after = _states(tmp_path, early, _GO)

    assert (before.inlined, after.inlined) == ([], ["plus.go"])
    assert {each.focal_path for each in (before, after)} == {"sums.go"}


def test_neighbours_under_another_licence_are_not_brought_into_history(tmp_path: Path) -> None:
    """Neither of today's files nor of earlier ones."""
    licensed = {"plus.go": f"// Licensed under the GPL.\n\n{_GO['plus.go']}"}
    found = _states(tmp_path, {**_OLD, **licensed}, {**_GO, **licensed})

    assert [each.inlined for each in found] == [[], []]


def test_a_completed_pair_that_does_not_compile(tmp_path: Path) -> None:
    """An undefined name may be one that was not brought in, however readable the message is."""
    (found,) = _completed(tmp_path, _GO)
    told = "sums.go:3:40: undefined: minus"
    drop = label_from_executions(found, [_ended("failed", kind="compile", detail=told)])
    as_it_is = label_from_executions(
        msgspec.structs.replace(found, inlined=[]), [_ended("failed", kind="compile", detail=told)]
    )

    assert isinstance(drop, Drop) and drop.reason == "fails_completed"
    assert isinstance(as_it_is, Candidate) and as_it_is.label == "failed"


def _ended(state: str, **changed: Any) -> Execution:
    return Execution(key="k", row="r", lang="Go", variation=Variation(), state=state, **changed)


def test_a_completed_pair_that_fails(tmp_path: Path) -> None:
    """Whose fault it is cannot be told, so it has no label; a mutant of it may fail."""
    (found,) = _completed(tmp_path, _GO)
    drop = label_from_executions(found, [_ended("failed", kind="assertion")])
    assert isinstance(drop, Drop)

    assert drop.reason == "fails_completed"
