"""Rows of any benchmark as audit tasks: the format of each row is detected, and each fault is reported.

MBPP rows and own tasks have readers here; a faulty row does not stop the others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.auditing.audit_tasks import AuditTask, written_arguments
from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.contracts import (
    BatchSpec,
    CallsSpec,
    LevelsSpec,
    ProgramSpec,
    RepositoryTrack,
    Track,
    ValuesSpec,
)
from benchwright.display.escape import quoted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.records import Answer, Record, Task
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.store.data_files import no_rows, open_rows, place
from benchwright.store.keys import content_key
from benchwright.text.literal import parse_literal
from benchwright.text.syntax import writes_long_integer
from benchwright.tracks.aicodereval.entry import (
    BenchmarkEntry,
    build,
    entry_point_of,
    head_of,
    program_of,
    read_entry,
)
from benchwright.tracks.functions import humaneval, ruhumaneval
from benchwright.tracks.functions.mbpp import read_row
from benchwright.tracks.own.rows import OwnRow, asserts_of, check_source, read_task, row_of
from benchwright.tracks.own.track import TRACK
from benchwright.tracks.python_source import NotData, read_cases
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields


def is_mbpp(row: dict[str, Any]) -> bool:
    """Whether a row has the format of MBPP."""
    return "test_list" in row and "code" in row


def read_mbpp(fields: Fields) -> AuditTask:
    """The task of one row. Raises DataError with place, field and hint."""
    row = read_row(fields)
    solved = SolvedTask(
        unit=str(row.task_id),
        revision=content_key("mbpp", row.prompt, row.code, row.tests, fields.data.get("test")),
        prompt=row.prompt,
        entry_point=row.entry_point,
        gold=row.code,
        spec=row.spec,
        tests=row.tests,
    )
    return AuditTask(
        solved=solved,
        shape="mbpp",
        origin=f"{fields.path}:{fields.line}",
        lacks=row.lacks,
        further_tests="\n".join(ast.unparse(each) for each in row.further),
    )


_LOOKED_AT = {
    "label": "its answers are labels, and nothing is executed",
    "rubric": "its answers are judged by a rubric, and nothing is executed",
}


def read_own_task(fields: Fields) -> AuditTask:
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
    extraction = TRACK.extract(task, answer, profile="strict")
    return extraction.program if extraction.problem is None else row.solution


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


Reader = Callable[[Fields], AuditTask]
_FIELDS = (
    "a HumanEval row has `prompt` and `test`, a MERA row `inputs` and `outputs`, "
    "an MBPP row `code` and `test_list`, an AICoderEval row `signature` and `cases`, "
    "an own task `id`, `prompt` and one of `calls`, `asserts`, `label` and `rubric`"
)


class UnreadableRow(Record, frozen=True, kw_only=True):
    """A row that is not a task: its place, the fault, and a hint."""

    place: str
    reason: str
    hint: str = ""


class LoadedTasks(NamedTuple):
    """All rows of a data set: the tasks in order, and the unreadable rows."""

    tasks: list[AuditTask]
    unreadable: list[UnreadableRow]

    @property
    def rows(self) -> int:
        """The number of all rows."""
        return len(self.tasks) + len(self.unreadable)


def load_audit(source: str | Path, *, shape: str = "auto") -> LoadedTasks:
    """The tasks of a data set, each row by its own format or all by the given one.

    Raises DataError if no row is a task, and UsageError for a data set of labels.
    """
    tasks: dict[str, AuditTask] = {}
    refused: list[DataError] = []
    for fields in _rows(source, refused.append):
        try:
            task = _reader(fields, shape)(fields)
            if writes_long_integer(task.solved.gold):
                message = "the solution writes out an integer of more than 4,300 digits"
                raise fields.named(task.unit).error(message, hint="compute it")
            if task.unit in tasks:
                raise _twice(fields, tasks[task.unit])
            tasks[task.unit] = task
        except DataError as error:
            refused.append(error)
    if not tasks:
        raise refused[0] if refused else no_rows(place(source))
    return LoadedTasks(list(tasks.values()), [_unreadable(each) for each in refused])


def _rows(source: str | Path, refuse: Callable[[DataError], None]) -> Iterator[Fields]:
    """The rows that are JSON objects; a fault that ends the file is raised after them."""
    path = place(source)
    try:
        for line, data in open_rows(source, refuse=refuse):
            yield Fields(data, path, line)
    except DataError as error:
        refuse(error)


def _reader(fields: Fields, shape: str) -> Reader:
    found = shape if shape != "auto" else _shape(fields)
    if found not in _READERS:
        raise fields.error("no track reads such a row", hint=_FIELDS)
    return _READERS[found]


def _shape(fields: Fields) -> str:
    row = fields.data
    inputs = row.get("inputs")
    if "focal_code" in (inputs if isinstance(inputs, dict) else row):
        message = "a CodeCorrectness data set has labels; execution checks them"
        raise UsageError(message, hint=f"{command_name()} verify {quoted(fields.path)}")
    if is_mbpp(row):
        return "mbpp"
    if "prompt" in row and "test" in row:
        return "humaneval"
    if "inputs" in row and "meta" in row:
        return _shape_of_mera(fields)
    if "signature" in row and "implementation" in row:
        return "aicodereval"
    return "own" if track_of_row(row) == "own" else ""


def _shape_of_mera(fields: Fields) -> str:
    """The shape of a row with calls. Raises DataError for a row of another track."""
    name = track_of_row(fields.data)
    if name in ("", "ruhumaneval"):
        return "ruhumaneval"
    clones = " --repositories FOLDER" if isinstance(_track(name), RepositoryTrack) else ""
    message = f"is a row of {name}, which has no calls of a Python function: there is nothing to audit"
    judged = f"{command_name()} check {quoted(fields.path)} --execute{clones}"
    raise fields.error(message, hint=f"judge its references and stubs: {judged}")


def _humaneval(fields: Fields) -> AuditTask:
    fields.data.setdefault("canonical_solution", "")
    task = humaneval.read_task(fields)
    track = _track("humaneval").in_form("batch")
    gold = _gold(track, task)
    solved = _solved(task, track, gold, spec=_executable(track, task), tests=task.inputs["test"])
    return AuditTask(solved, "humaneval", task.origin, lacks="" if gold else "the row has no solution")


def _ruhumaneval(fields: Fields) -> AuditTask:
    task = ruhumaneval.read_task(fields)
    track = _track("ruhumaneval")
    hidden = ruhumaneval.is_private(task)
    gold = "" if hidden else _gold(track, task)
    lacks = "the outputs are hidden" if hidden else "" if gold else "the row has no solution"
    spec = _calls(task) if hidden else _executable(track, task)
    return AuditTask(
        _solved(task, track, gold, spec=spec, tests=_mera_tests(task)), "ruhumaneval", task.origin, lacks
    )


def _track(name: str) -> Track:
    track: Track = registry.find("track", name)
    return track


def _mera_tests(task: Task) -> str:
    """The calls of a MERA row with their values, as the asserts of another data set."""
    texts = task.outputs[0] if task.outputs and isinstance(task.outputs[0], list) else task.outputs
    name = task.meta["entry_point"]
    return "\n".join(
        f"assert {name}({', '.join(f'{key}={value!r}' for key, value in call.items())}) == {text!s}"
        for call, text in zip(_keywords(task), texts or [], strict=False)
    )


def _keywords(task: Task) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = parse_literal(task.inputs["tests"], max_bytes=ruhumaneval.MAX_TESTS)
    return calls


def _calls(task: Task) -> ProgramSpec:
    """The calls of a task whose outputs are hidden."""
    calls = [((), call) for call in _keywords(task)]
    return ValuesSpec(entry_point=task.meta["entry_point"], calls=encode(calls), count=len(calls))


def _executable(track: Track, task: Task) -> ProgramSpec:
    spec = track.spec(task, profile="strict")
    assert isinstance(spec, ProgramSpec)
    return spec


def _gold(track: Track, task: Task) -> str:
    """The whole program of the canonical solution; unchanged if no program can be read from it."""
    text = track.gold(task)
    if not text or not text.strip():
        return ""
    answer = Answer(key="", task_id=task.task_id, sample=0, model="gold:", text=text)
    extraction = track.extract(task, answer, profile="strict")
    return extraction.program if extraction.problem is None else str(task.inputs["function"]) + text


def _solved(task: Task, track: Track, gold: str, *, spec: ProgramSpec, tests: str) -> SolvedTask:
    return SolvedTask(
        unit=str(task.task_id),
        revision=task.revision,
        prompt=track.prompt(task),
        entry_point=task.meta["entry_point"],
        gold=gold,
        spec=spec,
        tests=tests,
    )


def _aicodereval(fields: Fields) -> AuditTask:
    entry = read_entry(fields)
    if entry.suite:
        return _suite_entry(fields.named(entry.task_id), entry)
    task, track = build(fields), _track("aicodereval")
    gold = track.gold(task) or ""
    solved = _solved(task, track, gold, spec=_executable(track, task), tests=_case_tests(task, entry))
    return AuditTask(solved, "aicodereval", task.origin, stand_ins=entry.stand_ins)


def _suite_entry(fields: Fields, entry: BenchmarkEntry) -> AuditTask:
    """An entry whose tests are a separate program, so the values that they compare are not available."""
    try:
        name = entry_point_of(entry)
    except ValueError as error:
        raise fields.error(str(error), field="signature") from None
    solved = SolvedTask(
        unit=entry.task_id,
        revision=content_key("aicodereval", head_of(entry), entry.suite),
        prompt=f"{entry.description}\n{head_of(entry)}",
        entry_point=name,
        gold=program_of(entry),
        spec=LevelsSpec(entry_point=name, environment=entry.environment, cases=[]),
        tests=entry.suite,
    )
    lacks = "its tests are a pytest suite, which is not executed here"
    return AuditTask(solved, "aicodereval", f"{fields.path}:{fields.line}", lacks)


def _case_tests(task: Task, entry: BenchmarkEntry) -> str:
    """The cases as lines of a test: what they raise or return."""
    name = task.meta["entry_point"]
    return "\n".join(
        f"raises({case.expected.raises}, {name})"
        if case.expected.raises
        else f"assert {name}() == {case.name!r}"
        for case in entry.cases
    )


_READERS: dict[str, Reader] = {
    "humaneval": _humaneval,
    "ruhumaneval": _ruhumaneval,
    "mbpp": read_mbpp,
    "aicodereval": _aicodereval,
    "own": read_own_task,
}


def _twice(fields: Fields, earlier: AuditTask) -> DataError:
    message = f"duplicate id, also used by {earlier.origin}"
    hint = "change one of the ids, or remove one of the tasks"
    return fields.named(earlier.unit).error(message, hint=hint)


def _unreadable(error: DataError) -> UnreadableRow:
    where = ", ".join(
        filter(
            None,
            [
                f"{error.path}:{error.line}" if error.line else error.path or "",
                f"task {error.task_id}" if error.task_id is not None else "",
                f"field `{error.field}`" if error.field else "",
            ],
        )
    )
    reason = error.message.removeprefix(f"{where}: ")
    return UnreadableRow(place=where, reason=reason, hint=error.hint or "")
