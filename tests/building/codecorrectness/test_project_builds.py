"""The state of a row's project: tried once for each language, kept, and never of another commit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchwright.building.codecorrectness import project_builds
from benchwright.building.codecorrectness.project_builds import OF_HISTORY, untried, with_builds
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.sources.clones import Clone
from benchwright.sources.repositories import Repository
from kit.made_candidates import candidate
from kit.made_repositories import repository


class _Builder:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def __call__(self, lang: str, files: Mapping[str, bytes]) -> str:
        self.asked.append((lang, sorted(files)))
        return "yes"


def _repository(folder: Path, files: dict[str, str | bytes]) -> Repository:
    path = repository(folder / "r", files)
    return Repository(name="made", place=str(path), commit=Clone(path).commit, committed_at="", licence="MIT")


def _states(folder: Path, rows: list[Candidate], known: Repository, builder: _Builder) -> list[str]:
    found = with_builds(rows, {"made": known}, builder, folder / "projects.jsonl")
    return [each.builds for each in found]


def test_each_project_is_tried_once(tmp_path: Path) -> None:
    """For each language; a second build of the same folder asks nothing more."""
    known = _repository(tmp_path, {"a.py": "x", "b.go": "y", "img.png": b"\0" * (2 << 20)})
    rows = [
        candidate(number, commit=known.commit, lang=lang)
        for number, lang in enumerate(["Python", "Go", "Go"])
    ]
    builder = _Builder()
    states = _states(tmp_path, rows, known, builder)

    assert states == ["yes"] * 3 == _states(tmp_path, rows, known, builder)
    assert builder.asked == [("Python", ["a.py", "b.go"]), ("Go", ["a.py", "b.go"])]


def test_a_row_of_history_has_no_state(tmp_path: Path) -> None:
    """What is built is the repository's own commit."""
    known, builder = _repository(tmp_path, {"a.py": "x"}), _Builder()

    assert _states(tmp_path, [candidate(commit="1" * 40)], known, builder) == [OF_HISTORY]
    assert builder.asked == []


def test_what_cannot_be_read_or_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not tried, and why."""
    known, builder = _repository(tmp_path, {"a.py": "x", "b.py": "y"}), _Builder()
    row = candidate(commit=known.commit)
    monkeypatch.setattr(project_builds, "MAX_FILES", 1)

    assert _states(tmp_path, [row], known, builder) == ["not tried: the project is too large"]
    gone = Repository(
        name="made", place=str(tmp_path / "gone"), commit=known.commit, committed_at="", licence="MIT"
    )
    (tmp_path / "projects.jsonl").unlink()
    assert _states(tmp_path, [row], gone, builder) == ["not tried: no_clone"]
    assert untried("Go", {}) == "not tried: not asked for"
