"""Data sets, answers and run folders to export, small enough to execute in a test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchwright.records import Answer
from benchwright.store.data_files import data_hash
from benchwright.store.runfolder import RunFolder
from kit.small_data import gold_of, mera_row, name_of, write

# Ends of an answer to `plus_N` or `times_N`, by the result of MERA's harness. A body begins with a line end,
# because it is appended to the function's head.
TEXTS = {
    "right": "\n    return {gold}\n",
    "fenced": "```python\ndef {name}(x):\n    return {gold}\n```",
    "wrong": "\n    return x - 1000\n",
    "none": "\n    return None\n",
    "raises": "\n    raise KeyError(x)\n",
    "glued": "    return {gold}\n",
    "prose": "I am sorry, but I cannot help with that.",
    "exits": "\n    raise SystemExit\n",
    "huge": "\n    return 'x' * 300_000\n",
    "surrogate": "\n    return '\\ud800'\n",
}


def text_of(number: int, kind: str) -> str:
    """Return an answer of this kind to the task of this number."""
    return TEXTS[kind].replace("{gold}", gold_of(number)).replace("{name}", name_of(number))


def private_row(number: int) -> dict[str, Any]:
    """Return a task without outputs and solution, as its publisher distributes it."""
    row = mera_row(number, outputs=["", ""])
    return {**row, "meta": {**row["meta"], "canonical_solution": ""}}


def data_set(folder: Path, *, tasks: int = 2, private: bool = False) -> Path:
    """Return a data set of this number of tasks, from id 1."""
    make = private_row if private else mera_row
    return write(folder / "data.jsonl", map(make, range(1, tasks + 1)))


def answer_file(folder: Path, answers: Sequence[Iterable[str]]) -> Path:
    """Write stored answers: for task 1 those of the first list, by kind, and so on."""
    rows = [
        {"task_id": number, "completion": text_of(number, kind)}
        for number, kinds in enumerate(answers, 1)
        for kind in kinds
    ]
    return write(folder / "answers.jsonl", rows)


def run_folder(
    folder: Path,
    data: Path,
    answers: Sequence[Iterable[str]],
    *,
    failed: Sequence[tuple[int, int]] = (),
    **changed: Any,
) -> Path:
    """Write a run that has only answers: not judged, as a run on private tasks is."""
    identity = {
        "track": "ruhumaneval",
        "data": data_hash(data),
        "model": {"scheme": "openai", "name": "test"},
        "limits": {"cpu_s": 3.0, "memory_mb": 512},
        **changed,
    }
    manifest = {"identity": identity, "data": str(data), "finished": "2026-02-03T04:05:06.789+00:00"}
    with RunFolder.open(folder / "run", manifest, mode="new") as run, run.answer_writer() as writer:
        for number, kinds in enumerate(answers, 1):
            for sample, kind in enumerate(kinds):
                writer.append(_answer(number, sample, kind, (number, sample) in failed))
    return folder / "run"


def _answer(number: int, sample: int, kind: str, is_failed: bool) -> Answer:
    return Answer(
        key=f"{number}-{sample}",
        task_id=number,
        sample=sample,
        model="test",
        text="" if is_failed else text_of(number, kind),
        error="HTTP 500" if is_failed else None,
    )
