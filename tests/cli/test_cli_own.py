"""`run own`: from a file that somebody wrote by hand to a score, a page and a judged rubric."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchwright.stub_server import ScriptRow, StubServer
from kit.command_line import benchwright, called
from kit.judging_models import decides, scripted
from kit.own_rows import LABEL, OWN_TOML, RUBRIC, own_file, own_row
from kit.small_data import write

pytestmark = pytest.mark.usefixtures("jail")

ANSWERS = {
    "add": "```python\ndef add(a, b):\n    return a + b\n```",
    "slug": "def slug(text):\n    return text\n",
    "spam": "Answer: spam",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the tasks and stored answers to them."""
    (tmp_path / "tasks.toml").write_text(OWN_TOML)
    write(tmp_path / "answers.jsonl", [{"task_id": at, "completion": text} for at, text in ANSWERS.items()])
    return tmp_path


def test_a_file_of_own_tasks_is_scored(place: Path) -> None:
    """Gold passes, the stub does not, and the run folder is whole without the file."""
    run = ("run", "own", "--data", "tasks.toml", "--model", "replay:answers.jsonl", "--out", "run", "--json")
    score = benchwright(*run, cwd=place)
    (place / "tasks.toml").unlink()

    assert score.code == 0, score.err
    assert score.document["outcomes"] == {"passed": 2, "wrong": 1}
    assert round(score.document["metrics"]["pass@1"]["value"], 3) == 0.667
    assert score.document["self_check"]["gold_passed"] == 3
    shown = called("show", "run", "slug", cwd=place)
    assert (shown.code, "hello-world" in shown.out) == (0, True)
    assert called("report", "run", "--out", "page.html", cwd=place).code == 0


def test_an_own_solution_that_is_wrong_stops_the_run(place: Path) -> None:
    """The self-check says which task."""
    own_file(place, own_row(solution="def add(a, b):\n    return a - b\n"))

    said = called("run", "own", "--data", "own.jsonl", "--model", "gold:", cwd=place)

    assert (said.code, "add" in said.err) == (1, True)


def test_a_rubric_is_decided_by_a_judge(place: Path) -> None:
    """One answer meets it and one does not; the judge has proved itself on a contrast set first."""
    own_file(place, RUBRIC, own_row(RUBRIC, id="other"), LABEL)
    answers = [("rows", "It is one list."), ("other", "They are two lists."), ("spam", "ham")]
    write(place / "said.jsonl", [{"task_id": at, "completion": text} for at, text in answers])
    script = scripted(
        "own",
        rows=[
            ScriptRow(contains="BEGIN\nIt is one list.", completions=[decides("correct", reference=None)]),
            ScriptRow(contains="BEGIN\nThey are two", completions=[decides("wrong", reference=None)]),
        ],
    )
    run = ("run", "own", "--data", "own.jsonl", "--model", "replay:said.jsonl", "--json")
    with StubServer(script) as server:
        said = called(*run, "--judge", f"openai:j@{server.base_url}", cwd=place)

    assert said.code == 0, said.err
    assert said.document["outcomes"] == {"passed": 1, "wrong": 2}


def test_a_rubric_is_decided_by_people(place: Path) -> None:
    """By a sheet: what they say is the verdict, where no model judge was asked."""
    own_file(place, RUBRIC, LABEL)
    answers = [("rows", "It is one list."), ("spam", "spam")]
    write(place / "said.jsonl", [{"task_id": at, "completion": text} for at, text in answers])
    run = ("run", "own", "--data", "own.jsonl", "--model", "replay:said.jsonl", "--out", "run", "--json")
    before = called(*run, cwd=place)
    called("judge", "export", "run", "--judges", "anna", "--out", "sheets", cwd=place)
    sheet = place / "sheets" / "anna.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        head, row = csv.reader(file)
    row[head.index("decision")] = "correct"
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, row])

    taken = called("judge", "import", sheet, "--run", "run", cwd=place)
    called("judge", "score", "run", cwd=place)

    assert before.document["outcomes"] == {"passed": 1, "undecided": 1}
    assert (taken.code, "1 vote imported" in taken.out + taken.err) == (0, True)
    assert called("show", "run", "--json", cwd=place).out.count('"passed":1') == 2


def test_a_typing_error_in_the_file_has_its_line(place: Path) -> None:
    text = OWN_TOML.replace('label = "spam"', 'lable = "spam"')
    (place / "tasks.toml").write_text(text)

    said = called("run", "own", "--data", "tasks.toml", "--model", "gold:", cwd=place)

    assert said.code == 1
    assert "tasks.toml:24, field `lable`: unknown field" in said.err
    assert "did you mean `label`?" in said.err
