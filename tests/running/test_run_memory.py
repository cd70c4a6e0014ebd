"""A run uses a few bytes of memory for each answer, both new and resumed."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from benchwright.contracts import Job, Judgement
from benchwright.progress import Silent
from benchwright.records import Isolation, Outcome, SelfCheck, TaskId, Verdict
from benchwright.running.answering import ask_questions
from benchwright.running.judging import judge_answers
from benchwright.running.plan import Plan
from benchwright.running.run_folders import open_folder
from benchwright.running.scoring import score
from kit.run_stages import folder_of, plan_of
from kit.small_data import write

AN_ANSWER = 16  # bytes
TASKS, GOLD = 3, "    return x\n"
WARM, FEW, MANY = 300, 1_000, 2_500  # answers
LEFT = 0.99  # of each file, after a kill
NOT_CHECKED = SelfCheck(gold_passed=0, gold_total=0, stub_passed=0, stub_total=0)


class Passing:
    """Replaces a pool: everything passes, the last of each few first, as workers keep no order."""

    size = 1

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Yield judgements of all jobs."""
        waiting = iter(jobs)
        while some := list(islice(waiting, 8)):
            for job in reversed(some):
                yield job.number, Judgement(outcome=Outcome.passed)


def peak(plan: Plan, folder: Path) -> int:
    """Return the peak memory of a run with its plan, from its first answer to its score."""
    with open_folder(plan, folder / "run", "either", Silent()) as opened:
        tracemalloc.reset_peak()  # reading run.json takes more than all of these
        ask_questions(plan, opened, Silent())
        judge_answers(plan, opened, Passing(), Silent(), profile="strict")
        opened.finalize(lambda head: plan.rank(head.task_id, head.sample), profiles=plan.profiles)
        score(plan, opened, NOT_CHECKED)
    return tracemalloc.get_traced_memory()[1]


def peaks(folder: Path, answers: int) -> tuple[int, int]:
    """Return the peaks of a new run of this number of stored answers, and of the same one resumed without its
    last rows."""
    rows = ({"task_id": f"Small/{number % TASKS}", "completion": GOLD} for number in range(answers))
    stored, found = write(folder / "stored.jsonl", rows), []
    for _ in range(2):
        tracemalloc.start()
        try:
            found.append(peak(plan_of(folder, tasks=TASKS, model=f"replay:{stored}"), folder))
        finally:
            tracemalloc.stop()
        for name in ("answers.jsonl", "verdicts.jsonl"):
            path = folder / "run" / name
            os.truncate(path, int(path.stat().st_size * LEFT))
    return found[0], found[1]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, float]:
    """Return the bytes for each further answer: in a new run, and in a resumed one."""
    _, few, many = (peaks(tmp_path_factory.mktemp("memory"), answers) for answers in (WARM, FEW, MANY))
    return (many[0] - few[0]) / (MANY - FEW), (many[1] - few[1]) / (MANY - FEW)


def test_a_new_run_holds_few_bytes_an_answer(grown: tuple[float, float]) -> None:
    """The place of each in its file, and its outcome."""
    assert grown[0] <= AN_ANSWER


def test_a_run_that_goes_on_holds_few_bytes_an_answer(grown: tuple[float, float]) -> None:
    """In addition, the set of existing rows, while it is needed."""
    assert grown[1] <= AN_ANSWER


def test_the_answers_to_one_prompt_at_a_time_are_scored(tmp_path: Path) -> None:
    """Ten prompts need hardly more than one: outcomes are in one list, and few of them in a second."""
    answers = 10 * MANY
    plan = plan_of(tmp_path, tasks=TASKS, model="gold:", prompts="all", n=answers // TASKS // 10)
    with folder_of(plan, tmp_path) as folder:
        with folder.verdict_writer() as writer:
            for task in plan.tasks:
                writer.append_all(_passed(task, sample) for sample in range(plan.a_task))
        tracemalloc.start()
        try:
            score(plan, folder, NOT_CHECKED)
            held = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert held / answers <= AN_ANSWER


def _passed(task: TaskId, sample: int) -> Verdict:
    isolation = Isolation.separated
    return Verdict(
        key="", task_id=task, sample=sample, outcome=Outcome.passed, isolation=isolation, profile="strict"
    )
