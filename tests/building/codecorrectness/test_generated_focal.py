"""Which files a model is asked about: every file of a repository is one of them or has a reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchwright.building.codecorrectness.generated_tests import FocalFile, focal_files
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.executing.suite_runners import Runners
from benchwright.records import Drop
from benchwright.sources.clones import Clone
from benchwright.sources.repositories import Repository
from kit.fake_suites import FakeGo, FakeJava, FakeSuites
from kit.made_repositories import MIT, Content, cases_of, function, repository

_FAKES = {"Python": FakeSuites, "Java": FakeJava, "Go": FakeGo}


def _focal(folder: Path, files: dict[str, Content], *, most: int = 40) -> tuple[list[FocalFile], list[Drop]]:
    place = repository(folder / "made", files)
    made = Repository(
        name="made",
        place=str(place),
        commit=Clone(place).commit,
        committed_at="2024-01-01T00:00:00+00:00",
        licence="MIT" if "LICENSE" in files else "",
    )
    with Runners(lambda lang: _FAKES[lang]()) as runners:
        all_ = list(focal_files([made], RowBounds(), runners, most=most))
    return [each for each in all_ if isinstance(each, FocalFile)], [
        each for each in all_ if isinstance(each, Drop)
    ]


def test_every_file_is_asked_about_or_has_a_reason(tmp_path: Path) -> None:
    """The filter's own reasons, before a request is paid for; files of tests are none of its business."""
    files: dict[str, Content] = {
        "LICENSE": MIT,
        "good.py": function("good"),
        "tests/test_good.py": cases_of("good", "good", "small"),
        "tests/tool.py": function("tool"),
        "setup.py": "from setuptools import setup\n\nsetup()\n",
        "empty.py": "",
        "constants.py": "X = 1\n",
        "torn.py": "def f(:\n",
        "needs.py": "from good import good\n\n\ndef more(x):\n    return good(x, 1)\n",
        "large.py": f"{function('large')}\nTEXT = '{'x' * 66_000}'\n",
        "odd\\name.py": function("odd"),
        "latin.py": b"def caf\xe9():\n    pass\n",
        "net.py": "import urllib.request\n\n\ndef get(x):\n    return urllib.request.urlopen(x)\n",
        "Sums.java": "public class Sums {\n    int one() { return 1; }\n}\n",
        "sums.go": "package sums\n\nfunc Sum(a, b int) int { return a + b }\n",
    }
    focal, drops = _focal(tmp_path, files)

    assert sorted(each.path for each in focal) == ["Sums.java", "good.py", "net.py"]
    assert Counter(drop.reason for drop in drops) == {
        "nothing_to_test": 2,
        "focal_syntax": 1,
        "project_imports": 1,
        "focal_too_large": 1,
        "focal_not_utf8": 1,
        "focal_odd_path": 1,
        "absent": 1,
    }


def test_a_repository_without_a_licence_is_not_read(tmp_path: Path) -> None:
    """One drop says so."""
    focal, drops = _focal(tmp_path, {"good.py": function("good")})

    assert (focal, [(drop.unit, drop.reason) for drop in drops]) == ([], [("made", "licence_unknown")])


def test_a_repository_without_sources(tmp_path: Path) -> None:
    """Nothing is lost without a reason."""
    focal, drops = _focal(tmp_path, {"LICENSE": MIT, "test_x.py": "def test_x():\n    pass\n"})

    assert (focal, [drop.reason for drop in drops]) == ([], ["no_sources"])


def test_as_many_as_are_wanted(tmp_path: Path) -> None:
    """The first by a hash of their paths, not by their names; the same ones each time."""
    files: dict[str, Content] = {f"sum_{n}.py": function(f"sum_{n}") for n in range(8)}
    focal, drops = _focal(tmp_path / "a", {"LICENSE": MIT, **files}, most=3)
    again, _ = _focal(tmp_path / "b", {"LICENSE": MIT, **files}, most=3)

    assert (len(focal), {drop.reason for drop in drops}) == (3, {"enough_of_repository"})
    assert [each.name for each in focal] == [each.name for each in again]
    assert [each.path for each in focal] != sorted(files)[:3]


def test_a_files_name_changes_with_its_content(tmp_path: Path) -> None:
    """So a stored reply is never taken for one to other code."""
    (one,), _ = _focal(tmp_path / "a", {"LICENSE": MIT, "m.py": function("m")})
    (two,), _ = _focal(tmp_path / "b", {"LICENSE": MIT, "m.py": function("m", operator="-")})

    assert (one.name.partition("@")[0], one.name != two.name) == ("made:m.py", True)
