"""Read a finished run: its data set, tasks, answers and verdicts, for reports, comparisons and `show`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

import msgspec

from benchwright import registry
from benchwright.contracts import Assessment, Extraction, MeasureSet, Track, UnknownMeasures, worth
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, RunError, UsageError, command_name
from benchwright.records import Answer, Outcome, Record, Score, Task, TaskId, Verdict
from benchwright.running.options import check_name
from benchwright.store import task_snapshot
from benchwright.store.data_files import data_hash
from benchwright.store.named_data import find_data, is_here, is_name
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records

R = TypeVar("R", bound=Record)


class JudgedAnswerRow(NamedTuple):
    """An answer, its verdict by the run's own profile, and the assessments of model judges.

    The verdict is None before the answer is judged.
    """

    answer: Answer
    verdict: Verdict | None
    assessments: tuple[Assessment, ...] = ()


class TaskSummary(NamedTuple):
    """The outcomes of the answers to one task."""

    task_id: TaskId
    outcomes: Counter[str]
    mean: float | None = None  # score of its decided answers, where the track grades answers

    @property
    def passed(self) -> int:
        """The number of passed answers."""
        return self.outcomes[Outcome.passed.value]


class Difference(NamedTuple):
    """An answer on which two scoring profiles disagree."""

    task_id: TaskId
    sample: int
    verdicts: dict[str, Verdict]


def open_run(path: str | Path) -> RunFolder:
    """Open a run folder to read. Raises RunError for another folder, and UsageError for an empty name."""
    if not str(path):  # Path("") is the current folder
        raise UsageError("the name of the run folder is empty", hint="name a run folder, such as runs/mine")
    check_name("the run folder", str(path))
    return RunFolder.read(Path(path))


def profiles_of(folder: RunFolder) -> list[str]:
    """Return the profiles of a run, its own first."""
    own = identity_field(folder, "profile")
    names = {path.name.removeprefix("verdicts.").removesuffix(".jsonl") for path in folder.path.iterdir()}
    return [
        own,
        *sorted(names.intersection(_track(folder).profiles) - {own}),
    ]  # a user's copy is not a profile


def _track(folder: RunFolder) -> Track:
    return _find_track(identity_field(folder, "track"))


@cache
def _find_track(track: str) -> Track:
    """Return a track, cached because lookups are slow. Raises UsageError for an unknown name."""
    found: Track = registry.find("track", track)
    return found


def measures_of(track: str) -> MeasureSet:
    """Return the measures of a track by its name; unknown measures where it is not installed here."""
    try:
        return _find_track(track).measures
    except UsageError:
        return UnknownMeasures()


def executes(track: str) -> bool:
    """Whether a track executes answers as programs. True where the track is not installed."""
    try:
        return _find_track(track).executes
    except UsageError:
        return True


def read_score(folder: RunFolder) -> Score:
    """Read the score of a finished run. Raises RunError where it has none yet."""
    path = folder.path / "scores.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Score)
    except FileNotFoundError:
        raise _without_score(folder) from None
    except OSError as error:
        message = f"{escaped_path(path)} cannot be read: {error.strerror}"
        raise RunError(message, hint=f"ls -l {escaped_path(path)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "it was edited or damaged: run the same command again to rewrite it"
        raise RunError(f"{escaped_path(path)} is not a score: {error}", hint=hint) from None


def _without_score(folder: RunFolder) -> RunError:
    """Return the error for a run without verdicts, or an unfinished one; the hint differs."""
    if folder.answers_path.exists() and not folder.verdicts_path().exists():
        message = f"{escaped_path(folder.path)} has answers without verdicts, so it has no score"
        hint = "run its command again without --ask-only: it judges the stored answers"
        return RunError(message, hint=hint)
    message = f"{escaped_path(folder.path)} is not finished: it has no scores.json"
    return RunError(message, hint="run its command again to resume it")


def summaries(folder: RunFolder, *, outcome: str | None = None) -> list[TaskSummary]:
    """Yield one summary a task, in order; with `outcome`, only tasks with such an answer."""
    grade = measures_of(identity_field(folder, "track")).grade
    tasks: dict[TaskId, dict[int, tuple[str, float | None]]] = {}
    for verdict in _verdicts(folder):
        good = worth(verdict, grade) if grade else None
        tasks.setdefault(verdict.task_id, {})[verdict.sample] = verdict.outcome.value, good
    rows = [_summary(task_id, list(ends.values())) for task_id, ends in tasks.items()]
    return [row for row in rows if outcome is None or row.outcomes[outcome]]


def _summary(task_id: TaskId, ends: Sequence[tuple[str, float | None]]) -> TaskSummary:
    grades = [good for _, good in ends if good is not None]
    return TaskSummary(task_id, Counter(end for end, _ in ends), fmean(grades) if grades else None)


def judged_answers(folder: RunFolder, task: str) -> list[JudgedAnswerRow]:
    """Return the answers to a task with verdicts and assessments. Raises RunError for an unknown task."""
    answers = {answer.sample: answer for answer in _answers(folder) if str(answer.task_id) == task}
    if not answers:
        hint = f"{command_name()} show {quoted(folder.path)}"
        raise RunError(f"{escaped_path(folder.path)} has no answers to task {escaped_path(task)}", hint=hint)
    verdicts = {verdict.sample: verdict for verdict in _verdicts(folder) if str(verdict.task_id) == task}
    assessments: dict[int, list[Assessment]] = {}
    for each in _complete_records(folder.assessments_path, Assessment):
        if str(each.task_id) == task:
            assessments.setdefault(each.sample, []).append(each)
    return [
        JudgedAnswerRow(answers[sample], verdicts.get(sample), tuple(assessments.get(sample, ())))
        for sample in sorted(answers)
    ]


def differences(folder: RunFolder) -> Iterator[Difference]:
    """Yield the answers that some profiles pass and others fail, of those that all have judged."""
    names = profiles_of(folder)
    if len(names) < 2:
        raise RunError(
            f"{escaped_path(folder.path)} was judged by one profile only",
            hint=f"run it again with {' '.join(f'--profile {name}' for name in _track(folder).profiles[:2])}",
        )
    passes = {name: _passes(folder, name) for name in names}
    common = [key for key in passes[names[0]] if all(key in passes[name] for name in names)]
    differing = {
        key: dict[str, Verdict]() for key in common if len({passes[name][key] for name in names}) > 1
    }
    for name in names:
        for verdict in _verdicts(folder, name):
            if (key := (verdict.task_id, verdict.sample)) in differing:
                differing[key][name] = verdict
    for (task_id, sample), verdicts in differing.items():
        yield Difference(task_id, sample, verdicts)


def _passes(folder: RunFolder, profile: str) -> dict[tuple[TaskId, int], bool]:
    return {
        (verdict.task_id, verdict.sample): verdict.outcome is Outcome.passed
        for verdict in _verdicts(folder, profile)
    }


def programs(folder: RunFolder, answers: list[Answer], data: RunData) -> dict[int, Extraction] | None:
    """Return the program in each answer to one task, by sample; None where the data set is missing."""
    task = data.task(answers[0].task_id) if answers else None
    if task is None:
        return None
    profile = identity_field(folder, "profile")
    return {answer.sample: data.track.extract(task, answer, profile=profile) for answer in answers}


def expected_label(data: RunData, task_id: TaskId) -> str | None:
    """Return the expected label of a task; empty where the data set is missing.

    None for tracks whose answers are programs or texts.
    """
    if data.track.executes or data.track.measures.grade:
        return None
    task = data.task(task_id)
    return "" if task is None else data.track.gold(task) or ""


def cheats(folder: RunFolder) -> Iterator[Verdict]:
    """Yield verdicts on answers that tried to cheat or escape. None of them should have passed."""
    for verdict in _verdicts(folder):
        if verdict.outcome is Outcome.tampered or verdict.suspicious:
            yield verdict


def _answers(folder: RunFolder) -> Iterator[Answer]:
    return _complete_records(folder.answers_path, Answer)


def _verdicts(folder: RunFolder, profile: str = "") -> Iterator[Verdict]:
    return _complete_records(folder.verdicts_path(profile), Verdict)


def _complete_records(path: Path, kind: type[R]) -> Iterator[R]:
    """Yield the complete lines of a file. The last line may be incomplete."""
    return read_records(path, kind, torn="skip") if path.exists() else iter(())


DataByHash = Mapping[str, str | Path]  # data sets that a user named, by their hashes
HINT = "name the data set that was run: --data PATH"


class RunData(NamedTuple):
    """The tasks of a run, or the reason for their absence: `absent`, a clause for people."""

    track: Track
    source: str | Path = ""
    absent: str = ""

    def tasks(self) -> dict[TaskId, Task]:
        """Return all tasks of the data set, also those excluded from the run; empty where it is absent."""
        return {} if self.absent else {task.task_id: task for task in self.track.load(self.source)}

    def task(self, task_id: TaskId) -> Task | None:
        """Return a task; None for an unknown id."""
        if self.absent:
            return None
        return next((task for task in self.track.load(self.source) if task.task_id == task_id), None)


def data_by_hash(paths: Iterable[str | Path]) -> DataByHash:
    """Return the data sets of --data by hash. Raises DataError or UsageError for unreadable ones."""
    return {data_hash(path): path for path in paths}


def data_of(folder: RunFolder, given: DataByHash | None = None) -> RunData:
    """Find the data set of a run: a given one, the folder's copy, or the file that was run.

    Where the tasks are withheld, only a given one counts, so that nobody publishes them by accident. Raises
    RunError where the folder's copy was changed.
    """
    track: Track = registry.find("track", identity_field(folder, "track"))
    source, absent = _find(folder, given or {})
    return RunData(track, source, absent)


def find_run_data(folder: RunFolder, named: str | Path | None) -> RunData:
    """Find the data set for one run and one --data. Raises RunError for data of another run."""
    given = data_by_hash([] if named is None else [named])
    check_given(given, [folder])
    return data_of(folder, given)


def check_given(given: DataByHash, folders: Iterable[RunFolder]) -> None:
    """Raise RunError for a given data set that belongs to none of these runs."""
    folders = list(folders)
    known = {each for folder in folders for each in _hashes(folder)}
    for sha256, path in given.items():
        if sha256 not in known:
            runs = ", ".join(escaped_path(folder.path) for folder in folders)
            message = f"{escaped_path(path)} is not the data set of {runs}: its content differs"
            raise RunError(message, hint=f"{runs} was made with {_data_name(folders[0])}")


def identity_field(folder: RunFolder, field: str) -> str:
    """Return a field of a run's identity. Raises RunError where it is missing."""
    value = folder.manifest["identity"].get(field)
    if not isinstance(value, str):
        hint = f"name a folder that this version's `{command_name()} run … --out FOLDER` made"
        raise RunError(f"{escaped_path(folder.path / 'run.json')} has no {field}", hint=hint)
    return value


