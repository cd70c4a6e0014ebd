"""A page of one run where nothing that draws is installed: all but the charts, and a line that says so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.report.chart_files import missing_chart_package
from benchwright.report.pipeline import write_report
from kit.reported import STRONG, WEAK, run_of


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that is not installed: an import of it fails."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    return "vl-convert-python"


def test_a_page_stands_without_charts(absent: str, tmp_path: Path) -> None:
    """Scores, outcomes and answers are there; what is missing is told once, the command to the writer alone."""
    written = write_report([run_of(tmp_path, "one", STRONG)], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    said = f"Charts are omitted: charts need {absent}, which is not installed."

    assert (text.count(said), "<figure>" in text, "pip install" in text) == (1, False, False)
    assert written.left_out[-1] == said
    assert written.notes == [
        f"no charts: charts need {absent}, which is not installed; pip install 'benchwright[report]'"
    ]
    assert (written.answers, len(re.findall(r'type="application/[^"]*"', text)) > 0) == (48, True)


def test_charts_that_are_asked_for_are_not_left_out(absent: str, tmp_path: Path) -> None:
    """`--charts` is an error there, before any run is read."""
    with pytest.raises(PrerequisiteError, match=f"charts need {absent}"):
        write_report([tmp_path / "nowhere"], tmp_path / "page.html", charts=tmp_path / "charts")


def test_nothing_is_lacking_here(tmp_path: Path) -> None:
    """With the packages, no note."""
    written = write_report([run_of(tmp_path, "one", WEAK)], tmp_path / "page.html")

    assert (missing_chart_package(), written.notes, written.left_out) == (None, [], [])
