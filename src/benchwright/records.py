"""Frozen records that all stages read and write, one JSON object per line.

A record never changes; a stage makes a new one. Unknown keys in `Task.meta` survive a round trip.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

TaskId = int | str
KeyedRow = tuple[str, TaskId]  # the key of an answer or a verdict, and its task


class Outcome(StrEnum):
    """Outcome of an answer. Each answer has exactly one."""

    passed = "passed"
    scored = "scored"  # graded: see the scores of the verdict
    wrong = "wrong"
    exception = "exception"
    timed_out = "timed_out"
    out_of_memory = "out_of_memory"
    output_limit = "output_limit"
    no_code = "no_code"
    syntax_error = "syntax_error"
    no_entry_point = "no_entry_point"
    tampered = "tampered"
    flaky = "flaky"
    unparsable = "unparsable"
    undecided = "undecided"  # no judge could decide; never counted as zero
    sandbox_error = "sandbox_error"
    model_error = "model_error"

    @property
    def is_missing(self) -> bool:
        """True if the harness or the model's server failed: nothing is known about the model."""
        return self in (Outcome.sandbox_error, Outcome.model_error)

    @property
    def is_decided(self) -> bool:
        """True if the answer is neither missing nor undecided."""
        return not self.is_missing and self is not Outcome.undecided


class Isolation(StrEnum):
    """Trust level of a verdict.

    separated: expected values and asserts never entered the sandbox.
    tamper_evident: tests ran next to the answer, monitored by canaries.
    none: the answer ran without a sandbox, which requires an explicit flag.
    """

    separated = "separated"
    tamper_evident = "tamper-evident"
    none = "none"


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all records: frozen, keyword-only; fields with default values are omitted from the JSON."""


def full_document(value: Any) -> Any:
    """Convert records in a value to dicts of all fields in order, including those with default values."""
    if isinstance(value, msgspec.Struct):
        return {name: full_document(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {name: full_document(each) for name, each in value.items()}
    return [full_document(each) for each in value] if isinstance(value, list | tuple) else value


class Drop(Record, frozen=True, kw_only=True):
    """An item that a stage of a build dropped."""

    unit: str  # name of the repository, file, case or row
    reason: str  # code for counting
    detail: str = ""
    evidence: dict[str, Any] = {}  # basis of a gate's decision
    cpu_s: float = 0.0  # CPU seconds that gates spent on it
    also: list[str] = []  # further reasons, which are not counted


class Task(Record, frozen=True, kw_only=True):
    """A row of a data set in MERA's shape, with its origin."""

    task_id: TaskId
    instruction: str
    inputs: dict[str, Any]
    outputs: Any
    meta: dict[str, Any]
    revision: str  # content key of everything that affects a verdict
    origin: str = ""  # "file:line", for messages only


SOLUTION = "solution"


class Answer(Record, frozen=True, kw_only=True):
    """Answer of a model: the raw text, never edited."""

    key: str  # content key: task revision, prompt, model and parameters, sample
    task_id: TaskId
    sample: int  # 0-based repetition index
    model: str
    text: str
    prompt: str = ""  # name of the prompt variant
    seed: int | None = None
    finish_reason: str | None = None  # from the server: "stop", "length", …
    reasoning: str = ""  # reasoning that the server sent apart from the text; not searched for programs
    tail: str = ""  # text from the first stop string on, which `text` does not contain
    tokens_in: int | None = None  # as the server counted them
    tokens_out: int | None = None
    error: str | None = None  # set when the model gave no answer: outcome model_error
    schema_error: str = ""  # violation of the prompt's JSON schema
    round: int = 0  # of a conversation that continues after an answer was judged
    form: str = ""  # "solution" if a stored row contains a whole program, as EvalPlus's rows do
    batch: str = ""  # the provider's id of the batch that it came in, at the price of batches
    seconds: float | None = None  # of its request, if a task limits them
    cached: str = ""  # time at which it was cached, if it comes from the cache of answers: ISO 8601, UTC

    @property
    def row(self) -> KeyedRow:
        """Unique id of the answer in a run: two tasks with equal content have equal keys."""
        return self.key, self.task_id


class Verdict(Record, frozen=True, kw_only=True):
    """Judgement of an answer by the trusted side."""

    key: str  # the answer's key, with judging profile and limits
    task_id: TaskId
    sample: int
    outcome: Outcome
    isolation: Isolation
    profile: str  # scoring profile: strict, human-eval, mera-code, mera-text
    cpu_s: float = 0.0  # CPU seconds of the answer's whole process tree
    wall_s: float = 0.0
    detail: str = ""  # reason for people; control characters are escaped
    rule: str = ""  # rule by which the program was extracted
    truncated: bool = False  # the model stopped before the end of its answer
    suspicious: str = ""  # possible attempt to cheat or escape
    stdout: str = ""  # first bytes that the answer printed, escaped
    scores: dict[str, float] = {}  # of a judge that grades; finite
    parts: dict[str, Outcome] = {}  # outcomes of named parts, if the answer has parts
    round: int = 0  # round of the conversation, if failed answers are asked about again
    traceback: str = ""  # of an exception, if it is shown to the model; contains nothing of the test
    equal_to: int | None = None  # sample of the equal answer that was executed in place of this one


class Proof(Verdict, frozen=True, kw_only=True):
    """A verdict on a gold or stub answer, with its time and origin."""

    at: str = ""  # ISO 8601, UTC; empty in folders of earlier versions, where the run made all rows
    how: str = "run"  # made before the answers; "kept": by an earlier run; "canary": among the answers


class Metric(Record, frozen=True, kw_only=True):
    """A value with its interval and its n, which are always shown together."""

    value: float
    low: float
    high: float
    n: int  # tasks
    samples: int  # answers a task


class SelfCheck(Record, frozen=True, kw_only=True):
    """Self-check: gold answers must pass, stubs must fail."""

    gold_passed: int
    gold_total: int
    stub_passed: int
    stub_total: int
    failures: list[str] = []
    kept: int = 0  # number of results from an earlier run with the same data on this machine
    since: str = ""  # time of the first of those: ISO 8601, UTC
    canaries: int = 0  # number of canaries: sampled and judged again among the answers

    @property
    def holds(self) -> bool:
        """Every gold answer passed and no stub did."""
        return not self.failures and self.gold_passed == self.gold_total and self.stub_passed == 0


class Score(Record, frozen=True, kw_only=True):
    """Result of a run: metrics by name, and counts of outcomes, which add up to the answers."""

    run: str
    track: str
    model: str
    profile: str
    metrics: dict[str, Metric]
    outcomes: dict[str, int]
    self_check: SelfCheck
    answers: int
    other_profiles: dict[str, dict[str, Metric]] = {}  # metrics of the same answers by further profiles
    missing: int = 0
    identical: int = 0  # answers identical to an earlier answer to the same question
    truncated: int = 0  # truncated answers
    tokens_in: int = 0  # of all answers whose server counted them
    tokens_out: int = 0
    prompt_design: str = ""  # "spread", "all", "row", "file", or empty without prompts
    prompts: dict[str, dict[str, Metric]] = {}  # metrics by prompt variant
    details: dict[str, Any] = {}  # the track's own facts: confusion matrix, baselines, groups
    notes: list[str] = []


class Event(Record, frozen=True, kw_only=True):
    """An event of a run that is neither an answer nor a verdict."""

    at: str  # ISO 8601, UTC
    kind: str
    detail: dict[str, Any] = {}
