"""The seams, each a Protocol: what a track, a model and a judge must offer.

A new track, model provider or judge is one file that satisfies one of these and one line in
`registry`, or an entry point (`benchwright.tracks`, `benchwright.models`) of another package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from benchwright.records import Answer, Metric, Outcome, Record, Task, TaskId


class Prompt(Record, frozen=True, kw_only=True):
    """One question to a model: `text` is what is asked, `key` is its content key with the sample index."""

    key: str
    task_id: TaskId
    sample: int
    text: str
    variant: str = ""


class Asking(Record, frozen=True, kw_only=True):
    """How a live model is asked. The first group decides the answers and is part of their keys."""

    model_id: str | None = None  # tells two models apart that are served under one name
    api: str = "chat"  # or "completions", for base models
    temperature: float | None = None  # None: the track's
    top_p: float | None = None
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()  # applied on our side; sent only to the completions API
    seed: int = 1234  # every request's own seed is made from it and the prompt's key
    body: dict[str, Any] = {}  # further fields of the request's body, such as reasoning_effort

    base_url: str | None = None  # None: the provider's own, or what the environment says
    concurrency: int = 8  # requests in flight
    per_minute: float | None = None  # requests started in a minute at most
    timeout_s: float = 600.0  # of one request
    retries: int = 6  # of one request, after its first try
    budget: float | None = None  # stop asking when the answers have cost this much
    price_in: float | None = None  # of a million tokens, in the budget's currency
    price_out: float | None = None


class Extraction(Record, frozen=True, kw_only=True):
    """A program taken from a model's raw text.

    `problem` is None when `program` can be run, else the outcome to record: no_code, syntax_error
    or no_entry_point. `rule` names how the text was read, for example "fence+function".
    """

    program: str
    rule: str
    problem: str | None = None
    detail: str = ""
    truncated: bool = False


class Model(Protocol):
    """Something that answers prompts. `spec` is the scheme:rest it was opened with.

    `deterministic`: the same question always gets the same answer, so by default it is asked once.
    """

    spec: str
    deterministic: bool

    def identity(self) -> Mapping[str, Any]:
        """All that decides the answers (name, parameters, hash of a replayed file), for content keys."""
        ...

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """One answer for each prompt, in any order. A failure is an Answer with `error` set."""
        ...

    def samples(self, task: Task) -> int | None:
        """How many answers this model holds for a task; None when it can make as many as asked."""
        ...


Listener = Callable[[str, Mapping[str, Any]], None]


@runtime_checkable
class Observed(Protocol):
    """A model that has more to tell than its answers, in events of these kinds: "retry", "wait",
    "server_fault", "budget".

    A "server_fault" names what a server did against its own interface, in `detail["fault"]`; the run
    keeps all events in events.jsonl and the score lists the faults.
    """

    def observe(self, listener: Listener) -> None:
        """Tell `listener` of events from now on: it is called with the kind and the detail."""
        ...


@runtime_checkable
class Demanding(Protocol):
    """A model that cannot be asked without something, such as a key."""

    def check_ready(self) -> None:
        """Raise PrerequisiteError for what is absent; called before anything is executed or asked."""
        ...


class Question(Record, frozen=True, kw_only=True):
    """One way to ask a task: the variant's name and the text in the form that the model reads."""

    variant: str
    text: str


class CallSpec(Record, frozen=True, kw_only=True):
    """All that a judge needs to judge answers to one task. Sent once to each worker.

    form "calls": `test` defines check(candidate), which runs on the trusted side against a proxy.
    form "batch": `calls` go in, values come out and are compared with `expected`, outside.
    form "label": nothing is executed; the extraction's program is a label, `expected_text[0]` the right one.
    form "mera-code" or "mera-text": as "batch", but loaded and compared as text the way MERA's two
    harnesses do it.
    """

    form: str
    entry_point: str
    prelude: str = ""  # trusted source that `test` may use, such as the prompt's helper functions
    test: str = ""
    calls: bytes = b""  # encoded list of (args, kwargs)
    expected: list[bytes] = []  # one encoded value a call
    expected_text: list[str] = []  # one text a call: of values no literal can write, and for MERA's forms
    compare: str = "equal"  # "equal": ==, as an assert would; "close": floats within 1e-9, relative
    environment: str = "bare"  # dependency profile
    cpu_limit_s: float | None = None  # None: the run's limit


