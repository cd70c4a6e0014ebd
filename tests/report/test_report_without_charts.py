"""Without packages for image files, a page has its charts, and `--charts` is an error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.report.pipeline import write_report
from kit.reported import STRONG, run_of


def test_charts_of_a_page_need_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With scores, outcomes and answers, and without a note; the option is refused before any run is read."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    written = write_report([run_of(tmp_path, "one", STRONG)], tmp_path / "page.html")

    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<figure>") == 4
    assert (written.answers, written.notes, written.left_out) == (48, [], [])
    with pytest.raises(PrerequisiteError, match="chart files need vl-convert-python"):
        write_report([tmp_path / "nowhere"], tmp_path / "page.html", charts=tmp_path / "charts")
