"""Equal answers are executed once, each gets its own judgement, and a failed sandbox stands for nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import BatchSpec, Criterion, GradersSpec, Job, Judgement, LevelsSpec, Spec
from benchwright.records import Answer, Outcome
from benchwright.running import equal_answers
from benchwright.running.equal_answers import EqualAnswersExecutor
from benchwright.running.pipeline import run
from benchwright.running.score_notes import NOTE_ON_COPIES
from kit.small_data import humaneval, read_rows, write

SPEC = BatchSpec(entry_point="f")


class Recorder:
    """An executor that judges `ahead` jobs at a time, the last first, and keeps the samples it executed."""

    size = 1

    def __init__(self, *, ahead: int = 1, outcomes: Sequence[Outcome] = ()) -> None:
        self.executed: list[tuple[str, int]] = []
        self._ahead, self._outcomes = ahead, iter(outcomes)

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Judgements whose detail is the judged text."""
        held: list[Job] = []
        for job in jobs:
            held.append(job)
            if len(held) == self._ahead:
                yield from map(self._end, reversed(held))
                held.clear()
        yield from map(self._end, reversed(held))

    def _end(self, job: Job) -> tuple[int, Judgement]:
        assert isinstance(job.given, Answer)
        self.executed.append((str(job.given.task_id), job.given.sample))
        outcome = next(self._outcomes, Outcome.passed)
        return job.number, Judgement(outcome=outcome, detail=job.given.text, trouble="restarted")


def _job(number: int, text: str, *, task: str = "a", spec: Spec = SPEC, **fields: Any) -> Job:
    answer = Answer(key=str(number), task_id=task, sample=number, model="m", text=text, **fields)
    return Job(number, answer, Criterion(spec, None, "strict"))


def _judged(executor: Recorder, jobs: Iterable[Job]) -> dict[int, Judgement]:
    found = list(EqualAnswersExecutor(executor).judge(jobs))
    assert len({number for number, _ in found}) == len(found)
    return dict(found)


def test_an_equal_answer_gets_the_judgement_of_the_first_and_names_it() -> None:
    executor = Recorder()
    found = _judged(executor, [_job(0, "x"), _job(1, "y"), _job(2, "x")])

    assert executor.executed == [("a", 0), ("a", 1)]
    assert [(found[n].detail, found[n].equal_to, found[n].trouble) for n in range(3)] == [
        ("x", None, "restarted"),
        ("y", None, "restarted"),
        ("x", 0, ""),
    ]


@given(
    texts=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=40),
    ahead=st.integers(1, 9),
    kept=st.integers(0, 3),
    waiting=st.integers(0, 3),
)
def test_each_job_is_judged_once_by_its_own_text(
    texts: list[tuple[str, str]], ahead: int, kept: int, waiting: int
) -> None:
    """With any order, any number of jobs at once and any limit of memory."""
    executor = Recorder(ahead=ahead)
    jobs = [_job(number, text, task=task) for number, (task, text) in enumerate(texts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal_answers, "MOST_KEPT", kept)
        patch.setattr(equal_answers, "MOST_WAITING", waiting)
        found = _judged(executor, jobs)

    assert {number: each.detail for number, each in found.items()} == {
        number: text for number, (_, text) in enumerate(texts)
    }
    copies = [(jobs[number], each.equal_to) for number, each in found.items() if each.equal_to is not None]
    assert all(texts[job.number] == texts[sample] and sample < job.number for job, sample in copies)
    assert len(executor.executed) + len(copies) == len(texts)
    if kept >= 9 and waiting >= 40:
        assert len(executor.executed) == len(set(texts))


def test_a_failure_of_the_sandbox_stands_for_no_other_answer() -> None:
    executor = Recorder(ahead=3, outcomes=[Outcome.sandbox_error])
    found = _judged(executor, [_job(0, "x"), _job(1, "x"), _job(2, "x")])

    assert executor.executed == [("a", 0), ("a", 1)]
    assert [(found[n].outcome.value, found[n].equal_to) for n in range(3)] == [
        ("sandbox_error", None),
        ("passed", None),
        ("passed", 1),
    ]


@pytest.mark.parametrize(
    "second",
    [
        _job(1, "x", task="b"),
        _job(1, "x", finish_reason="length"),
        _job(1, "x", form="solution"),
        _job(1, "x", tail="END"),
        _job(1, "x ", task="a"),
    ],
)
def test_answers_that_may_be_judged_differently_are_executed(second: Job) -> None:
    executor = Recorder()
    _judged(executor, [_job(0, "x"), second])
    assert len(executor.executed) == 2


@pytest.mark.parametrize(
    "spec",
    [
        GradersSpec(max_seconds=1.0),
        LevelsSpec(entry_point="f", cases=[]),
        BatchSpec(entry_point="f", environment="sklearn"),
    ],
)
def test_answers_are_executed_each_where_judging_is_not_deterministic(spec: Spec) -> None:
    executor = Recorder()
    _judged(executor, [_job(0, "x", spec=spec), _job(1, "x", spec=spec)])
    assert len(executor.executed) == 2


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("each_answer", "copies"), [(False, 2), (True, 0)])
def test_a_run_executes_equal_answers_once_unless_asked_otherwise(
    tmp_path: Path, each_answer: bool, copies: int
) -> None:
    """Verdicts and figures are equal in both cases, and the score says how the answers were executed."""
    rows = [{"task_id": "Small/0", "completion": "    return x + 0\n"}] * 3
    score = run(
        "humaneval",
        data=str(humaneval(tmp_path, 1)),
        model=f"replay:{write(tmp_path / 'samples.jsonl', rows)}",
        each_answer=each_answer,
        out=tmp_path / "run",
    )
    verdicts = read_rows(tmp_path / "run" / "verdicts.jsonl")

    assert score.outcomes == {"passed": 3}
    assert sum(each.get("equal_to") is not None for each in verdicts) == copies
    assert (NOTE_ON_COPIES in score.notes) is bool(copies)
