"""A gate and a source of another package: one file and one entry point each, used by their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchwright.contracts import Admission, Decision
from benchwright.errors import RunError, UsageError
from benchwright.records import Drop
from benchwright.store.writing import read_records
from kit.command_line import build as command
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_repositories import MIT, cases_of, function, repository

MODULE = '''"""A gate that keeps no case of a name, and a source that reads a register of mirrors."""

from pathlib import Path

from benchwright.building.engine.gates import gate
from benchwright.contracts import Decision, Inventory
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource


@gate("no-large", version=2)
def no_large(candidate, bounds):
    evidence = {"case": candidate.case}
    reason = "is_large" if candidate.case.endswith("large") else ""
    return Decision(reason=reason, evidence=evidence, cpu_s=0.25)


class Mirrors:
    def __init__(self, rest, *, licences):
        self.lines = Path(rest).read_text().split()

    def collect(self, folder, tell):
        here = [line for line in self.lines if not line.startswith("-")]
        found = ClonesSource(here).collect(folder, tell)
        return Inventory(len(self.lines), self.items(found.items), ["one mirror of three is gone"])

    def items(self, found):
        yield from found
        for line in self.lines:
            if line.startswith("-"):
                yield Drop(unit=line[1:], reason="mirror_gone")
'''


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package as an installer leaves it, and suites that nobody executes."""
    site = tmp_path / "site"
    metadata = site / "house_rules-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "house_rules.py").write_text(MODULE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[benchwright.gates]\nno-large = house_rules:no_large\n"
        "[benchwright.sources]\nmirrors = house_rules:Mirrors\n"
    )
    monkeypatch.syspath_prepend(str(site))
    use_fakes(monkeypatch, FakeSuites)


def _clone(folder: Path, name: str) -> Path:
    files = {f"{name}.py": function(name), f"test_{name}.py": cases_of(name, name, "small", "large")}
    return repository(folder / name, {"LICENSE": MIT, **files})


def _build(tmp_path: Path, source: object, *more: str, out: str = "out") -> Result:
    given = [
        "codecorrectness",
        "--from",
        str(source),
        "--out",
        str(tmp_path / out),
        "--json",
        "--repeat",
        "2",
    ]
    return CliRunner().invoke(command, [*given, *more])


def _dropped(said: Result, stage: str) -> dict[str, int]:
    (level,) = (each for each in json.loads(said.stdout)["funnel"] if each["stage"] == stage)
    return level["dropped"]


def _stored(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text())


def test_a_build_with_one_more_gate(tmp_path: Path) -> None:
    """It drops what it refuses, by its reason; its evidence and cost are on disk, for kept rows too."""
    said = _build(tmp_path, _clone(tmp_path, "alpha"), "--gate", "no-large")
    stages = tmp_path / "out/stages"
    (drop,) = read_records(stages / "6-filter.dropped.jsonl", Drop)
    (admission,) = read_records(stages / "6-filter.admissions.jsonl", Admission)
    rows = _stored(tmp_path / "out", "test.json")["data"]

    assert (said.exit_code, _dropped(said, "filter")) == (0, {"is_large": 1})
    assert (drop.reason, drop.evidence, drop.cpu_s) == ("is_large", {"case": "test_large"}, 0.25)
    assert admission.decisions == {"no-large": Decision(evidence={"case": "test_small"}, cpu_s=0.25)}
    assert {row["meta"]["case"] for row in rows} == {"test_small"}


def test_the_gate_is_part_of_what_is_built(tmp_path: Path) -> None:
    """With its version, in the identity, the manifest and the card; where none is given, nowhere."""
    clone = _clone(tmp_path, "alpha")
    _build(tmp_path, clone, "--gate", "no-large")
    _build(tmp_path, clone, out="plain")
    out, plain = tmp_path / "out", tmp_path / "plain"

    assert _stored(out, "build.json")["identity"]["gates"] == {"no-large": 2}
    assert _stored(out, "manifest.json")["gates"] == {"no-large": 2}
    assert "further gates: no-large (version 2)." in (out / "README.md").read_text()
    assert "gates" not in {**_stored(plain, "build.json")["identity"], **_stored(plain, "manifest.json")}
    assert "gates" not in (plain / "README.md").read_text()


def test_another_gate_is_another_build(tmp_path: Path) -> None:
    """Its rows are never mixed with those of a build without it."""
    clone = _clone(tmp_path, "alpha")
    _build(tmp_path, clone)
    said = _build(tmp_path, clone, "--gate", "no-large")

    assert isinstance(said.exception, RunError)
    assert "holds another build: gates differ" in said.exception.message


@pytest.mark.parametrize("name", ["no-larger", "codecorrectness.size"])
def test_a_gate_that_cannot_be_meant(tmp_path: Path, name: str) -> None:
    """It is refused before anything is written."""
    said = _build(tmp_path, _clone(tmp_path, "alpha"), "--gate", name)

    assert isinstance(said.exception, UsageError)
    assert not (tmp_path / "out").exists()


def test_a_build_from_a_source_of_another_package(tmp_path: Path) -> None:
    """What it gets becomes rows, what it cannot get is a drop, and what it notes stands in the card."""
    register = tmp_path / "register.txt"
    register.write_text(f"{_clone(tmp_path, 'alpha')} -gone {_clone(tmp_path, 'beta')}")
    said = _build(tmp_path, f"mirrors:{register}")
    manifest = json.loads(said.stdout)["manifest"]

    assert (said.exit_code, _dropped(said, "collect")) == (0, {"mirror_gone": 1})
    assert [each["name"] for each in manifest["repositories"]] == ["alpha", "beta"]
    assert "one mirror of three is gone" in (tmp_path / "out/README.md").read_text()


def test_a_source_goes_on(tmp_path: Path) -> None:
    """The same command again executes nothing and leaves the same bytes."""
    register = tmp_path / "register.txt"
    register.write_text(str(_clone(tmp_path, "alpha")))
    first = _build(tmp_path, f"mirrors:{register}").stdout

    assert _build(tmp_path, f"mirrors:{register}").stdout == first
