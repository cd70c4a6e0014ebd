"""Logs that Inspect and lm-eval wrote of small tasks, and logs made from rows for tests of invalid ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kit.made_inspect_log import header, sample, write_document

GOLDEN = Path(__file__).parents[1] / "interop" / "golden"
INSPECT = {name: GOLDEN / "inspect_scores" / f"{name}.eval" for name in ("strong", "weak")}
LM_EVAL = {name: GOLDEN / "lm_eval_scores" / name for name in ("strong", "weak")}
TIME = "2026-01-31T12-00-00.000001"


def scored(task: int | str, value: Any, epoch: int = 1, **changed: Any) -> dict[str, Any]:
    """Return a sample of Inspect's with one score."""
    row = {"input": f"question {task}", "target": "1", "scores": {"match": {"value": value}}, **changed}
    return sample(task, epoch, **row)


def inspect_log(path: Path, values: Mapping[int | str, Any], **changed: Any) -> Path:
    """Write a .json log with one epoch of each task; `changed` are fields of its `eval`."""
    given = {"config": {"epochs": 1}, "task": "sums", "model": f"some/{path.stem}", **changed}
    return write_document(path, [scored(task, value) for task, value in values.items()], header(**given))


def row(doc_id: Any, value: Any, **changed: Any) -> dict[str, Any]:
    """Return a row as lm-eval writes it."""
    return {
        "doc_id": doc_id,
        "doc": {"question": f"question {doc_id}"},
        "resps": [["an answer"]],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{doc_id}".rjust(64, "0"),
        "acc": value,
        **changed,
    }


def lm_eval_log(folder: Path, rows: Iterable[Mapping[str, Any]], results: Any = None) -> Path:
    """Write a sample file, with a results file next to it if `results` are given."""
    folder.mkdir(parents=True, exist_ok=True)
    if results is not None:
        (folder / f"results_{TIME}.json").write_text(json.dumps(results))
    path = folder / f"samples_sums_{TIME}.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path
