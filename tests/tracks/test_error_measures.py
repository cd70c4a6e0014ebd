"""Figures of error classes: stated classes, groups, baselines, and unknown answers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome, Task, TaskId
from benchwright.tracks.correctness.error_measures import ErrorMeasures
from benchwright.tracks.correctness.rows import build_classed
from benchwright.tracks.rows import Fields
from kit.correctness_cases import correctness_row

MEASURES = ErrorMeasures()
KINDS = ("", "assertion", "exception", "compile")
GOLD = ("success", "assertion", "exception", "build")


def tasks_of(count: int, **meta: Any) -> dict[TaskId, Task]:
    """Return tasks whose classes take turns."""
    rows = [
        correctness_row(id=at, kind=KINDS[at % 4], outputs="failed" if at % 4 else "success", **meta)
        for at in range(count)
    ]
    return {at: build_classed(Fields(row, "rows", at + 1)) for at, row in enumerate(rows)}


def said(gold: str, name: str | None, variant: str = "") -> JudgedAnswer:
    """Return an answer with this class, as its verdict stores it."""
    if name is None:
        return JudgedAnswer(Outcome.unparsable, variant)
    outcome = Outcome.passed if name == gold else Outcome.wrong
    return JudgedAnswer(outcome, variant, parts={name: outcome})


def always(
    tasks: dict[TaskId, Task], name: str | None, variant: str = ""
) -> dict[TaskId, list[JudgedAnswer]]:
    """Return the same answer to each task."""
    return {task_id: [said(task.outputs, name, variant)] for task_id, task in tasks.items()}


def test_a_constant_answer_has_the_figures_of_one() -> None:
    """A quarter is right, F1 is 0.4 for one class of four, and a finding states that it equals its baseline."""
    tasks = tasks_of(40)
    answers = always(tasks, "build")
    found, details = MEASURES.metrics(tasks, answers, ()), MEASURES.details(tasks, answers)

    assert found["exact_match"].value == 0.25
    assert found["macro_f1"].value == pytest.approx(0.4 / 4)
    assert (found["balanced_accuracy"].value, found["invalid"].value) == (0.25, 0.0)
    assert details["confusion"]["assertion"] == {
        "success": 0,
        "assertion": 0,
        "exception": 0,
        "build": 10,
        "none": 0,
    }
    assert "not better than always saying assertion" in details["findings"][0]


def test_each_class_has_its_own_line() -> None:
    """The share recognised and F1, in the order of the classes; baselines have readable names."""
    tasks = tasks_of(40)
    answers = always(tasks, "success") | {
        task_id: [said(task.outputs, task.outputs)]
        for task_id, task in tasks.items()
        if task.outputs != "build"
    }
    details = MEASURES.details(tasks, answers)
    sections = MEASURES.sections(details)
    (classes,) = [each for each in sections.groupings if each.kind == "class"]

    assert list(classes.rows) == list(GOLD)
    assert [row["exact_match"].value for row in classes.rows.values()] == [1, 1, 1, 0]
    assert classes.rows["success"]["macro_f1"].value == pytest.approx(2 * 10 / (20 + 10))
    assert [each.name for each in sections.baselines] == ["always assertion", "right label, else assertion"]
    assert sections.baselines[1].metrics["exact_match"].value == 0.5
    assert list(sections.confusion) == list(GOLD)
    assert details["findings"] == []


def test_an_answer_without_a_class_is_wrong_and_counted() -> None:
    """It has no class, so it is a false positive of none."""
    tasks = tasks_of(8)
    found = MEASURES.metrics(tasks, always(tasks, None), ())

    assert (found["exact_match"].value, found["invalid"].value, found["macro_f1"].value) == (0, 1, 0)


def test_prompts_subsets_and_tags_have_their_figures() -> None:
    """A tag with fewer than ten tasks is counted and left out."""
    tasks = tasks_of(12, subset="history", tags=["time"])
    few = tasks_of(4, tags=["rare"])
    answers = always(tasks, "success", "ru-02")
    groups = MEASURES.details(tasks, answers)["groups"]

    assert set(groups) == {"class", "language", "subset", "tag", "prompt"}
    assert (set(groups["subset"]), set(groups["tag"]), set(groups["prompt"])) == (
        {"history"},
        {"time"},
        {"ru-02"},
    )
    assert MEASURES.details(few, always(few, "success"))["small_tags"] == 1


def test_a_withheld_run_does_not_tell_which_class_was_named() -> None:
    """Only the share of right answers is reported, with a note."""
    tasks = tasks_of(8)
    answers = {
        task_id: [JudgedAnswer(Outcome.wrong if task_id == 1 else Outcome.passed)] for task_id in tasks
    }
    found = MEASURES.metrics(tasks, answers, ())

    assert (list(found), found["exact_match"].value) == (["exact_match"], 7 / 8)
    assert MEASURES.details(tasks, answers) == {}
    assert "macro-F1 is not known" in MEASURES.notes(tasks, answers, ())[-1]


def test_versions_of_one_test_are_one_cluster() -> None:
    """The interval is wider, because the copies are alike."""
    tasks = tasks_of(40)
    clustered = {
        task_id: replace(task, meta={**task.meta, "cluster": f"c{task_id // 4}"})
        for task_id, task in tasks.items()
    }
    answers = {
        task_id: [said(task.outputs, task.outputs if task_id // 4 % 2 else "success")]
        for task_id, task in tasks.items()
    }
    narrow, wide = (MEASURES.metrics(each, answers, ()) for each in (tasks, clustered))

    for name in ("exact_match", "macro_f1"):
        assert wide[name].value == narrow[name].value
        assert wide[name].high - wide[name].low > narrow[name].high - narrow[name].low, name
    assert MEASURES.notes(clustered, answers, ())[0].startswith("40 tasks in 10 clusters")


def test_without_answers_there_is_nothing() -> None:
    """There are no figures and no details."""
    tasks = tasks_of(4)

    assert (MEASURES.metrics(tasks, {}, ()), MEASURES.details(tasks, {})) == ({}, {})
    assert MEASURES.task_value("exact_match", []) is None
