"""Runs of labels that were made before answers could be graded are what they were, byte for byte."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from kit.command_line import benchwright, called, contents
from kit.needs import need_module, need_that

EARLIER = Path(__file__).parents[1] / "earlier_runs"
NAMES = ("strong", "cheater")

need_that(sys.version_info[:2] == (3, 11), "the runs' identity names Python 3.11")
pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the data set, the stored answers and the finished runs."""
    for path in EARLIER.glob("*labels*"):
        shutil.copy(path, tmp_path / path.name)
    for name in NAMES:
        shutil.copytree(EARLIER / f"codecorrectness-{name}", tmp_path / f"codecorrectness-{name}")
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_a_finished_run_stays_as_it_is(place: Path, name: str) -> None:
    """The same command changes no byte of identity, verdicts or scores."""
    folder = place / f"codecorrectness-{name}"
    before = contents(folder)
    model = f"replay:labels-{name}.jsonl"
    said = benchwright(
        "run",
        "codecorrectness",
        "--data",
        "labels.jsonl",
        "--model",
        model,
        "--out",
        folder.name,
        "-q",
        cwd=place,
    )

    assert (said.code, said.err) == (0, "")
    assert contents(folder) == before


def test_a_cut_run_ends_as_it_would_have(place: Path) -> None:
    """Verdicts that were lost are made again as they were, but for the time they took, and so are the scores."""
    folder = place / "codecorrectness-strong"
    before = contents(folder)
    (folder / "scores.json").unlink()
    (folder / "verdicts.jsonl").write_bytes(b"".join(before["verdicts.jsonl"].splitlines(keepends=True)[:3]))
    said = called(
        *("run", "codecorrectness", "--data", "labels.jsonl", "--model", "replay:labels-strong.jsonl"),
        *("--out", folder.name, "-q"),
        cwd=place,
    )
    after = contents(folder)

    assert said.code == 0, said.err
    assert {name for name in before if before[name] != after[name]} <= {"run.json"}  # the time of its end


def test_they_are_compared_as_before(place: Path) -> None:
    """Every word and every figure."""
    said = called("compare", *(f"codecorrectness-{name}" for name in NAMES), cwd=place)

    assert said.code == 0
    assert said.err == (EARLIER / "codecorrectness-compared.txt").read_text(encoding="utf-8")


def test_their_page_has_nothing_of_grades(place: Path) -> None:
    """No colour, script, style or outcome that only graded answers have."""
    need_module("jinja2")
    said = called("report", *(f"codecorrectness-{name}" for name in NAMES), "--out", "page.html", cwd=place)
    page = (place / "page.html").read_text(encoding="utf-8")

    assert said.code == 0, said.err
    assert re.findall(r"--scored|--undecided|g-scored|showGraded|\"scored\"|\"undecided\"", page) == []
    assert "Grades" not in page
