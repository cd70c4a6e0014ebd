"""A log of another tool as comparisons see it: a value per task for each metric, and what is missing.

A task's value is the mean over its scored epochs, as over a run's answers. Failed, unscored and missing
samples are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum, isnan, nan
from pathlib import Path
from typing import NamedTuple

from benchwright import registry
from benchwright.contracts import LoggedSample, LogReader, Measure, ToolLog, ToolMeasures
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.rank.clusters import Clusters, choose_clusters
from benchwright.records import Metric, Outcome, Score, SelfCheck, TaskId
from benchwright.stats.metrics import graded_metric, mean_metric

SHOWN = 5
_SAME = 1e-6  # how far our mean may be from the tool's: rounding, and no more
_BITS = frozenset({0.0, 1.0})

Samples = Mapping[str, Sequence[LoggedSample]]  # by task


class ToolRunData(NamedTuple):
    """The comparable data of a log. Lists over tasks have the order of `tasks`; NaN: no score of a metric."""

    log: ToolLog
    tasks: list[TaskId]
    counts: list[tuple[int, int]]
    estimates: dict[str, list[float]]
    clusters: Clusters
    score: Score
    unjudged: list[TaskId]
    contents: dict[str, str]
    notes: list[str]


def find_log(path: str | Path, *, texts: bool = False) -> ToolLog | None:
    """The log in a file, or the only log in a folder; None for a run folder or a folder without logs.

    Raises UsageError for a file that is not a log, and for a folder with several logs.
    """
    place = Path(path)
    if place.is_dir():
        return None if (place / "run.json").exists() else _in_folder(place, texts=texts)
    if not place.is_file():
        return None
    for reader in _readers():
        if reader.recognizes(place):
            return reader.read(place, texts=texts)
    hint = (
        "give a run folder, a log FILE.eval or FILE.json of Inspect, or a samples_TASK_TIME.jsonl of lm-eval"
    )
    raise UsageError(
        f"{escaped_path(place)} is neither a run folder nor a log of a supported tool", hint=hint
    )


def _readers() -> list[LogReader]:
    return [registry.find("log", name) for name in registry.LOGS]


def _in_folder(folder: Path, *, texts: bool) -> ToolLog | None:
    found = [(reader, path) for reader in _readers() for path in reader.files(folder)]
    if len(found) > 1:
        names = ", ".join(escaped_path(path.relative_to(folder)) for _, path in found[:SHOWN])
        message = f"{escaped_path(folder)} holds {counted(len(found), 'log')}; a run is a single log: {names}"
        raise UsageError(message, hint=f"give the file, such as {quoted(found[0][1])}")
    return found[0][0].read(found[0][1], texts=texts) if found else None


def logged_run(log: ToolLog) -> ToolRunData:
    """The figures of a log. Raises DataError if nothing in it can be compared."""
    samples = _by_task(log)
    compared = _comparable(log)
    scored = {task: rows for task, rows in samples.items() if any(_compared(row, compared) for row in rows)}
    if not compared or not scored:
        raise _without_scores(log)
    estimates = {name: [_mean(rows, name) for rows in scored.values()] for name in compared}
    tasks = [rows[0].task_id for rows in scored.values()]
    return ToolRunData(
        log=log,
        tasks=tasks,
        counts=[_count(rows, compared[0]) for rows in scored.values()],
        estimates=estimates,
        clusters=choose_clusters((rows[0].meta for rows in scored.values()), tasks),
        score=_score(log, compared, estimates, scored),
        unjudged=[rows[0].task_id for task, rows in samples.items() if task not in scored],
        contents={task: rows[0].content for task, rows in samples.items() if rows[0].content},
        notes=[*log.notes, *_notes(log, samples, compared, estimates)],
    )


def log_measures(log: ToolLog, names: Sequence[str]) -> list[Measure]:
    """The measures of these metrics, in this order."""
    known = ToolMeasures(log.measures)
    return [known.find(name) for name in names]


def is_binary(samples: Sequence[LoggedSample], name: str) -> bool:
    """Whether every sample of a metric is either right or wrong."""
    return all(sample.scores[name] in _BITS for sample in samples if name in sample.scores)


def outcome_of(sample: LoggedSample, name: str, *, binary: bool) -> Outcome:
    """The outcome of a sample by a metric; a sample without a number is a missing answer."""
    if sample.failure:
        return Outcome.model_error
    value = sample.scores.get(name)
    if value is None:
        return Outcome.undecided
    if not binary:
        return Outcome.scored
    return Outcome.passed if value == 1 else Outcome.wrong


def _by_task(log: ToolLog) -> dict[str, list[LoggedSample]]:
    """The samples of each task. Raises DataError if the content of a task differs between epochs."""
    tasks: dict[str, list[LoggedSample]] = {}
    for sample in log.samples:
        rows = tasks.setdefault(str(sample.task_id), [])
        if rows and type(rows[0].task_id) is not type(sample.task_id):
            what = "this id occurs both as a number and as a text, so tasks cannot be matched"
            raise _wrong(log, sample, what)
        if rows and rows[0].content != sample.content:
            raise _wrong(log, sample, f"epoch {sample.epoch} has another question than epoch {rows[0].epoch}")
        rows.append(sample)
    return tasks


def _wrong(log: ToolLog, sample: LoggedSample, what: str) -> DataError:
    hint = "give each task of the data set a unique id and evaluate again"
    return DataError(what, path=escaped_path(log.path), task_id=escaped_name(str(sample.task_id)), hint=hint)


def _comparable(log: ToolLog) -> list[str]:
    """The metrics with all values between 0 and 1."""
    names = dict.fromkeys(name for sample in log.samples for name in sample.scores)
    return [name for name in names if _shared_values(log, name)]


def _shared_values(log: ToolLog, name: str) -> bool:
    return all(0 <= sample.scores[name] <= 1 for sample in log.samples if name in sample.scores)


def _without_scores(log: ToolLog) -> DataError:
    ranges = ", ".join(_other_metrics(log))
    what = f"no metric has values from 0 to 1: {ranges}" if ranges else "no sample has a score"
    hint = f"score it with the tool, or judge its answers here: {command_name()} import --help"
    return DataError(what, path=escaped_path(log.path), hint=hint)


def _other_metrics(log: ToolLog) -> Iterator[str]:
    """The metrics with values outside 0 to 1, with their range."""
    for name in dict.fromkeys(name for sample in log.samples for name in sample.scores):
        if not _shared_values(log, name):
            values = [sample.scores[name] for sample in log.samples if name in sample.scores]
            yield f"{name} ({min(values):g} to {max(values):g})"


def _compared(sample: LoggedSample, names: Sequence[str]) -> bool:
    return any(name in sample.scores for name in names)


def _mean(rows: Sequence[LoggedSample], name: str) -> float:
    values = [row.scores[name] for row in rows if name in row.scores]
    return min(1.0, fsum(values) / len(values)) if values else nan


def _count(rows: Sequence[LoggedSample], name: str) -> tuple[int, int]:
    values = [row.scores[name] for row in rows if name in row.scores]
    return len(values), sum(value == 1 for value in values)


def _score(
    log: ToolLog, names: Sequence[str], estimates: Mapping[str, Sequence[float]], scored: Samples
) -> Score:
    binary = is_binary(log.samples, names[0])
    outcomes: dict[str, int] = {}
    for sample in log.samples:
        ended = outcome_of(sample, names[0], binary=binary).value
        outcomes[ended] = outcomes.get(ended, 0) + 1
    return Score(
        run=str(log.path),
        track=track_of(log),
        model=log.model,
        profile=log.tool,
        metrics={name: _metric(log, name, estimates[name], scored) for name in names},
        outcomes=outcomes,
        self_check=SelfCheck(gold_passed=0, gold_total=0, stub_passed=0, stub_total=0),
        answers=len(log.samples),
        missing=outcomes.get(Outcome.model_error.value, 0),
    )


def _metric(log: ToolLog, name: str, values: Sequence[float], scored: Samples) -> Metric:
    """The mean with its interval over tasks; each scored epoch is one draw if scores are 0 or 1."""
    defined_values = [value for value in values if not isnan(value)]
    draws = min(n for rows in scored.values() if (n := sum(name in row.scores for row in rows)))
    if is_binary(log.samples, name):
        return mean_metric(defined_values, draws=draws, samples=draws)
    return graded_metric(defined_values, samples=draws)


def track_of(log: ToolLog) -> str:
    """The name of the log's task as a track: tasks of two tools with the same name stay separate."""
    return f"{log.task} ({log.tool})"


