"""Export of runs as a MERA submission: programs are executed, documents checked, and the archive written."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import Criterion, Executor, Job, Judgement, ValuesSpec
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, SandboxError, UsageError
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.run_results import RunToRepeat, integer_id
from benchwright.interop.mera.submission_check import (
    TaskSet,
    check_document,
    matches_as_harness,
    score_labels,
    score_row,
)
from benchwright.interop.mera.task_sets import LABELS, LOGS, OutputsShape, TaskSetGold, gold_of
from benchwright.progress import Watcher, stage
from benchwright.records import Outcome, Task, TaskId
from benchwright.store.strict_json import replace_lone
from benchwright.store.writing import make_parents, replacing
from benchwright.text.literal import parse_literal
from benchwright.tracks.functions.ruhumaneval import MAX_TESTS, MERA_LIMIT_S
from benchwright.tracks.rows import encoded

NULL, TEXT = "null", "text"


class ExportPart(NamedTuple):
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
    parts: list[ExportPart]
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


def _make(
    source: RunToRepeat, *, none: str, workers: int | None, watch: Watcher, found: Findings
) -> ExportPart:
    if source.kind.shape is not OutputsShape.generations:
        return _make_texts(source, found=found)
    with open_executor(ExecutorSetup(workers=workers, limits=source.limits)) as pool:
        program_outputs = run_programs(_programs(source), pool, watch)
    outputs = _outputs(source, program_outputs, none=none)
    ids = [integer_id(task) for task in source.tasks.values()]
    rows = [OutputsRow(*pair) for pair in zip(ids, outputs, strict=True)]
    gold = gold_of(dict(zip(ids, source.tasks.values(), strict=True)), source.kind)
    entry = Entry(f"{source.kind.name}.json", document_bytes(rows))
    checked = check_document(document(rows), source.kind, gold, entry.name, found)
    return ExportPart(
        source=source,
        entry=entry,
        log=log_of(source, outputs, _metrics(gold.expected, rows)),
        checked=checked,
        counts=Counter(_output_note(each) for each in program_outputs),
        nulls=sum(
            each.values.count(None)
            for each in program_outputs
            if none == NULL and not isinstance(each.values, str)
        ),
    )


def _make_texts(source: RunToRepeat, *, found: Findings) -> ExportPart:
    """Export a task set of raw answers, without execution: the first one of each task, or all of them.

    Texts are exported unchanged, including reasoning, because MERA's own rule reads them. Scores of all
    answers need MERA's linter, so their log has none, like one of `--predict_only`.
    """
    ids: dict[TaskId, Task] = {integer_id(task): task for task in source.tasks.values()}
    texts = [[replace_lone(each.text) for each in source.answers[task.task_id]] for task in ids.values()]
    is_all = source.kind.shape is OutputsShape.responses
    rows = [OutputsRow(int(id_), [row] if is_all else row[0]) for id_, row in zip(ids, texts, strict=True)]
    gold = gold_of(ids, source.kind)
    entry = Entry(f"{source.kind.name}.json", document_bytes(rows))
    checked = check_document(document(rows), source.kind, gold, entry.name, found)
    exported_texts = [text for row in texts for text in (row if is_all else row[:1])]
    return ExportPart(
        source=source,
        entry=entry,
        log=log_of(
            source, [[row] if is_all else row[:1] for row in texts], _text_metrics(rows, gold, source)
        ),
        checked=checked,
        counts=Counter("texts" if text.strip() else "empty_texts" for text in exported_texts),
        nulls=0,
    )


def _text_metrics(
    rows: Sequence[OutputsRow], gold: TaskSetGold, source: RunToRepeat
) -> list[Mapping[str, float]]:
    """Metrics of each row by MERA's harness; empty where it has none, or only one of all rows."""
    if (expected := gold.expected) is None or source.kind.name != LABELS:
        return [{} for _ in rows]
    return [score_labels({row.id: expected[row.id]}, {row.id: row.outputs}).metrics for row in rows]


def _programs(source: RunToRepeat) -> list[MeraProgram]:
    return [
        program_of(task, source.track.extract(task, answer, profile=FORM).program)
        for task in source.tasks.values()
        for answer in source.answers[task.task_id]
    ]


def _outputs(
    source: RunToRepeat, program_outputs: Sequence[ProgramOutput], *, none: str
) -> list[list[list[Any]]]:
    """Return (1, generations, tests) for each task, in order."""
    left = iter(program_outputs)
    return [[[_output_value(next(left), none) for _ in source.answers[task_id]]] for task_id in source.tasks]


def _output_value(output: ProgramOutput, none: str) -> Any:
    if none == NULL or isinstance(output.values, str):
        return output.values
    return ["None" if value is None else value for value in output.values]


def _metrics(
    expected: Mapping[Any, list[str]] | None, rows: Sequence[OutputsRow]
) -> list[Mapping[str, float]]:
    if expected is None:
        return [{} for _ in rows]
    return [score_row(expected[row.id], row.outputs, matches_as_harness) for row in rows]


def _output_note(output: ProgramOutput) -> str:
    if output.fault:
        return output.fault
    if isinstance(output.values, str):
        return "timed_out"
    return "values" if any(value is not None for value in output.values) else "no_values"


