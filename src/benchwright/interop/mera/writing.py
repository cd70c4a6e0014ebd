"""Files of a submission: documents and zip archives as of MERA's packer, and lm-eval logs.

Keys and nesting of the log, one JSON object per task, are those of lm-eval 0.4 (`evaluator.evaluate`,
`EvaluationTracker.save_results_samples`).
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.interop.mera.gathering import RunToRepeat
from benchwright.interop.mera.kinds import Shape
from benchwright.records import Task

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


# Of MERA's ruHumanEval and ruCodeEval tasks; CodeCorrectness has none, which lm-eval calls "none".
FILTERS = {Shape.generations: "scoring", Shape.text: "none"}


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
