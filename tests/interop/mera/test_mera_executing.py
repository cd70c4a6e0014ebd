"""From programs to texts, the way MERA's harness gets them, in the sandbox."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest

from benchwright.contracts import Job, Judgement
from benchwright.errors import SandboxError
from benchwright.executing.pool import Pool
from benchwright.interop.mera.submission import MeraProgram, ProgramOutput, program_of, run_programs
from benchwright.progress import Silent
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.tracks.functions.ruhumaneval import TRACK, read_task
from benchwright.tracks.rows import Fields
from kit.judging import ProgramJudge
from kit.mera_runs import private_row, text_of
from kit.small_data import mera_row

LIMITS = Limits(cpu_s=1.0)


def _task(number: int = 1, *, private: bool = False, **changed: Any) -> Task:
    row = private_row(number) if private else mera_row(number)
    return read_task(Fields({**row, **changed}, "rows.jsonl", 1))


def _program(text: str, task: Task | None = None) -> MeraProgram:
    task = task or _task()
    answer = Answer(key="", task_id=1, sample=0, model="", text=text)
    return program_of(task, TRACK.extract(task, answer, profile="mera-code").program)


def _run(*programs: MeraProgram, workers: int = 1) -> list[ProgramOutput]:
    with Pool(workers=workers, limits=LIMITS) as pool:
        return run_programs(programs, pool, Silent())


def test_a_private_task_has_a_program() -> None:
    """The calls are in the inputs, so hidden outputs are not needed."""
    assert _program("\n    return 1\n", _task(private=True)) == _program("\n    return 1\n")


@pytest.mark.usefixtures("jail")
def test_what_answers_give() -> None:
    """Texts of values, null for None and for exceptions, nulls for what does not load."""
    kinds = ("right", "fenced", "wrong", "none", "raises", "glued", "prose", "surrogate")
    given = _run(*(_program(text_of(1, kind)) for kind in kinds))

    assert dict(zip(kinds, (each.values for each in given), strict=True)) == {
        "right": ["1", "2"],
        "fenced": ["1", "2"],
        "wrong": ["-999", "-998"],
        "none": [None, None],
        "raises": [None, None],
        "glued": [None, None],
        "prose": [None, None],
        "surrogate": ["\ufffd", "\ufffd"],
    }


@pytest.mark.usefixtures("jail")
def test_a_process_that_ends_is_timed_out() -> None:
    """MERA's text for all answers that return no list, for any cause."""
    assert _run(_program(text_of(1, "exits"))) == [ProgramOutput("timed out")]


@pytest.mark.usefixtures("jail")
def test_what_mera_has_no_word_for_counts_as_nothing() -> None:
    """Megabytes of text become nulls, and the summary counts them."""
    assert _run(_program(text_of(1, "huge"))) == [ProgramOutput([None, None], "output_limit")]


@pytest.mark.usefixtures("jail")
def test_an_answer_that_writes_to_the_channel() -> None:
    """A forged reply is no value: text is all that an honest answer can send."""
    forged = "\n    import os, marshal\n    data = marshal.dumps(7, 2)\n"
    forged += "    os.write(3, len(data).to_bytes(4, 'little') + b'V' + data)\n    return 1\n"
    (given,) = _run(_program(forged))

    assert (given.values, given.fault) == ([None, None], "tampered")


@pytest.mark.usefixtures("jail")
def test_the_order_is_that_of_the_programs() -> None:
    """Two sandboxes finish in any order; the results do not show it."""
    programs = [_program(f"\n    return {number}\n") for number in range(12)]
    given = _run(*programs, workers=2)

    assert [each.values for each in given] == [[str(number)] * 2 for number in range(12)]


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("kind", ["right", "fenced", "wrong", "none", "raises", "glued", "exits"])
def test_values_and_verdicts_agree(kind: str) -> None:
    """Exported texts equal the expected ones if and only if the profile mera-code passes the answer."""
    task = _task()
    program = _program(text_of(1, kind), task)
    (given,) = _run(program)
    with Sandbox(limits=LIMITS) as sandbox:
        spec = TRACK.spec(task, profile="mera-code")
        judgement = ProgramJudge(sandbox).judge(program.source, spec)

    assert (given.values == task.outputs) == (judgement.outcome is Outcome.passed)


class Told:
    """An executor that returns predefined judgements."""

    size = 1

    def __init__(self, judgement: Judgement) -> None:
        self._judgement, self.seen = judgement, 0

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        for job in jobs:
            self.seen += 1
            yield job.number, self._judgement


def test_a_sandbox_that_fails_ends_the_export() -> None:
    """No value is made up for an answer that could not be run, and no other is run in vain."""
    told = Told(Judgement(outcome=Outcome.sandbox_error, detail="no jail"))
    with pytest.raises(SandboxError, match="no jail"):
        run_programs([_program("")] * 5, told, Silent())

    assert told.seen == 1


def test_trouble_that_was_got_over_is_told() -> None:
    """A restart of the sandbox is reported in a note."""
    notes: list[str] = []

    class Watch(Silent):
        def note(self, text: str) -> None:
            notes.append(text)

    payload = msgspec.msgpack.encode(["1", "2"])
    told = Told(Judgement(outcome=Outcome.passed, payload=payload, trouble="the zygote is gone"))
    given = run_programs([_program("")], told, Watch())

    assert given == [ProgramOutput(["1", "2"])]
    assert notes == ["sandbox restarted: the zygote is gone"]
