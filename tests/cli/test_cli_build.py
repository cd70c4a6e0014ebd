"""`benchwright build codecorrectness`: a data set, a funnel, one document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.cli.main import build as command
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_repositories import MIT, cases_of, function, repository


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: list[str]) -> None:
    """Rows of both labels, and the funnel in the document or as a table."""
    use_fakes(monkeypatch, FakeSuites)
    files = {
        "LICENSE": MIT,
        "alpha.py": function("alpha"),
        "test_alpha.py": cases_of("alpha", "alpha", "small"),
    }
    clone, out = repository(tmp_path / "clone", files), tmp_path / "out"
    said = CliRunner().invoke(command, ["codecorrectness", "--from", str(clone), "--out", str(out), *form])
    rows = json.loads((out / "test.json").read_text())["data"]

    assert (said.exit_code, sorted(row["outputs"] for row in rows)) == (0, ["failed", "success"])
    assert len(json.loads(said.stdout)["funnel"]) == 12 if form else "considered" in said.stderr


def test_nothing_to_build_from(tmp_path: Path) -> None:
    """A command without a source is a usage error."""
    said = CliRunner().invoke(command, ["codecorrectness", "--out", str(tmp_path / "out")])

    assert "nothing to build from" in str(said.exception)
