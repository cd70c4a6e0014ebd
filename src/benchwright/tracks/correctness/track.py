"""CodeCorrectness: will this test pass on this file? The answer is success or failed; nothing is executed.

The label was established by execution when the data set was built; answers are compared with it.
"""

from __future__ import annotations

from typing import Any

from benchwright.contracts import Extraction, LabelSpec, MeasureSet, Question, Track
from benchwright.records import Answer, Task
from benchwright.text.label import RULES, take_label
from benchwright.text.label_words import FAILED, SUCCESS
from benchwright.tracks.base import TrackBase, require_profile
from benchwright.tracks.correctness import LABELS
from benchwright.tracks.correctness.error_track import ERROR_CLASS
from benchwright.tracks.correctness.error_track import TRACK as ERRORS
from benchwright.tracks.correctness.measures import LabelMeasures
from benchwright.tracks.correctness.rows import (
    WORDINGS,
    build,
    correctness_questions,
    filled,
    place_note,
    require_label,
    to_row,
)
from benchwright.tracks.rows import Fields


class CodeCorrectness(TrackBase, declaration=LABELS):
    """Track of MERA's rows of label prediction."""

    language = "ru"
    measures: MeasureSet = LabelMeasures()
    judging = 2
    wordings = WORDINGS

    def in_form(self, form: str) -> Track:
        """The track itself for "label"; for "error-class" the track of error classes."""
        if form == ERROR_CLASS:
            return ERRORS
        return super().in_form(form)

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return build(fields)

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in and stripped like MERA does."""
        return filled(task.instruction, task.inputs)

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Eleven prompts that ask whether the test passes."""
        note = place_note(task.meta, language=language)
        return correctness_questions(task.inputs, language=language, form=form, note=note)

    def gold(self, task: Task) -> str | None:
        """The label; None for a private task, which has none."""
        return task.outputs or None

    def stub(self, task: Task) -> str:
        """The opposite label: an answer that is read without doubt and must fail.

        An empty text would only prove that an answer without a label fails.
        """
        return SUCCESS if task.outputs == FAILED else FAILED

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the label, as `program`; problem "unparsable" if there is none."""
        return take_label(
            answer.text,
            profile=require_profile(profile, RULES, track=self.name),
            finish_reason=answer.finish_reason,
        )

    def spec(self, task: Task, *, profile: str) -> LabelSpec:
        """The label to compare with. Raises DataError for a private task."""
        require_profile(profile, RULES, track=self.name)
        require_label(task)
        return LabelSpec(expected=task.outputs)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return to_row(task)


TRACK = CodeCorrectness()
