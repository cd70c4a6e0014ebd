"""Input of an export: the tasks of a data set with ten answers each, from a run folder or a file.

Everything that would make the server reject or misread the submission is rejected here, before anything runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import ExportableTrack, Prompt
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, RunError, UsageError, command_name
from benchwright.interop.mera.task_sets import OutputsShape, TaskSetKind, find_kind, hides_outputs, kind_of
from benchwright.models.replay import Replay
from benchwright.models.spec import parse_model
from benchwright.records import Answer, Task, TaskId
from benchwright.registry import find
from benchwright.running.run_data import HINT, find_run_data
from benchwright.sandbox.limits import Limits
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records

SHOWN = 5
# For answers without a run: the current time would make equal exports differ.
NO_TIME = datetime(1980, 1, 1)


class RunToRepeat(NamedTuple):
    """Answers with everything needed to run them again. `answers` has a list per task, by sample."""

    name: str
    kind: TaskSetKind
    track: ExportableTrack
    tasks: dict[TaskId, Task]
    answers: dict[TaskId, list[Answer]]
    limits: Limits = Limits()
    time: datetime = NO_TIME
    asked: Mapping[str, Any] = {}  # known parameters of the requests


def from_run(path: str | Path, *, task_name: str | None, data: str | None, missing: str) -> RunToRepeat:
    """Read the answers of a run folder, judged or not. `data` is the path of a moved data set."""
    folder = RunFolder.read(Path(path))
    identity = folder.manifest["identity"]
    track = _track(str(identity.get("track")))
    tasks = _tasks_of(folder, data)
    source = RunToRepeat(
        name=escaped_path(folder.path),
        kind=_kind(track, tasks, task_name),
        track=track,
        tasks=tasks,
        answers=_by_task(tasks, _latest(folder)),
        limits=_limits(identity.get("limits", {}), source=folder.path),
        time=_time(folder.manifest),
        asked=identity.get("model", {}),
    )
    again = f"{command_name()} run … --n {source.kind.generations} --out {quoted(path)}"
    return _check_source(source, missing=missing, hint=f"run it to the end: `{again}`")


def from_file(answers: str | Path, *, data: str, task_name: str | None, missing: str) -> RunToRepeat:
    """Read the answers of a file for `--model replay:FILE`; the data set may be private."""
    track = _track(find_kind(task_name or "ruHumanEval").track or "ruhumaneval")
    tasks = {task.task_id: task for task in track.load(data)}
    model = parse_model(f"replay:{answers}", track=track, tasks=tasks)
    if isinstance(model, Replay):
        model.check(tasks)
    prompts = [
        Prompt(key="", task_id=task_id, sample=sample, text="")
        for task_id, task in tasks.items()
        for sample in range(model.samples(task) or 0)
    ]
    source = RunToRepeat(
        name=escaped_path(answers),
        kind=_kind(track, tasks, task_name),
        track=track,
        tasks=tasks,
        answers=_by_task(tasks, model.answer(prompts, tasks)),
        asked=model.identity(),
    )
    return _check_source(source, missing=missing, hint="add rows for them")


def integer_id(task: Task) -> int:
    """Return a task's id as an integer, which the server requires. Raises DataError for others."""
    try:
        return int(task.task_id)
    except ValueError:
        hint = "MERA's server requires integer ids: write `meta.id` as a number"
        raise DataError(
            "is not an integer", path=task.origin, task_id=task.task_id, field="meta.id", hint=hint
        ) from None


def unexportable(tasks: Iterable[Task]) -> Iterator[DataError]:
    """Yield errors for ids that MERA's server would not find: no integer, or a duplicate (7 and "7")."""
    seen: dict[int, Task] = {}
    for task in tasks:
        try:
            number = integer_id(task)
        except DataError as error:
            yield error
            continue
        if (before := seen.setdefault(number, task)) is not task:
            yield DataError(
                f"duplicates the id of {before.origin}",
                path=task.origin,
                task_id=task.task_id,
                field="meta.id",
                hint="give each task a unique integer `meta.id`",
            )


