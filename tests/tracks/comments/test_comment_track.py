"""The comment track: six prompts, an answer that is right by construction and one that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import AssessableTrack, CommentSpec, Track
from benchwright.errors import UsageError
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.records import Isolation, Outcome, Task, Verdict
from benchwright.tracks.comments.answers import altered, commented
from benchwright.tracks.comments.track import TRACK
from kit.smartcoding_rows import CODE, answer, comment_record, comment_row, write_records


def load(folder: Path, row: dict[str, Any]) -> Task:
    """Return the task of a row."""
    (task,) = TRACK.load(write_records(folder, row))
    return task


def test_the_track_satisfies_the_contract(tmp_path: Path) -> None:
    """One greedy answer in English; a model judge can be asked too."""
    track: Track = TRACK

    assert (track.default_n, track.ks, track.temperature, track.language, track.executes) == (
        1,
        (),
        0.0,
        "en",
        False,
    )
    assert isinstance(TRACK, AssessableTrack)
    assert TRACK.in_form("rules") is TRACK
    with pytest.raises(UsageError, match="no form 'calls'"):
        TRACK.in_form("calls")


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("form", ["chat", "base"])
def test_questions(tmp_path: Path, language: str, form: str) -> None:
    """There are six, each with the code, the requested style and language, and a fence that the code cannot
    close."""
    task = load(tmp_path, comment_row(code=CODE + '"""\n```\n"""\n', style="google", language="ru"))
    asked = TRACK.questions(task, language=language, form=form)

    assert [each.variant for each in asked] == [f"{language}-0{number}" for number in range(1, 7)]
    assert all(CODE in each.text and "google" in each.text and "````" in each.text for each in asked)


def test_a_row_s_own_prompt(tmp_path: Path) -> None:
    """It is the row's instruction, filled in."""
    task = load(tmp_path, comment_row(instruction="{description}\n\n{code}", description="Comment it."))

    assert TRACK.prompt(task) == f"Comment it.\n\n{CODE.strip()}"


@pytest.mark.parametrize(
    "changes",
    [{}, {"comment": "Clamps."}, {"annotations": None, "comment": '"""Clamps a value.\n\nBoth ends."""'},
     {"annotations": [{"line": 5, "text": "noqa"}, {"line": 1, "text": "type: ignore"}]},
     {"annotations": None, "comment": CODE.replace("    if", "    # Ends swapped.\n    if")}],
)  # fmt: skip
def test_gold_and_stub(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Gold is the code with the references, stub is other code; both are fenced."""
    task = load(tmp_path, comment_row(**changes))
    gold, stub = TRACK.gold(task), TRACK.stub(task)
    taken = [TRACK.extract(task, answer(task, text or ""), profile="strict").program for text in (gold, stub)]
    changed = [first_change(read_comments(CODE, "Python"), read_comments(text, "Python")) for text in taken]

    assert (changed[0], changed[1] is None) == (None, False)
    assert len(read_comments(taken[0], "Python").comments) > 1


def test_without_references_there_is_no_gold() -> None:
    """The stub still exists."""
    spec = CommentSpec(code=CODE, lang="Python")

    assert (commented(spec), "altered" in altered(spec)) == (None, True)


def test_a_collected_record_can_be_run(tmp_path: Path) -> None:
    """It gives the same task as its row."""
    task = load(tmp_path, comment_record())

    assert (task.inputs["code"], task.inputs["lang"], len(task.outputs["annotations"])) == (CODE, "Python", 2)


@pytest.mark.parametrize(
    ("outcome", "is_shown"),
    [(Outcome.scored, True), (Outcome.wrong, False), (Outcome.model_error, False), (Outcome.no_code, False)],
)
def test_what_a_judge_is_shown(tmp_path: Path, outcome: Outcome, is_shown: bool) -> None:
    """Code, references and candidate of an answer that rules have scored."""
    task = load(tmp_path, comment_row(comment="Clamps.", language="ru"))
    given = answer(task, TRACK.gold(task) or "")
    taken = TRACK.extract(task, given, profile="strict")
    verdict = Verdict(
        key="v", task_id=1, sample=0, outcome=outcome, isolation=Isolation.separated, profile="strict"
    )
    exhibit = TRACK.exhibit(task, given, taken, verdict)

    assert (exhibit is not None) == is_shown
    if exhibit is not None:
        assert list(exhibit.sections) == [
            "Task",
            "Code (Python)",
            "Reference annotations",
            "Reference comment",
        ]
        assert (exhibit.rubric, exhibit.language, exhibit.candidate) == ("comments", "ru", taken.program)


@pytest.mark.parametrize("language", ["en", "ru", "zh"])
def test_a_judge_is_asked_in_the_row_s_language(tmp_path: Path, language: str) -> None:
    task = load(tmp_path, comment_row(language=language))
    reply = answer(task, TRACK.gold(task) or "")
    given = Verdict(
        key="v", task_id=1, sample=0, outcome=Outcome.scored, isolation=Isolation.separated, profile="strict"
    )
    exhibit = TRACK.exhibit(task, reply, TRACK.extract(task, reply, profile="strict"), given)

    assert exhibit is not None and exhibit.language == language
