"""Finished run folders, written directly: run.json, verdicts.jsonl and scores.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.records import Isolation, Metric, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.stats.metrics import pass_metrics
from benchwright.store.writing import Appender, write_json

Outcomes = Mapping[TaskId, Sequence[str]]

IDENTITY: dict[str, Any] = {
    "track": "humaneval",
    "form": "default",
    "data": "d" * 64,
    "excluded": [],
    "model": {"name": "x"},
    "profile": "strict",
    "limits": {"cpu_s": 3.0, "memory_mb": 1024},
    "judging": 1,
    "python": "3.11",
}


def rights(counts: Sequence[int], n: int) -> dict[TaskId, list[str]]:
    """Return for each task its number of passed answers; the rest are wrong."""
    return {f"Small/{i}": ["passed"] * c + ["wrong"] * (n - c) for i, c in enumerate(counts)}


def run_folder(
    path: Path,
    outcomes: Outcomes,
    *,
    model: str = "openai:some-model",
    data: str = "/nowhere/data.jsonl",
    identity: Mapping[str, Any] | None = None,
    score: Mapping[str, Any] | None = None,
    ks: Sequence[int] = (1,),
) -> Path:
    """Write a finished run of these outcomes; `identity` and `score` replace fields of run.json and
    scores.json."""
    path.mkdir(parents=True)
    n = max(len(each) for each in outcomes.values())
    write_json(
        path / "run.json",
        {"identity": {**IDENTITY, "n": n, **(identity or {})}, "model": model, "data": data},
    )
    with Appender(path / "verdicts.jsonl") as file:
        file.append_all(_verdict(t, s, each[s]) for t, each in outcomes.items() for s in range(len(each)))
    given: dict[str, Any] = {"metrics": _metrics(outcomes, ks), **(score or {})}
    record = Score(
        run=str(path),
        track="humaneval",
        model=model,
        profile="strict",
        outcomes={},
        self_check=SelfCheck(gold_passed=1, gold_total=1, stub_passed=0, stub_total=1),
        answers=sum(map(len, outcomes.values())),
        **given,
    )
    write_json(path / "scores.json", msgspec.to_builtins(record))
    return path


def _verdict(task: TaskId, sample: int, outcome: str) -> Verdict:
    return Verdict(
        key=f"{task}-{sample}",
        task_id=task,
        sample=sample,
        outcome=Outcome(outcome),
        isolation=Isolation.separated,
        profile="strict",
    )


def _metrics(outcomes: Outcomes, ks: Sequence[int]) -> dict[str, Metric]:
    judged = [[Outcome(one) for one in each if not Outcome(one).is_missing] for each in outcomes.values()]
    counts = [(len(each), each.count(Outcome.passed)) for each in judged if each]
    return pass_metrics(counts, ks)
