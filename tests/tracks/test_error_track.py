"""The second question of CodeCorrectness: rows with a class, prompts for it, and its spec."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import LabelSpec, Track
from benchwright.errors import DataError, UsageError
from benchwright.records import Answer, Task
from benchwright.text.error_class import CLASSES, read_error_class
from benchwright.tracks.correctness import rows
from benchwright.tracks.correctness.error_track import TRACK
from benchwright.tracks.correctness.rows import build_classed, error_class, error_questions
from benchwright.tracks.correctness.track import TRACK as LABELS
from benchwright.tracks.prompt_templates import FORMS, languages_of
from benchwright.tracks.rows import Fields
from kit.correctness_cases import FOCAL, TEST, correctness_row


def task_of(**changes: Any) -> Task:
    """Return the task of a row."""
    return build_classed(Fields(correctness_row(**changes), "rows", 1))


def test_the_track_satisfies_the_contract() -> None:
    """It is the other track in this form, and has no other form."""
    track: Track = TRACK

    assert (LABELS.in_form("error-class"), track.in_form("error-class")) == (TRACK, TRACK)
    with pytest.raises(UsageError, match="label"):
        track.in_form("label")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"outputs": "success"}, "success"),
        ({"outputs": "failed", "kind": "assertion"}, "assertion"),
        ({"outputs": "failed", "kind": "exception"}, "exception"),
        ({"outputs": "failed", "kind": "compile"}, "build"),
        ({"outputs": "failed", "kind": "syntax"}, "build"),
        ({"outputs": "failed", "kind": "import"}, "build"),
        ({"outputs": "failed", "kind": "assertion", "error_class": "exception"}, "exception"),
        ({"outputs": ""}, ""),
    ],
)
def test_a_row_tells_its_class(row: dict[str, Any], expected: str) -> None:
    """By its own field, else by its label and kind of failure; a private row has none."""
    task = task_of(**row)

    assert (task.outputs, TRACK.gold(task)) == (expected, expected or None)
    assert TRACK.to_row(task) == correctness_row(**row)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"outputs": "failed"}, "does not have the class of its failure"),
        ({"outputs": "failed", "kind": "timeout"}, "does not have the class of its failure"),
        ({"outputs": "failed", "kind": ["assertion"]}, "does not have the class of its failure"),
        ({"outputs": "failed", "error_class": "oops"}, "is not a class of error"),
        ({"outputs": "failed", "error_class": ["build"]}, "is not a class of error"),
        ({"outputs": "success", "error_class": "build"}, "contradict each other"),
        ({"outputs": "failed", "error_class": "success"}, "contradict each other"),
    ],
)
def test_a_row_without_a_class_is_refused(row: dict[str, Any], message: str) -> None:
    """The error has line, field and a hint."""
    with pytest.raises(DataError, match=message) as caught:
        task_of(**row)

    assert (caught.value.line, caught.value.field, bool(caught.value.hint)) == (1, "meta.error_class", True)


def test_class_and_label_are_two_tasks() -> None:
    """Verdicts on one question are never used for the other."""
    row = correctness_row(outputs="success")
    label = rows.build(Fields(row, "rows", 1))

    assert label.revision != task_of(outputs="success").revision


def test_the_examples_hold() -> None:
    """Executes the examples of the documentation."""
    assert doctest.testmod(rows).failed == 0
    assert error_class("", "assertion") == ""


@pytest.mark.parametrize(
    ("language", "form"),
    [(language, form) for language in languages_of("correctness_errors") for form in FORMS],
)
def test_each_wording_shows_both_files_and_names_all_classes(language: str, form: str) -> None:
    """The files are fenced; a model that repeats the prompt has not answered it."""
    asked = error_questions(task_of().inputs, language=language, form=form)
    texts = [question.text for question in asked]

    assert len(texts) == 5
    for text in texts:
        assert f"```python\n{FOCAL.strip()}\n```" in text
        assert f"```python\n{TEST.strip()}\n```" in text
        assert all(f"- {name}: " in text for name in CLASSES)
        assert read_error_class(text)[0] is None


def test_a_row_s_own_question_is_ours() -> None:
    """The row's instruction asks for the label, which is another question."""
    task = task_of()

    assert TRACK.prompt(task) == TRACK.questions(task, language="ru", form="chat")[0].text


@pytest.mark.parametrize("outputs", ["success", "failed"])
def test_gold_passes_and_stub_does_not(outputs: str) -> None:
    """Both are read unambiguously."""
    task = task_of(outputs=outputs, kind="import" if outputs == "failed" else None)
    taken = [
        TRACK.extract(
            task, Answer(key="k", task_id=7, sample=0, model="m", text=text), profile="strict"
        ).program
        for text in (TRACK.gold(task) or "", TRACK.stub(task))
    ]

    assert taken[0] == task.outputs != taken[1]
    assert TRACK.spec(task, profile="strict") == LabelSpec(expected=task.outputs, classes=CLASSES)


def test_what_cannot_be_scored_is_refused(tmp_path: Path) -> None:
    """A private task, and MERA's profile, which has only two words."""
    with pytest.raises(DataError, match="hidden"):
        TRACK.spec(task_of(outputs=""), profile="strict")
    with pytest.raises(UsageError, match="mera-exact"):
        TRACK.spec(task_of(), profile="mera-exact")
