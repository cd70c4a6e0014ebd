"""A build on one core and on several: the same bytes in every file, history and all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.codecorrectness.pipeline import build
from benchwright.building.engine import process_map
from benchwright.executing.suite_runners import Runners
from kit.fake_suites import FakeGo, FakeJava, FakeSuites
from kit.made_repositories import MIT, cases_of, function, repository

_FAKES = {"Python": FakeSuites, "Java": FakeJava, "Go": FakeGo}


def clones(folder: Path) -> None:
    for at, name in enumerate(("alpha", "beta", "gamma")):
        texts = {f"{name}.py": function(name), f"test_{name}.py": cases_of(name, name, "small", "large")}
        broken = {f"torn{at}.py": "x = 1\n", f"test_torn{at}.py": "import torn\n\n\ndef test_x(:\n"}
        repository(folder / name, {"LICENSE": MIT, **texts, **broken})
    repository(folder / "nolicence", {"delta.py": function("delta")})


def built(folder: Path, name: str) -> dict[str, bytes]:
    """All files of a build but those that say what executions took."""
    options = BuildOptions(sources=(str(folder / "clones"),), repeat=3, history=5)
    build(options, folder / name, runners=Runners(lambda lang: _FAKES[lang]()))
    found = {str(path.relative_to(folder / name)): path for path in (folder / name).rglob("*.*")}
    return {path: file.read_bytes() for path, file in found.items() if "executions" not in path}


def test_one_core_and_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stage's kept records and drops, the funnel and what is published."""
    clones(tmp_path / "clones")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    alone = built(tmp_path, "alone")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    monkeypatch.setattr(process_map, "WORTH_S", 0.0)

    assert {"test.json", "funnel.json", "stages/2-pair.jsonl", "stages/4-cases.dropped.jsonl"} <= alone.keys()
    assert alone["stages/2-pair.jsonl"].count(b"\n") >= 3
    assert built(tmp_path, "shared") == alone
