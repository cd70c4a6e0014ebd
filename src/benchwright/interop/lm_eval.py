"""Answers in lm-eval sample logs, `samples_TASK_TIME.jsonl`, written with `--log_samples`.

A row is a document: {doc_id, doc, target, arguments, resps, filtered_resps, filter, …}. `resps` contains the
raw texts: a list per request with a text per repeat. If a task has several filters, a document has a row for
each of them with equal `resps`; only rows of the first filter are read.
Format: `evaluator.py` and `loggers/evaluation_tracker.py` of lm-evaluation-harness 0.4.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright import registry
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, UsageError
from benchwright.interop.answer_import import (
    SHOWN,
    ImportedFile,
    ImportTarget,
    LogAnswer,
    LogOrigin,
    write_answers,
)
from benchwright.records import TaskId
from benchwright.store.files import locate, open_binary
from benchwright.store.lines import read_rows
from benchwright.store.strict_json import JsonOrigin, parse_object

# Where data sets keep a task's id, most specific first; the last is the row's number in the data set.
ID_FIELDS = ("doc.task_id", "doc.meta.id", "doc.id", "doc.question_id", "doc.name", "doc_id")
MAX_RESULTS = 64 << 20
_NAME = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?)\.jsonl", re.DOTALL)
_HINT = "is it a file that `lm_eval --log_samples` wrote?"


class SampleLog(NamedTuple):
    """A log file, with the facts in its name."""

    path: Path
    task: str
    time: str


class _Row(NamedTuple):
    """A row with its place."""

    place: JsonOrigin
    data: dict[str, Any]


def import_lm_eval(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    task: str | None = None,
    id_field: str | None = None,
    model: str | None = None,
    aim: ImportTarget | None = None,
) -> ImportedFile:
    """Write the answers of sample logs to a file for `--model replay:FILE`.

    Several files are joined: texts of the second follow those of the first as further answers to the same
    tasks. A folder with two logs of a task is rejected, because one may be a retry.
    """
    logs = _one_task(_find(sources, task), task)
    field = id_field or _guess_field(logs[0])
    name, notes = (model, []) if model is not None else _model(logs)
    if id_field is None:
        notes.append(f"task ids are from `{field}`; another place can be named with --id-field")
    reading = _Reading(field, name)
    source = LogOrigin(files=[str(log.path) for log in logs], task=logs[0].task, model=name)
    guess = ImportTarget(track=logs[0].task if logs[0].task in registry.names("track") else None)
    chosen = aim if aim is not None and aim.ids is not None else guess
    imported = write_answers(out, reading.answers(logs), source, chosen)
    return msgspec.structs.replace(imported, notes=[*notes, *reading.notes()])


def _find(sources: Sequence[str | Path], task: str | None) -> list[SampleLog]:
    logs: list[SampleLog] = []
    for source in sources:
        logs += _in_folder(Path(source), task) if os.path.isdir(source) else [sample_log(locate(source))]
    if len({log.path.resolve() for log in logs}) < len(logs):
        raise UsageError("duplicate log", hint="give each log once: its answers would count twice")
    return logs


def _in_folder(folder: Path, task: str | None) -> list[SampleLog]:
    logs = [sample_log(path) for path in sorted(folder.rglob("samples_*.jsonl")) if path.is_file()]
    if not logs:
        hint = "lm-eval writes them with `--log_samples --output_path FOLDER`"
        raise UsageError(f"no samples_TASK_TIME.jsonl in {escaped_path(folder)}", hint=hint)
    seen: dict[str, SampleLog] = {}
    for log in logs:
        if log.task in seen and task in (None, log.task):
            paths = f"{escaped_path(seen[log.task].path)} and {escaped_path(log.path)}"
            hint = "give the file that counts; several files are joined"
            raise UsageError(f"two logs of the task {log.task}: {paths}", hint=hint)
        seen[log.task] = log
    return logs


def sample_log(path: Path) -> SampleLog:
    """Return a log by its file name, which contains task and time; other names are the task."""
    match = _NAME.fullmatch(path.name)
    return SampleLog(path, escaped_name(match[1] if match else path.stem), match[2] if match else "")


def _one_task(logs: list[SampleLog], task: str | None) -> list[SampleLog]:
    names = sorted({log.task for log in logs})
    chosen = [log for log in logs if task in (None, log.task)]
    if not chosen:
        message = f"no log of the task {escaped_name(str(task))}"
        raise UsageError(message, hint=f"one of: {', '.join(names[:SHOWN])}")
    if task is None and len(names) > 1:
        message = f"logs of {len(names)} tasks: {', '.join(names[:SHOWN])}"
        raise UsageError(message, hint=f"choose one: --task {quoted(names[0])}")
    return chosen


def _guess_field(log: SampleLog) -> str:
    """Return the first known field with an id in the first row."""
    for row in _rows(log.path):
        for field in ID_FIELDS:
            if is_task_id(value_at(row.data, field)):
                return field
        raise row.place.error("the row has no task id", hint=f"specify its field: --id-field {ID_FIELDS[0]}")
    raise DataError("the file is empty", path=escaped_path(log.path), hint=_HINT)


def value_at(data: Any, field: str) -> Any:
    """Return the value of a dotted field; None if it is missing."""
    for name in field.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data


def is_task_id(value: Any) -> bool:
    """Return whether a value is a valid task id: a string or a 64-bit integer."""
    if isinstance(value, bool):
        return False
    return isinstance(value, str) or (isinstance(value, int) and -(1 << 63) <= value < 1 << 63)


def _model(logs: list[SampleLog]) -> tuple[str | None, list[str]]:
    """Return the model's name from the results file next to the log; None without one."""
    names = {name for log in logs if (name := _beside(log)) is not None}
    if len(names) == 1:
        return names.pop(), []
    found = f"the results files name {len(names)} models" if names else "the log's folder has no results file"
    return None, [f"{found}, so the model is not known; it can be given with --model-name"]


