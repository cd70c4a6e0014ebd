"""A run of answers to issues, judged by model judges and people with known errors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchwright.contracts import Assessment
from benchwright.judges.people.records import Vote
from benchwright.running.judged_items import store_votes
from benchwright.running.run_data import open_run
from kit.graded_runs import ISSUES, graded_run
from kit.peoples_votes import vote

TASKS = 120


def right(task: int) -> bool:
    """Return whether an answer is right: two in three are."""
    return task % 3 != 0


def said(judge: str, task: int, label: str, **more: object) -> Assessment:
    """Return a judge's verdict on the only answer to a task."""
    return Assessment(  # type: ignore[arg-type]
        **{
            "key": f"{judge}-{task}",
            "answer": f"{task}-0",
            "task_id": task,
            "sample": 0,
            "judge": judge,
            "status": "judged",
            "label": label,
            **more,
        }
    )


def kind_judge(task: int) -> str:
    """Accept all right answers, and every second wrong one."""
    return "correct" if right(task) or task % 2 == 0 else "wrong"


def decided(item: int, value: str, judge: str, **more: object) -> Vote:
    """Return a vote on the answer to a task, which is a separate item."""
    return vote(value, judge, item=f"i{item}", task_id=item, answers=[f"{item}-0"], **more)


def peoples_votes(tasks: Iterable[int]) -> list[Vote]:
    """Return votes of Anna, who is always right, and Boris, wrong on each tenth; Anna judges each fifth item
    twice."""
    votes = []
    for task in tasks:
        true = "correct" if right(task) else "wrong"
        votes.append(decided(task, true, "anna"))
        if task % 10 == 0:
            votes.append(decided(task, "wrong" if right(task) else "correct", "boris"))
            votes.append(decided(task, true, "clara", round="adjudication"))
        else:
            votes.append(decided(task, true, "boris"))
        if task % 5 == 0:
            votes.append(decided(task, true, "anna", round="repeat"))
    return votes


def calibrated_run(
    place: Path, labelled: int = 60, *, judges: Iterable[str] = ("j1", "j2"), tasks: int = TASKS
) -> Path:
    """Write the run: `labelled` of its answers have labels; judge j1 is lenient, j2 is always right."""
    ends = {task: [("ok " * (1 + task % 7), "undecided", {})] for task in range(1, tasks + 1)}
    run = graded_run(place / "run", ISSUES, ends)  # type: ignore[arg-type]
    folder = open_run(run)
    says = {"j1": kind_judge, "j2": lambda task: "correct" if right(task) else "wrong"}
    folder.keep_assessments(said(judge, task, says[judge](task)) for task in ends for judge in judges)
    store_votes(folder, peoples_votes(range(1, labelled + 1)))
    return run
