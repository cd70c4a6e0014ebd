"""`benchwright setup`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.cli import machine
from benchwright.cli.main import cli
from benchwright.sandbox.profiles import NAMED, InstalledPackages


def test_each_profile_is_said_with_its_versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is done and what is there then goes to stderr, in the order asked for."""
    monkeypatch.setenv("BENCHWRIGHT_PROFILES", str(tmp_path))

    def install(name: str, python: Path, *, tell: object) -> InstalledPackages:
        return InstalledPackages(lock="", python="", packages=dict.fromkeys(NAMED[name], "1.2"))

    monkeypatch.setattr(machine, "install_packages", install)
    result = CliRunner().invoke(cli, ["setup", "torch", "sklearn"])

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines()[1].startswith("sklearn: ready (numpy 1.2, scipy 1.2, scikit-learn 1.2,")
    assert "torch 1.2, transformers 1.2" in result.stderr.splitlines()[0]


@pytest.mark.parametrize("arguments", [[], ["numpy"]])
def test_names_that_have_no_lock(arguments: list[str]) -> None:
    """Nothing is installed for no name or another."""
    assert CliRunner().invoke(cli, ["setup", *arguments]).exit_code == 2
