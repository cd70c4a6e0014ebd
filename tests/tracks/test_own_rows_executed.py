"""All sample rows in Java and C, executed: references pass, stubs fail, by both profiles.

The weekly check executes all of them; otherwise two rows in C.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.demo.repositories import make_clones
from benchwright.executing.suite_runners import runner_for
from kit.command_line import called
from kit.examples import SCALE
from kit.mera_replies import SAMPLES
from kit.needs import need, need_ready, need_sandbox, need_that

# Tasks, those left out in strict (a stub passes; no small change is known), and the share of stubs that pass
# by MERA's rules.
ROWS = [("realcodejava", 30, 1, 1 / 30), ("yabloco", 30, 1, 1 / 30), ("javatestgen", 30, 1, 1.0)]


@pytest.mark.parametrize(("track", "tasks", "left_out", "stubs"), ROWS)
def test_references_pass_and_stubs_fail(
    track: str, tasks: int, left_out: int, stubs: float, tmp_path: Path
) -> None:
    """A test that a stub passes is left out in strict, and counted as MERA does in the other profile."""
    need_that(SCALE > 1, "executes 30 tasks four times, so only the weekly check does")
    need_sandbox()
    need("gcc", "compiles C")
    if track != "yabloco":
        need_ready(runner_for("Java").versions, "no Java suite can be run")
    make_clones(tmp_path / "clones")
    gold, stub = (_scores(track, model, tasks, tmp_path) for model in ("gold", "stub"))

    assert gold == {"strict": (1.0, tasks - left_out), "mera-exact": (1.0, tasks)}
    assert stub["strict"] == (0.0, tasks - left_out)
    assert stub["mera-exact"] == (pytest.approx(stubs), tasks)


def _scores(track: str, model: str, tasks: int, folder: Path) -> dict[str, tuple[float, int]]:
    said = called(
        *(
            "run",
            track,
            "--data",
            SAMPLES / f"{track}.jsonl",
            "--model",
            f"{model}:",
            "--tasks",
            f"0:{tasks}",
        ),
        *("--repositories", folder / "clones", "--profile", "strict", "--profile", "mera-exact", "--json"),
        *("--out", folder / model),
    )
    score = json.loads(said.out)
    found: dict[str, dict[str, Any]] = {"strict": score["metrics"], **score["other_profiles"]}
    return {name: (each["pass@1"]["value"], each["pass@1"]["n"]) for name, each in found.items()}


def test_a_repeated_run_judges_what_lacked_its_clone_and_is_merged(tmp_path: Path) -> None:
    """The first part is repeated with clones; the other one has none, and both form one run."""
    need_sandbox()
    need("gcc", "compiles C")
    make_clones(tmp_path / "clones")
    clones = ("--repositories", tmp_path / "clones")
    command = ("run", "yabloco", "--data", SAMPLES / "yabloco.jsonl", "--model", "gold:", "--json")
    command = (*command, "--profile", "strict", "--profile", "mera-exact")
    first = (*command, "--tasks", "0:1", "--out", tmp_path / "first")
    runs = [json.loads(called(*first, *more).out) for more in ((), clones, ())]
    called(*command, "--tasks", "1:2", "--out", tmp_path / "second")
    merged = called("merge", tmp_path / "both", tmp_path / "first", tmp_path / "second", "--json").document

    assert [each["metrics"].get("pass@1", {}).get("n", 0) for each in runs] == [0, 1, 1]
    for metrics in (runs[1]["metrics"], runs[1]["other_profiles"]["mera-exact"]):
        names = ("pass@1", "pass_oracle@1", "pass_stub_empty_body@1")
        assert [metrics[name]["value"] for name in names] == [1.0, 1.0, 0.0]
    assert [runs[1]["self_check"][f"{name}_passed"] for name in ("gold", "stub")] == [1, 0]
    assert (merged["metrics"]["pass@1"]["value"], merged["metrics"]["pass@1"]["n"]) == (1.0, 1)
    assert any("1 of 2 tasks scored" in note for note in merged["notes"])


def test_check_names_a_task_that_a_stub_passes(tmp_path: Path) -> None:
    """It needs the clones; without them the task is counted as not scored, and is not a fault."""
    need_sandbox()
    need("gcc", "compiles C")
    make_clones(tmp_path / "clones")
    data = tmp_path / "rows.jsonl"
    data.write_text((SAMPLES / "yabloco.jsonl").read_text().splitlines()[-1])
    command = ("check", data, "--execute")
    found, without = called(*command, "--repositories", tmp_path / "clones"), called(*command)

    assert (found.code, without.code) == (1, 0)
    assert f"{data}:1, task 30: the stub `empty_body` passes the tests" in found.out
    assert "(0 executed)" in without.out
