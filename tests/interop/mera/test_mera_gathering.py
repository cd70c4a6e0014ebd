"""What is exported is complete, of the data set it says, and of integer ids, or it is refused before it runs."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, DataError, RunError, UsageError
from benchwright.interop.mera.run_results import NO_TIME, RunToRepeat, from_file, from_run
from benchwright.records import Answer
from benchwright.store.writing import Appender
from kit.mera_runs import answer_file, data_set, private_row, run_folder, text_of
from kit.small_data import mera_row, write

TEN = [["right"] * 10, ["wrong"] * 10]


def _from_run(path: Path, **changed: Any) -> RunToRepeat:
    return from_run(path, **{"task_name": None, "data": None, "missing": "refuse", **changed})


def _from_file(answers: Path, data: Path, **changed: Any) -> RunToRepeat:
    return from_file(answers, data=str(data), **{"task_name": None, "missing": "refuse", **changed})


def _refused(kind: type[BenchwrightError], work: Any) -> BenchwrightError:
    with pytest.raises(kind) as caught:
        work()
    assert caught.value.hint
    return caught.value


def test_a_run_folder_that_was_never_judged(tmp_path: Path) -> None:
    """Answers are enough: tasks, ten answers each in order, limits and the time of the run come from it."""
    source = _from_run(run_folder(tmp_path, data_set(tmp_path), TEN))

    assert (source.kind.name, list(source.tasks), source.limits.memory_mb) == ("ruHumanEval", [1, 2], 512)
    assert [answer.sample for answer in source.answers[2]] == list(range(10))
    assert (source.time, source.asked["name"]) == (datetime(2026, 2, 3, 4, 5, 6, 789000), "test")


def test_a_file_of_answers(tmp_path: Path) -> None:
    """The same from two files; the time is fixed, so that two exports are equal."""
    source = _from_file(answer_file(tmp_path, TEN), data_set(tmp_path))

    assert (source.kind.name, source.time, source.asked["scheme"]) == ("ruHumanEval", NO_TIME, "replay")
    assert {answer.text for answer in source.answers[1]} == {text_of(1, "right")}


def test_private_tasks_are_those_of_rucodeeval(tmp_path: Path) -> None:
    """The ranked use: nothing here can be scored, and all of it can be exported."""
    data = data_set(tmp_path, private=True)

    assert _from_file(answer_file(tmp_path, TEN), data).kind.name == "ruCodeEval"
    assert _from_run(run_folder(tmp_path, data, TEN)).kind.name == "ruCodeEval"


def test_a_name_given_wins(tmp_path: Path) -> None:
    """The open copy of ruCodeEval is ruCodeEval when the user says so."""
    source = _from_file(answer_file(tmp_path, TEN), data_set(tmp_path), task_name="ruCodeEval")

    assert source.kind.name == "ruCodeEval"


@pytest.mark.parametrize(("name", "words"), [("rucodeeval", "ruCodeEval"), ("RealCode", "object has")])
def test_a_name_that_cannot_be(name: str, words: str, tmp_path: Path) -> None:
    """Another case, or the rows of another task set: the hint has the right name, or the fields that there are."""
    answers, data = answer_file(tmp_path, TEN), data_set(tmp_path)
    error = _refused(BenchwrightError, lambda: _from_file(answers, data, task_name=name))

    assert words in (error.hint or "")


@pytest.mark.parametrize(
    "answers", [[["right"] * 9] * 2, [["right"] * 10, ["right"] * 9], [["right"] * 12, ["right"] * 10]]
)
def test_too_few_answers(answers: list[list[str]], tmp_path: Path) -> None:
    """Fewer than ten, or fewer than another task has, would be scored for nothing."""
    data = data_set(tmp_path)
    errors = [
        _refused(RunError, lambda: _from_file(answer_file(tmp_path, answers), data)),
        _refused(RunError, lambda: _from_run(run_folder(tmp_path, data, answers))),
    ]

    assert [("fewer than" in error.message, "pass@k" in (error.hint or "")) for error in errors] == [
        (True, True)
    ] * 2


def test_a_task_without_answers(tmp_path: Path) -> None:
    """One task left out would cost the score of all: it is named."""
    data = data_set(tmp_path, tasks=3)
    error = _refused(RunError, lambda: _from_run(run_folder(tmp_path, data, TEN)))

    assert ("task 3 has fewer than 10 answers" in error.message, "minimum: 0" in error.message) == (
        True,
        True,
    )


def test_answers_that_the_model_failed_to_give(tmp_path: Path) -> None:
    """A fault of a server is not made a wrong answer in silence; the user may say so."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN, failed=[(2, 7)])
    error = _refused(RunError, lambda: _from_run(path))
    source = _from_run(path, missing="empty")

    assert (
        "task 2 has missing answers" in error.message,
        "--missing empty" in (error.hint or ""),
    ) == (
        True,
        True,
    )
    assert source.answers[2][7].text == ""


