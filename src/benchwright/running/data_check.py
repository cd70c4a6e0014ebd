"""Check a whole data set: report each invalid row, and each reference answer that fails.

A run stops at the first fault, because a score of the other rows would mislead. An author of a data set wants
all faults at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from inspect import signature
from pathlib import Path
from typing import Literal

from benchwright import registry
from benchwright.contracts import (
    NOT_SCORED,
    ORACLE,
    STUBS,
    Criterion,
    Executor,
    Job,
    Judgement,
    Track,
    with_defaults,
)
from benchwright.errors import DataError, command_name
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, Record, Task, TaskId
from benchwright.running.options import mapped_data, with_repositories
from benchwright.running.self_check import GOLD, PROFILE, STUB, is_good, is_left_out, stub_is_bad
from benchwright.tracks.row_detection import track_of

FaultKind = Literal["row", "gold", "stub", "not_executed", "not_scored", "note"]


class RowFault(Record, frozen=True, kw_only=True):
    """One fault of a data set: its place, the problem, and a hint."""

    kind: FaultKind  # unreadable row; gold fails; stub passes; not executed; not scored; a note
    message: str
    place: str = ""  # the file, with the line where it is known
    line: int | None = None
    task: str = ""
    field: str = ""
    hint: str = ""


class CheckedData(Record, frozen=True, kw_only=True):
    """The result of a check, with faults in the order of their lines."""

    data: str
    track: str
    tasks: int  # rows that are tasks
    faults: list[RowFault]
    gold: int = 0  # tasks that hold an answer which must pass
    hidden: int = 0  # tasks without golds, to which answers can be asked for but not scored
    executed: bool = False
    stops: bool = False  # the track's reader ends at the first fault, so there may be more
    notes: list[RowFault] = []  # faults that a run allows and an export refuses
    unscored: list[RowFault] = []  # tasks whose references were not judged, such as those without a clone

    @property
    def holds(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


class LoadedData(Record, frozen=True, kw_only=True):
    """All rows of a data set that could be read, and the faults of the others."""

    track: str
    tasks: list[Task]
    faults: list[RowFault]
    stops: bool = False
    repositories: str | None = None  # folder of clones in which answers are judged

    def open_track(self) -> Track:
        """Return the track with its clones. Raises UsageError for a missing folder."""
        return with_repositories(registry.find("track", self.track), self.repositories)


def load_all(
    source: str | Path,
    track_name: str | None = None,
    *,
    columns: Sequence[str] = (),
    values: Sequence[str] = (),
    repositories: str | None = None,
) -> LoadedData:
    """Return every task of a data set, and a fault for every other row. The row fields determine the track.

    `columns`, `values` and `repositories` are those of `RunOptions`. Raises UsageError for a missing file, an
    unknown track, or rows that no built-in track reads.
    """
    name = track_name or track_of(source)
    track = with_repositories(registry.find("track", name), repositories)
    source = mapped_data(str(source), track, columns=columns, values=values)
    refused: list[DataError] = []
    goes_on = "refuse" in signature(track.load).parameters
    tasks: list[Task] = []
    try:
        found = track.load(source, refuse=refused.append) if goes_on else track.load(source)  # type: ignore[call-arg]
        for task in found:
            tasks.append(task)
        if not tasks and not refused:
            next(iter(track.load(source)))  # says itself that there are no rows
    except DataError as error:  # an error that ends the file
        refused.append(error)
    refused += filter(None, (_unjudgeable(track, task) for task in tasks))
    faults = list(map(_row_fault, refused))
    stopped_early = not goes_on and bool(faults)
    return LoadedData(track=name, tasks=tasks, faults=faults, stops=stopped_early, repositories=repositories)


def executed_faults(loaded: LoadedData, pool: Executor, watch: Watcher) -> Iterator[RowFault]:
    """Yield a fault for each reference answer that fails, for each stub that passes, and for unscored tasks.

    For a task without a reference answer only the stub is executed. Tasks with hidden outputs are skipped.
    Raises a BenchwrightError where the requirements of tasks cannot be prepared.
    """
    track = loaded.open_track()
    tasks = [task for task in loaded.tasks if _is_open(track, task)]
    with_defaults(track).prepare(tasks, note=watch.note)
    answers = list(_answers(track, tasks))
    jobs = (
        Job(number, answer, Criterion(track.spec(task, profile=PROFILE), task, PROFILE))
        for number, (task, answer) in enumerate(answers)
    )
    with stage(watch, "gold and stubs", total=len(answers), done=0):
        ends: dict[int, Judgement] = {}
        for number, judgement in pool.judge(jobs):
            ends[number] = judgement
            watch.tick(judgement.outcome)
    left_out: set[TaskId] = set()  # both of a task's answers say why
    for number, (task, answer) in enumerate(answers):
        if not is_left_out(ends[number]):
            yield from _execution_faults(task, answer, ends[number])
        elif task.task_id not in left_out:
            left_out.add(task.task_id)
            yield _left_out(task, ends[number])


def check_rows(
    source: str | Path,
    loaded: LoadedData,
    faults: Sequence[RowFault] = (),
    *,
    notes: Iterable[DataError] = (),
    executed: bool = False,
) -> CheckedData:
    """Return the check as one record. `notes` are remarks that do not prevent a run."""
    track = loaded.open_track()
    found = sorted([*loaded.faults, *faults], key=lambda fault: fault.line or 0)
    unsolved = [task for task in loaded.tasks if track.gold(task) is None]
    return CheckedData(
        data=str(source),
        track=loaded.track,
        tasks=len(loaded.tasks),
        faults=[fault for fault in found if fault.kind != "not_scored"],
        unscored=[fault for fault in found if fault.kind == "not_scored"],
        gold=len(loaded.tasks) - len(unsolved),
        hidden=sum(not _is_open(track, task) for task in unsolved),
        executed=executed,
        stops=loaded.stops,
        notes=[_row_fault(each, "note") for each in notes],
    )


def _unjudgeable(track: Track, task: Task) -> DataError | None:
    """Why no answer to a task can be judged. None for a judgeable task, and for hidden outputs."""
    try:
        track.spec(task, profile=PROFILE)
    except DataError as error:
        return error if track.gold(task) is not None else None
    return None


def _is_open(track: Track, task: Task) -> bool:
    try:
        track.spec(task, profile=PROFILE)
    except DataError:
        return False
    return True


def _answers(track: Track, tasks: Sequence[Task]) -> Iterator[tuple[Task, Answer]]:
    for task in tasks:
        for sample, text in ((GOLD, track.gold(task)), (STUB, track.stub(task))):
            if text is not None:
                yield task, Answer(key="", task_id=task.task_id, sample=sample, model="check", text=text)


def _execution_faults(task: Task, answer: Answer, end: Judgement) -> Iterator[RowFault]:
    if end.outcome is Outcome.sandbox_error:
        hint = f"{command_name()} doctor"
        yield _task_fault(task, "not_executed", f"could not be executed: {end.detail}", hint)
    elif answer.sample == GOLD and not is_good(end):
        reason = f"{end.outcome.value} {end.detail}".rstrip()
        hint = "correct the solution, or what it is judged by"
        yield _task_fault(task, "gold", f"its own right answer does not pass: {reason}", hint)
    elif answer.sample == STUB and stub_is_bad(end):
        hint = "add a test that only a right answer passes"
        yield _task_fault(task, "stub", "an answer that does nothing passes", hint)


def _left_out(task: Task, end: Judgement) -> RowFault:
    """The fault of a task that no run scores: a stub passes, the reference fails, or it was not executed."""
    reason = end.detail.removeprefix(NOT_SCORED)
    if any(value for name, value in end.scores.items() if name.startswith(STUBS)):
        return _task_fault(task, "stub", reason, "add a test that only a right answer passes")
    if end.scores.get(ORACLE, 1.0) == 0:
        return _task_fault(task, "gold", reason, "correct the solution, or what it is judged by")
    return _task_fault(task, "not_scored", reason, "supply what is missing, or run without this task")


def _task_fault(task: Task, kind: FaultKind, message: str, hint: str) -> RowFault:
    line = task.origin.rpartition(":")[2]
    return RowFault(
        kind=kind,
        message=message,
        place=task.origin,
        line=int(line) if line.isdecimal() else None,
        task=str(task.task_id),
        hint=hint,
    )


def _row_fault(error: DataError, kind: FaultKind = "row") -> RowFault:
    path = error.path or ""
    return RowFault(
        kind=kind,
        message=error.what,
        place=f"{path}:{error.line}" if error.line else path,
        line=error.line,
        task="" if error.task_id is None else str(error.task_id),
        field=error.field or "",
        hint=error.hint or "",
    )
