"""Graded runs at the command line: weights, what is shown of answers, and comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import benchwright, called, contents
from kit.graded_runs import ANSWER, comment_row, issue_row
from kit.small_data import write

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Four tasks of each track; of the answers to the first the code of one is changed."""
    write(tmp_path / "comments.jsonl", [comment_row(number) for number in range(1, 5)])
    write(tmp_path / "issues.jsonl", [issue_row(number) for number in range(1, 5)])
    texts = {number: f"```python\n{ANSWER.replace('area', f'area_{number}')}```" for number in range(1, 5)}
    texts[3] = "```python\nx = 1\n```"
    write(tmp_path / "mine.jsonl", [{"task_id": at, "completion": text} for at, text in texts.items()])
    return tmp_path


def run(place: Path, *more: object, out: str = "run") -> Any:
    """A run of the comments, as JSON."""
    line = ("run", "smartcoding-comments", "--data", "comments.jsonl", "--model", "replay:mine.jsonl")
    said = called(*line, "--out", out, "--json", *more, cwd=place)
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_comments_are_graded(place: Path) -> None:
    """Gold and stub are told apart, a changed program is wrong, and every number has its interval."""
    score = run(place)

    assert score["self_check"] == {
        "gold_passed": 4,
        "gold_total": 4,
        "stub_passed": 0,
        "stub_total": 4,
        "failures": [],
        "kept": 0,
        "since": "",
        "canaries": 0,
    }
    assert score["outcomes"] == {"scored": 3, "wrong": 1}
    assert list(score["metrics"])[:5] == ["total", "format", "accuracy", "logic", "code_unchanged"]
    assert score["metrics"]["code_unchanged"]["value"] == 0.75
    assert {each["quality"] for each in score["details"]["indicators"]} == {
        "functionality",
        "reliability",
        "interpretability",
    }


def test_weights_are_part_of_a_run(place: Path) -> None:
    """They change the total and the identity; those of the track itself change neither."""
    plain, other = run(place), run(place, "--weights", "format=2,accuracy=0,logic=0", out="other")
    equal = run(place, "--weights", "format=1,accuracy=1,logic=1", out="equal")
    identity = {
        name: json.loads((place / name / "run.json").read_text())["identity"]
        for name in ("run", "other", "equal")
    }

    assert other["metrics"]["total"] == other["metrics"]["format"] == plain["metrics"]["format"]
    assert identity["other"]["weights"] == {"format": 1.0, "accuracy": 0.0, "logic": 0.0}
    assert identity["run"] == identity["equal"] and "weights" not in identity["run"]
    assert equal["metrics"] == plain["metrics"]
    refused = benchwright("compare", "run", "other", cwd=place)
    assert (refused.code, "`weights` differs" in refused.err) == (1, True)


def test_a_second_call_changes_nothing(place: Path) -> None:
    """With other weights too: totals are not weighted twice."""
    run(place, "--weights", "format=0.2,accuracy=0.3,logic=0.5")
    before = contents(place / "run")
    run(place, "--weights", "format=0.2,accuracy=0.3,logic=0.5")

    assert contents(place / "run") == before


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("format=1", "must name format, accuracy and logic, each once"),
        ("format=1,accuracy=1,logic=1,style=1", "must name format, accuracy and logic, each once"),
        ("format=x,accuracy=1,logic=1", "invalid or repeated PART=WEIGHT: 'format=x'"),
        ("format=1,format=1,accuracy=1,logic=1", "invalid or repeated PART=WEIGHT: 'format=1'"),
        ("format=-1,accuracy=1,logic=1", "must be numbers of at least 0"),
        ("format=nan,accuracy=1,logic=1", "must be numbers of at least 0"),
        ("format=inf,accuracy=1,logic=1", "must be numbers of at least 0"),
        ("format=0,accuracy=0,logic=0", "must be numbers of at least 0"),
        ("", "invalid or repeated PART=WEIGHT"),
    ],
)
def test_weights_that_are_refused(place: Path, weights: str, words: str) -> None:
    """Each says what is wrong and what to write; nothing is begun."""
    said = called(
        *("run", "smartcoding-comments", "--data", "comments.jsonl", "--model", "gold:"),
        *("--weights", weights, "--out", "refused"),
        cwd=place,
    )

    assert (said.code, (place / "refused").exists()) == (2, False)
    assert words in said.err and "hint: --weights " in said.err


def test_issues_have_no_weights(place: Path) -> None:
    """There is one number, and nothing to weigh."""
    said = called(
        *("run", "smartcoding-issues", "--data", "issues.jsonl", "--model", "gold:"),
        *("--weights", "format=1,accuracy=1,logic=1"),
        cwd=place,
    )

    assert (said.code, "have no total to weight" in said.err) == (2, True)


def test_issues_without_a_judge_have_no_score(place: Path) -> None:
    """All answers are undecided: there is no figure, and the terminal says why."""
    line = ("run", "smartcoding-issues", "--data", "issues.jsonl", "--model", "gold:", "--out", "issues")
    said = called(*line, cwd=place)
    score = json.loads((place / "issues" / "scores.json").read_text(encoding="utf-8"))

    assert (said.code, score["outcomes"], "acc" in score["metrics"]) == (0, {"undecided": 4}, False)
    assert "4 of 4 answers are undecided, in no figure and no zero" in " ".join(said.err.split())


def test_answers_are_shown_with_their_scores(place: Path) -> None:
    """A mean for each task; of one answer its scores, why, and the commented code."""
    run(place)
    tasks, answer = called("show", "run", cwd=place), called("show", "run", "1", cwd=place)
    as_json = json.loads(called("show", "run", "--json", cwd=place).out)

    assert tasks.out.split()[:4] == ["task", "mean", "score", "outcomes"]
    assert "scores: format " in answer.out and "# a width is a length" in answer.out
    assert "expected:" not in answer.out and "processor time" not in answer.out
    assert as_json["tasks"][2] == {"task_id": 3, "outcomes": {"wrong": 1}, "mean_score": 0.0}


def test_runs_are_compared_by_total(place: Path) -> None:
    """Task by task, as runs of any track are."""
    run(place)
    write(
        place / "other.jsonl",
        [
            {"task_id": at, "completion": f"```python\n{comment_row(at)['inputs']['code']}```"}
            for at in range(1, 5)
        ],
    )
    line = ("run", "smartcoding-comments", "--data", "comments.jsonl", "--model", "replay:other.jsonl")
    assert called(*line, "--out", "other", "-q", cwd=place).code == 0
    said = called("compare", "run", "other", cwd=place)

    assert said.code == 0 and "points of total" in said.err
