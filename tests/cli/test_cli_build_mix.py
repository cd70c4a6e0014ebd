"""`benchwright build codecorrectness`: which rows are chosen, and what is warned of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kit.command_line import build as command
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_repositories import MIT, cases_of, function, repository


def _built(folder: Path, *options: str) -> Result:
    clone = folder / "clone"
    if not clone.exists():
        files = {
            "LICENSE": MIT,
            "alpha.py": function("alpha"),
            "test_alpha.py": cases_of("alpha", "alpha", "small"),
        }
        repository(clone, files)
    arguments = ["codecorrectness", "--from", str(clone), "--out", str(folder / "out"), *options]
    return CliRunner().invoke(command, arguments)


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is executed."""
    use_fakes(monkeypatch, FakeSuites)


def test_a_set_of_mutants_is_built_and_warned_of(tmp_path: Path) -> None:
    """In the terminal as in the card."""
    said = _built(tmp_path, "--repository-share", "10", "--rows-per-file", "4")
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())

    assert (said.exit_code, manifest["options"]["mix"]["repository_share"]) == (0, 10.0)
    assert (manifest["options"]["mix"]["file_rows"], manifest["options"]["mix"]["strict"]) == (4, False)
    assert "warning: 100 % of the failed rows are of the kind “mutated”" in said.stderr


def test_a_strict_mix_ends_it(tmp_path: Path) -> None:
    """No row is left, and the reasons are counted."""
    said = _built(tmp_path, "--strict-mix")

    assert said.exit_code != 0
    assert "label too common (balance)" in str(said.exception)


def test_what_a_mix_may_not_be(tmp_path: Path) -> None:
    """It is refused before anything is read."""
    said = _built(tmp_path, "--mix", "mutants=40")

    assert "'mutants' is not a kind of row" in str(said.exception)
    assert not (tmp_path / "out").exists()


def test_another_mix_needs_another_folder(tmp_path: Path) -> None:
    """The bounds are part of what is built."""
    _built(tmp_path)

    assert "mix.failures.mutated differ (50 stored, 100 requested)" in str(
        _built(tmp_path, "--mix", "mutated=100").exception
    )


def test_a_folder_of_the_recipe_before(tmp_path: Path) -> None:
    """It is not gone on with, its files stay, and the error says which versions and what to do."""
    _built(tmp_path)
    path = tmp_path / "out/build.json"
    document = json.loads(path.read_text())
    document["identity"]["building"] = 2
    del document["identity"]["mix"]
    path.write_text(json.dumps(document))
    said, rows = _built(tmp_path), (tmp_path / "out/test.json").read_bytes()

    assert "was started with version 2 of the recipe; this is version 4" in str(said.exception)
    assert ("--out OTHER" in getattr(said.exception, "hint", ""), b"outputs" in rows) == (True, True)