def _find(folder: RunFolder, given: DataByHash) -> tuple[str | Path, str]:
    """Return the source, or the reason for its absence."""
    for sha256 in _hashes(folder):
        if sha256 in given:
            return given[sha256], ""
    entry = folder.manifest.get("tasks", "")
    snapshot = folder.path / task_snapshot.NAME
    if entry is None:
        return "", f"{escaped_path(folder.path)} keeps no tasks (it was run with --without-tasks)"
    if entry and snapshot.exists():
        task_snapshot.check(snapshot, entry)
        return snapshot, ""
    place = str(folder.manifest.get("data"))
    reason = _why_missing(place, identity_field(folder, "data"))
    if not reason:
        return place, ""
    path = escaped_path(folder.path)
    loss = f"{path} has lost its {task_snapshot.NAME}" if entry else f"{path} keeps no tasks"
    return "", f"{loss}, and its data set {reason}"


def _hashes(folder: RunFolder) -> set[str]:
    """Return the hashes of the data set and of its copy in the folder, whose format may differ."""
    return {identity_field(folder, "data"), task_snapshot.hash_of(folder.manifest.get("tasks"))} - {""}


def _data_name(folder: RunFolder) -> str:
    return escaped_path(str(folder.manifest.get("data")))


def _why_missing(data: str, sha256: str) -> str:
    """Return why a run's data is not usable; empty where it is unchanged. Never downloads from a hub."""
    away = f"is not at {escaped_path(data)} any more" + ("" if os.path.isabs(data) else ", seen from here")
    try:
        if is_name(data):  # nor is one that has a name
            return (
                ""
                if is_here(find_data(data)) and data_hash(data) == sha256
                else "is not in the cache any more"
            )
        if not os.path.exists(data):
            return away
        return "" if data_hash(data) == sha256 else f"at {escaped_path(data)} has changed"
    except (DataError, UsageError):  # something else is there now
        return away
