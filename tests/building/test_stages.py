"""A build's folder: what is done stays, what was cut off is done again, and two builds are never mixed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.engine.stages import BuildFolder, Stage, without_stages
from benchwright.contracts import Admission, Decision, Inventory
from benchwright.errors import RunError
from benchwright.records import Drop
from benchwright.sources.repositories import Repository
from benchwright.store.writing import read_records


def _repository(name: str) -> Repository:
    return Repository(name=name, place="", commit="", committed_at="", licence="")


class _Recipe:
    """Three stages in a row that count how often they are done; the first drops what is `absent`."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.absent = ["b"]
        self.killed_in = ""
        self.found: list[Any] = []

    def first(self, _records: Iterator[Any], _context: None) -> Iterator[Any]:
        self._begin("first")
        for name in "ab":
            gone = name in self.absent
            yield Drop(unit=name, reason="absent") if gone else _repository(name)

    def second(self, records: Iterator[Repository], _context: None) -> Iterator[Any]:
        self._begin("second")
        for each in records:
            yield from (*self.found, each)

    def third(self, records: Iterator[Repository], _context: None) -> Iterator[Any]:
        self._begin("third")
        yield from records

    def _begin(self, name: str) -> None:
        self.done.append(name)
        if name == self.killed_in:
            raise KeyboardInterrupt

    def run(self, path: Path) -> BuildFolder:
        folder = BuildFolder(path, {})
        for stage in (
            Stage("first", Repository, self.first, "r", again=("absent",)),
            Stage("second", Repository, self.second, "r", ("first",)),
            Stage("third", Repository, self.third, "r", ("second",)),
        ):
            folder.run(stage, None, given=Inventory(2, iter(())))
        return folder


def _names(folder: BuildFolder) -> list[str]:
    return [each.name for each in folder.kept("third", Repository)]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    """Only its files are read."""
    recipe = _Recipe()
    recipe.absent = []
    first, second = recipe.run(tmp_path), recipe.run(tmp_path)

    assert (recipe.done, _names(second)) == (["first", "second", "third"], ["a", "b"])
    assert first.levels == second.levels


def test_a_passing_reason_is_tried_again_with_all_that_follows(tmp_path: Path) -> None:
    """Once it is gone, the later stages have the new record too."""
    recipe = _Recipe()
    recipe.run(tmp_path)
    recipe.absent = []
    recipe.done = []

    assert (_names(recipe.run(tmp_path)), recipe.done) == (["a", "b"], ["first", "second", "third"])


@pytest.mark.parametrize("stage", ["first", "second", "third"])
def test_a_killed_second_try_leaves_no_stage_of_before(tmp_path: Path, stage: str) -> None:
    """Wherever it ends: the next command has the rows of a build that was never ended."""
    recipe = _Recipe()
    recipe.run(tmp_path)
    recipe.absent, recipe.killed_in = [], stage
    with pytest.raises(KeyboardInterrupt):
        recipe.run(tmp_path)
    recipe.killed_in = ""
    folder = recipe.run(tmp_path)

    assert (_names(folder), [each.kept for each in folder.levels]) == (["a", "b"], [2, 2, 2])


def test_executions_outlive_a_second_try(tmp_path: Path) -> None:
    """They are keyed by their content: what was executed stays known."""
    recipe = _Recipe()
    recipe.run(tmp_path).executions.write_text("")
    folder = recipe.run(tmp_path)

    assert folder.executions.exists()
    assert sorted(path.name for path in folder.stages.iterdir())[0] == "1-first.dropped.jsonl"


def test_admissions_have_a_file_of_their_own(tmp_path: Path) -> None:
    """Neither kept nor dropped: they are not counted, and without any there is no file."""
    recipe = _Recipe()
    recipe.found = [Admission(unit="a", revision="1", decisions={"g": Decision(cpu_s=1.5)})]
    folder = recipe.run(tmp_path)

    assert list(read_records(tmp_path / "stages/2-second.admissions.jsonl", Admission)) == recipe.found
    assert [each.considered for each in folder.levels] == [2, 1, 1]
    assert len(list((tmp_path / "stages").glob("*.admissions.jsonl"))) == 1


def test_drops_of_a_stage(tmp_path: Path) -> None:
    """By the stage's whole name."""
    folder = _Recipe().run(tmp_path)

    assert [[each.unit for each in folder.dropped(name)] for name in ("first", "second")] == [["b"], []]


def test_a_recipe_without_some_stages() -> None:
    """They are gone, and so are their names in what came after them."""
    make = _Recipe().third
    stages = [
        Stage("a", Repository, make, "r"),
        Stage("b", Repository, make, "r", ("a",)),
        Stage("c", Repository, make, "r", ("a", "b")),
    ]

    assert [(each.name, each.after) for each in without_stages(stages, "b")] == [("a", ()), ("c", ("a",))]


@pytest.mark.parametrize(
    ("other", "differing"),
    [
        ({"repeat": 6, "sources": ["a"]}, "repeat"),
        ({"repeat": 5}, "sources"),
        ({"repeat": 5, "sources": ["a"], "gates": {"x": 1}}, "gates"),
    ],
)
def test_another_build_is_refused(tmp_path: Path, other: dict[str, Any], differing: str) -> None:
    """Rows of two builds are never mixed in one folder; the error says what differs."""
    BuildFolder(tmp_path, {"repeat": 5, "sources": ["a"]})

    with pytest.raises(RunError, match=f"holds another build: {differing} differ"):
        BuildFolder(tmp_path, other)


@pytest.mark.parametrize("content", ["{", "[]", '{"identity": 3}'])
def test_a_spoiled_folder(tmp_path: Path, content: str) -> None:
    """Whatever stands in build.json, it is an error with something to do."""
    (tmp_path / "build.json").write_text(content)

    with pytest.raises(RunError) as caught:
        BuildFolder(tmp_path, {"repeat": 5})

    assert "rm -r" in (caught.value.hint or "")