def _beside(log: SampleLog) -> str | None:
    path = log.path.with_name(f"results_{log.time}.json")
    if not log.time or not path.is_file() or path.stat().st_size > MAX_RESULTS:
        return None
    with open_binary(path) as stream:
        data = stream.read(MAX_RESULTS)
    try:
        results = parse_object(data, JsonOrigin(escaped_path(path), 1))
    except DataError:  # lm-eval may write NaN into it; its only use here is the name
        return None
    kind, name = value_at(results, "config.model"), value_at(results, "model_name")
    name = name if isinstance(name, str) and name else value_at(results, "config.model_args.pretrained")
    return "/".join(part for part in (kind, name) if isinstance(part, str) and part) or None


def _rows(path: Path) -> Iterator[_Row]:
    for line, data in read_rows(path, surrogates="replace"):
        yield _Row(JsonOrigin(escaped_path(path), line), data)


class _Reading:
    """Reads the logs once and records observations."""

    def __init__(self, field: str, model: str | None) -> None:
        self._field, self._model = field, model
        self._filters: dict[str, int] = {}
        self._filter: str | None = None

    def answers(self, logs: list[SampleLog]) -> Iterator[LogAnswer]:
        """Yield the answers by file. Raises DataError for a duplicate task in a file."""
        for log in logs:
            seen: dict[str, int] = {}
            self._filter = None
            for row in _rows(log.path):
                if not self._counts(row):
                    continue
                task_id = self._id(row)
                if (first := seen.setdefault(str(task_id), row.place.line)) != row.place.line:
                    hint = "specify the field of a unique id: --id-field doc_id"
                    message = f"the task {escaped_name(str(task_id))} is already on line {first}"
                    raise row.place.error(message, field=self._field, hint=hint)
                scores = _scores(row)
                for text in _texts(row):
                    yield LogAnswer(task_id=task_id, text=text, model=self._model, recorded_score=scores)

    def notes(self) -> list[str]:
        """Return notes for the user."""
        if not self._filters:
            return []
        names = ", ".join(self._filters)
        count = sum(self._filters.values())
        return [f"{count} rows of other filters repeat the same texts and were not read: {names}"]

    def _counts(self, row: _Row) -> bool:
        """Return whether the row is of the first filter in its file."""
        name = row.data.get("filter")
        if not isinstance(name, str | None):
            raise row.place.error("must be text", field="filter", hint=_HINT)
        if self._filter is None:
            self._filter = name or ""
        if (name or "") == self._filter:
            return True
        shown_name = escaped_name(name or "")
        self._filters[shown_name] = self._filters.get(shown_name, 0) + 1
        return False

    def _id(self, row: _Row) -> TaskId:
        value = value_at(row.data, self._field)
        if is_task_id(value):
            task_id: TaskId = value
            return task_id
        hint = f"specify the field of the id: --id-field {_other(row.data, self._field)}"
        raise row.place.error("missing task id (a string or a number)", field=self._field, hint=hint)


def _other(data: dict[str, Any], field: str) -> str:
    return next(
        (name for name in ID_FIELDS if name != field and is_task_id(value_at(data, name))), "doc.FIELD"
    )


def _texts(row: _Row) -> list[str]:
    """Return the raw texts. A repeat without text is null in the log and empty here."""
    if "resps" not in row.data:
        raise row.place.error("missing field", field="resps", hint=_HINT)
    flat = list(_leaves(row.data["resps"], 0, lambda what: row.place.error(what, field="resps", hint=_HINT)))
    if not flat:
        raise row.place.error("contains no text", field="resps", hint=_HINT)
    return flat


def _leaves(value: Any, depth: int, error: Callable[[str], DataError]) -> Iterator[str]:
    if value is None or isinstance(value, str):
        if depth == 0:
            raise error("must be an array")
        yield value or ""
    elif isinstance(value, list) and depth < 2:
        for item in value:
            yield from _leaves(item, depth + 1, error)
    elif isinstance(value, list):
        raise error("texts are nested too deeply; likelihoods of multiple-choice tasks are not answers")
    else:
        raise error("must be an array of strings; likelihoods of multiple-choice tasks are not answers")


def _scores(row: _Row) -> dict[str, Any]:
    """Return the metrics of the row with plain values."""
    names = row.data.get("metrics")
    text_names = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    values = {name: row.data[name] for name in text_names if name in row.data}
    return {name: value for name, value in values.items() if isinstance(value, bool | int | float)}