class Ended(NamedTuple):
    """How one answer ended, and to which prompt it was ("" for the row's own)."""

    task_id: TaskId
    outcome: Outcome
    variant: str = ""


@runtime_checkable
class Classifying(Protocol):
    """A track whose answers are classes: it has metrics of its own instead of pass@k."""

    def metrics(self, tasks: Mapping[TaskId, Task], ended: Iterable[Ended]) -> dict[str, Metric]:
        """The metrics of the answers that were judged."""
        ...

    def details(self, tasks: Mapping[TaskId, Task], ended: Iterable[Ended]) -> dict[str, Any]:
        """What stands behind them, such as a confusion table and baselines, ready for JSON."""
        ...

    def notes(self, tasks: Iterable[Task]) -> list[str]:
        """What people should know about how the data set was read."""
        ...


class Track(Protocol):
    """A kind of task: how rows are read, asked, and judged."""

    name: str
    title: str
    default_n: int
    ks: tuple[int, ...]
    temperature: float  # of sampling, when the user says nothing
    language: str  # of the prompts, when the user says nothing: "ru" or "en"
    profiles: tuple[str, ...]  # scoring profiles that it knows, "strict" among them

    def in_form(self, form: str) -> Track:
        """The same track judged in another form ("calls", "batch"). Raises UsageError for an unknown one."""
        ...

    def load(self, source: str | Path) -> Iterator[Task]:
        """Read and check a data set. Raises DataError with file, line, field and hint.

        The file may be packed with gzip whatever its name: the copy in a run folder is, see `store.sources`.
        """
        ...

    def prompt(self, task: Task) -> str:
        """The row's own question: its instruction, filled, or the code to go on from."""
        ...

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """All prompt variants of a task, always in the same order. `form` is "chat" or "base"."""
        ...

    def gold(self, task: Task) -> str | None:
        """An answer that must pass; None when the data set holds none (private tasks)."""
        ...

    def stub(self, task: Task) -> str:
        """An answer that must fail."""
        ...

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Take the program from an answer, by the rules of a scoring profile."""
        ...

    def spec(self, task: Task, *, profile: str) -> CallSpec:
        """What the judge needs to judge answers to this task."""
        ...


class Suite(Record, frozen=True, kw_only=True):
    """A focal file and its tests, laid out as a project that a test runner can run."""

    lang: str  # "Python", "Java" or "Go", as data sets write it
    framework: str  # "pytest", "unittest", "junit5", "junit4" or "go"
    files: dict[str, str]  # path in the project: text
    focal: str  # which of them is under test
    test: str  # which of them holds the tests
    cases: list[str]  # the test cases a complete report must hold, from a trusted parse: see `lang`


class Variation(Record, frozen=True, kw_only=True):
    """How one of several executions differs from the others, to bring out a test that is not steady."""

    number: int = 0
    hash_seed: int = 0
    order_seed: int | None = None  # None: the file's own order; in Java JUnit's own, which is fixed too
    clock_shift_s: int = 0
    timezone: str = "UTC"


class CaseReport(Record, frozen=True, kw_only=True):
    """How one test case ended. `kind` is why it did not pass, one of FAILURES."""

    name: str
    state: str  # "passed", "failed" or "skipped"
    kind: str = ""
    detail: str = ""


FAILURES = ("compile", "import", "assertion", "exception", "timeout", "memory", "environment", "tampered")


class SuiteReport(Record, frozen=True, kw_only=True):
    """What the trusted side makes of an execution of a suite.

    state "success": every case passed, both canaries did what they must, and the report was complete.
    state "failed": the code is at fault, `kind` says how. state "tampered": somebody reached for the
    report. state "absent": the toolchain is not there, so nothing is known. state "sandbox_error":
    nothing is known either.
    """

    state: str
    kind: str = ""  # one of FAILURES when the state is "failed"
    cases: list[CaseReport] = []
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    versions: dict[str, str] = {}  # of the toolchain: {"python": "3.11.7", "pytest": "8.4.1"}


class SuiteRunner(Protocol):
    """Executes suites of one language in the sandbox, isolation "tamper-evident"."""

    lang: str

    def versions(self) -> Mapping[str, str]:
        """The toolchain's parts and their versions. Raises PrerequisiteError with how to get them."""
        ...

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """A report for each numbered suite, in any order; compiles in batches where that is cheaper."""
        ...

    def close(self) -> None:
        """End what was kept warm."""
        ...
