"""Contracts of judges, their judgements, and executors that judge many answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from benchwright.contracts.specs import Spec
from benchwright.contracts.tracks import Extraction
from benchwright.records import Answer, Isolation, Outcome, Record, Task


class Judgement(Record, frozen=True, kw_only=True):
    """Result of judging one program, before it is assigned to an answer.

    `rule`, `truncated` and `suspicious` describe the extraction, if the program was extracted from a text.
    """

    outcome: Outcome
    isolation: Isolation = Isolation.separated
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    stdout: str = ""
    traceback: str = ""  # of an exception, as the answer reports it; contains nothing of the test
    trouble: str = ""  # a sandbox failure from which a retry recovered
    rule: str = ""
    truncated: bool = False
    suspicious: str = ""
    scores: dict[str, float] = {}  # of a grading judge, all finite
    parts: dict[str, Outcome] = {}  # outcome of each named part, if there are parts
    equal_to: int | None = None  # see `records.Verdict`
    payload: bytes = b""  # packed data for the sender of the job, defined by the spec; never stored
    call_s: float = 0.0  # CPU seconds of the slowest call of an observed program; never stored


Pending = Callable[[], Judgement]
SpecT = TypeVar("SpecT", bound=Spec)


class Judge(Protocol[SpecT]):
    """Judges answers by specs of one type. Opened once in each worker; independent of tracks.

    The registry contains its opener, such as the class: it is called with `judges.judge_registry.Resources`,
    and has the attribute `spec` before it is opened.
    """

    spec: type[SpecT]

    def judge(self, taken: Extraction, spec: SpecT) -> Judgement | Pending:
        """Judge an extraction, or return a callable that does.

        Called under the time and memory limits of parsing, and never for an extraction with a problem. Put
        execution, waiting and other slow work into the Pending, which may raise SandboxError.
        """
        ...


class Criterion(NamedTuple):
    """Spec, task and profile of a judgement. Without a task, the job contains a program to judge as it is."""

    spec: Spec
    task: Task | None = None
    profile: str = ""


class Job(NamedTuple):
    """An answer, or a program, to judge; `number` identifies it in the results.

    `settled` is a judgement that needs no judge: it is returned in turn.
    """

    number: int
    given: Answer | str
    criterion: Criterion
    settled: Judgement | None = None


class Executor(Protocol):
    """Judges answers on workers, such as one per core of this machine. `size` is their number."""

    size: int

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Yield number and judgement of each job once, in any order; jobs are taken when workers are free."""
        ...


@runtime_checkable
class BatchExecutor(Executor, Protocol):
    """An executor that returns judgements in batches, so that each batch is stored with one write."""

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        """Like `judge`, in batches. No judgement is delayed until another one is ready."""
        ...


@runtime_checkable
class ReportingExecutor(Executor, Protocol):
    """An executor on several machines, which progress lists."""

    def status(self) -> str:
        """Return the machines with the number of answers that each has judged; empty for nothing to show."""
        ...
