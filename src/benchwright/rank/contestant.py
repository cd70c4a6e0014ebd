"""A run as comparisons see it: a short name, one estimate per task for each metric, and its settings.

Only finished runs can be loaded. Figures are computed again from the verdicts and compared with
scores.json, so that a run whose missing answers are being retried is not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum, isnan, nan
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import JudgedAnswer, Measure, MeasureSet, ToolLog, ToolMeasures
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.rank.clusters import read_clusters
from benchwright.rank.tool_runs import find_log, is_binary, log_measures, logged_run, track_of
from benchwright.records import Outcome, Record, Score, TaskId
from benchwright.running.plan import NAME
from benchwright.running.run_data import (
    DataByHash,
    check_given,
    identity_field,
    measures_of,
    open_run,
    read_score,
)
from benchwright.store.runfolder import RunFolder

MAX_NAME = 60
_ENDINGS = (".gz", ".jsonl", ".json")


def short_names(runs: Sequence[tuple[str, str]], *, given: Sequence[str] = ()) -> list[str]:
    """A name for each (model spec, run folder): distinct, printable, at most 60 characters.

    `given` are names chosen by the user, or empty.
    """
    chosen = given or [""] * len(runs)
    names = [escaped_path(name) or _of_model(model) for name, (model, _) in zip(chosen, runs, strict=True)]
    names = _distinct_names(
        names, [f"{name} ({Path(path).name})" for name, (_, path) in zip(names, runs, strict=True)]
    )
    # Equal models in folders of equal names are numbered.
    names = [name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…" for name in names]
    return _distinct_names(
        names, [f"{name[: MAX_NAME - 5]} #{number}" for number, name in enumerate(names, 1)]
    )


def _of_model(spec: str) -> str:
    """The short name of a model spec: `openai:qwen3` is qwen3, `replay:/x/answers-a.jsonl.gz` is
    answers-a, `gold:` stays.
    """
    scheme, colon, rest = spec.partition(":")
    if not rest:
        return escaped_path(spec) or "?"
    if scheme == "replay":
        rest = rest.rsplit("/", 1)[-1]
        for ending in _ENDINGS:
            rest = rest.removesuffix(ending)
    return escaped_path(rest.rstrip("/").rsplit("/", 1)[-1] or f"{scheme}{colon}")


def _distinct_names(names: list[str], longer: list[str]) -> list[str]:
    """The names, with the longer form for those of more than one run."""
    often = Counter(names)
    return [escaped_path(full) if often[name] > 1 else name for name, full in zip(names, longer, strict=True)]


# Fields of a run's identity that `Contestant` has as fields.
_OWN_FIELDS = frozenset({"track", "form", "data", "excluded", "model", "n", "profile", "judging"})
_SECONDS = len("2026-01-31T12:00:00")  # of a log's time, which distinguishes logs of one model
_SAME = 1e-6  # how far a mean may be from the one in scores.json: rounding, and no more

Ends = dict[int, JudgedAnswer]  # by sample how each answer to a task ended, the missing ones too


class Contestant(Record, frozen=True, kw_only=True):
    """A finished run. Every list over tasks has the order of `tasks`, which is the data set's.

    A task without judged answers is in `unjudged`, not in `tasks`.
    """

    name: str  # short, and unlike the other contestants' names; that of its suite, where it has one
    path: str  # the run folder
    model: str  # its spec
    track: str
    profile: str
    data: str  # SHA-256 of the data set
    judging: int  # version of the judging rules
    n: int  # answers a task; in a crossed design, to each of its prompts
    tasks: list[TaskId]
    counts: list[tuple[int, int]]  # (answers judged, answers passed) of each task
    # By measure, if it is a mean over tasks. Others, such as a correlation, are in
    # `score` only: no task has a value of them to compare with the same task of another run. NaN:
    # a task has too few answers, or none.
    estimates: dict[str, list[float]]
    clusters: list[str]  # the group a task belongs to (repository, template); its own id where it has none
    score: Score
    form: str = "default"  # how execution was judged
    excluded: list[str] = []  # tasks left out by the user
    unjudged: list[TaskId] = []
    grouping: str = ""  # the key of the tasks' meta that `clusters` come from; empty where there is none
    groups_absent: str = ""  # why the data set was not at hand to say which tasks belong together
    settings: dict[str, Any] = {}  # the rest of the run's identity: limits, Python's version, prompts
    # For a log of another tool: profile is the tool's name, and data is empty.
    tool: str = ""
    measured: list[Measure] = []  # its metrics
    grade: str = ""  # the first of them where it is graded, not right or wrong
    contents: dict[str, str] = {}  # by task id as text, a digest of what is asked
    log_notes: list[str] = []  # parts of the log that are not in the figures
    given: str = ""  # its name in the suite that ran it

    @property
    def measures(self) -> MeasureSet:
        """The measures of its track or log."""
        return ToolMeasures(self.measured, self.grade) if self.tool else measures_of(self.track)

    def measure(self, name: str) -> Measure:
        """The measure of a metric."""
        own = (each for each in self.measured if each.name == name)
        return next(own, None) or self.measures.find(name)


def unpaired_metrics(contestants: Sequence[Contestant]) -> list[str]:
    """Metrics of all runs that cannot be tested by task, such as balanced accuracy and MCC."""
    first, *others = contestants
    names = [name for name in first.score.metrics if name not in first.estimates]
    return first.measures.in_order(
        name for name in names if all(name in each.score.metrics for each in others)
    )


def load(paths: Sequence[str | Path], *, given: DataByHash | None = None) -> list[Contestant]:
    """Load finished runs and logs of other tools in the given order, with distinct names.

    `given` are data sets of runs that do not store their tasks.

    Raises RunError for a folder without a finished run, and UsageError if a run is given twice.
    """
    found = [find_log(path) or open_run(path) for path in paths]
    folders = [each for each in found if isinstance(each, RunFolder)]
    check_given(given or {}, folders)
    loaded = [read_contestant(each, given) if isinstance(each, RunFolder) else of_log(each) for each in found]
    seen: dict[Path, str] = {}
    for each in loaded:
        first = seen.setdefault(Path(each.path).resolve(), each.path)
        if first is not each.path:
            hint = "give each run once; a second run of a model needs its own folder"
            raise UsageError(f"{escaped_path(each.path)} is the same run as {escaped_path(first)}", hint=hint)
    return with_distinct_names(loaded)


def with_distinct_names(loaded: Sequence[Contestant]) -> list[Contestant]:
    """The contestants with names that are distinct within each track."""
    return [
        msgspec.structs.replace(each, name=name) for each, name in zip(loaded, _names(loaded), strict=True)
    ]


def _settings(identity: Mapping[str, Any], score: Score) -> dict[str, Any]:
    """Other settings of the run, and whether people decided answers that no judge was asked about."""
    rest = {name: value for name, value in identity.items() if name not in _OWN_FIELDS}
    return {**rest, "decided by": "people"} if score.details.get("people", {}).get("decided") else rest


def _names(loaded: Sequence[Contestant]) -> list[str]:
    """Short names, distinct within each track."""
    names: dict[str, str] = {}
    for track in dict.fromkeys(each.track for each in loaded):
        mine = [each for each in loaded if each.track == track]
        short = short_names([(each.model, each.name) for each in mine], given=[each.given for each in mine])
        names.update(zip((each.path for each in mine), short, strict=True))
    return [names[each.path] for each in loaded]


def read_contestant(folder: RunFolder, given: DataByHash | None = None) -> Contestant:
    """Read a finished run, named like its folder. Raises RunError if it is not finished."""
    path, score = folder.path, read_score(folder)
    identity: dict[str, Any] = folder.manifest["identity"]
    n = _is_complete(identity.get("n"))
    tasks = _verdicts(folder, n if score.prompt_design == "all" else 0)
    judged = {
        task: judged_answers for task, ends in tasks.items() if (judged_answers := _judged_answers(ends))
    }
    measures = measures_of(identity_field(folder, "track"))
    estimates = {
        metric: [_estimate(measures, metric, answers) for answers in judged.values()]
        for metric in measures.compared(score.metrics)
    }
    _check(path, score, estimates)
    clusters = read_clusters(folder, list(judged), given)
    return Contestant(
        name=escaped_path(path.name),
        path=str(path),
        model=score.model,
        track=identity_field(folder, "track"),
        profile=identity_field(folder, "profile"),
        data=identity_field(folder, "data"),
        judging=_is_complete(identity.get("judging")),
        n=n or max(map(len, tasks.values()), default=0),
        tasks=list(judged),
        counts=[_count(answers) for answers in judged.values()],
        estimates=estimates,
        clusters=clusters.names,
        score=score,
        form=str(identity.get("form", "default")),
        excluded=[str(name) for name in identity.get("excluded") or ()],
        unjudged=[task for task in tasks if task not in judged],
        grouping=clusters.key,
        groups_absent=clusters.absent,
        settings=_settings(identity, score),
        given=_text(folder.manifest.get(NAME)),
    )


def of_log(log: ToolLog) -> Contestant:
    """A log of another tool, with its own scores and names. Raises DataError if it has no scores."""
    run = logged_run(log)
    first = next(iter(run.estimates))
    return Contestant(
        name=log.started[:_SECONDS] or escaped_path(log.path.name),
        path=str(log.path),
        model=log.model,
        track=track_of(log),
        profile=log.tool,
        data="",
        judging=0,
        n=log.epochs,
        tasks=run.tasks,
        counts=run.counts,
        estimates=run.estimates,
        clusters=run.clusters.names,
        score=run.score,
        unjudged=run.unjudged,
        grouping=run.clusters.key,
        tool=log.tool,
        measured=log_measures(log, list(run.estimates)),
        grade="" if is_binary(log.samples, first) else first,
        contents=run.contents,
        log_notes=run.notes,
    )


def _verdicts(folder: RunFolder, crossed: int) -> dict[TaskId, Ends]:
    """Outcomes by task and sample; the last of several verdicts counts.

    `crossed`: answers per prompt, if each task was asked with several prompts, so that sample // n is the
    number of the prompt; else 0.
    """
    tasks: dict[TaskId, Ends] = {}
    for verdict in folder.verdicts():
        prompt = str(verdict.sample // crossed) if crossed else ""
        tasks.setdefault(verdict.task_id, {})[verdict.sample] = JudgedAnswer.of(verdict, prompt)
    return tasks


def _judged_answers(ends: Ends) -> list[JudgedAnswer]:
    return [each for each in ends.values() if each.outcome.is_decided]


def _count(answers: Sequence[JudgedAnswer]) -> tuple[int, int]:
    return len(answers), sum(each.outcome is Outcome.passed for each in answers)


def _estimate(measures: MeasureSet, metric: str, answers: Sequence[JudgedAnswer]) -> float:
    """The task's value; NaN if it has too few answers."""
    value = measures.task_value(metric, answers)
    return nan if value is None else value


def _check(path: Path, score: Score, estimates: Mapping[str, list[float]]) -> None:
    """Compare the means with scores.json: they differ while missing answers are being retried."""
    for metric, found in estimates.items():
        values = [value for value in found if not isnan(value)]
        stated, mean = score.metrics[metric].value, fsum(values) / len(values) if values else nan
        is_short = len(values) < len(found) and len(values) != score.metrics[metric].n
        if is_short or not abs(stated - mean) <= _SAME:
            message = (
                f"{escaped_path(path)}: scores.json gives {metric} = {stated:.6f} "
                f"but the verdicts give {mean:.6f}: "
                "the run was resumed and is unfinished, or a file was edited"
            )
            raise RunError(message, hint="repeat its command to complete the run and its scores")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_complete(value: object) -> int:
    return value if isinstance(value, int) else 0
