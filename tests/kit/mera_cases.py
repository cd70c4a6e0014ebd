"""A task set of three tasks, a correct submission of it, and functions that add faults to either."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchwright.interop.mera.submission_check import SubmissionCheck, check
from benchwright.interop.mera.task_sets import TaskSetGold

EXPECTED: dict[Any, list[str]] = {1: ["2", "3"], 2: ["None", "[]", "x"], 3: ["t", "i", "m"]}
GOLD = TaskSetGold({task_id: len(texts) for task_id, texts in EXPECTED.items()}, EXPECTED)
HIDDEN = GOLD._replace(expected=None)
NAME = "ruHumanEval.json"
Document = dict[str, Any]


def generations(task_id: Any, *, right: int = 4) -> list[Any]:
    """Return ten generations of a task, of which `right` are right."""
    texts = EXPECTED[task_id]
    return [list(texts)] * right + [["wrong", *texts[1:]]] * (10 - right)


def row(task_id: Any, outputs: Any = ...) -> dict[str, Any]:
    """Return a row of a submission; right unless its outputs are given."""
    return {"outputs": [generations(task_id)] if outputs is ... else outputs, "meta": {"id": task_id}}


def submission(**rows: Any) -> Document:
    """Return the submission of the three tasks; `t2=X` replaces the outputs of task 2 by X."""
    made = [row(task_id, rows.get(f"t{task_id}", ...)) for task_id in EXPECTED]
    return {"data": {"test": made}}


def spoiled(change: Callable[[list[Any]], Any]) -> Document:
    """Return a submission whose list of rows was changed in place."""
    made = submission()
    change(made["data"]["test"])
    return made


def encoded(document: Any) -> bytes:
    """Return the document as bytes of a file."""
    return json.dumps(document, ensure_ascii=False, indent=4).encode()


def pack(folder: Path, files: Mapping[str, bytes] | None = None, *, name: str = "submission.zip") -> Path:
    """Write a zip with these files; by default the correct one."""
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for entry, data in ({NAME: encoded(submission())} if files is None else files).items():
            packed.writestr(entry, data)
    return path


def checked(folder: Path, document: Any, gold: TaskSetGold = GOLD) -> SubmissionCheck:
    """Return the findings of the checker on a document in a zip."""
    return check(pack(folder, {NAME: encoded(document)}), {"ruHumanEval": gold})


def kinds(found: SubmissionCheck) -> dict[str, int]:
    """Return the number of findings of each kind."""
    counts: dict[str, int] = {}
    for (kind, _), count in found.findings.counts.items():
        counts[kind] = counts.get(kind, 0) + count
    return counts
