"""People's votes next to the verdicts of a run: decided answers, figures by judge, people and both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts.specs import RULES_CANNOT_TELL
from benchwright.errors import RunError
from benchwright.judges.people.records import JudgedItem
from benchwright.judges.people.results import ENOUGH
from benchwright.rank.comparison import compare
from benchwright.rank.contestant import load
from benchwright.records import Score
from benchwright.running.human_labels import results_by_answer
from benchwright.running.judged_items import store_votes
from benchwright.running.rescoring import rescore
from benchwright.running.run_data import data_of, open_run, read_score
from benchwright.store.keys import JUDGES
from kit.graded_runs import ANSWER, COMMENTS, ISSUES, graded_run, rules
from kit.peoples_votes import items, votes_on


def issue_run(place: Path, ends: dict[int, str], *, judged: bool = True, name: str = "run") -> Path:
    """Write a run of issues with these outcomes; with a model judge if it is judged."""
    scores = {"passed": 1.0, "scored": 0.5, "wrong": 0.0}
    label = {"passed": "passed", "scored": "scored", "wrong": "wrong"}
    given: dict[Any, Any] = {
        task: [
            (
                f"answer to {task}",
                end,
                {
                    "scores": {"answer": scores[end], "strongest": scores[end]},
                    "parts": {"judge j": label[end]},
                }
                if judged
                else {"detail": RULES_CANNOT_TELL if end == "undecided" else ""},
            )
        ]
        for task, end in ends.items()
    }
    run = graded_run(place / name, ISSUES, given)
    if judged:
        path = run / "run.json"
        manifest = json.loads(path.read_text())
        manifest["identity"][JUDGES] = {"j": {"model": {"name": "j"}}}
        path.write_text(json.dumps(manifest))
    return run


def scored(run: Path) -> Score:
    """Score the run again."""
    folder = open_run(run)
    return rescore(folder, data_of(folder))


def judge(run: Path, says: Any, *judges: str) -> None:
    """Let people give these votes on each item."""
    store_votes(open_run(run), votes_on(items(run), says, *judges))


def test_people_decide_where_no_judge_was_asked(tmp_path: Path) -> None:
    """acc comes from people, in the score and in the verdicts for comparisons; undecided answers are left
    out."""
    run = issue_run(tmp_path, dict.fromkeys(range(1, 7), "undecided"), judged=False)
    assert "acc" not in read_score(open_run(run)).metrics
    said = {1: "correct", 2: "correct", 3: "wrong", 4: "partly", 5: "cannot_tell", 6: None}
    judge(run, lambda item, field, who: said[item.task_id], "anna", "boris")

    score = scored(run)

    assert score.metrics["acc"].value == 0.5 and score.metrics["acc"].n == 4
    assert "acc_strongest" not in score.metrics, "people name no reference"
    assert score.outcomes == {"passed": 2, "scored": 1, "undecided": 2, "wrong": 1}
    assert score.details["people"]["decided"] == 4
    assert score.details["people"]["figures"]["acc"]["both"] is None, "there is no judge to rely on"
    assert "people: 4 of 4 answers judged, 0 undecided" in score.notes
    assert not any("uncalibrated" in note for note in score.notes)
    assert load([run])[0].estimates["acc"] == [1.0, 1.0, 0.0, 0.0]


def test_a_label_taken_back_takes_its_decision_with_it(tmp_path: Path) -> None:
    """Without votes the folder has its earlier bytes."""
    run = issue_run(tmp_path, dict.fromkeys(range(1, 4), "undecided"), judged=False)
    before = {name: (run / name).read_bytes() for name in ("verdicts.jsonl", "scores.json")}
    judge(run, lambda item, field, who: "correct", "anna")
    assert scored(run).metrics["acc"].value == 1
    judge(run, lambda item, field, who: None, "anna")

    assert "acc" not in scored(run).metrics
    assert not (run / "votes.jsonl").exists()
    assert {name: (run / name).read_bytes() for name in before} == before


def test_scoring_again_changes_nothing(tmp_path: Path) -> None:
    """Equal votes give equal bytes, for any number of calls."""
    run = issue_run(tmp_path, {task: ("passed", "wrong")[task % 2] for task in range(1, 13)})
    judge(run, lambda item, field, who: "correct", "anna", "boris")
    scored(run)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    scored(run)

    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_figures_by_judge_people_and_both(tmp_path: Path) -> None:
    """A judge that accepts each third wrong answer is corrected by people who label half."""
    tasks = range(1, 241)
    right = {task: task % 2 == 0 for task in tasks}
    ends = {task: "passed" if right[task] or task % 3 == 0 else "wrong" for task in tasks}
    run = issue_run(tmp_path, ends)
    asked = {task for task in tasks if task % 4 in (0, 1)}
    says = {task: "correct" if right[task] else "wrong" for task in asked}
    judge(run, lambda item, field, who: says.get(item.task_id), "anna", "boris")

    score = scored(run)
    figure = score.details["people"]["figures"]["acc"]

    assert score.metrics["acc"].value == pytest.approx(2 / 3)
    assert figure["people"]["value"] == pytest.approx(0.5)
    assert figure["both"]["low"] < 0.5 < figure["both"]["high"] < score.metrics["acc"].value
    assert figure["both"]["high"] - figure["both"]["low"] < figure["people"]["high"] - figure["people"]["low"]
    assert (figure["labels"], figure["answers"], figure["calibrated"]) == (120, 240, True)
    assert score.metrics == read_score(open_run(run)).metrics, "what the judge says stays what it says"
    assert score.details["people"]["results"] == {
        "unanimous": 120,
        "majority": 0,
        "single": 0,
        "adjudicated": 0,
        "none": 0,
    }


@pytest.mark.parametrize("labels", [ENOUGH - 1, ENOUGH])
def test_uncalibrated_under_fifty_labels(tmp_path: Path, labels: int) -> None:
    """The mark disappears with the fiftieth blind label, not with the forty-ninth."""
    run = issue_run(tmp_path, {task: ("passed", "wrong")[task % 2] for task in range(1, 61)})
    judge(run, lambda item, field, who: "correct" if item.task_id <= labels else None, "anna")

    score = scored(run)

    assert score.details["people"]["labels"] == labels
    assert any("uncalibrated" in note for note in score.notes) == (labels < ENOUGH)
    assert score.details["people"]["figures"]["acc"]["calibrated"] == (labels >= ENOUGH)


@pytest.mark.parametrize("apart", [0, 5, 30])
def test_people_who_agree_too_little_calibrate_nobody(tmp_path: Path, apart: int) -> None:
    """Two people disagree on some of 60 answers: these count by their mean vote, the score and its notes name
    them, and with alpha under 0.67 no number of labels makes a figure calibrated."""
    run = issue_run(tmp_path, {task: ("passed", "wrong")[task % 2] for task in range(1, 81)})

    def says(item: JudgedItem, field: str, who: str) -> str | None:
        right = item.task_id % 2 == 0
        if item.task_id <= apart and who == "boris":
            right = not right
        return ("correct" if right else "wrong") if item.task_id <= 60 else None

    judge(run, says, "anna", "boris")
    score = scored(run)
    people, figure = score.details["people"], score.details["people"]["figures"]["acc"]

    assert (people["labels"], people["disputed"], figure["disputed"]) == (60 - apart, apart, apart)
    assert figure["people"]["value"] == pytest.approx(0.5, abs=0.01)
    assert any(f"do not agree on {apart} answers" in note for note in score.notes) == bool(apart)
    assert figure["calibrated"] == (people["alpha"] >= 0.67)
    assert (people["alpha"] < 0.67) == (apart == 30)


def test_what_rules_have_settled_is_in_the_figures_as_they_say(tmp_path: Path) -> None:
    """People do not vote on a changed program, and it counts as 0 by people too."""
    ends: dict[Any, Any] = {task: [(ANSWER, "scored", {"scores": rules(logic=0.5)})] for task in range(1, 9)}
    ends |= {task: [("other", "wrong", {})] for task in (9, 10)}
    run = graded_run(tmp_path / "run", COMMENTS, ends)
    assert len(items(run)) == 8
    judge(run, lambda item, field, who: {"logic": 5, "accuracy": 4, "format": 3}[field], "anna", "boris")

    figures = scored(run).details["people"]["figures"]

    assert list(figures) == ["total", "format", "accuracy", "logic"]
    assert figures["logic"]["people"]["value"] == pytest.approx(0.8)
    assert figures["accuracy"]["people"]["value"] == pytest.approx(0.6)
    assert figures["total"]["people"]["value"] == pytest.approx(0.8 * (1 + 0.75 + 0.5) / 3)
    assert figures["logic"]["settled"] == 2 and figures["logic"]["answers"] == 10


def test_a_run_decided_by_people_is_not_compared_with_one_by_judges(tmp_path: Path) -> None:
    """The error names the difference."""
    people = issue_run(tmp_path, dict.fromkeys(range(1, 5), "undecided"), judged=False)
    models = issue_run(tmp_path, dict.fromkeys(range(1, 5), "passed"), judged=False, name="other")
    judge(people, lambda item, field, who: "correct", "anna")
    scored(people)

    with pytest.raises(RunError, match="`decided by` differs"):
        compare(*load([people, models]))


def test_comparisons_say_what_people_labelled(tmp_path: Path) -> None:
    """Figures of judges have the number of votes; figures by people are compared as such."""
    runs = [issue_run(tmp_path, dict.fromkeys(range(1, 5), end), name=end) for end in ("passed", "wrong")]
    judge(runs[0], lambda item, field, who: "correct", "anna")
    scored(runs[0])

    notes = compare(*load(runs)).notes

    assert any(
        "judges decided and people labelled 4 answers, by 4 votes, fewer than 50" in note for note in notes
    )


def one_key(run: Path) -> None:
    """Give all answers of a run one key, as answers to tasks of equal content have."""
    path = run / "answers.jsonl"
    rows = [{**json.loads(line), "key": "one-key"} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_people_label_answers_to_equal_tasks_one_by_one(tmp_path: Path) -> None:
    """The task distinguishes them, in decisions, figures and on the page of one answer."""
    run = issue_run(tmp_path, dict.fromkeys(range(1, 5), "undecided"), judged=False)
    one_key(run)
    said = {1: "correct", 2: "wrong", 3: "correct", 4: "correct"}
    judge(run, lambda item, field, who: said[item.task_id], "anna")

    score = scored(run)
    shown = results_by_answer(open_run(run))

    assert score.metrics["acc"].value == 0.75
    assert (score.details["people"]["labels"], score.details["people"]["decided"]) == (4, 4)
    assert {task: shown["one-key", task][0].value for task in said} == said
