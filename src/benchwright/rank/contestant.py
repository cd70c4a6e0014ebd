"""A run as comparisons see it: one estimate a task for each metric, and what makes runs comparable.

    contestants = load(["runs/a", "runs/b"])

Only finished runs can be loaded. Their figures are computed again from the verdicts and held against
scores.json, so that a run whose missing answers are just being retried is not compared half-way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.rank.clusters import read_clusters
from benchwright.rank.names import short_names
from benchwright.rank.wording import in_metric_order
from benchwright.records import Outcome, Record, Score, TaskId
from benchwright.running.reading import open_run
from benchwright.running.run_data import Given, check_given, identity_field
from benchwright.stats.passk import pass_at_k
from benchwright.store.runfolder import RunFolder

# Parts of a run's identity that have a field of their own in `Contestant`.
_NAMED = frozenset({"track", "form", "data", "excluded", "model", "n", "profile", "judging"})
_PASS = re.compile(r"pass@([1-9][0-9]*)")
_SHARE = "exact_match"  # of a track of labels: the share of a task's answers that are right
_SAME = 1e-6  # how far a mean may be from the one in scores.json: rounding, and no more

Right = dict[int, bool | None]  # by sample: passed or not; None where the answer is missing


class Contestant(Record, frozen=True, kw_only=True):
    """One finished run. Every list over tasks has the order of `tasks`, which is the data set's.

    A task none of whose answers could be judged is in `unjudged`, not in `tasks`.
    """

    name: str  # short, and unlike the other contestants' names
    path: str  # the run folder
    model: str  # its spec
    track: str
    profile: str
    data: str  # SHA-256 of the data set
    judging: int  # version of the judging rules
    n: int  # answers a task; in a crossed design, to each of its prompts
    tasks: list[TaskId]
    counts: list[tuple[int, int]]  # (answers judged, answers passed) of each task
    # By metric, such as "pass@1" or "exact_match": those that are a mean over tasks. Others, such as "mcc",
    # are in `score` alone: no task has a share of them to compare with the same task of another run.
    estimates: dict[str, list[float]]
    clusters: list[str]  # the group a task belongs to (repository, template); its own id where it has none
    score: Score
    form: str = "default"  # how execution was judged
    excluded: list[str] = []  # tasks left out by the user
    unjudged: list[TaskId] = []
    grouping: str = ""  # the key of the tasks' meta that `clusters` come from; empty where there is none
    groups_absent: str = ""  # why the data set was not at hand to say which tasks belong together
    settings: dict[str, Any] = {}  # the rest of the run's identity: limits, Python's version, prompts


def untested(contestants: Sequence[Contestant]) -> list[str]:
    """The metrics that all of these runs have and no test is made of, such as balanced accuracy and MCC."""
    first, *others = contestants
    names = [name for name in first.score.metrics if name not in first.estimates]
    return in_metric_order(name for name in names if all(name in each.score.metrics for each in others))


def load(paths: Sequence[str | Path], *, given: Given | None = None) -> list[Contestant]:
    """Finished runs to compare, in the order given, under names that tell them apart.

    `given` are data sets for runs that do not keep their tasks.

    Raises RunError for a folder that holds no finished run, and UsageError when one is named twice.
    """
    folders = [open_run(path) for path in paths]
    check_given(given or {}, folders)
    loaded = [_load(folder, given) for folder in folders]
    seen: dict[Path, str] = {}
    for each in loaded:
        first = seen.setdefault(Path(each.path).resolve(), each.path)
        if first is not each.path:
            hint = "name each run once; a second run of a model needs a folder of its own"
            raise UsageError(f"{escaped_path(each.path)} is the same run as {escaped_path(first)}", hint=hint)
    return [
        msgspec.structs.replace(each, name=name) for each, name in zip(loaded, _names(loaded), strict=True)
    ]


def _names(loaded: Sequence[Contestant]) -> list[str]:
    """Short ones, by track: a report may hold a model's runs on several, which nothing compares."""
    names: dict[str, str] = {}
    for track in dict.fromkeys(each.track for each in loaded):
        mine = [each for each in loaded if each.track == track]
        short = short_names([(each.model, each.path) for each in mine])
        names.update(zip((each.path for each in mine), short, strict=True))
    return [names[each.path] for each in loaded]


