"""Votes and the command that made a run: whichever comes last, the files are the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchwright.running.judged_items import store_votes
from benchwright.running.run_data import open_run
from kit.command_line import called, contents
from kit.graded_runs import ANSWER, comment_row, issue_row
from kit.peoples_votes import items, votes_on
from kit.small_data import write

pytestmark = pytest.mark.usefixtures("jail")
SCORED = ("answers.jsonl", "verdicts.jsonl", "scores.json", "votes.jsonl")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Six issues and four pieces of code with stored answers; one answer says nothing."""
    write(tmp_path / "issues.jsonl", [issue_row(number) for number in range(1, 7)])
    texts = {number: f"Call load() before step {number}." for number in range(1, 6)} | {6: ""}
    write(tmp_path / "answers.jsonl", [{"task_id": at, "completion": text} for at, text in texts.items()])
    write(tmp_path / "comments.jsonl", [comment_row(number) for number in range(1, 5)])
    codes = {number: f"```python\n{ANSWER.replace('area', f'area_{number}')}```" for number in range(1, 5)}
    write(
        tmp_path / "comments-answers.jsonl",
        [{"task_id": at, "completion": text} for at, text in codes.items()],
    )
    return tmp_path


def issues(place: Path) -> None:
    """The command of the run of issues."""
    line = ("run", "smartcoding-issues", "--data", "issues.jsonl", "--model", "replay:answers.jsonl")
    said = called(*line, "--out", "run", "--json", cwd=place)
    assert said.code == 0, said.err


def files(place: Path) -> dict[str, bytes]:
    """What is scored, without times."""
    return {name: data for name, data in contents(place / "run").items() if name in SCORED}


def judge(place: Path) -> None:
    """Have two people decide all that is open."""
    run = place / "run"
    store_votes(open_run(run), votes_on(items(run), lambda item, *_: "correct", "anna", "boris"))


def test_the_runs_own_command_gives_the_same_bytes(place: Path) -> None:
    """After `judge score`, and where votes came without it."""
    issues(place)
    shutil.copytree(place / "run", place / "plain")
    judge(place)
    shutil.copytree(place / "run", place / "waiting")
    assert called("judge", "score", "run", cwd=place).code == 0
    scored = files(place)
    issues(place)
    assert files(place) == scored

    shutil.rmtree(place / "run")
    shutil.move(place / "waiting", place / "run")
    issues(place)
    assert files(place) == scored
    found = json.loads(scored["scores.json"])
    assert found["metrics"]["acc"]["value"] == pytest.approx(5 / 6)
    assert found["outcomes"] == {"passed": 5, "wrong": 1}


def test_without_votes_a_run_is_as_it_was(place: Path) -> None:
    """Scoring such a run writes the bytes that are there; and so does taking all votes back."""
    issues(place)
    before = files(place)
    assert called("judge", "score", "run", cwd=place).code == 0
    assert files(place) == before

    judge(place)
    issues(place)
    (place / "run/votes.jsonl").unlink()
    issues(place)
    assert files(place) == before


def test_votes_that_were_written_before_a_kill_are_scored_by_the_next_command(place: Path) -> None:
    """An import ended between votes and score: the same import again completes it."""
    issues(place)
    called("judge", "export", "run", "--format", "jsonl", "--judges", "anna", "--out", "s", cwd=place)
    rows = [json.loads(line) for line in (place / "s/anna.jsonl").read_text().splitlines()]
    filled = "".join(json.dumps({**row, "decision": "wrong"}) + "\n" for row in rows)
    (place / "s/anna.jsonl").write_text(filled)
    shutil.copytree(place / "run", place / "other")
    called("judge", "import", "s/anna.jsonl", "--run", "run", cwd=place)
    shutil.copy(place / "run/votes.jsonl", place / "other/votes.jsonl")
    said = called("judge", "import", "s/anna.jsonl", "--run", "other", "--json", cwd=place)

    assert json.loads(said.out)["known"] == 5
    score = {name: json.loads((place / name / "scores.json").read_text()) for name in ("run", "other")}
    assert score["run"]["metrics"] == score["other"]["metrics"]
    assert score["run"]["metrics"]["acc"]["value"] == 0


def test_the_total_by_people_has_the_runs_weights(place: Path) -> None:
    """Of the run, not of the track."""
    line = (
        "run",
        "smartcoding-comments",
        "--data",
        "comments.jsonl",
        "--model",
        "replay:comments-answers.jsonl",
    )
    said = called(*line, "--weights", "format=1,accuracy=0,logic=0", "--out", "run", "--json", cwd=place)
    assert said.code == 0, said.err
    run = place / "run"
    grades = {"logic": 1, "accuracy": 1, "format": 5}
    store_votes(open_run(run), votes_on(items(run), lambda item, field, who: grades[field], "anna"))
    found = json.loads(called("judge", "score", "run", "--json", cwd=place).out)

    figures = found["runs"]["run"]["people"]["figures"]
    assert (figures["total"]["people"]["value"], figures["logic"]["people"]["value"]) == (1.0, 0.0)
