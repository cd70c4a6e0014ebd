"""What the demo says of AICoderEval: a release with all its refusals, or why there is none."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchwright.building.aicodereval.release_pipeline import ReleaseBuild
from benchwright.building.engine.stages import FunnelLevel
from benchwright.cli.demo_entries import (
    ReleaseDemo,
    print_entries,
    run_entries,
    run_torch_entries,
    uncertified,
)
from benchwright.errors import PrerequisiteError
from benchwright.progress import Silent
from benchwright.records import Metric, Score, SelfCheck, Verdict
from benchwright.store.writing import read_records
from kit.needs import need_module, need_sandbox
from kit.profile_needs import need_profile

METRIC = Metric(value=0.5, low=0.25, high=0.75, n=4, samples=1)


def _score(model: str) -> Score:
    return Score(
        run=f"out/{model}",
        track="aicodereval",
        model=model,
        profile="strict",
        metrics={"sr_all": METRIC, "sr_any": METRIC, "pass@1": METRIC},
        outcomes={"passed": 2, "wrong": 2},
        self_check=SelfCheck(gold_passed=4, gold_total=4, stub_passed=0, stub_total=4),
        answers=4,
    )


def _release(folder: Path) -> ReleaseBuild:
    rows = [
        {"task_id": "sound", "decisions": {"mutation": {"evidence": {}}}},
        {
            "task_id": "loo[se]",
            "decisions": {
                "gold": {},
                "mutation": {"reason": "weak_tests"},
                "stubs": {"reason": "stub_passes"},
            },
        },
    ]
    (folder / "admissions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    manifest = {"entries": {"test": 1}, "tiers": {"certified": 1, "valid": 1}, "domains": {"NLP": 2}}
    levels = [FunnelLevel(stage="read", unit="drafts", given=3, considered=3, kept=2, dropped={"secret": 1})]
    return ReleaseBuild(folder=str(folder), release=str(folder), manifest=manifest, levels=levels)


def _printed(entries: ReleaseDemo) -> str:
    file = StringIO()
    print_entries(Console(width=100, file=file, highlight=False), entries)
    return file.getvalue()


def test_a_release_and_its_scores(tmp_path: Path) -> None:
    """The funnel, tiers and domains, each refusal by name, the rates, and how to see the answers."""
    said = _printed(ReleaseDemo(built=_release(tmp_path), scores=[_score("demo-strong")]))

    for text in ("1 secret", "1 task built", "1 certified, 1 valid; 2 NLP", "not certified: loo[se] (weak tests, stub passes)",
                 "SR@All", "SR@Any", "demo-strong: benchwright show out/demo-strong"):  # fmt: skip
        assert text in said, text


def test_refusals_are_read_off_the_admissions(tmp_path: Path) -> None:
    """All reasons of each entry that has one."""
    _release(tmp_path)

    assert uncertified(tmp_path) == {"loo[se]": "weak_tests, stub_passes"}


def test_no_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where a package for building is missing, the reason is told and the demo goes on."""

    def build(*_: object, **__: object) -> ReleaseBuild:
        raise PrerequisiteError("no detect-secrets", hint="pip install 'benchwright[build]'")

    monkeypatch.setattr("benchwright.building.aicodereval.release_pipeline.build", build)
    (tmp_path / "drafts.jsonl").write_text("")
    found = run_entries(tmp_path, tmp_path, workers=1, jail="auto", watcher=Silent())

    assert "AICoderEval was not built: no detect-secrets; pip install 'benchwright[build]'" in _printed(found)
    assert (found.runs, found.document()["built"]) == ({}, None)


def test_torch_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What to type is told, and nothing is built."""
    monkeypatch.setenv("BENCHWRIGHT_PROFILES", str(tmp_path / "none"))
    with as_file(files("benchwright.demo")) as folder:
        found = run_torch_entries(
            folder / "torch", tmp_path / "out", workers=1, jail="auto", watcher=Silent()
        )

    assert "setup torch" in found.unbuilt
    assert not (tmp_path / "out").exists()


def test_tasks_around_torch(tmp_path: Path) -> None:
    """Built on stand-ins and scored: who follows the model passes, who wrote its outputs down does not."""
    need_sandbox()
    need_profile("torch")
    need_module("detect_secrets")
    for each in files("benchwright.demo").joinpath("torch").iterdir():  # one task of the four
        lines = each.read_text("utf-8").splitlines(keepends=True)
        (tmp_path / each.name).write_text("".join(line for line in lines if '"hf-sentiment"' in line))
    found = run_torch_entries(tmp_path, tmp_path / "out", workers=1, jail="auto", watcher=Silent())

    assert found.built is not None
    assert found.built.manifest["tiers"] == {"certified": 1}
    assert {each.model: each.metrics["sr_all"].value for each in found.scores} == {
        "demo-strong": 1.0,
        "demo-cheater": 0.0,
    }
    [refused] = read_records(Path(found.scores[1].run) / "verdicts.jsonl", Verdict)
    assert "on the second stand-in" in refused.detail
