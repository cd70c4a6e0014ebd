"""A finished run folder, written directly: fast, without a sandbox, and with any outcomes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from benchwright.records import Answer, Isolation, Metric, Outcome, Score, SelfCheck, Verdict
from benchwright.store.data_files import data_hash
from benchwright.store.runfolder import RunFolder
from kit.small_data import humaneval

DataByHash = tuple[str, int, Outcome]  # text, task number, outcome


def answer(text: str, task: int = 0, sample: int = 0, **changed: Any) -> Answer:
    """Return an answer to a task of the small data set."""
    fields: dict[str, Any] = {
        "key": f"{task:016x}{sample:016x}",
        "task_id": f"Small/{task}",
        "sample": sample,
        "model": "some/model",
        "text": text,
        "finish_reason": "stop",
    }
    return Answer(**{**fields, **changed})


def verdict(of: Answer, outcome: Outcome, **changed: Any) -> Verdict:
    """Return the verdict on an answer."""
    fields: dict[str, Any] = {
        "key": of.key,
        "task_id": of.task_id,
        "sample": of.sample,
        "outcome": outcome,
        "isolation": Isolation.separated,
        "profile": "strict",
        "cpu_s": 0.25,
        "rule": "fence+function",
        "detail": "" if outcome is Outcome.passed else f"why it is {outcome.value}",
    }
    return Verdict(**{**fields, **changed})


def score_of(folder: Path, judged: list[tuple[Answer, Verdict]], **changed: Any) -> Score:
    """Return a score with the counts of the verdicts; its metrics are arbitrary numbers."""
    outcomes = Counter(each.outcome.value for _, each in judged)
    tasks = len({each.task_id for each, _ in judged})
    metrics = {
        name: Metric(value=value, low=value - 0.1, high=value + 0.1, n=tasks, samples=2)
        for name, value in (("pass@1", 0.5), ("pass@10", 0.8), ("pass@5", 0.7))
    }
    fields: dict[str, Any] = {
        "run": str(folder),
        "track": "humaneval",
        "model": "openai:some/model",
        "profile": "strict",
        "metrics": metrics,
        "outcomes": dict(sorted(outcomes.items())),
        "self_check": SelfCheck(gold_passed=tasks, gold_total=tasks, stub_passed=0, stub_total=tasks),
        "answers": len(judged),
        "missing": sum(each.outcome.is_missing for _, each in judged),
    }
    return Score(**{**fields, **changed})


def write_run(
    folder: Path,
    judged: list[tuple[Answer, Verdict]],
    *,
    data: Path | None = None,
    identity: dict[str, Any] | None = None,
    others: dict[str, list[Verdict]] | None = None,
) -> Path:
    """Write the run to folder/run, and the small data set next to it."""
    source = data or humaneval(folder)
    manifest = {
        "identity": {
            "track": "humaneval",
            "data": data_hash(source),
            "model": {
                "scheme": "openai",
                "temperature": 0.6,
                "max_tokens": 512,
                "seed": 7,
                "stop": ["\ndef"],
            },
            "n": 2,
            "profile": "strict",
            **(identity or {}),
        },
        "model": "openai:some/model",
        "version": "0.1.0",
        "data": str(source),
        "jail": "native",
    }
    path = folder / "run"
    with RunFolder.open(path, manifest, mode="new") as run:
        run.note(started="2026-01-31T12:00:00.000+00:00", finished="2026-01-31T12:00:09.000+00:00")
        with run.answer_writer() as writer:
            writer.append_all(each for each, _ in judged)
        with run.verdict_writer() as writer:
            writer.append_all(each for _, each in judged)
        for profile, verdicts in (others or {}).items():
            with run.verdict_writer(profile) as writer:
                writer.append_all(verdicts)
        score = score_of(path, judged)
        run.write_json("scores.json", _with_others(score, others or {}))
    return path


def _with_others(score: Score, others: dict[str, list[Verdict]]) -> Score:
    return msgspec.structs.replace(score, other_profiles=dict.fromkeys(others, score.metrics))


def small_run(folder: Path) -> Path:
    """Write a run of three tasks with two answers each, with one answer for each outcome that an export
    distinguishes."""
    given = [
        (answer("    return x\n", 0, 0, seed=1), Outcome.passed),
        (answer("<think>no</think>\n    return 1", 0, 1, seed=2, finish_reason="length"), Outcome.wrong),
        (answer("", 1, 0), Outcome.no_code),
        (answer("", 1, 1, error="the server said 500", finish_reason=None), Outcome.model_error),
        (answer("    return x + 2\n", 2, 0, tokens_in=5, tokens_out=9), Outcome.sandbox_error),
        (answer("    raise KeyError\n", 2, 1, tokens_in=5, tokens_out=4), Outcome.exception),
    ]
    return write_run(folder, [(each, verdict(each, outcome)) for each, outcome in given])
