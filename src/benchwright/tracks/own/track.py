"""Own tasks: one file with prompts, and for each calls, asserts, a label or a rubric that judges answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import (
    TAG,
    Assessment,
    BatchSpec,
    CallsSpec,
    Extraction,
    IssueSpec,
    JudgedAnswer,
    JudgedAnswers,
    JudgeInput,
    LabelSpec,
    MeasureSet,
    Question,
    Reference,
    Spec,
)
from benchwright.records import Answer, Metric, Outcome, Task, TaskId, Verdict
from benchwright.store.field_map import MappedData
from benchwright.text.label_choice import take_choice
from benchwright.tracks.base import TrackBase
from benchwright.tracks.functions.completion import PassAtK, take_program
from benchwright.tracks.grades import notes_on_judges
from benchwright.tracks.issues.measures import assessed
from benchwright.tracks.issues.track import DECISION, SETTLED, take_text
from benchwright.tracks.own import OWN
from benchwright.tracks.own.field_kinds import mapped_data
from benchwright.tracks.own.graders import GRADERS, LIMITS, graders_of, graders_spec, measured_of
from benchwright.tracks.own.rows import OwnRow, asserts_of, check_source, read_task, row_of
from benchwright.tracks.rows import Fields, Refuse, encoded


class OwnMeasures(PassAtK):
    """pass@k of answers judged by calls, asserts, a label, or judges of a rubric.

    Undecided answers, and tasks without a decided answer, are excluded.
    """

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k and pass^k of decided answers, for each k with enough answers."""
        decided = _decided_only(answers)
        return super().metrics(tasks, decided, ks) if decided else {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Value of a task over its decided answers."""
        return super().task_value(name, [each for each in answers if each.outcome.is_decided])

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes of pass@k, and notes on undecided answers and on judges."""
        decided = _decided_only(answers)
        return [*(super().notes(tasks, decided, ks) if decided else []), *notes_on_judges(answers)]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"judged by" | "tag" | "grader": {name: {metric: …}}}}, each with at least two names."""
        kinds: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
        tags: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
        for task, given in _decided_only(answers).items():
            row = row_of(tasks[task])
            kinds.setdefault(row.kind, {})[task] = given
            for tag in dict.fromkeys(row.tags):
                tags.setdefault(tag, {})[task] = given
        by = {"judged by": kinds, TAG: tags, GRADER: _by_grader(tasks, answers)}
        groups = {kind: found for kind, found in by.items() if len(found) > 1}
        built: dict[str, Any] = msgspec.to_builtins(
            {"groups": {kind: self._rows(tasks, found) for kind, found in groups.items()}} if groups else {}
        )
        return built

    def _rows(
        self, tasks: Mapping[TaskId, Task], groups: Mapping[str, JudgedAnswers]
    ) -> dict[str, dict[str, Metric]]:
        return {name: super(OwnMeasures, self).metrics(tasks, groups[name], (1,)) for name in sorted(groups)}


def _by_grader(
    tasks: Mapping[TaskId, Task], answers: JudgedAnswers
) -> dict[str, dict[TaskId, Sequence[JudgedAnswer]]]:
    """The answers by grader, each with that grader's own outcome, without undecided ones."""
    found: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
    for task, given in answers.items():
        names = {name for each in given for name in each.parts} if graders_of(row_of(tasks[task])) else ()
        for name in names:
            ends = [each.parts[name] for each in given if name in each.parts]
            if decided := [JudgedAnswer(end) for end in ends if end.is_decided]:
                found.setdefault(name, {})[task] = decided
    return found


def _decided_only(answers: JudgedAnswers) -> JudgedAnswers:
    decided_answers = {
        task: [each for each in given if each.outcome.is_decided] for task, given in answers.items()
    }
    return {task: given for task, given in decided_answers.items() if given}


GRADER = "grader"  # the groups of tasks by grader
RUBRIC = "own"
PASSED = "pass@1"  # figure that people's decisions are compared with
STUB = "    raise NotImplementedError\n"


