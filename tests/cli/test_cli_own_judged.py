"""`audit` and `judge calibrate` on own tasks: from a file that somebody wrote to what its judgements are worth."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import ScriptRow, StubServer
from kit.command_line import benchwright, called
from kit.judging_models import decides, scripted
from kit.own_rows import CALLS, LABEL, RUBRIC, own_file, own_row
from kit.small_data import write

pytestmark = pytest.mark.usefixtures("jail")

TASKS = 12
KIND = 3  # so many wrong answers the judge calls right


def answer_of(number: int) -> str:
    """The even ones are right."""
    return f"It is {'one list' if number % 2 == 0 else 'two lists'}, number {number}."


def rubric_row(number: int) -> dict[str, Any]:
    """A question of its own."""
    prompt = f"Why does `[[0] * 3] * {number + 2}` surprise people?"
    return own_row(RUBRIC, id=f"rows-{number:02}", prompt=prompt)


def judged_rubrics(place: Path) -> Path:
    """A run of rubric tasks and one of a label, judged by a model that is too kind, and by Anna's sheet."""
    own_file(place, *(rubric_row(each) for each in range(TASKS)), LABEL)
    said = [{"task_id": f"rows-{each:02}", "completion": answer_of(each)} for each in range(TASKS)]
    write(place / "said.jsonl", [*said, {"task_id": "spam", "completion": "spam"}])
    rows = [
        ScriptRow(
            contains=f"BEGIN\n{answer_of(each)}",
            completions=[decides("correct" if each % 2 == 0 or each < 2 * KIND else "wrong", reference=None)],
        )
        for each in range(TASKS)
    ]
    run = ("run", "own", "--data", "own.jsonl", "--model", "replay:said.jsonl", "--out", "run", "--json")
    with StubServer(scripted("own", rows=rows)) as server:
        done = called(*run, "--judge", f"openai:j@{server.base_url}", cwd=place)
    assert done.code == 0, done.err
    return place / "run"


def people_judge(place: Path) -> None:
    """By a sheet, in which every answer stands as text."""
    called("judge", "export", "run", "--judges", "anna", "--out", "sheets", cwd=place)
    sheet = place / "sheets" / "anna.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    for row in rows:
        row[head.index("decision")] = "correct" if "one list" in row[head.index("answer")] else "wrong"
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    taken = called("judge", "import", sheet, "--run", "run", cwd=place)
    assert (taken.code, f"{TASKS} votes imported" in taken.out + taken.err) == (0, True), taken.err


def test_a_judge_of_own_rubrics_is_held_against_people(tmp_path: Path) -> None:
    """Its table of labels, and what people would give to all answers."""
    judged_rubrics(tmp_path)
    people_judge(tmp_path)
    words = benchwright("judge", "calibrate", "run", cwd=tmp_path)
    (judge,) = called("judge", "calibrate", "run", "--json", cwd=tmp_path).document["judges"]

    assert words.code == 0, words.err
    assert (
        f"on decision: uncalibrated: fewer than 50 blind labels ({TASKS} blind labels by people, "
        "alpha of people unknown)" in words.out
    )
    assert judge["confusion"] == {
        "correct": {"correct": TASKS // 2},
        "wrong": {"correct": KIND, "wrong": TASKS // 2 - KIND},
    }
    assert judge["specificity"]["value"] == 0.5
    assert judge["estimate"]["human"]["value"] == 0.5


def test_people_and_judge_stand_beside_the_score_of_own_tasks(tmp_path: Path) -> None:
    """After `judge score`: what rules have settled is in the figure, as the label's task is."""
    judged_rubrics(tmp_path)
    people_judge(tmp_path)
    scored = called("judge", "score", "run", "--json", cwd=tmp_path)

    assert scored.code == 0, scored.err
    figure = scored.document["runs"]["run"]["people"]["figures"]["pass@1"]
    assert (figure["labels"], figure["answers"], figure["settled"]) == (TASKS, TASKS + 1, 1)
    assert figure["people"]["value"] == pytest.approx((TASKS / 2 + 1) / (TASKS + 1))
    assert figure["judge"]["value"] == pytest.approx((TASKS / 2 + KIND + 1) / (TASKS + 1))


@pytest.mark.parametrize("verb", ["calibrate", "agreement"])
def test_own_tasks_without_a_judge_are_refused_with_what_to_do(tmp_path: Path, verb: str) -> None:
    """Programs and labels are judged by no model; a rubric is, where one was asked."""
    own_file(tmp_path, CALLS, LABEL)
    called("run", "own", "--data", "own.jsonl", "--model", "gold:", "--out", "run", cwd=tmp_path)
    said = called("judge", verb, "run", cwd=tmp_path)

    assert (said.code, "hint: " in said.err, "Traceback" in said.err) == (1, True, False)


def test_own_tasks_are_audited(tmp_path: Path) -> None:
    """A weak test is found with a call to paste; a label and a rubric are counted and not executed."""
    weak = own_row(
        id="cap",
        prompt="Write a Python function `cap(x)` that gives x, but at most 20.",
        entry_point="cap",
        calls=[{"args": [each], "returns": min(each, 20)} for each in (0, 1, 5, 60)],
        solution="def cap(x):\n    return min(x, 20)\n",
    )
    constant = own_row(
        id="always",
        prompt="Write a Python function `always(x)`: is x positive?",
        entry_point="always",
        calls=None,
        asserts="assert always(1)\nassert always(2)\n",
        solution="def always(x):\n    return x > 0\n",
    )
    broken = own_row(id="broken", solution="def add(a, b):\n    return a - b\n")
    own_file(tmp_path, weak, constant, broken, LABEL, RUBRIC)

    said = benchwright("audit", "own.jsonl", "--out", "audit", "--json", cwd=tmp_path)

    assert said.code == 0, said.err
    found = {
        (finding["task"], finding["code"]): finding
        for task in said.document["ranked"]
        for finding in task["findings"]
    }
    assert {("always", "stub_passes"), ("broken", "gold_fails")} <= found.keys()
    assert {("spam", "not_executed"), ("rows", "not_executed")} <= found.keys()
    assert said.document["shapes"] == {"own": 5}
    assert Path(tmp_path / said.document["page"]).is_file()


def test_answers_of_a_run_are_further_programs_of_own_tasks(tmp_path: Path) -> None:
    """A wrong answer that passes is found by what it gives on calls like those of the tests."""
    own_file(
        tmp_path,
        own_row(
            id="cap",
            prompt="Write a Python function `cap(x)` that gives x, but at most 20.",
            entry_point="cap",
            calls=[{"args": [each], "returns": min(each, 20)} for each in (0, 1, 5, 9, 12, 60)],
            solution="def cap(x):\n    return min(x, 20)\n",
        ),
    )
    wrong = "def cap(x):\n    return 20 if x == 60 else x\n"
    write(tmp_path / "said.jsonl", [{"task_id": "cap", "completion": wrong}])
    run = ("run", "own", "--data", "own.jsonl", "--model", "replay:said.jsonl", "--out", "run")
    assert called(*run, cwd=tmp_path).code == 0

    said = called("audit", "own.jsonl", "--answers", "run", "--out", "audit", "--json", cwd=tmp_path)

    assert said.code == 0, said.err
    assert "answer_differs" in said.document["counts"]
