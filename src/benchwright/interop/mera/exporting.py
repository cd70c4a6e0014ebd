"""Main path of `export mera`: collect answers, execute programs, write, and check the result.

run folder or files ──Source──▶ programs ──▶ values ──▶ document and log ──▶ zip
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.interop.mera.check import TaskSet, check_document
from benchwright.interop.mera.executing import FORM, Given, Program, program_of, run_programs
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.gathering import RunToRepeat, integer_id
from benchwright.interop.mera.kinds import LOGS, Shape, gold_of, labels_of
from benchwright.interop.mera.scoring import by_harness, score_labels, score_row
from benchwright.interop.mera.writing import Entry, OutputsRow, archive, document, document_bytes, log_of
from benchwright.progress import Watcher
from benchwright.records import Task, TaskId
from benchwright.store.strict_json import replace_lone
from benchwright.store.writing import make_parents, replacing

NULL, TEXT = "null", "text"


class Part(NamedTuple):
    """A task set of an export: outcomes of its answers, and the check of its document."""

    source: RunToRepeat
    entry: Entry
    log: Entry
    checked: TaskSet
    counts: Counter[str]
    nulls: int  # values written as null


class ExportedSubmission(NamedTuple):
    """A written submission."""

    path: Path
    size: int
    parts: list[Part]
    findings: Findings


def export(
    sources: Sequence[RunToRepeat],
    *,
    out: Path,
    none: str,
    logs: bool,
    samples: Path | None,
    workers: int | None,
    watch: Watcher,
) -> ExportedSubmission:
    """Write a submission atomically; an earlier file stays until the new one is complete.

    `none` is the text for None and exceptions; `samples` is a folder for separate logs, which MERA's packer
    reads.
    """
    _check_names(sources)
    _check_folders(out, samples)
    found = Findings()
    parts = [_make(source, none=none, workers=workers, watch=watch, found=found) for source in sources]
    entries = [part.entry for part in parts]
    if logs:
        entries.append(Entry(LOGS, archive([part.log for part in parts])))
    packed = archive(entries)
    for part in parts if samples is not None else []:
        _write(Path(samples or "") / part.log.name, part.log.data)
    _write(out, packed)
    return ExportedSubmission(out, len(packed), parts, found)


def _make(source: RunToRepeat, *, none: str, workers: int | None, watch: Watcher, found: Findings) -> Part:
    if source.kind.shape is Shape.text:
        return _make_texts(source, found=found)
    with open_executor(ExecutorSetup(workers=workers, limits=source.limits)) as pool:
        given = run_programs(_programs(source), pool, watch)
    outputs = _outputs(source, given, none=none)
    ids = [integer_id(task) for task in source.tasks.values()]
    rows = [OutputsRow(*pair) for pair in zip(ids, outputs, strict=True)]
    gold = gold_of(dict(zip(ids, source.tasks.values(), strict=True)))
    entry = Entry(f"{source.kind.name}.json", document_bytes(rows))
    checked = check_document(document(rows), source.kind, gold, entry.name, found)
    return Part(
        source=source,
        entry=entry,
        log=log_of(source, outputs, _metrics(gold.expected, rows)),
        checked=checked,
        counts=Counter(_said(each) for each in given),
        nulls=sum(
            each.values.count(None) for each in given if none == NULL and not isinstance(each.values, str)
        ),
    )


def _make_texts(source: RunToRepeat, *, found: Findings) -> Part:
    """Export a task set of raw answers, such as CodeCorrectness: the first answers, without execution.

    Texts are exported unchanged, including reasoning, because MERA's own rule reads them.
    """
    ids: dict[TaskId, Task] = {integer_id(task): task for task in source.tasks.values()}
    texts = [replace_lone(source.answers[task.task_id][0].text) for task in ids.values()]
    rows = [OutputsRow(int(task_id), text) for task_id, text in zip(ids, texts, strict=True)]
    gold = labels_of(ids)
    entry = Entry(f"{source.kind.name}.json", document_bytes(rows))
    checked = check_document(document(rows), source.kind, gold, entry.name, found)
    metrics: list[Mapping[str, float]] = [{} for _ in rows]
    if (expected := gold.expected) is not None:
        metrics = [score_labels({row.id: expected[row.id]}, {row.id: row.outputs}).metrics for row in rows]
    return Part(
        source=source,
        entry=entry,
        log=log_of(source, [[text] for text in texts], metrics),
        checked=checked,
        counts=Counter("texts" if text.strip() else "empty_texts" for text in texts),
        nulls=0,
    )


def _programs(source: RunToRepeat) -> list[Program]:
    return [
        program_of(task, source.track.extract(task, answer, profile=FORM).program)
        for task in source.tasks.values()
        for answer in source.answers[task.task_id]
    ]


def _outputs(source: RunToRepeat, given: Sequence[Given], *, none: str) -> list[list[list[Any]]]:
    """Return (1, generations, tests) for each task, in order."""
    left = iter(given)
    return [[[_written(next(left), none) for _ in source.answers[task_id]]] for task_id in source.tasks]


def _written(given: Given, none: str) -> Any:
    if none == NULL or isinstance(given.values, str):
        return given.values
    return ["None" if value is None else value for value in given.values]


def _metrics(
    expected: Mapping[Any, list[str]] | None, rows: Sequence[OutputsRow]
) -> list[Mapping[str, float]]:
    if expected is None:
        return [{} for _ in rows]
    return [score_row(expected[row.id], row.outputs, by_harness) for row in rows]


def _said(given: Given) -> str:
    if given.fault:
        return given.fault
    if isinstance(given.values, str):
        return "timed_out"
    return "values" if any(value is not None for value in given.values) else "no_values"


def _check_names(sources: Sequence[RunToRepeat]) -> None:
    names = Counter(source.kind.name for source in sources)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        hint = "specify task sets in the order of the runs: --task ruHumanEval --task ruCodeEval"
        raise UsageError(f"two runs for {twice[0]}.json", hint=hint)


def _check_folders(out: Path, samples: Path | None) -> None:
    """Create the folders, and check that the file can be written, before anything runs."""
    if out.suffix != ".zip":
        raise UsageError(
            f"--out {escaped_path(out)}: MERA accepts .zip files only", hint="--out submission.zip"
        )
    for file in [out, *([samples / "samples.jsonl"] if samples is not None else [])]:
        make_parents(file)
    if out.is_dir():
        raise RunError(f"{escaped_path(out)} is a folder", hint="--out submission.zip")


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)
