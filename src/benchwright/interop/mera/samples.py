"""lm-eval's log of samples, which MERA's packer makes a submission of: one JSON object a task.

Keys and nesting are those of lm-eval 0.4 (`evaluator.evaluate`, `EvaluationTracker.save_results_samples`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchwright.interop.mera.document import Entry
from benchwright.interop.mera.gathering import Source
from benchwright.interop.mera.kinds import Shape
from benchwright.records import Task

# Of MERA's ruHumanEval and ruCodeEval tasks; CodeCorrectness has none, which lm-eval calls "none".
FILTERS = {Shape.generations: "scoring", Shape.text: "none"}


def log_of(source: Source, outputs: Iterable[Any], metrics: Iterable[Mapping[str, float]]) -> Entry:
    """The log of a task set: its file name and its bytes. `outputs` and `metrics` are in the tasks' order.

    `metrics` are empty where the expected outputs are hidden: lm-eval has zeros there, which nobody measured.
    """
    name = f"samples_{source.kind.log_name}_{source.time.strftime('%Y-%m-%dT%H-%M-%S.%f')}.jsonl"
    rows = zip(source.tasks.values(), outputs, metrics, strict=True)
    samples = (_sample(number, source, *row) for number, row in enumerate(rows))
    return Entry(name, b"".join(_lines(samples)))


def _sample(
    number: int, source: Source, task: Task, outputs: Any, metrics: Mapping[str, float]
) -> dict[str, Any]:
    row, prompt, target = source.track.to_row(task), source.track.prompt(task), source.track.gold(task) or ""
    texts = [answer.text for answer in source.answers[task.task_id]]
    return {
        "doc_id": number,
        "doc": row,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": dict(source.asked)}},
        "resps": [texts],
        "filtered_resps": outputs,
        "filter": FILTERS[source.kind.shape],
        "metrics": list(metrics),
        "doc_hash": _hash(json.dumps(row, indent=2, ensure_ascii=False)),
        "prompt_hash": _hash(prompt),
        "target_hash": _hash(target),
        **metrics,
    }


def _lines(samples: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for sample in samples:
        yield json.dumps(sample, ensure_ascii=False).encode() + b"\n"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