def _track(name: str) -> ExportableTrack:
    kind_of(name, private=False)  # refuses a track that fills no task set
    track: ExportableTrack = find("track", name)
    return track


def _kind(track: ExportableTrack, tasks: Mapping[TaskId, Task], name: str | None) -> TaskSetKind:
    if name is None:
        public = kind_of(track.name, private=False)
        return kind_of(track.name, private=any(hides_outputs(task, public) for task in tasks.values()))
    kind = find_kind(name)
    if track.name not in kind.tracks:
        hint = f"omit --task, or use {kind_of(track.name, private=False).name}"
        raise UsageError(f"--task {name} does not match the track {track.name}", hint=hint)
    return kind


def _tasks_of(folder: RunFolder, data_path: str | None) -> dict[TaskId, Task]:
    """Return the run's tasks. Raises RunError if they are missing, or from other data."""
    data = find_run_data(folder, data_path)
    if data.absent:
        raise RunError(f"exporting requires the tasks: {data.absent}", hint=HINT)
    return data.tasks()


def _limits(stored: Any, *, source: Path) -> Limits:
    """Return the run's own limits, so that answers end as in the run."""
    try:
        return msgspec.convert(stored, Limits)
    except msgspec.ValidationError as error:
        hint = "export the answers without the run: --data DATA --answers RUN/answers.jsonl"
        message = f"{escaped_path(source)}: its limits are from another version ({error})"
        raise RunError(message, hint=hint) from None


def _latest(folder: RunFolder) -> Iterable[Answer]:
    """Return one answer per sample. A retried answer is duplicated until the run ends; no error wins."""
    if not folder.answers_path.exists():
        return []
    latest: dict[tuple[TaskId, int], Answer] = {}
    for answer in read_records(folder.answers_path, Answer, torn="skip"):
        place = (answer.task_id, answer.sample)
        if answer.error is None or place not in latest:
            latest[place] = answer
    return latest.values()


def _by_task(tasks: Mapping[TaskId, Task], answers: Iterable[Answer]) -> dict[TaskId, list[Answer]]:
    found: dict[TaskId, list[Answer]] = {task_id: [] for task_id in tasks}
    for answer in answers:
        if answer.task_id in found:
            found[answer.task_id].append(answer)
    for rows in found.values():
        rows.sort(key=lambda answer: answer.sample)
    return found


def _check_source(source: RunToRepeat, *, missing: str, hint: str) -> RunToRepeat:
    """Return the source if the server would accept its submission. Raises RunError otherwise."""
    for fault in unexportable(source.tasks.values()):
        raise fault
    is_text = source.kind.shape is OutputsShape.text  # one answer is taken, the first
    need = 1 if is_text else max(source.kind.generations, *map(len, source.answers.values()))
    if short := [task for task, answers in source.answers.items() if len(answers) < need]:
        least = min(len(source.answers[task]) for task in short)
        few = "no answer" if need == 1 else f"fewer than {need} answers (minimum: {least})"
        message = f"{source.name}: {_task_names(short)} {few}"
        nothing = "" if is_text else ", and with n < k its pass@k is 1 for nothing"
        why = f"MERA's server requires every task{nothing}; {hint}"
        raise RunError(message, hint=why)
    failed = [task for task, answers in source.answers.items() if any(each.error for each in answers)]
    if failed and missing == "refuse":
        message = f"{source.name}: {_task_names(failed)} missing answers"
        raise RunError(message, hint=f"{hint}, or export empty answers: --missing empty")
    return source


def _task_names(tasks: list[TaskId]) -> str:
    names = ", ".join(str(task) for task in tasks[:SHOWN]) + (", …" if len(tasks) > SHOWN else "")
    return f"task {names} has" if len(tasks) == 1 else f"{len(tasks)} tasks ({names}) have"


def _time(manifest: Mapping[str, Any]) -> datetime:
    """Return the end or start of the run for the name of its log: MERA's packer uses the newest one."""
    text = manifest.get("finished") or manifest.get("started")
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if isinstance(text, str) else NO_TIME
    except ValueError:
        return NO_TIME
