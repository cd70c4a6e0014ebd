"""HumanEval's rows, and the files that every contestant of a comparison reads."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from benchwright.errors import DataError, PrerequisiteError

REPOSITORY = Path(__file__).resolve().parent.parent
DEFAULT_DATA = REPOSITORY.parent / "shared" / "data" / "HumanEval.jsonl.gz"
SOURCE = "https://github.com/openai/human-eval/raw/master/data/HumanEval.jsonl.gz"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One task as in the data set."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One solution to judge: the text that continues a task's prompt."""

    task_id: str
    completion: str


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """The same programs as files, for one size of run. `calls` is an additional input of EvalPlus."""

    problems: Path
    samples: Path
    calls: Path
    tasks: int
    n: int

    @property
    def executions(self) -> int:
        return self.tasks * self.n


def load(path: Path) -> list[Row]:
    """Return all rows of HumanEval.jsonl, plain or as gzip. Raises PrerequisiteError if it is missing."""
    if not path.is_file():
        raise PrerequisiteError(
            f"the data set was not found at {path}",
            hint=f"curl -L -o HumanEval.jsonl.gz {SOURCE} && ./run bench --data HumanEval.jsonl.gz",
        )
    decoder = msgspec.json.Decoder(Row)
    rows = []
    for number, line in enumerate(_lines(path), 1):
        try:
            rows.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise DataError(f"not a HumanEval row: {error}", path=str(path), line=number) from error
    if not rows:
        raise DataError("no rows", path=str(path), hint="is this HumanEval.jsonl.gz?")
    return rows


def _lines(path: Path) -> list[bytes]:
    raw = path.read_bytes()
    try:
        text = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError) as error:
        raise DataError(f"not a gzip file: {error}", path=str(path)) from error
    return [line for line in text.splitlines() if line.strip()]


def subset(rows: Sequence[Row], task_ids: Collection[str]) -> list[Row]:
    """Return the rows with these ids, in the data set's order."""
    return [row for row in rows if row.task_id in task_ids]


def canonical_samples(rows: Iterable[Row], n: int) -> list[Sample]:
    """Return each canonical solution n times, each with a different closing comment.

    The comments make the programs distinct, so a cache of equal programs has no effect.
    """
    return [
        Sample(task_id=row.task_id, completion=f"{row.canonical_solution.rstrip()}\n    # sample {number}\n")
        for row in rows
        for number in range(n)
    ]


def write_lines(path: Path, records: Iterable[object]) -> Path:
    """Write one JSON object per line; return the path."""
    path.write_bytes(msgspec.json.Encoder().encode_lines(list(records)))
    return path


def write_workload(rows: Sequence[Row], n: int, *, folder: Path) -> Workload:
    """Write the files of a run of n samples per task, in a separate folder."""
    folder.mkdir(parents=True)
    return Workload(
        problems=write_lines(folder / "problems.jsonl", rows),
        samples=write_lines(folder / "samples.jsonl", canonical_samples(rows, n)),
        calls=folder / "calls.pickle",
        tasks=len(rows),
        n=n,
    )
