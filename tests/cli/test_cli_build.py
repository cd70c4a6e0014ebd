"""`benchwright build codecorrectness`: a data set, a funnel, one document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.errors import BenchwrightError
from kit.command_line import build as command
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

    assert "no source given" in str(said.exception)


def test_own_repositories_without_a_licence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Left out with a hint that says how to keep them; kept, each document says what is not known."""
    use_fakes(monkeypatch, FakeSuites)
    files = {"alpha.py": function("alpha"), "test_alpha.py": cases_of("alpha", "alpha", "small")}
    clone, out = repository(tmp_path / "own", files), tmp_path / "kept"
    given = ["codecorrectness", "--from", str(clone), "--out"]
    left = CliRunner().invoke(command, [*given, str(tmp_path / "left")]).exception
    said = CliRunner().invoke(command, [*given, str(out), "--licence-unknown", "keep", "--json"])
    told = "unknown (kept by --licence-unknown keep)"
    manifest = json.loads((out / "manifest.json").read_text())
    rows = json.loads((out / "test.json").read_text())["data"]
    before = json.loads((tmp_path / "left/build.json").read_text())

    assert isinstance(left, BenchwrightError) and "dropped: 1 licence unknown" in left.message
    assert "use --licence-unknown keep with another --out" in (left.hint or "")
    assert said.exit_code == 0 and manifest["options"]["bounds"]["licence_unknown"] == "keep"
    assert [each["licence"] for each in manifest["repositories"]] == [told]
    assert {row["meta"]["licence"] for row in rows} == {told}
    card = (out / "README.md").read_text()
    assert told in card and "nothing says that the rows may be passed on" in card
    assert json.loads((out / "raw_dataset_meta.json").read_text())["license"] == told
    assert "licence_unknown" not in json.dumps(before), "builds of before go on"
