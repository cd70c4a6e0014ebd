"""Cases completed from their repository: their own focal file, parts of others, and what is left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.building.codecorrectness.candidates import each_once, pair, split, tag
from benchwright.building.codecorrectness.completing import complete
from benchwright.building.codecorrectness.labelling import labelled
from benchwright.building.codecorrectness.nouns import Candidate, Pair
from benchwright.building.codecorrectness.options import Bounds
from benchwright.contracts import Variation
from benchwright.executing.ledger import Execution
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource
from kit.made_repositories import MIT, function, repository

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
        for each in each_once(ClonesSource([str(path)]).collect(folder, print).items)
        if not isinstance(each, Drop)
    ]
    limits = Bounds(**bounds)
    pairs = [each for each in pair(found, limits) if isinstance(each, Pair)]
    made = complete(split(pairs), found, limits)
    return [
        each
        for each in tag(each for each in made if isinstance(each, Candidate))
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


def test_a_completed_pair_that_fails(tmp_path: Path) -> None:
    """Whose fault it is cannot be told, so it has no label; a mutant of it may fail."""
    (found,) = _completed(tmp_path, _GO)
    ended = [Execution(key="k", row="r", lang="Go", variation=Variation(), state="failed", kind="assertion")]
    drop = labelled(found, ended)
    assert isinstance(drop, Drop)

    assert drop.reason == "fails_completed"
