"""The nouns: frozen records that every stage reads and writes, one JSON object a line.

A record never changes after it is made; a stage makes a new one. Field names are the field's
standard terms. Unknown keys in `Task.meta` survive a round trip.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

TaskId = int | str
KeyedRow = tuple[str, TaskId]  # the key of an answer or a verdict, and its task


class Outcome(StrEnum):
    """How an answer ended. Each answer ends in exactly one of these."""

    passed = "passed"
    scored = "scored"  # graded: how good it is stands in the verdict's scores
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
    undecided = "undecided"  # nobody who was asked could tell: never a zero
    sandbox_error = "sandbox_error"
    model_error = "model_error"

    @property
    def is_missing(self) -> bool:
        """True when the harness or the model's server failed, so the answer says nothing of the model."""
        return self in (Outcome.sandbox_error, Outcome.model_error)

    @property
    def is_decided(self) -> bool:
        """True when it says how good the answer is: it is neither missing nor undecided."""
        return not self.is_missing and self is not Outcome.undecided


class Isolation(StrEnum):
    """How far a verdict can be trusted.

    separated: expected values and asserts never entered the sandbox.
    tamper_evident: tests ran beside the answer, watched by canaries.
    none: the answer ran without a sandbox; only by an explicit flag.
    """

    separated = "separated"
    tamper_evident = "tamper-evident"
    none = "none"


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all records: frozen, keyword-only, fields at their default left out of the JSON."""


def whole(value: Any) -> Any:
    """The value with each record in it as a dict of all its fields in order, those at their default too."""
    if isinstance(value, msgspec.Struct):
        return {name: whole(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {name: whole(each) for name, each in value.items()}
    return [whole(each) for each in value] if isinstance(value, list | tuple) else value


class Drop(Record, frozen=True, kw_only=True):
    """Something that a stage of a build took in and did not let through."""

    unit: str  # which repository, file, case or row
    reason: str  # a name to count by
    detail: str = ""
    evidence: dict[str, Any] = {}  # what a gate's decision rests on
    cpu_s: float = 0.0  # processor seconds that gates spent on it
    also: list[str] = []  # further reasons, none of which is counted as the reason


class Task(Record, frozen=True, kw_only=True):
    """One row of a data set in MERA's shape, with the place it was read from."""

    task_id: TaskId
    instruction: str
    inputs: dict[str, Any]
    outputs: Any
    meta: dict[str, Any]
    revision: str  # content key of all that decides a verdict
    origin: str = ""  # "file:line", for messages only


SOLUTION = "solution"


class Answer(Record, frozen=True, kw_only=True):
    """What a model answered: the raw text, never edited."""

    key: str  # content key: task revision, prompt, model and parameters, sample
    task_id: TaskId
    sample: int  # 0-based repetition index
    model: str
    text: str
    prompt: str = ""  # name of the prompt variant
    seed: int | None = None
    finish_reason: str | None = None  # as the server said: "stop", "length", …
    reasoning: str = ""  # what the server sent beside the text: no program is looked for in it
    tail: str = ""  # what the server sent from the first stop string on, which `text` does not have
    tokens_in: int | None = None  # as the server counted them
    tokens_out: int | None = None
    error: str | None = None  # set when the model gave no answer: outcome model_error
    schema_error: str = ""  # why the text is not what the prompt's JSON schema asks for
    round: int = 0  # of a conversation that goes on after an answer was judged
    form: str = ""  # "solution" where a stored row calls it a whole program, as EvalPlus's rows do
    cached: str = ""  # when it was kept, where it comes from the cache of an earlier run: ISO 8601, UTC

    @property
    def row(self) -> KeyedRow:
        """What tells it from all other answers of a run: two tasks of equal content have equal keys."""
        return self.key, self.task_id


class Verdict(Record, frozen=True, kw_only=True):
    """What the trusted side saw when it judged one answer."""

    key: str  # the answer's key, with judging profile and limits
    task_id: TaskId
    sample: int
    outcome: Outcome
    isolation: Isolation
    profile: str  # scoring profile: strict, human-eval, mera-code, mera-text
    cpu_s: float = 0.0  # CPU seconds of the answer's whole process tree
    wall_s: float = 0.0
    detail: str = ""  # why, for people; control characters escaped
    rule: str = ""  # how the program was taken from the text
    truncated: bool = False  # the model was cut off before it ended
    suspicious: str = ""  # what looked like an attempt to cheat or escape, if anything did
    stdout: str = ""  # the first bytes the answer printed, escaped
    scores: dict[str, float] = {}  # by a judge that grades, each finite
    parts: dict[str, Outcome] = {}  # how each named part of the answer ended, where it has parts
    round: int = 0  # that the answer was given in, where a failed one was asked about again
    traceback: str = ""  # of an exception, kept where it is shown to the model; nothing of the test is in it


class Proof(Verdict, frozen=True, kw_only=True):
    """A verdict on a gold or stub answer, with when it was made and how it came into the run folder."""

    at: str = ""  # ISO 8601, UTC; empty in folders of earlier versions, whose rows were all made in the run
    how: str = "run"  # in this run, before its answers; "kept": by an earlier one; "canary": among answers


class Metric(Record, frozen=True, kw_only=True):
    """A number that is never shown without its interval and its n."""

    value: float
    low: float
    high: float
    n: int  # tasks
    samples: int  # answers a task


class SelfCheck(Record, frozen=True, kw_only=True):
    """Did the harness prove itself on this data before it scored?"""

    gold_passed: int
    gold_total: int
    stub_passed: int
    stub_total: int
    failures: list[str] = []
    kept: int = 0  # how many of these were proved by an earlier run, of the same data on this same machine
    since: str = ""  # when the first of those was proved: ISO 8601, UTC
    canaries: int = 0  # how many of these were drawn and judged once more among the answers

    @property
    def holds(self) -> bool:
        """Every gold answer passed and no stub did."""
        return not self.failures and self.gold_passed == self.gold_total and self.stub_passed == 0


class Score(Record, frozen=True, kw_only=True):
    """The result of a run: metrics by name, and outcome counts that add up to the answers."""

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
    identical: int = 0  # answers that repeat an earlier answer to the same question, letter for letter
    truncated: int = 0  # answers that the model was cut off in
    tokens_in: int = 0  # of all answers whose server counted them
    tokens_out: int = 0
    prompt_design: str = ""  # "spread", "all", "row", or empty where prompts play no part
    prompts: dict[str, dict[str, Metric]] = {}  # metrics by prompt variant
    details: dict[str, Any] = {}  # what stands behind a track's own metrics: confusion, baselines, groups
    notes: list[str] = []


class Event(Record, frozen=True, kw_only=True):
    """Something worth remembering about a run that is not an answer or a verdict."""

    at: str  # ISO 8601, UTC
    kind: str
    detail: dict[str, Any] = {}
