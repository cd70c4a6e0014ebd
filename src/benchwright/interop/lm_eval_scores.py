"""Scores in lm-eval sample logs, named METRIC,FILTER as in lm-eval.

A row is a document under a filter: {doc_id, doc, filter, metrics, doc_hash, METRIC: value, …}. The model, and
the direction and mean of each metric, are in the results_TIME.json next to the log.
Format: `evaluator.py` and `loggers/evaluation_tracker.py` of lm-evaluation-harness 0.4.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.contracts import LoggedSample, Measure, ToolLog
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.lm_eval import ID_FIELDS, MAX_RESULTS, SampleLog, is_task_id, sample_log, value_at
from benchwright.records import TaskId
from benchwright.store.files import open_binary
from benchwright.store.lines import Row, read_rows

TOOL = "lm-eval"
MAX_ROWS = 2_000_000
_HINT = "is it a file that `lm_eval --log_samples` wrote?"
# Keys of a row that are not metrics, for logs of versions that do not list these in `metrics`.
_PLAIN = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ]
)
_MOST_METRICS = 200
_OWN_ID = ID_FIELDS[-1]


class LmEvalScores:
    """Reader of `samples_TASK_TIME.jsonl` with the `results_TIME.json` next to it, if any."""

    def recognizes(self, path: Path) -> bool:
        """Recognise a log by its name: JSON Lines, compressed or not."""
        return path.name.endswith((".jsonl", ".jsonl.gz"))

    def files(self, folder: Path) -> list[Path]:
        """Return the sample files of a folder."""
        return sorted(path for path in folder.rglob("samples_*.jsonl") if path.is_file())

    def read(self, path: Path, *, texts: bool = False) -> ToolLog:
        """Read a log with a sample per document. Raises DataError for a duplicate document."""
        log, results = sample_log(path), _results(sample_log(path))
        documents, notes = _documents(path, texts=texts)
        field = _id_field(documents)
        samples = [document.sample(field) for document in documents]
        names = dict.fromkeys(name for sample in samples for name in sample.scores)
        if len(names) > _MOST_METRICS:
            raise DataError(f"{len(names):,} metrics in one log", path=escaped_path(path), hint=_HINT)
        if results is None:
            notes.append("its folder has no results file, so model and direction of its metrics are unknown")
        facts = results or {}
        return ToolLog(
            tool=TOOL,
            path=path,
            task=log.task,
            model=_model(facts) or escaped_name(path.parent.name or path.stem),
            samples=samples,
            measures=[_measure(name, log.task, facts) for name in names],
            reported=_reported_metrics(log.task, facts, names),
            notes=[*notes, *_short_of(log.task, facts, len(samples)), *_by_number(field)],
            started=log.time,
        )


class _Document:
    """A document with all its filters."""

    def __init__(self, row: Row, text: str) -> None:
        self.row, self.text = row, text
        self.lines: dict[str, int] = {}
        self.scores: dict[str, float] = {}

    def sample(self, field: str) -> LoggedSample:
        """Return the document as a sample; lm-eval has one number for all repeats."""
        data, document = self.row.data, self.row.data.get("doc")
        fields = document if isinstance(document, dict) else {}
        inner = fields.get("meta") if isinstance(fields.get("meta"), dict) else {}
        digest = data.get("doc_hash")
        return LoggedSample(
            task_id=value_at(data, field),
            epoch=1,
            scores=self.scores,
            content=digest[:16] if isinstance(digest, str) else "",
            meta={**(inner or {}), **fields},
            text=self.text,
        )


class _Origin(NamedTuple):
    """Place of a row, for messages."""

    path: Path
    line: int

    def error(self, what: str, field: str, hint: str = _HINT) -> DataError:
        return DataError(what, path=escaped_path(self.path), line=self.line, field=field, hint=hint)


def _documents(path: Path, *, texts: bool) -> tuple[list[_Document], list[str]]:
    """Return the documents in order, and metrics that cannot be compared."""
    found: dict[int | str, _Document] = {}
    left: dict[str, int] = {}
    for number, row in enumerate(read_rows(path, surrogates="replace"), 1):
        place = _Origin(path, row.line)
        if number > MAX_ROWS:
            raise place.error(f"more than {MAX_ROWS:,} rows", "doc_id")
        doc_id, name = _own_id(row, place), _filter(row, place)
        document = found.get(doc_id)
        if document is None:
            document = found[doc_id] = _Document(row, _text(row) if texts else "")
        if (first := document.lines.setdefault(name, row.line)) != row.line:
            shown = f"document {escaped_name(str(doc_id))} is on line {first} already, under the same filter"
            raise place.error(
                f"{shown}: it is unknown which one counts",
                "doc_id",
                "remove one of the rows, or evaluate again",
            )
        for metric, value in _metrics(row, place):
            key = escaped_name(f"{metric},{name}" if name else metric)
            if value is None:
                left[key] = left.get(key, 0) + 1
            else:
                document.scores[key] = value
    if not found:
        raise DataError("the file is empty", path=escaped_path(path), hint=_HINT)
    if not any(document.scores for document in found.values()):
        what = "no row has a metric with a number per sample"
        raise DataError(what, path=escaped_path(path), field="metrics", hint=_HINT)
    notes = [f"{key} is not one number a sample in {count:,} rows" for key, count in sorted(left.items())]
    return list(found.values()), notes


def _own_id(row: Row, place: _Origin) -> TaskId:
    value: Any = row.data.get(_OWN_ID)
    if not is_task_id(value):
        raise place.error("missing document number", _OWN_ID)
    own: TaskId = value
    return own


def _filter(row: Row, place: _Origin) -> str:
    name = row.data.get("filter", "")
    if not isinstance(name, str):
        raise place.error("must be a string", "filter")
    return name


def _metrics(row: Row, place: _Origin) -> Iterator[tuple[str, float | None]]:
    """Yield the metrics of a row; None for a pair that needs the whole corpus, as for BLEU."""
    metric_names = row.data.get("metrics")
    if metric_names is None:
        metric_names = [name for name in row.data if name not in _PLAIN]
    if not isinstance(metric_names, list) or not all(isinstance(name, str) for name in metric_names):
        raise place.error("must be an array of names", "metrics")
    for name in dict.fromkeys(metric_names):
        if name not in row.data:
            raise place.error("the row lists this metric without a value", escaped_name(name))
        value = row.data[name]
        usable = isinstance(value, bool | int | float) and math.isfinite(value)
        yield name, float(value) if usable else None


def _text(row: Row) -> str:
    """Return the first raw text for display; likelihoods are unchanged."""
    value: Any = row.data.get("resps")
    while isinstance(value, list) and value and (isinstance(value[0], list | str)):
        value = value[0]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _id_field(documents: Sequence[_Document]) -> str:
    """Return the first known field with unique ids; else the document number."""
    for field in ID_FIELDS:
        values = [value_at(document.row.data, field) for document in documents]
        if all(map(is_task_id, values)) and len(set(map(str, values))) == len(values):
            return field
    return _OWN_ID


def _by_number(field: str) -> list[str]:
    """Return a note if tasks are identified by position, which is valid for logs of one data set only."""
    return ["its tasks are known by their numbers in the data set, `doc_id`"] if field == _OWN_ID else []


def _results(log: SampleLog) -> Mapping[str, Any] | None:
    """Read the results file next to a log; None without one."""
    path = log.path.with_name(f"results_{log.time}.json")
    if not log.time or not path.is_file():
        return None
    if (size := path.stat().st_size) > MAX_RESULTS:
        what = f"too large for a results file: {size:,} bytes"
        raise DataError(what, path=escaped_path(path), hint="move the file: samples can be read without it")
    with open_binary(path) as stream:
        data = stream.read(MAX_RESULTS)
    hint = "copy the file again, or move it"
    try:
        found = json.loads(data, parse_constant=lambda _: None)  # lm-eval writes NaN for what it lacks
    except (ValueError, RecursionError) as error:
        what = f"invalid JSON: {escaped_name(str(error), 200)}"
        raise DataError(what, path=escaped_path(path), hint=hint) from None
    if not isinstance(found, dict):
        raise DataError("must be a JSON object", path=escaped_path(path), hint=hint)
    return found


def _model(results: Mapping[str, Any]) -> str:
    kind, name = value_at(results, "config.model"), results.get("model_name")
    name = name if isinstance(name, str) and name else value_at(results, "config.model_args.pretrained")
    return escaped_name("/".join(part for part in (kind, name) if isinstance(part, str) and part))


def _measure(name: str, task: str, results: Mapping[str, Any]) -> Measure:
    metric = name.rpartition(",")[0] or name
    table = results.get("higher_is_better")
    of_task = table.get(task) if isinstance(table, dict) else None
    higher = not isinstance(of_task, dict) or of_task.get(metric) is not False
    return Measure(name=name, label=name, paired=True, higher_is_better=higher)


def _reported_metrics(task: str, results: Mapping[str, Any], names: Mapping[str, None]) -> dict[str, float]:
    table = results.get("results")
    row = table.get(task) if isinstance(table, dict) else None
    values = {name: row.get(name) for name in names} if isinstance(row, dict) else {}
    return {name: float(value) for name, value in values.items() if isinstance(value, int | float)}


def _short_of(task: str, results: Mapping[str, Any], rows: int) -> Iterator[str]:
    """Yield a note if the results file counts a different number of samples."""
    table = results.get("n-samples")
    counts = table.get(task) if isinstance(table, dict) else None
    effective = counts.get("effective") if isinstance(counts, dict) else None
    if isinstance(effective, int) and effective != rows:
        yield f"the results file counts {effective:,} samples, but the log has {rows:,}"


READER = LmEvalScores()