class OwnTasks(TrackBase, declaration=OWN):
    """Track of tasks written by users."""

    ks = (1, 5, 10)
    measures: MeasureSet = OwnMeasures()
    executes = True
    rubrics = (RUBRIC,)

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def mapped(self, data: str, *, columns: Mapping[str, str], values: Mapping[str, str]) -> str:
        """The data set as `load` reads it, with a field map. Raises UsageError for an unknown field."""
        return mapped_data(data, columns, values)

    def load(self, source: str | Path, *, refuse: Refuse | None = None) -> Iterator[Task]:
        """Read and check a data set. The cells of a CSV are read by the types of their fields."""
        data = source if isinstance(source, MappedData) else mapped_data(str(source), {}, {})
        return super().load(data, refuse=refuse)

    def prompt(self, task: Task) -> str:
        """The row's prompt."""
        return task.instruction

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The author's text, the name of the function, and the labels; nothing of a right answer."""
        row = row_of(task)
        values = {"prompt": row.prompt, "entry_point": row.entry_point, "labels": ", ".join(row.labels)}
        return {name: value for name, value in values.items() if value}

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """The only prompt, written by the author, for every language and form."""
        return [Question(variant="own-01", text=task.instruction)]

    def gold(self, task: Task) -> str | None:
        """Solution, label or reference; None if the row has none. Graders of the text need the reference."""
        row = row_of(task)
        if row.reference and graders_of(row) and not row.solution:
            return row.reference
        return row.solution or row.label or row.reference or None

    def stub(self, task: Task) -> str:
        """A function that raises, another label, or nothing."""
        row = row_of(task)
        if row.kind == "label":
            return next(label for label in row.labels if label != row.label)
        return f"def {row.entry_point}(*args, **kwargs):\n{STUB}" if row.entry_point else ""

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the program, the label or the text."""
        row = row_of(task)
        extraction = _extract(row, answer)
        if not graders_of(row):
            return extraction
        text = extraction.program if row.kind in GRADERS else take_text(answer).program
        return msgspec.structs.replace(extraction, text=text, measured=measured_of(answer))

    def spec(self, task: Task, *, profile: str) -> Spec:
        """The spec by which answers are judged."""
        row = row_of(task)
        if row.kind == "rubric":
            return _rubric_spec(row)
        base = _base_spec(task, row)
        if base is None or graders_of(row):
            return graders_spec(row, base)
        return base

    def measured(self, task: Task) -> frozenset[str]:
        """Cost and time, if the task limits them."""
        row = row_of(task)
        return frozenset(measure for name, measure in LIMITS.items() if getattr(row, name) is not None)

    def exhibit(self, task: Task, answer: Answer, taken: Extraction, verdict: Verdict) -> JudgeInput | None:
        """Question, rubric and reference; None if the answer needs no judge."""
        row = row_of(task)
        is_settled = any(name in verdict.scores for name in SETTLED)
        if row.kind != "rubric" or taken.problem or verdict.outcome.is_missing or is_settled:
            return None
        known = {"What a right answer says or does": row.rubric}
        if row.reference:
            known["An answer that is right"] = row.reference
        sections = {"Question": row.prompt, **known}
        return JudgeInput(RUBRIC, _language(row), sections, taken.program, known=tuple(known))

    def assessed(self, task: Task, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
        """The verdict with the judges' assessments; unchanged without a rubric."""
        row = row_of(task)
        return assessed(_rubric_spec(row), verdict, assessments) if row.kind == "rubric" else verdict

    def by_people(self, said: Mapping[str, float | str]) -> dict[str, float]:
        """Whether an answer to a rubric is right, as people decided."""
        decision = said.get(DECISION)
        return {} if decision is None else {PASSED: float(decision == "correct")}

    def by_verdict(self, verdict: Verdict) -> dict[str, float]:
        """The same figure from a verdict."""
        return {PASSED: float(verdict.outcome is Outcome.passed)} if verdict.outcome.is_decided else {}

    def stratum(self, task: Task) -> str:
        """Empty: own tasks have no strata."""
        return ""

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return task.meta


def _extract(row: OwnRow, answer: Answer) -> Extraction:
    if row.kind == "label":
        return take_choice(answer.text, labels=row.labels, finish_reason=answer.finish_reason)
    if row.kind in ("rubric", *GRADERS):
        return take_text(answer)
    return take_program(answer, prompt=row.prompt, entry_point=row.entry_point, profile="strict")


def _base_spec(task: Task, row: OwnRow) -> LabelSpec | BatchSpec | CallsSpec | None:
    """Spec of calls, asserts or a label; None for a row that only other graders judge."""
    if row.kind == "label":
        return LabelSpec(expected=row.label, classes=tuple(row.labels) if len(row.labels) > 2 else ())
    if row.kind == "asserts":
        test = check_source(asserts_of(row), row.entry_point)
        return CallsSpec(entry_point=row.entry_point, test=test)
    return _calls_spec(task, row) if row.kind == "calls" else None


def _calls_spec(task: Task, row: OwnRow) -> BatchSpec:
    return BatchSpec(
        entry_point=row.entry_point,
        calls=encoded(task, [(tuple(call.args), call.kwargs) for call in row.calls], field="calls"),
        expected=[encoded(task, call.returns, field="calls") for call in row.calls],
        compare="close",
    )


def _rubric_spec(row: OwnRow) -> IssueSpec:
    """Spec of a rubric task: rules settle empty answers and refusals."""
    references = [Reference(body=row.reference)] if row.reference else []
    return IssueSpec(question=row.prompt, references=references)


def _language(row: OwnRow) -> str:
    """Language of the judge's prompt, by the rubric's script; a Chinese character counts as four letters."""
    letters = [char for char in row.rubric if char.isalpha()]
    cyrillic = sum("\u0400" <= char <= "\u04ff" for char in letters)
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in letters)
    if 2 * cyrillic > len(letters):
        return "ru"
    return "zh" if 4 * chinese > len(letters) else "en"


TRACK = OwnTasks()
