"""The CodeCorrectness track: prompts, extraction by two profiles, and comparison with the label."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.contracts import Extraction, LabelSpec, Track
from benchwright.errors import DataError, UsageError
from benchwright.records import Answer, Outcome, Task
from benchwright.tracks.correctness.rows import correctness_questions
from benchwright.tracks.correctness.track import TRACK
from kit.correctness_cases import TEST, correctness_row, escaped, load
from kit.judged import judged


def take(task: Task, text: str, *, profile: str, finish_reason: str | None = None) -> Extraction:
    """Return the label that the track reads from an answer."""
    answer = Answer(key="k", task_id=7, sample=0, model="m", text=text, finish_reason=finish_reason)
    return TRACK.extract(task, answer, profile=profile)


def test_the_track_satisfies_the_contract() -> None:
    """One greedy answer in Russian; there is no pass@k of a label."""
    track: Track = TRACK

    settings = (track.name, track.default_n, track.ks, track.temperature, track.language)
    assert settings == ("codecorrectness", 1, (), 0.0, "ru")


def test_a_label_is_its_own_form() -> None:
    """The error lists the existing ones; the form of the other question has its own tests."""
    with pytest.raises(UsageError, match="batch") as caught:
        TRACK.in_form("batch")

    assert (TRACK.in_form("label"), caught.value.hint) == (TRACK, "its forms are: label, error-class")


def test_questions_are_about_the_row_s_files(tmp_path: Path) -> None:
    """They equal the prompts for its inputs."""
    (task,) = load(tmp_path, correctness_row())

    expected = correctness_questions(task.inputs, language="ru", form="chat")
    assert expected == TRACK.questions(task, language="ru", form="chat")


@pytest.mark.parametrize(
    ("outputs", "gold", "stub"), [("success", "success", "failed"), ("failed", "failed", "success")]
)
def test_gold_is_the_label_and_stub_the_other(tmp_path: Path, outputs: str, gold: str, stub: str) -> None:
    """Both profiles read both unambiguously."""
    (task,) = load(tmp_path, correctness_row(outputs=outputs))
    read = {take(task, text, profile=profile).program for text in (stub,) for profile in TRACK.profiles}

    assert (TRACK.gold(task), TRACK.stub(task), read) == (gold, stub, {stub})


@pytest.mark.parametrize(
    ("text", "strict", "mera"),
    [
        ("success", "success", "success"),
        ("**Failed.**", "failed", ""),
        ("The test is unsuccessful.", "failed", "success"),
        ("success, not failed", "success", ""),
        ("no idea", "", ""),
    ],
)
def test_profiles_read_differently(tmp_path: Path, text: str, strict: str, mera: str) -> None:
    """A text without a label is unparsable, with the reason."""
    (task,) = load(tmp_path, correctness_row())
    taken = [take(task, text, profile=profile) for profile in ("strict", "mera-exact")]

    assert [each.program for each in taken] == [strict, mera]
    assert [each.problem for each in taken] == [None if label else "unparsable" for label in (strict, mera)]
    assert all(each.detail for each in taken)


def test_an_answer_cut_off_is_marked(tmp_path: Path) -> None:
    """By the server's finish reason."""
    (task,) = load(tmp_path, correctness_row())
    cut = [
        take(task, "success", profile="strict", finish_reason=end).truncated
        for end in ("length", "stop", None)
    ]

    assert cut == [True, False, False]


@pytest.mark.parametrize("profile", ["strict", "mera-exact"])
def test_the_spec_is_the_label(tmp_path: Path, profile: str) -> None:
    """Nothing is executed, so it contains nothing else."""
    (task,) = load(tmp_path, correctness_row(outputs="failed"))
    spec = TRACK.spec(task, profile=profile)

    assert spec == LabelSpec(expected="failed")


def test_a_private_task_loads_but_cannot_be_scored(tmp_path: Path) -> None:
    """It can be asked; a score would be invented."""
    (task,) = load(tmp_path, correctness_row(outputs=""))
    with pytest.raises(DataError, match="the label is hidden") as caught:
        TRACK.spec(task, profile="strict")

    assert (TRACK.gold(task), caught.value.task_id, TRACK.stub(task)) == (None, 7, "failed")


@pytest.mark.parametrize(
    ("profile", "hint"),
    [("mera-exakt", "did you mean `mera-exact`?"), ("mera-code", None), ("x", "one of: strict, mera-exact")],
)
def test_another_track_s_profile_is_refused(tmp_path: Path, profile: str, hint: str | None) -> None:
    """A profile that executes a program, and one that reads a label."""
    (task,) = load(tmp_path, correctness_row())
    hints = set()
    for use in (lambda: TRACK.spec(task, profile=profile), lambda: take(task, "success", profile=profile)):
        with pytest.raises(UsageError, match=profile) as caught:
            use()
        hints.add(caught.value.hint)

    assert (len(hints), hint in {*hints, None}) == (1, True)


def test_the_track_tells_what_was_un_escaped(tmp_path: Path) -> None:
    """The notes of a score use it."""
    tasks = load(tmp_path, correctness_row(test_code=escaped(TEST)), correctness_row(id=8))

    notes = [TRACK.measures.notes(dict(enumerate(each)), {}, []) for each in (tasks, tasks[1:])]

    assert list(map(len, notes)) == [1, 0]


def test_metrics_and_details_are_of_the_same_answers(tmp_path: Path) -> None:
    """Both are computed from the outcomes."""
    tasks = {
        task.task_id: task
        for task in load(tmp_path, correctness_row(), correctness_row(id=8, outputs="failed"))
    }
    answers = judged([(7, Outcome.passed), (8, Outcome.unparsable)])
    details = TRACK.measures.details(tasks, answers)

    assert TRACK.measures.metrics(tasks, answers, [])["exact_match"].value == 0.5
    assert details["groups"]["language"]["Python"]["exact_match"]["value"] == 0.5


def test_a_row_comes_back(tmp_path: Path) -> None:
    """No byte changes."""
    row = correctness_row(subset="original", note="x")
    (task,) = load(tmp_path, row)

    assert row == TRACK.to_row(task)
