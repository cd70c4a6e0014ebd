"""The demo's code to comment, its questions, what the demo models answer, and what its judge replied."""

from __future__ import annotations

from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from benchwright.judges.people.results import ENOUGH, results_of
from benchwright.judges.rubric.contrast import contrast_items
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.records import Answer
from benchwright.running.judged_items import scan_votes
from benchwright.store.lines import read_rows
from benchwright.tracks.comments.track import TRACK as COMMENTS
from benchwright.tracks.issues.track import TRACK as ISSUES
from demo_source.judge import MODELS
from demo_source.make import DATA, SMART_ANSWERS, judge_files, people_files
from demo_source.smartcoding import COMMENT_SAMPLES, comment_answers, comment_rows, issue_rows, opinions

FOLDER = DATA / "smartcoding"
README = resources.files("benchwright.demo").joinpath("README.md").read_text("utf-8")


def test_a_dozen_tasks_of_each_track_in_four_languages() -> None:
    """And in two natural ones."""
    assert Counter(row["lang"] for row in comment_rows()) == dict.fromkeys(
        ("Python", "Java", "Go", "JavaScript"), 3
    )
    assert Counter(row["topic"] for row in issue_rows()) == dict.fromkeys(
        ("Python", "Java", "Go", "JavaScript"), 3
    )
    for rows in (comment_rows(), issue_rows()):
        assert {row["language"] for row in rows} == {"en", "ru"}


def test_what_the_judge_replied_is_what_its_sources_give() -> None:
    """After a change of a rubric or of a contrast set: `./run python -m demo_source.make`."""
    made = judge_files()

    assert len(made) == 4
    for name, text in made.items():
        assert (DATA / name).read_text(encoding="utf-8") == text, name


def test_what_people_say_is_what_their_sources_give() -> None:
    """Two judges on most open answers, and an adjudicator where they do not agree; nobody was asked."""
    made = people_files()

    assert len(made) == 2 * len(MODELS)
    for name, text in made.items():
        assert (DATA / name).read_text(encoding="utf-8") == text, name
        results = results_of(list(scan_votes(DATA / name)))
        kinds = Counter(each.result for each in results)
        assert kinds["none"] == 0 and kinds["unanimous"] > kinds["adjudicated"], name


@pytest.mark.parametrize("model", ["demo-strong", "demo-weak"])
def test_people_label_enough_to_calibrate_the_judge(model: str) -> None:
    """In the runs on code to comment."""
    votes = list(scan_votes(FOLDER / "comments" / "people" / f"{model}.jsonl"))

    assert len({vote.item for vote in votes if vote.round == "first"}) >= ENOUGH


@pytest.mark.parametrize("kind", ["comments", "issues"])
def test_the_judge_was_asked_for_its_self_check_too(kind: str) -> None:
    (path,) = (FOLDER / kind / "judge").glob("replies.*.jsonl")
    asked = {row["task_id"] for _, row in read_rows(path)}

    assert {each.name for each in contrast_items(kind)} <= asked


def test_careful_comments_change_no_code() -> None:
    tasks = {task.task_id: task for task in COMMENTS.load(FOLDER / "comments.jsonl")}
    for task_id, written in comment_answers("demo-strong"):
        task = tasks[task_id]
        answer = Answer(key="", task_id=task_id, sample=0, model="", text=written.text)
        program = COMMENTS.extract(task, answer, profile="strict").program
        code, lang = task.inputs["code"], task.inputs["lang"]
        assert first_change(read_comments(code, lang), read_comments(program, lang)) is None, task_id


@pytest.mark.parametrize("kind", ["comments", "issues"])
@pytest.mark.parametrize("model", MODELS)
def test_each_task_has_its_answers(kind: str, model: str) -> None:
    """Six to each piece of code, so that people label fifty and more, and one to each question."""
    track = COMMENTS if kind == "comments" else ISSUES
    answers = COMMENT_SAMPLES if kind == "comments" else 1
    tasks = [task.task_id for task in track.load(FOLDER / f"{kind}.jsonl") for _ in range(answers)]

    assert [task_id for task_id, _ in SMART_ANSWERS[kind](model)] == tasks
    assert [row["task_id"] for _, row in read_rows(FOLDER / kind / f"{model}.jsonl")] == tasks


@pytest.mark.parametrize("model", MODELS)
def test_opinions_quote_what_was_answered(model: str) -> None:
    texts = {task_id: written.text for task_id, written in SMART_ANSWERS["issues"](model)}

    for task_id, said in opinions(model):
        assert said["evidence"] in texts[task_id]


def test_the_readme_counts_these_files() -> None:
    for path in sorted(FOLDER.glob("*.jsonl")):
        assert f"| `smartcoding/{path.name}` | {len(list(read_rows(path)))} |" in README
    replies = [len(list(read_rows(path))) for path in sorted(FOLDER.glob("*/judge/*.jsonl"))]
    assert f"| `smartcoding/*/judge/` | {replies[0]} and {replies[1]} |" in README
    assert Path(FOLDER / "comments" / "judge").is_dir()
