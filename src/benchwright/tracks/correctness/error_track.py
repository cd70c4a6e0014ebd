"""CodeCorrectness with error classes: with which class of error does this test end on this file?

`run codecorrectness --form error-class` uses this track. It has its own name, because its figures and answers
differ from those of the label.
"""

from __future__ import annotations

from typing import Any

from benchwright.contracts import Extraction, LabelSpec, MeasureSet, Question
from benchwright.records import Answer, Task
from benchwright.text.error_class import BUILD, CLASSES, SUCCESS, take_error_class
from benchwright.tracks.base import TrackBase, require_profile
from benchwright.tracks.correctness import ERRORS
from benchwright.tracks.correctness.error_measures import ErrorMeasures
from benchwright.tracks.correctness.rows import LABEL, build_classed, error_questions, require_label, to_row
from benchwright.tracks.rows import Fields

ERROR_CLASS = "error-class"  # the form of the question


class CodeCorrectnessErrors(TrackBase, declaration=ERRORS):
    """Track of error classes on rows of CodeCorrectness."""

    language = "ru"
    measures: MeasureSet = ErrorMeasures()

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return build_classed(fields)

    def prompt(self, task: Task) -> str:
        """The first of the track's prompts; the row's instruction asks for the label instead."""
        return error_questions(task.inputs, language=self.language, form="chat")[0].text

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Five prompts that ask for the class of error."""
        return error_questions(task.inputs, language=language, form=form)

    def gold(self, task: Task) -> str | None:
        """The class; None for a private task."""
        return task.outputs or None

    def stub(self, task: Task) -> str:
        """Another class: an answer that is read without doubt and must fail."""
        return BUILD if task.outputs == SUCCESS else SUCCESS

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the class, as `program`; problem "unparsable" if there is none."""
        require_profile(profile, self.profiles, track=self.name)
        return take_error_class(answer.text, finish_reason=answer.finish_reason)

    def spec(self, task: Task, *, profile: str) -> LabelSpec:
        """The class to compare with. Raises DataError for a private task."""
        require_profile(profile, self.profiles, track=self.name)
        require_label(task)
        return LabelSpec(expected=task.outputs, classes=CLASSES)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task, with its label."""
        row = to_row(task)
        row["meta"] = {name: value for name, value in row["meta"].items() if name != LABEL}
        return {**row, "outputs": task.meta[LABEL]}


TRACK = CodeCorrectnessErrors()
