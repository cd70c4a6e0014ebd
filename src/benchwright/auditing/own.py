"""Own tasks as audit tasks: calls and asserts are executed, labels and rubrics are checked statically."""

from __future__ import annotations

from benchwright.auditing.tasks import AuditTask, written_arguments
from benchwright.building.solved import SolvedTask
from benchwright.contracts import BatchSpec, CallsSpec, ProgramSpec
from benchwright.records import Answer, Task
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.tracks.asserts import NotData, read_cases
from benchwright.tracks.own.check_source import check_source
from benchwright.tracks.own.rows import OwnRow, asserts_of, read_task, row_of
from benchwright.tracks.own.track import TRACK
from benchwright.tracks.rows import Fields

_LOOKED_AT = {
    "label": "its answers are labels, and nothing is executed",
    "rubric": "its answers are judged by a rubric, and nothing is executed",
}


def read_own(fields: Fields) -> AuditTask:
    """The task of one row. Raises DataError with place, field and hint."""
    task = read_task(fields)
    row = row_of(task)
    solved = SolvedTask(
        unit=str(task.task_id),
        revision=task.revision,
        prompt=row.prompt,
        entry_point=row.entry_point,
        gold=_program(task, row),
        spec=_spec(task, row),
        tests=_tests(row),
    )
    lacks = _LOOKED_AT.get(row.kind) or ("" if solved.gold else "the task has no solution")
    return AuditTask(solved, "own", task.origin, lacks)


def _program(task: Task, row: OwnRow) -> str:
    """The solution as a run reads it from an answer; unchanged if no program can be read."""
    if row.kind in _LOOKED_AT or not row.solution.strip():
        return ""
    answer = Answer(key="", task_id=task.task_id, sample=0, model="gold:", text=row.solution)
    taken = TRACK.extract(task, answer, profile="strict")
    return taken.program if taken.problem is None else row.solution


def _spec(task: Task, row: OwnRow) -> ProgramSpec:
    """The calls with their values, also from asserts that are data; otherwise the track's own spec."""
    if row.kind in _LOOKED_AT:
        return CallsSpec(entry_point=row.entry_point)
    spec = TRACK.spec(task, profile="strict")
    assert isinstance(spec, ProgramSpec)
    return _as_calls(row) or spec if row.kind == "asserts" else spec


def _as_calls(row: OwnRow) -> BatchSpec | None:
    """Asserts of the form `call == value` as data; None if one is anything else."""
    name = row.entry_point
    source = check_source(asserts_of(row), name).replace("def check(candidate):", f"def check({name}):", 1)
    try:
        cases = read_cases(source)
        calls = encode([(case.args, case.kwargs) for case in cases])
        expected = [encode(case.expected) for case in cases]
    except (NotData, Unsendable, ValueError):
        return None
    return BatchSpec(entry_point=name, calls=calls, expected=expected)


def _tests(row: OwnRow) -> str:
    """The checks as asserts."""
    if row.kind == "asserts":
        return asserts_of(row)
    calls = ((written_arguments(tuple(each.args), each.kwargs), each.returns) for each in row.calls)
    return "\n".join(f"assert {row.entry_point}({arguments}) == {value!r}" for arguments, value in calls)
