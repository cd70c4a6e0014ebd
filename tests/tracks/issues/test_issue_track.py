"""The issue track: rows, prompts, gold and stub, and the input of a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import AssessableTrack, Track
from benchwright.errors import DataError, UsageError
from benchwright.records import Isolation, Outcome, Task, Verdict
from benchwright.tracks.issues.track import TRACK
from kit.smartcoding_rows import REFERENCES, answer, issue_record, issue_row, write_records


def load(folder: Path, *rows: Any) -> list[Task]:
    """Return the tasks of rows."""
    return list(TRACK.load(write_records(folder, *rows)))


def verdict(outcome: Outcome, **scores: float) -> Verdict:
    """Return a verdict on the first task."""
    return Verdict(
        key="v",
        task_id=1,
        sample=0,
        outcome=outcome,
        isolation=Isolation.separated,
        profile="strict",
        scores=scores,
    )


def test_the_track_satisfies_the_contract() -> None:
    """One greedy answer in English; a model judge can be asked too."""
    track: Track = TRACK

    assert (track.default_n, track.ks, track.language, track.executes) == (1, (), "en", False)
    assert isinstance(TRACK, AssessableTrack)
    with pytest.raises(UsageError, match="no form 'calls'"):
        TRACK.in_form("calls")


def test_a_stratum_is_a_language(tmp_path: Path) -> None:
    """Of the program, else of the question; what is no text is none."""
    rows = [issue_row(), issue_row(id=2, language="ru"), issue_row(id=3, language="ru", lang="Go")]

    assert [TRACK.stratum(task) for task in load(tmp_path, *rows)] == ["", "ru", "Go"]


def test_references_come_by_strength(tmp_path: Path) -> None:
    """Then by reactions, then in the order of the row."""
    given = [*REFERENCES, {"body": "c", "strength": "reactions", "reactions": 2}, {"body": "d", "strength": "accepted"},
             {"body": "e", "strength": "reactions", "reactions": 5}]  # fmt: skip
    (task,) = load(tmp_path, issue_row(references=given))
    spec = TRACK.spec(task, profile="strict")

    assert [each.body[0] for each in spec.references] == ["F", "d", "e", "c", "U"]
    assert (TRACK.gold(task), TRACK.stub(task), spec.asked_at) == (
        REFERENCES[1]["body"],
        "",
        "2024-03-05T10:00:00Z",
    )


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("form", ["chat", "base"])
def test_questions(tmp_path: Path, language: str, form: str) -> None:
    """There are five, each with title and text and without an answer; a row without a text has only the
    title."""
    task, bare = load(tmp_path, issue_row(), issue_row(id=2, body=None, instruction="{question}"))
    asked = TRACK.questions(task, language=language, form=form)

    assert [each.variant for each in asked] == [f"{language}-0{number}" for number in range(1, 6)]
    assert all("resample() is slow" in each.text and "It takes a minute." in each.text for each in asked)
    assert not any("window" in each.text for each in asked)
    assert (len(TRACK.questions(bare, language=language, form=form)), TRACK.prompt(bare)) == (
        5,
        "resample() is slow",
    )


def test_rows_come_back_and_collected_records_can_be_run(tmp_path: Path) -> None:
    """Authors have pseudonyms."""
    row = {**issue_row(repo="own/work"), "split": "test"}
    (task, collected) = load(tmp_path, row, issue_record())

    assert (TRACK.to_row(task), len(collected.outputs["references"])) == (row, 2)
    assert "ada-l" not in str(collected) and "grace" not in str(collected)


@pytest.mark.parametrize(
    ("text", "program", "rule", "problem"),
    [
        ("Use it.\r\n", "Use it.", "text", None),
        ("<think>hm</think>Use it.", "Use it.", "reasoning+text", None),
        ("", "", "text", None),
        ("x" * 5_000_000, "", "none", "unparsable"),
        ("half \ud800", "half \ufffd", "text", None),
    ],
)
def test_the_answer_is_its_text(
    tmp_path: Path, text: str, program: str, rule: str, problem: str | None
) -> None:
    """Reasoning is removed; an answer that is too long is not read."""
    (task,) = load(tmp_path, issue_row())
    taken = TRACK.extract(task, answer(task, text), profile="strict")

    assert (taken.program, taken.rule, taken.problem) == (program, rule, problem)


@pytest.mark.parametrize(
    ("given", "is_shown"),
    [
        (verdict(Outcome.undecided, overlap=0.2), True),
        (verdict(Outcome.passed, overlap=0.2), True),
        (verdict(Outcome.wrong, overlap=0.2), True),
        (verdict(Outcome.wrong, refusal=1.0), False),
        (verdict(Outcome.wrong, nothing_said=1.0), False),
        (verdict(Outcome.model_error), False),
    ],
)
def test_what_a_judge_is_shown(tmp_path: Path, given: Verdict, is_shown: bool) -> None:
    """The question, its date and all references, even if others have assessed it; settled answers are not
    shown."""
    (task,) = load(tmp_path, issue_row(language="ru"))
    reply = answer(task, "Use window.")
    exhibit = TRACK.exhibit(task, reply, TRACK.extract(task, reply, profile="strict"), given)

    assert (exhibit is not None) == is_shown
    if exhibit is not None:
        assert list(exhibit.sections) == [
            "Question",
            "Asked at",
            "Reference answer 1 (linked fix)",
            "Reference answer 2 (any)",
        ]
        assert (exhibit.rubric, exhibit.language, exhibit.candidate, exhibit.references) == (
            "issues",
            "ru",
            "Use window.",
            2,
        )


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"references": []}, "outputs.references", "there is no reference answer"),
        ({"references": None}, "outputs.references", "there is no reference answer"),
        ({"references": [{"body": " "}]}, "outputs.references[0].body", "is empty"),
        (
            {"references": [{"body": "x", "strength": "strong"}]},
            "outputs.references[0].strength",
            "is not a strength",
        ),
        (
            {"references": [{"body": "x", "reactions": -1}]},
            "outputs.references[0].reactions",
            "must be a count",
        ),
        ({"references": [{"body": "x", "author": 1}]}, "outputs.references[0].author", "must be a string"),
        ({"references": [{"body": "x"}] * 1001}, "outputs.references", "1,001 reference answers"),
        ({"question": "", "body": ""}, "inputs.question", "is empty"),
        ({"question": "x" * 200_000}, "inputs.question", "200,000 characters"),
        ({"instruction": "Answer: {body}"}, "instruction", "does not show `question`"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, changes: dict[str, Any], field: str, message: str) -> None:
    """The error has file, line, task and field."""
    with pytest.raises(DataError) as caught:
        load(tmp_path, issue_row(id=7, **changes))

    assert (caught.value.line, caught.value.task_id, caught.value.field) == (1, 7, field)
    assert message in caught.value.message


@pytest.mark.parametrize("language", ["en", "ru", "zh"])
def test_a_judge_is_asked_in_the_row_s_language(tmp_path: Path, language: str) -> None:
    (task,) = load(tmp_path, issue_row(language=language))
    reply = answer(task, "Use window.")
    given = verdict(Outcome.undecided)
    exhibit = TRACK.exhibit(task, reply, TRACK.extract(task, reply, profile="strict"), given)

    assert exhibit is not None and exhibit.language == language
