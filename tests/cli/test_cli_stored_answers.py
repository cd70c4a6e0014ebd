"""Stored answers through the command line: all of them count, what they lack is named, and their shape is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import Said, benchwright, called
from kit.small_data import gold_of, humaneval, write

RIGHT, WRONG = "right", "wrong"


def text_of(number: int, end: str) -> str:
    """An answer to a task of the small data set that ends so."""
    return f"    return {gold_of(number)}\n" if end == RIGHT else "    return 'wrong'\n"


def stored(folder: Path, ends: dict[int, list[str]], *, name: str = "answers.jsonl") -> Path:
    """A file of answers: of each task, by number, how its answers end."""
    rows = [
        {"task_id": f"Small/{number}", "completion": text_of(number, end)}
        for number, found in ends.items()
        for end in found
    ]
    return write(folder / name, rows)


def run(folder: Path, answers: Path, *more: object, out: str = "run") -> Said:
    """A run of these answers on four tasks."""
    if not (folder / "tasks.jsonl").exists():
        humaneval(folder, 4)
    words = ("--data", folder / "tasks.jsonl", "--model", f"replay:{answers}", "--out", folder / out, *more)
    return called("run", "humaneval", *words)


def document(folder: Path, out: str = "run") -> Any:
    """The stored score."""
    return json.loads((folder / out / "scores.json").read_text())


UNEVEN = [
    {0: [WRONG, RIGHT], 1: [RIGHT], 2: [RIGHT], 3: [RIGHT]},
    {0: [RIGHT, WRONG], 1: [RIGHT], 2: [RIGHT], 3: [RIGHT]},
    {3: [RIGHT], 0: [RIGHT, WRONG], 2: [RIGHT], 1: [RIGHT]},
]


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("number", range(len(UNEVEN)))
def test_order_never_decides_a_score(tmp_path: Path, number: int) -> None:
    """Five answers to four tasks: one task has one of two right."""
    said = run(tmp_path, stored(tmp_path, UNEVEN[number]))
    score = document(tmp_path)

    assert (said.code, score["answers"], score["metrics"]["pass@1"]["value"]) == (0, 5, 0.875)
    assert "tasks have 1 to 2 answers; all are judged" in said.err
    assert score["details"]["stored_answers"]["answers_a_task"] == {"1": 3, "2": 1}


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(
    ("ends", "first", "second"),
    [
        ({0: [RIGHT] * 3, 1: [WRONG], 2: [WRONG, RIGHT], 3: [RIGHT]}, (1 + 0 + 0.5 + 1) / 4, 1.0),
        ({0: [WRONG] * 3, 1: [RIGHT, RIGHT], 2: [RIGHT], 3: [RIGHT]}, 0.75, 0.5),
        (
            {0: [RIGHT, WRONG, WRONG], 1: [RIGHT, WRONG], 2: [WRONG, WRONG]},
            (1 / 3 + 0.5) / 3,
            (2 / 3 + 1) / 3,
        ),
        ({0: [RIGHT] * 4, 3: [WRONG]}, 0.5, 1.0),
        ({1: [WRONG, RIGHT, WRONG, WRONG]}, 0.25, 0.5),
    ],
)
def test_each_task_counts_by_its_own_number_of_answers(
    tmp_path: Path, ends: dict[int, list[str]], first: float, second: float
) -> None:
    """pass@k is unbiased for each task, and its mean is over the tasks that have k answers, which is said."""
    said = run(tmp_path, stored(tmp_path, ends), "--k", "1", "--k", "2")
    metrics = document(tmp_path)["metrics"]
    enough = sum(len(found) >= 2 for found in ends.values())

    assert (said.code, metrics["pass@1"]["n"], metrics["pass@2"]["n"]) == (0, len(ends), enough)
    assert metrics["pass@1"]["value"] == pytest.approx(first)
    assert metrics["pass@2"]["value"] == pytest.approx(second)
    assert metrics["pass@1"]["low"] <= metrics["pass@1"]["value"] <= metrics["pass@1"]["high"]
    assert (f"pass@2 is over {enough} of {len(ends)} tasks" in said.err) == (enough < len(ends))


@pytest.mark.usefixtures("jail")
def test_a_file_of_some_tasks_is_scored_for_these(tmp_path: Path) -> None:
    """Tasks without answers and answers without tasks are counted and named, here, in the score, on the page."""
    answers = stored(tmp_path, {2: [RIGHT], 0: [WRONG]})
    with answers.open("a") as file:
        file.write(json.dumps({"task_id": "Old/83", "completion": "x"}) + "\n")
    said = run(tmp_path, answers)
    score = document(tmp_path)
    page = called("report", tmp_path / "run", "--out", tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()

    assert (said.code, score["metrics"]["pass@1"]["value"], page.code) == (0, 0.5, 0)
    assert score["details"]["stored_answers"]["unanswered"] == ["Small/1", "Small/3"]
    assert score["details"]["stored_answers"]["foreign"] == {"Old/83": 1}
    for told in (said.err, html):
        assert "the score is of 2 of 4 tasks: no stored answer to Small/1, Small/3" in told
        assert "1 answer not judged, to 1 task that the data set lacks: Old/83" in told
    assert "nearest" not in said.err


@pytest.mark.usefixtures("jail")
def test_runs_of_different_answers_are_compared_over_common_tasks(tmp_path: Path) -> None:
    """However many answers each task has."""
    run(tmp_path, stored(tmp_path, UNEVEN[0]), out="a")
    run(tmp_path, stored(tmp_path, {0: [WRONG], 1: [RIGHT, WRONG], 3: [RIGHT]}, name="b.jsonl"), out="b")
    compared = called("compare", tmp_path / "a", tmp_path / "b", "--json")
    ranked = called("rank", tmp_path / "a", tmp_path / "b", "--json")
    notes = " ".join(compared.document["notes"])

    assert (compared.code, ranked.code, compared.document["difference"]["tasks"]) == (0, 0, 3)
    assert "b has no stored answer to 1 task (Small/2): excluded for all" in notes


@pytest.mark.usefixtures("jail")
def test_parts_of_uneven_answers_merge_into_the_whole(tmp_path: Path) -> None:
    """The merged score is that of one run over all, with what its file lacks."""
    answers = stored(tmp_path, {0: [WRONG, RIGHT, RIGHT], 1: [RIGHT], 3: [RIGHT, WRONG]})
    for out, more in {"whole": (), "odd": ("--tasks", "1/2"), "even": ("--tasks", "2/2")}.items():
        assert run(tmp_path, answers, *more, out=out).code == 0
    merged = called("merge", tmp_path / "merged", tmp_path / "odd", tmp_path / "even")
    whole, made = document(tmp_path, "whole"), document(tmp_path, "merged")

    assert (merged.code, made["metrics"], made["answers"]) == (0, whole["metrics"], 6)
    assert made["details"]["stored_answers"]["unanswered"] == ["Small/2"]
    assert made["notes"] == whole["notes"]


@pytest.mark.usefixtures("jail")
def test_a_run_of_uneven_answers_resumes(tmp_path: Path) -> None:
    """The same command a second time judges nothing and gives the same score."""
    answers = stored(tmp_path, {0: [WRONG, RIGHT], 1: [RIGHT]})
    first = run(tmp_path, answers, "--json")
    rows = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    second = run(tmp_path, answers, "--json")

    assert (first.code, second.code, second.document) == (0, 0, first.document)
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == rows


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(
    "row",
    [
        {"completion": None, "error": "timeout"},
        {"response": "", "error": {"message": "timeout"}},
        {"choices": [], "error": "timeout"},
        {"error": "timeout"},
        {"text": "", "error": "timeout"},
    ],
)
def test_a_failed_request_is_missing_and_named(tmp_path: Path, row: dict[str, Any]) -> None:
    """It is no wrong answer, in whichever shape it is stored."""
    answers = write(
        tmp_path / "answers.jsonl",
        [{"task_id": "Small/0", "completion": text_of(0, RIGHT)}, {"task_id": "Small/1", **row}],
    )
    said = run(tmp_path, answers)
    score = document(tmp_path)

    assert (said.code, score["outcomes"]) == (0, {"model_error": 1, "passed": 1})
    assert (score["metrics"]["pass@1"]["value"], score["missing"]) == (1.0, 1)
    assert "1 stored answers are failed requests, missing and not wrong: to task Small/1" in said.err


@pytest.mark.usefixtures("jail")
def test_n_says_what_it_leaves_out(tmp_path: Path) -> None:
    """Whoever asks for the first answers is told of the others."""
    said = run(tmp_path, stored(tmp_path, UNEVEN[0]), "--n", "1")

    assert (said.code, document(tmp_path)["metrics"]["pass@1"]["value"]) == (0, 0.75)
    assert "1 stored answer left out: --n 1" in said.err


@pytest.mark.usefixtures("jail")
def test_fields_name_the_column_that_counts(tmp_path: Path) -> None:
    """Two columns with different texts are refused with the option, which then reads the file."""
    rows = [
        {"task_id": f"Small/{number}", "response": "prose", "code": text_of(number, RIGHT)}
        for number in range(4)
    ]
    answers = write(tmp_path / "answers.jsonl", rows)
    refused = run(tmp_path, answers)
    read = run(tmp_path, answers, "--fields", "code=completion")

    assert (refused.code, "two columns hold different answers: `response`, `code`" in refused.err) == (
        1,
        True,
    )
    assert "--fields response=completion" in refused.err
    assert (read.code, document(tmp_path)["metrics"]["pass@1"]["value"]) == (0, 1.0)
    assert "one answer in `code`, tasks by `task_id`; 4 answers to 4 tasks" in read.err


def test_fields_of_a_model_without_columns_are_refused(tmp_path: Path) -> None:
    """Through a process of its own, with the exit code of a usage error."""
    data = humaneval(tmp_path, 1)
    said = benchwright("run", "humaneval", "--data", data, "--model", "gold:", "--fields", "a=completion")

    assert (said.code, "gold: has none" in said.err) == (2, True)