def _load(folder: RunFolder, given: Given | None) -> Contestant:
    path, score = folder.path, read_score(folder)
    identity: dict[str, Any] = folder.manifest["identity"]
    tasks = {task: right for task, right in _verdicts(folder).items() if right}
    judged = [task for task, right in tasks.items() if any(one is not None for one in right.values())]
    n = _whole(identity.get("n")) or max((len(right) for right in tasks.values()), default=0)
    size = n if score.prompt_design == "all" else 0
    groups = {task: _groups(tasks[task], size) for task in judged}
    estimates = {
        metric: [_estimate(path, int(known[1]), task, groups[task]) for task in judged]
        for metric in sorted(score.metrics, key=_by_k)
        if (known := _PASS.fullmatch(metric))
    }
    counts = {task: _count(tasks[task].values()) for task in judged}
    if _SHARE in score.metrics:
        estimates[_SHARE] = [passed / answers for answers, passed in counts.values()]
    _check(path, score, estimates)
    clusters = read_clusters(folder, judged, given)
    return Contestant(
        name=escaped_path(path.name),
        path=str(path),
        model=score.model,
        track=identity_field(folder, "track"),
        profile=identity_field(folder, "profile"),
        data=identity_field(folder, "data"),
        judging=_whole(identity.get("judging")),
        n=n,
        tasks=judged,
        counts=list(counts.values()),
        estimates=estimates,
        clusters=clusters.names,
        score=score,
        form=str(identity.get("form", "default")),
        excluded=[str(name) for name in identity.get("excluded") or ()],
        unjudged=[task for task in tasks if task not in set(judged)],
        grouping=clusters.key,
        groups_absent=clusters.absent,
        settings={name: value for name, value in identity.items() if name not in _NAMED},
    )


def read_score(folder: RunFolder) -> Score:
    """The score of a finished run. Raises RunError where there is none yet."""
    path = folder.path / "scores.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Score)
    except FileNotFoundError:
        raise _without_score(folder) from None
    except OSError as error:
        message = f"{escaped_path(path)} cannot be read: {error.strerror}"
        raise RunError(message, hint=f"ls -l {escaped_path(path)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "it was edited or damaged: run the run's command again, which writes it anew"
        raise RunError(f"{escaped_path(path)} is not a score: {error}", hint=hint) from None


def _without_score(folder: RunFolder) -> RunError:
    """The error for a run that was only asked, or that has not ended: the way on differs."""
    if folder.answers_path.exists() and not folder.verdicts_path().exists():
        message = f"{escaped_path(folder.path)} holds answers that were never judged, so it has no score"
        hint = "run its command again without --ask-only: it judges what is there, and asks nothing twice"
        return RunError(message, hint=hint)
    message = f"{escaped_path(folder.path)} is not finished: it has no scores.json"
    return RunError(message, hint="run its command again: it goes on where it stopped")


def _verdicts(folder: RunFolder) -> dict[TaskId, Right]:
    """By task and sample whether the answer passed; of two verdicts on one answer the last counts."""
    tasks: dict[TaskId, Right] = {}
    for verdict in folder.verdicts():
        passed = None if verdict.outcome.is_missing else verdict.outcome is Outcome.passed
        tasks.setdefault(verdict.task_id, {})[verdict.sample] = passed
    return tasks


class _Group(NamedTuple):
    judged: int
    passed: int


def _groups(right: Right, size: int) -> list[_Group]:
    """The counts of each prompt variant; with size 0 all answers to a task are one group.

    In a crossed design sample // n is the number of the variant.
    """
    variants: dict[int, list[bool | None]] = {}
    for sample, passed in right.items():
        variants.setdefault(sample // size if size else 0, []).append(passed)
    return [_Group(*_count(each)) for each in variants.values()]


def _by_k(metric: str) -> tuple[int, str]:
    """scores.json sorts its keys as text, which puts pass@10 before pass@5."""
    known = _PASS.fullmatch(metric)
    return (int(known[1]) if known else 0, metric)


def _count(passes: Iterable[bool | None]) -> tuple[int, int]:
    known = [passed for passed in passes if passed is not None]
    return len(known), sum(known)


def _estimate(path: Path, k: int, task: TaskId, groups: list[_Group]) -> float:
    """The task's pass@k: the mean over its prompt variants that were answered often enough."""
    enough = [pass_at_k(each.judged, each.passed, k) for each in groups if each.judged >= k]
    if not enough:
        most = max(each.judged for each in groups)
        name = escaped_path(str(task))
        message = f"{escaped_path(path)} gives pass@{k}, but task {name} has only {most} judged answers"
        raise RunError(message, hint="run its command again to complete it")
    return fsum(enough) / len(enough)


def _check(path: Path, score: Score, estimates: Mapping[str, list[float]]) -> None:
    """Hold the means against scores.json: they differ while missing answers are being retried."""
    for metric, values in estimates.items():
        told, mean = score.metrics[metric].value, fsum(values) / len(values) if values else float("nan")
        if not abs(told - mean) <= _SAME:
            message = (
                f"{escaped_path(path)}: scores.json gives {metric} = {told:.6f} "
                f"where the verdicts give {mean:.6f}, "
                "so the run was continued and has not ended, or a file was edited"
            )
            raise RunError(message, hint="run its command again: it completes the run and its scores")


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
