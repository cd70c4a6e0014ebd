"""Parts that a page leaves out are listed on it, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.report import chart_files
from benchwright.report.pipeline import write_report
from kit.reported import STRONG, WEAK, run_of


def test_a_whole_page_says_nothing(tmp_path: Path) -> None:
    """A complete page has no such line, heading or link."""
    written = write_report([run_of(tmp_path, "a", STRONG)], tmp_path / "r.html")

    assert written.left_out == []
    assert "Not on this page" not in written.page.read_text(encoding="utf-8")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """Tasks of one run, and parts that need a missing data set, each with the reason."""
    runs = [run_of(tmp_path, "whole", STRONG), run_of(tmp_path, "part", WEAK[:9])]
    (tmp_path / "tasks.jsonl").unlink()
    written = write_report(runs, tmp_path / "r.html")
    text = written.page.read_text(encoding="utf-8")

    assert written.left_out[0] == "part: 3 tasks of 12 not in its run, but in another run here."
    assert written.left_out[1].startswith("The data set was not available when this page was written, so")
    assert all(word in written.left_out[1] for word in ("programs", "questions", "canonical", "differences"))
    assert all(said in text for said in written.left_out)
    assert 'href="#left-out"' in text and 'id="left-out"' in text


def test_a_chart_that_cannot_be_saved_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has it, the files do not, and the command reports the reason."""

    class Broken:
        """Raises the library's error."""

        def svg_to_png(self, *_: object, **__: object) -> bytes:
            raise ValueError("no ink\nat all")

    monkeypatch.setattr(chart_files, "_vl_convert", Broken)
    written = write_report([run_of(tmp_path, "a", STRONG)], tmp_path / "r.html", charts=tmp_path / "charts")
    said = [each.endswith("was not saved. vl-convert failed: no ink.") for each in written.left_out]

    assert (said, written.charts) == ([True] * 4, [])
    assert written.page.read_text(encoding="utf-8").count("<figure>") == 4


def test_a_crowd_of_curves_is_said(tmp_path: Path) -> None:
    """Thirteen models have their numbers in the table and no chart of curves."""
    runs = [run_of(tmp_path, f"m{number}", [4, 2, number % 4]) for number in range(13)]
    written = write_report(runs, tmp_path / "r.html")

    assert written.left_out == [
        "The chart of pass@k is omitted: 13 curves would overlap. Its table is shown."
    ]
