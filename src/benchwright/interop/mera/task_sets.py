"""Task sets of MERA Code: names, shapes of `outputs`, and expected outputs.

Files are found by their case-sensitive base names, which are defined here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import UsageError, nearest
from benchwright.records import Record, Task, TaskId
from benchwright.registry import built_in_tracks, find
from benchwright.text.literal import parse_literal
from benchwright.tracks.correctness.rows import is_private as is_hidden
from benchwright.tracks.functions.ruhumaneval import MAX_TESTS, is_private

CORRECTNESS = "codecorrectness"
LABELS = "CodeCorrectness"
UNIT_TESTS, JAVA_TESTS = "UnitTests", "JavaTestGen"
EXECUTED = (
    JAVA_TESTS,
    "RealCode",
    "RealCodeJava",
    "YABLoCo",
)  # task sets of texts that are scored by execution
LOGS = "logs_public.zip"  # in the folder of the task sets' files


class OutputsShape(StrEnum):
    """What `outputs` holds.

    generations: (1, n_gen, n_tests), the text of each call's value, computed on the submitter's machine.
    text: one string. responses: (1, n_gen), the raw answers.
    """

    generations = "generations"
    text = "text"
    responses = "responses"


class TaskSetKind(Record, frozen=True, kw_only=True):
    """A task set: its name as in file names, the shape of its rows, and the tracks that produce it."""

    name: str
    shape: OutputsShape
    tracks: tuple[str, ...] = ()  # empty: no track here has its rows, so it can be checked but not exported
    rows: int = 0  # in MERA's own data set; 0 where it is not stated
    generations: int = 1
    private: bool = False  # MERA keeps the expected outputs to itself

    @property
    def track(self) -> str:
        """The track that reads its data sets; empty if there is none."""
        return self.tracks[0] if self.tracks else ""

    @property
    def log_name(self) -> str:
        """Name of the task in lm-eval, by which MERA's packer finds its log."""
        return self.name.lower()


_DECLARED = [(name, track.name) for track in built_in_tracks() for name in track.mera_sets]


def _set(
    name: str, shape: OutputsShape, *, rows: int, generations: int = 1, private: bool = False
) -> TaskSetKind:
    """A task set with the tracks that declare it."""
    tracks = tuple(track for declared, track in _DECLARED if declared == name)
    return TaskSetKind(
        name=name, shape=shape, tracks=tracks, rows=rows, generations=generations, private=private
    )


_ALL = (
    _set("ruHumanEval", OutputsShape.generations, rows=164, generations=10),
    _set("ruCodeEval", OutputsShape.generations, rows=164, generations=10, private=True),
    _set("CodeLinterEval", OutputsShape.responses, rows=110, generations=10, private=True),
    _set("ruCodeReviewer", OutputsShape.text, rows=689, private=True),
    _set("JavaTestGen", OutputsShape.text, rows=227),
    _set("RealCode", OutputsShape.text, rows=802),
    _set("RealCodeJava", OutputsShape.text, rows=298),
    _set("YABLoCo", OutputsShape.text, rows=208),
    _set("stRuCom", OutputsShape.text, rows=500),
    _set("UnitTests", OutputsShape.text, rows=2500),
    _set("CodeCorrectness", OutputsShape.text, rows=1361),
)
KINDS: Mapping[str, TaskSetKind] = {kind.name: kind for kind in _ALL}
_FOLDED = {name.casefold(): kind for name, kind in KINDS.items()}


def find_kind(name: str) -> TaskSetKind:
    """Return the task set of an exact name. Raises UsageError with the nearest one."""
    if name in KINDS:
        return KINDS[name]
    near = nearest_kind(name)
    hint = f"did you mean `{near.name}`?" if near else f"one of: {', '.join(KINDS)}"
    raise UsageError(f"unknown MERA Code task set: {name!r}", hint=hint)


def nearest_kind(name: str) -> TaskSetKind | None:
    """Return the task set of a name, ignoring case, or the nearest one; None if none is near."""
    folded = name.casefold()
    return _FOLDED.get(folded if folded in _FOLDED else nearest(folded, _FOLDED, cutoff=0.8))


def kind_of(track: str, *, private: bool) -> TaskSetKind:
    """Return the task set of a track's rows.

    Two have rows in the shape of ruHumanEval, but only ruCodeEval has private outputs.
    """
    kinds = [kind for kind in _ALL if track in kind.tracks]
    fitting = [kind for kind in kinds if kind.private == private] or kinds
    if not fitting:
        tracks = ", ".join(sorted({name for kind in _ALL for name in kind.tracks}))
        hint = (
            f"runs of these tracks can be exported: {tracks}; `convert` turns HumanEval rows into such rows"
        )
        raise UsageError(f"MERA Code has no task set for the track {track!r}", hint=hint)
    return fitting[0]


class TaskSetGold(NamedTuple):
    """Tests and expected outputs of a task set, in its order. `expected` is None for hidden outputs."""

    tests: dict[TaskId, int]
    expected: dict[TaskId, list[str]] | None


def load_gold(source: str | Path, *, task_set: str | None = None) -> TaskSetGold:
    """Load a MERA data set in any format of `benchwright run`. Raises DataError or UsageError.

    `task_set` is the name of the task set; by default rows have the shape of ruHumanEval.
    """
    kind = KINDS["ruHumanEval"] if task_set is None else find_kind(task_set)
    track = find("track", kind.track or "ruhumaneval")
    return gold_of({task.task_id: task for task in track.load(source)}, kind)


def gold_of(tasks: dict[TaskId, Task], kind: TaskSetKind) -> TaskSetGold:
    """Return what is known of the outputs of a task set. One hidden row hides the whole set.

    Scores of CodeLinterEval need the linter, those of JavaTestGen a JDK, so both have no expected texts. A
    row of UnitTests has its language next to the human test.
    """
    if kind.shape is OutputsShape.generations:
        return _calls_of(tasks)
    ones = dict.fromkeys(tasks, 1)
    if kind.shape is OutputsShape.responses or any(hides_outputs(task, kind) for task in tasks.values()):
        return TaskSetGold(ones, None)
    if kind.name == UNIT_TESTS:
        rows = {task_id: [task.outputs, task.inputs["language"]] for task_id, task in tasks.items()}
        return TaskSetGold(ones, rows)
    if kind.name in EXECUTED:
        return TaskSetGold(ones, None)
    return TaskSetGold(ones, {task_id: [task.outputs] for task_id, task in tasks.items()})


def hides_outputs(task: Task, kind: TaskSetKind) -> bool:
    """Return whether the expected outputs of a task are hidden, so that it cannot be scored here."""
    if kind.shape is OutputsShape.generations:
        return is_private(task)
    return is_hidden(task) if kind.track == CORRECTNESS else not task.outputs


def _calls_of(tasks: dict[TaskId, Task]) -> TaskSetGold:
    """Return the expected outputs of tasks in ruHumanEval's shape."""
    tests = {task_id: count_tests(task) for task_id, task in tasks.items()}
    if any(is_private(task) for task in tasks.values()):
        return TaskSetGold(tests, None)
    return TaskSetGold(tests, {task_id: texts_of(task) for task_id, task in tasks.items()})


def count_tests(task: Task) -> int:
    """Return the number of calls of a task; its text was checked when the task was loaded."""
    return len(parse_literal(task.inputs["tests"], max_bytes=MAX_TESTS))


def texts_of(task: Task) -> list[str]:
    """Return the expected texts as a flat list: the documented format repeats it for each sample."""
    outputs = task.outputs
    return list(outputs[0] if isinstance(outputs[0], list) else outputs)