def _notes(
    log: ToolLog, samples: Samples, compared: Sequence[str], estimates: Mapping[str, Sequence[float]]
) -> Iterator[str]:
    """Notes on what of the log is not in the figures."""
    failed = [sample for sample in log.samples if sample.failure]
    if failed:
        why = failed[0].failure
        yield f"{counted(len(failed), 'sample')} failed and are not counted: {_names(failed)} ({why})"
    silent = [sample for sample in log.samples if not sample.failure and not _compared(sample, compared)]
    if silent:
        yield f"{counted(len(silent), 'sample')} without a score: {_names(silent)}"
    if lost := [task for task in log.expected if str(task) not in samples]:
        listing = _first_names([str(task) for task in lost])
        yield f"{counted(len(lost), 'task')} of its data set without a sample: {listing}"
    if gaps := list(_gaps(log, samples)):
        yield f"{counted(len(gaps), 'sample')} missing: {_first_names(gaps)}"
    if beyond := list(_other_metrics(log)):
        yield f"not compared because values are not from 0 to 1: {', '.join(beyond)}"
    for name in compared:
        values = [value for value in estimates[name] if not isnan(value)]
        mean = fsum(values) / len(values)
        if abs(log.reported.get(name, mean) - mean) > _SAME:
            stated = log.reported[name]
            yield f"{log.tool} reports {name} = {stated:.6f} but its samples give {mean:.6f}, which is used"


def _gaps(log: ToolLog, samples: Samples) -> Iterator[str]:
    """The epochs missing from tasks, of those that the log should have."""
    for task, rows in samples.items():
        have = {row.epoch for row in rows}
        if len(have) < log.epochs:
            first = next(epoch for epoch in range(1, log.epochs + 1) if epoch not in have)
            left = log.epochs - len(have)
            yield f"{task} epoch {first}" if left == 1 else f"{task} ({counted(left, 'epoch')})"


def _names(samples: Sequence[LoggedSample]) -> str:
    return _first_names([f"{sample.task_id} epoch {sample.epoch}" for sample in samples])


def _first_names(names: Sequence[str]) -> str:
    """The first few names, escaped, and the number of further ones."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(escaped_name(name) for name in names[:SHOWN]) + more
