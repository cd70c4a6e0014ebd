"""Finished run folders, written directly: any answer with any outcome, without a sandbox."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.records import Answer, Isolation, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.running.scoring import count_verdicts
from benchwright.stats.metrics import pass_metrics
from benchwright.store.data_files import data_hash
from benchwright.store.runfolder import RunFolder

Given = tuple[str, str] | tuple[str, str, dict[str, Any]]  # text, outcome, further fields of the verdict


def finished_run(
    folder: Path,
    data: Path,
    rows: Mapping[TaskId, Sequence[Given]],
    *,
    model: str = "replay:answers.jsonl",
    track: str = "humaneval",
    judging: int = 1,
    **score: Any,
) -> Path:
    """Write a run folder with these answers by task; `score` has further fields of the score."""
    n = max(map(len, rows.values()))
    identity = {
        "track": track,
        "form": "default",
        "data": data_hash(data),
        "excluded": [],
        "model": {"scheme": model.partition(":")[0], "name": model.partition(":")[2]},
        "n": n,
        "profile": "strict",
        "limits": {"cpu_s": 3.0},
        "judging": judging,
        "python": "3.11",
    }
    manifest = {
        "identity": identity,
        "model": model,
        "version": "0.1.0",
        "data": str(data),
        "jail": "bubblewrap",
        "host": {"system": "Linux-6", "cores": 2, "python": "3.11.7"},
    }
    times = iter(("2026-11-21T04:17:52.504+00:00", "2026-11-21T04:18:52.504+00:00"))
    with RunFolder.open(folder, manifest, mode="new") as run:
        run.note(started=next(times))
        _write(run, rows)
        _score(run, model, track, score)
        run.note(finished=next(times))
    return folder


def _write(run: RunFolder, answers: Mapping[TaskId, Sequence[Given]]) -> None:
    with run.answer_writer() as answer_writer, run.verdict_writer() as verdict_writer:
        for task_id, rows in answers.items():
            made = [_rows(task_id, sample, *row) for sample, row in enumerate(rows)]
            answer_writer.append_all(answer for answer, _ in made)
            verdict_writer.append_all(verdict for _, verdict in made)


def _rows(
    task_id: TaskId, sample: int, text: str, outcome: str, more: dict[str, Any] | None = None
) -> tuple[Answer, Verdict]:
    fields = {"isolation": Isolation.separated, "rule": "fence+function", "cpu_s": 0.002, **(more or {})}
    key, prompt = f"{task_id}-{sample}", fields.pop("prompt", "")
    answer = Answer(
        key=key, task_id=task_id, sample=sample, model="m", text=text, finish_reason="stop", prompt=prompt
    )
    verdict = Verdict(
        key=key, task_id=task_id, sample=sample, outcome=Outcome(outcome), profile="strict", **fields
    )
    return answer, verdict


def _score(run: RunFolder, model: str, track: str, more: dict[str, Any]) -> None:
    outcomes, answers, *_ = count_verdicts(run.verdicts(), lambda _task, _sample: "")
    counts = {
        task: (len(ends), sum(each.outcome is Outcome.passed for each in ends))
        for task, ends in answers.items()
    }
    least = min((judged for judged, _ in counts.values()), default=0)
    tasks = len(counts)
    score = Score(
        run=str(run.path),
        track=track,
        model=model,
        profile="strict",
        metrics=pass_metrics(counts, [k for k in (1, 5, 10) if k <= least]) if least else {},
        outcomes=dict(sorted(outcomes.items())),
        self_check=SelfCheck(gold_passed=tasks, gold_total=tasks, stub_passed=0, stub_total=tasks),
        answers=Counter(outcomes).total(),
        missing=sum(number for name, number in outcomes.items() if Outcome(name).is_missing),
    )
    run.write_json("scores.json", msgspec.structs.replace(score, **more))
