"""What a judge must offer, what it says, and who has many answers judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from benchwright.contracts.specs import Spec
from benchwright.contracts.tracks import Extraction
from benchwright.records import Answer, Isolation, Outcome, Record, Task


class Judgement(Record, frozen=True, kw_only=True):
    """What came out of judging one program, before it is tied to an answer.

    `rule`, `truncated` and `suspicious` say how the program was read, where it was taken from a text.
    """

    outcome: Outcome
    isolation: Isolation = Isolation.separated
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    stdout: str = ""
    traceback: str = ""  # of an exception, by the answer's own report: nothing of the test is in it
    trouble: str = ""  # a failure of the sandbox that another attempt got over
    rule: str = ""
    truncated: bool = False
    suspicious: str = ""
    scores: dict[str, float] = {}  # of a judge that grades, each finite
    parts: dict[str, Outcome] = {}  # how each named part ended, where there are parts
    payload: bytes = (
        b""  # more than a judgement, packed, for who sent the job: its spec says what; never stored
    )


Pending = Callable[[], Judgement]
SpecT = TypeVar("SpecT", bound=Spec)


class Judge(Protocol[SpecT]):
    """Judges answers by specs of one type. Opened once in each worker, and knows no track.

    In the registry stands what opens one, such as its class: called with `judges.opening.Resources`, and
    with the attribute `spec` before it is opened too.
    """

    spec: type[SpecT]

    def judge(self, taken: Extraction, spec: SpecT) -> Judgement | Pending:
        """The judgement of what was read from an answer, or what gives it when it is called.

        Called while the time and memory of reading are bounded, and never with a problem: that is its own
        judgement. What executes, waits or takes long belongs in the Pending, which may raise SandboxError.
        """
        ...


class Criterion(NamedTuple):
    """What an answer is judged by. Without a task there is nothing to read, and a program is judged."""

    spec: Spec
    task: Task | None = None
    profile: str = ""


class Job(NamedTuple):
    """An answer to judge, or a program that need not be read from a text; `number` names it in the result.

    `settled` is the judgement of what is known without a judge: it comes back in turn.
    """

    number: int
    given: Answer | str
    criterion: Criterion
    settled: Judgement | None = None


class Executor(Protocol):
    """Has answers judged: here on all cores, or wherever its workers are. `size` is how many at once."""

    size: int

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Number and judgement of each job, once each, in any order; jobs are taken as workers get free."""
        ...


@runtime_checkable
class BatchExecutor(Executor, Protocol):
    """An executor that hands on together what has come in together, so that it is stored with one write."""

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        """As `judge`, some at a time. None is held back until another ends."""
        ...