def test_a_retried_answer_replaces_the_failed_one(tmp_path: Path) -> None:
    """A run that was cut short may hold both; the order they were written in does not matter."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN, failed=[(2, 7), (1, 0)])
    with Appender(path / "answers.jsonl") as writer:
        for number, sample in ((2, 7), (1, 0)):
            again = Answer(key="again", task_id=number, sample=sample, model="test", text="got it")
            writer.append(again)
        writer.append(Answer(key="late", task_id=2, sample=7, model="test", text="", error="HTTP 500"))
    source = _from_run(path)

    assert (source.answers[2][7].text, source.answers[1][0].text) == ("got it", "got it")


def test_a_run_that_is_still_going(tmp_path: Path) -> None:
    """An unfinished run may end in a partial line; missing answers are reported."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN)
    content = (path / "answers.jsonl").read_bytes()
    (path / "answers.jsonl").write_bytes(content[:-20])
    error = _refused(RunError, lambda: _from_run(path))

    assert ("minimum: 9" in error.message, "run it to the end" in (error.hint or "")) == (True, True)


def test_a_run_without_answers(tmp_path: Path) -> None:
    """A folder whose run has only begun has nothing to export."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN)
    (path / "answers.jsonl").unlink()
    error = _refused(RunError, lambda: _from_run(path))

    assert "minimum: 0" in error.message


def test_a_data_set_that_was_moved(tmp_path: Path) -> None:
    """Its new place can be given; its content must be that of the run."""
    data = data_set(tmp_path)
    path = run_folder(tmp_path, data, TEN)
    moved = data.rename(tmp_path / "moved.jsonl")
    error = _refused(RunError, lambda: _from_run(path))

    assert ("is not at" in error.message, "--data" in (error.hint or "")) == (True, True)
    assert list(_from_run(path, data=str(moved)).tasks) == [1, 2]


def test_a_data_set_that_was_changed(tmp_path: Path) -> None:
    """Answers to other tasks are never exported as answers to these."""
    data = data_set(tmp_path)
    path = run_folder(tmp_path, data, TEN)
    write(data, [mera_row(1), mera_row(4)])
    error = _refused(RunError, lambda: _from_run(path))

    assert "has changed" in error.message


def test_a_run_of_another_track(tmp_path: Path) -> None:
    """HumanEval is not a task set of MERA."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN, track="humaneval")
    error = _refused(UsageError, lambda: _from_run(path))

    assert "humaneval" in error.message


def test_limits_of_another_version(tmp_path: Path) -> None:
    """Limits that cannot be read are not replaced by others in silence; the hint is a way around them."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN, limits={"cpu_s": "three"})
    error = _refused(RunError, lambda: _from_run(path))

    assert ("another version" in error.message, "--answers" in (error.hint or "")) == (True, True)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    """Any other folder is refused by name."""
    error = _refused(RunError, lambda: _from_run(tmp_path))

    assert "not a run folder" in error.message


def test_an_id_that_is_no_integer(tmp_path: Path) -> None:
    """The server finds tasks by number: a text id is refused before an hour of answers is exported."""
    rows = [private_row(1), {**private_row(2), "meta": {**private_row(2)["meta"], "id": "two"}}]
    data = write(tmp_path / "data.jsonl", rows)
    answers = [{"task_id": task, "completion": ""} for task in (1, "two") for _ in range(10)]
    error = _refused(DataError, lambda: _from_file(write(tmp_path / "a.jsonl", answers), data))

    assert ("two" in error.message, "meta.id" in error.message) == (True, True)


def test_answers_to_a_task_that_is_not_there(tmp_path: Path) -> None:
    """A file of answers to another data set is refused, not half used."""
    answers = answer_file(tmp_path, [*TEN, ["right"] * 10])
    error = _refused(DataError, lambda: _from_file(answers, data_set(tmp_path)))

    assert "1 of its tasks are not in the data set: 3" in error.message


@pytest.mark.parametrize("time", [None, "yesterday", 5])
def test_a_run_without_a_usable_time(time: Any, tmp_path: Path) -> None:
    """The log then has the fixed time of answers that came from no run."""
    path = run_folder(tmp_path, data_set(tmp_path), TEN)
    manifest = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps({**manifest, "finished": time}))

    assert _from_run(path).time == NO_TIME