def _check_names(sources: Sequence[RunToRepeat]) -> None:
    names = Counter(source.kind.name for source in sources)
    repeated_names = [name for name, count in names.items() if count > 1]
    if repeated_names:
        hint = "specify task sets in the order of the runs: --task ruHumanEval --task ruCodeEval"
        raise UsageError(f"two runs for {repeated_names[0]}.json", hint=hint)


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


FORM = "mera-code"

Values = list[str | None] | str


class MeraProgram(NamedTuple):
    """A program with its encoded calls, and their number."""

    source: str
    entry_point: str
    calls: bytes
    tests: int


class ProgramOutput(NamedTuple):
    """Output of a program: a text or None per call, or MERA's "timed out". `fault` reports truncation."""

    values: Values
    fault: str = ""


def program_of(task: Task, source: str) -> MeraProgram:
    """Make a program with its task's calls. Expected outputs are not needed, so private tasks work too."""
    calls = [((), call) for call in parse_literal(task.inputs["tests"], max_bytes=MAX_TESTS)]
    return MeraProgram(
        source, task.meta["entry_point"], encoded(task, calls, field="inputs.tests"), len(calls)
    )


def run_programs(programs: Sequence[MeraProgram], executor: Executor, watch: Watcher) -> list[ProgramOutput]:
    """Yield the output of each program in order. Raises SandboxError if one cannot be run."""
    outputs: dict[int, ProgramOutput] = {}
    trouble: list[str] = []
    with stage(watch, "values", total=len(programs), done=0):
        for number, judgement in executor.judge(_jobs(programs)):
            outputs[number] = _program_output(judgement, programs[number].tests)
            trouble += filter(None, [judgement.trouble])
            watch.tick(None)
    for text in trouble:
        watch.note(f"sandbox restarted: {text}")
    return [outputs[number] for number in range(len(programs))]


def _jobs(programs: Sequence[MeraProgram]) -> Iterator[Job]:
    for number, (source, entry_point, calls, tests) in enumerate(programs):
        spec = ValuesSpec(entry_point=entry_point, calls=calls, count=tests, cpu_limit_s=MERA_LIMIT_S)
        yield Job(number, replace_lone(source), Criterion(spec))


def _program_output(judgement: Judgement, tests: int) -> ProgramOutput:
    if judgement.outcome is Outcome.sandbox_error:
        raise SandboxError(judgement.detail)
    if judgement.outcome is not Outcome.passed:  # MERA has no word for it: no result at all
        return ProgramOutput([None] * tests, judgement.outcome.value)
    return ProgramOutput(msgspec.msgpack.decode(judgement.payload, type=Values))


# The earliest time in a zip archive. The current time would make equal exports differ.
_TIME = (1980, 1, 1, 0, 0, 0)


class OutputsRow(NamedTuple):
    """Entry of a task: integer id and outputs in the shape of its task set."""

    id: int
    outputs: Any


class Entry(NamedTuple):
    """A file of an archive."""

    name: str
    data: bytes


def document(rows: Iterable[OutputsRow]) -> dict[str, Any]:
    """Make the JSON document of a task set."""
    return {"data": {"test": [{"outputs": row.outputs, "meta": {"id": row.id}} for row in rows]}}


def document_bytes(rows: Iterable[OutputsRow]) -> bytes:
    """Encode a document: indented by four, UTF-8 without byte-order mark and escapes, no final line end."""
    return json.dumps(document(rows), ensure_ascii=False, indent=4).encode()


def archive(entries: Sequence[Entry]) -> bytes:
    """Make a zip archive with files at its root, in order; equal files give equal bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, _TIME)
            info.create_system = 3  # Unix, wherever it is written
            info.external_attr = 0o644 << 16
            is_packed = entry.name.endswith(".zip")
            info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            packed.writestr(info, entry.data)
    return target.getvalue()


# Names in MERA's tasks; those that have no filter are called "none" by lm-eval.
FILTERS = {
    OutputsShape.generations: "scoring",
    OutputsShape.responses: "scoring",
    OutputsShape.text: "none",
}


def log_of(source: RunToRepeat, outputs: Iterable[Any], metrics: Iterable[Mapping[str, float]]) -> Entry:
    """Make the log of a task set: file name and bytes. `outputs` and `metrics` are in the order of tasks.

    `metrics` are empty for hidden outputs, where lm-eval writes unmeasured zeros.
    """
    name = f"samples_{source.kind.log_name}_{source.time.strftime('%Y-%m-%dT%H-%M-%S.%f')}.jsonl"
    rows = zip(source.tasks.values(), outputs, metrics, strict=True)
    samples = (_sample(number, source, *row) for number, row in enumerate(rows))
    return Entry(name, b"".join(_lines(samples)))


def _sample(
    number: int, source: RunToRepeat, task: Task, outputs: Any, metrics: Mapping[str, float]
) -> dict[str, Any]:
    row, prompt, target = source.track.to_row(task), source.track.prompt(task), _target(source, task)
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


def _target(source: RunToRepeat, task: Task) -> str:
    """The text that the harness logs as the expected one."""
    if source.kind.shape is OutputsShape.responses:
        return str(task.meta.get("canonical_code") or "")
    if source.kind.shape is OutputsShape.text:
        return str(task.outputs or "")
    return source.track.gold(task) or ""


def _lines(samples: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for sample in samples:
        yield json.dumps(sample, ensure_ascii=False).encode() + b"\n"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
