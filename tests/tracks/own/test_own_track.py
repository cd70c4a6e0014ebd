"""The track of own tasks: prompts, extraction from answers, and judging."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import (
    AssessableTrack,
    Assessment,
    BatchSpec,
    CallsSpec,
    Extraction,
    IssueSpec,
    JudgeInput,
    LabelSpec,
    Track,
)
from benchwright.errors import UsageError
from benchwright.records import Isolation, Outcome, Verdict
from benchwright.sandbox.codec import decode
from benchwright.tracks.own.track import TRACK
from kit.own_rows import ASSERTS, CALLS, LABEL, ROWS, RUBRIC, own_answer, own_task

UNDECIDED = Verdict(
    key="k",
    task_id="rows",
    sample=0,
    outcome=Outcome.undecided,
    isolation=Isolation.separated,
    profile="strict",
)


def judged_by(label: str) -> Assessment:
    """Return a judge's verdict."""
    return Assessment(key="k", answer="a", task_id="rows", sample=0, judge="j", status="judged", label=label)


def test_own_tasks_satisfy_the_contracts() -> None:
    track: Track = TRACK

    assert (track.name, track.default_n, isinstance(track, AssessableTrack)) == ("own", 1, True)
    assert track.in_form("own") is track
    with pytest.raises(UsageError, match="no form"):
        track.in_form("batch")


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("form", ["chat", "base"])
def test_the_question_is_the_author_s_own(tmp_path: Path, language: str, form: str) -> None:
    (question,) = TRACK.questions(own_task(tmp_path), language=language, form=form)

    assert question.text == CALLS["prompt"]


def test_calls_are_a_batch_compared_closely(tmp_path: Path) -> None:
    spec = TRACK.spec(own_task(tmp_path), profile="strict")

    assert isinstance(spec, BatchSpec)
    assert (spec.entry_point, spec.compare) == ("add", "close")
    assert decode(spec.calls) == [((1, 2), {}), ((), {"a": 0.1, "b": 0.2})]
    assert [decode(each) for each in spec.expected] == [3, 0.3]


def test_asserts_are_a_check_on_the_trusted_side(tmp_path: Path) -> None:
    spec = TRACK.spec(own_task(tmp_path, ASSERTS), profile="strict")

    assert isinstance(spec, CallsSpec)
    assert spec.test.startswith("def check(candidate):\n    import re\n    assert slug(")


def test_a_label_has_classes_where_there_are_more_than_two(tmp_path: Path) -> None:
    two = TRACK.spec(own_task(tmp_path, LABEL), profile="strict")
    three = TRACK.spec(own_task(tmp_path, LABEL, labels=["spam", "ham", "won"]), profile="strict")

    assert two == LabelSpec(expected="spam")
    assert three == LabelSpec(expected="spam", classes=("spam", "ham", "won"))


@pytest.mark.parametrize(
    ("base", "text", "program"),
    [
        (
            CALLS,
            "Here:\n```python\ndef add(a, b):\n    return a + b\n```",
            "def add(a, b):\n    return a + b",
        ),
        (LABEL, "I say **Ham**", "ham"),
        (RUBRIC, "<think>hm</think> One list, twice. ", "One list, twice."),
    ],
)
def test_what_is_taken_fits_the_kind(tmp_path: Path, base: dict[str, Any], text: str, program: str) -> None:
    taken = TRACK.extract(own_task(tmp_path, base), own_answer(text), profile="strict")

    assert (taken.program.strip(), taken.problem) == (program, None)


@pytest.mark.parametrize("base", ROWS, ids=lambda row: str(row["id"]))
def test_gold_and_stub_are_read_as_programs_labels_or_texts(tmp_path: Path, base: dict[str, Any]) -> None:
    task = own_task(tmp_path, base)
    gold, stub = TRACK.gold(task), TRACK.stub(task)

    assert gold is not None
    taken = [TRACK.extract(task, own_answer(text), profile="strict") for text in (gold, stub)]
    assert [each.problem for each in taken] == [None, None]
    assert taken[0].program != taken[1].program


def test_a_task_without_a_solution_has_no_gold(tmp_path: Path) -> None:
    assert TRACK.gold(own_task(tmp_path, solution=None)) is None
    assert TRACK.gold(own_task(tmp_path, RUBRIC, reference=None)) is None


def test_a_judge_is_shown_rubric_and_reference(tmp_path: Path) -> None:
    """A task without a rubric has no input for a judge: it needs none."""
    task, taken = own_task(tmp_path, RUBRIC), Extraction(program="One list.", rule="text")

    exhibit = TRACK.exhibit(task, own_answer("One list."), taken, UNDECIDED)

    assert isinstance(exhibit, JudgeInput)
    assert list(exhibit.sections.values()) == [RUBRIC["prompt"], RUBRIC["rubric"], RUBRIC["reference"]]
    assert (exhibit.rubric, exhibit.language, exhibit.candidate) == ("own", "en", "One list.")
    assert TRACK.exhibit(own_task(tmp_path), own_answer("x"), taken, UNDECIDED) is None


@pytest.mark.parametrize(
    ("rubric", "language"),
    [
        ("Говорит, что это один список (list).", "ru"),
        ("说明这是同一个列表（list）。", "zh"),
        ("Says that 列表 is one list.", "en"),
    ],
)
def test_a_judge_is_asked_in_the_rubric_s_language(tmp_path: Path, rubric: str, language: str) -> None:
    task = own_task(tmp_path, RUBRIC, rubric=rubric)

    exhibit = TRACK.exhibit(task, own_answer("x"), Extraction(program="x", rule="text"), UNDECIDED)

    assert exhibit is not None and exhibit.language == language


@pytest.mark.parametrize(
    ("label", "outcome"),
    [("correct", Outcome.passed), ("wrong", Outcome.wrong), ("cannot_tell", Outcome.undecided)],
)
def test_a_judge_decides_an_answer_to_a_rubric(tmp_path: Path, label: str, outcome: Outcome) -> None:
    """Without judges the verdict is that of the rules again."""
    task = own_task(tmp_path, RUBRIC)

    verdict = TRACK.assessed(task, UNDECIDED, [judged_by(label)])

    assert verdict.outcome is outcome
    assert TRACK.assessed(task, verdict, ()).outcome is Outcome.undecided
    assert isinstance(TRACK.spec(task, profile="strict"), IssueSpec)
    assert TRACK.assessed(own_task(tmp_path), UNDECIDED, [judged_by(label)]) is UNDECIDED
