"""Reading an answer never raises: whatever its text does to the reader is how the answer ends."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import CallsSpec, Extraction, Judgement, LabelSpec, Spec
from benchwright.errors import SandboxError
from benchwright.executing import worker
from benchwright.executing.worker import AnswerJudge
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import processor_limit
from benchwright.sandbox.zygote import AnswerUsage
from kit.run_stages import answer, plan_of

SPEC = CallsSpec(entry_point="f")
LABEL = LabelSpec(expected="failed")


class Reader:
    """A track that reads as it is told to."""

    def __init__(self, act: Any) -> None:
        self._act = act

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        taken: Extraction = self._act()
        return taken


class Box:
    """In the place of a sandbox: every program is right, but one that is named so fails."""

    limits, trouble = Limits(), list[str]()

    def execute(self, job: Any, work: Any, **how: Any) -> AnswerUsage:
        if b"fails" in job[2]:
            raise SandboxError("the zygote is gone")
        return AnswerUsage(cpu_s=0.5, wall_s=0.5, peak_kb=0, status=0, printed=0, stdout=b"")


def judged(folder: Path, act: Any, *, spec: Spec = SPEC) -> Judgement:
    """What becomes of an answer that is read so."""
    task = plan_of(folder).tasks["Small/0"]
    judges = Judges(Resources(Box(), ExitStack()))  # type: ignore[arg-type]
    judge = AnswerJudge(Reader(act), judges, reading=lambda: processor_limit(0.1))  # type: ignore[arg-type]
    return judge.judge(answer(0), task, spec, profile="strict")


def _raise(error: BaseException) -> Any:
    raise error


def _loop() -> Any:
    while True:
        pass


@pytest.mark.parametrize(
    ("act", "spec", "outcome"),
    [
        (_loop, SPEC, "timed_out"),
        (lambda: _raise(MemoryError()), SPEC, "out_of_memory"),
        (lambda: _raise(RecursionError("too deep")), SPEC, "no_code"),
        (lambda: _raise(KeyError("x")), LABEL, "unparsable"),
        (lambda: Extraction(program="", rule="r", problem="no such outcome"), SPEC, "no_code"),
        (
            lambda: Extraction(program="", rule="r", problem="no_entry_point", detail="x"),
            SPEC,
            "no_entry_point",
        ),
        (lambda: Extraction(program="def f(: pass", rule="r"), SPEC, "syntax_error"),
        (lambda: Extraction(program="failed", rule="r"), LABEL, "passed"),
        (lambda: Extraction(program="x = 1", rule="r"), SPEC, "passed"),
    ],
)
def test_how_a_text_is_read_is_how_the_answer_ends(
    act: Any, spec: Spec, outcome: str, tmp_path: Path
) -> None:
    """A fault of the reader too: else a text that brings one about would be missing, or end the run."""
    assert judged(tmp_path, act, spec=spec).outcome.value == outcome


def test_a_fault_of_the_reader_names_its_place(tmp_path: Path) -> None:
    """So that it can be mended."""
    detail = judged(tmp_path, lambda: _raise(KeyError("x"))).detail

    assert detail.startswith("its text could not be read: KeyError: 'x' (test_answer_judge.py:")


def test_the_judgement_says_how_it_was_read(tmp_path: Path) -> None:
    """Rule, cut and note are beside what the judge saw; lone surrogates in them cannot stop a message."""
    taken = Extraction(program="import os\nos._exit(0)", rule="fence\ud800", truncated=True)
    judgement = judged(tmp_path, lambda: taken)

    assert (judgement.rule, judgement.truncated, judgement.cpu_s) == ("fence\ufffd", True, 0.5)
    assert judgement.suspicious


def test_what_is_not_executed_is_not_searched_for_cheats(tmp_path: Path) -> None:
    """Code that is commented or quoted may end a process as it likes."""
    judgement = judged(tmp_path, lambda: Extraction(program="import os\nos._exit(0)", rule="r"), spec=LABEL)

    assert (judgement.outcome, judgement.suspicious) == (Outcome.wrong, "")


@pytest.mark.parametrize("error", [RecursionError, MemoryError, ValueError])
def test_a_note_that_cannot_be_made_is_empty(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is for a report and decides nothing."""
    monkeypatch.setattr(worker, "suspect", lambda program: _raise(error()))
    judgement = judged(tmp_path, lambda: Extraction(program="x = 1", rule="r"))

    assert (judgement.outcome, judgement.suspicious) == (Outcome.passed, "")


def test_a_note_that_takes_too_long_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program was read before, and is judged."""
    monkeypatch.setattr(worker, "suspect", lambda program: _loop())
    judgement = judged(tmp_path, lambda: Extraction(program="x = 1", rule="r"))

    assert (judgement.outcome, judgement.suspicious) == (Outcome.passed, "")


def test_a_sandbox_that_failed_keeps_how_it_was_read(tmp_path: Path) -> None:
    """The answer is missing, and its row says what was read all the same."""
    judgement = judged(tmp_path, lambda: Extraction(program="fails = 1", rule="r"))

    assert (judgement.outcome, judgement.rule) == (Outcome.sandbox_error, "r")
