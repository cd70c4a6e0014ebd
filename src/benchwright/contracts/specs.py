"""Specs: what a judge needs to judge answers to one task, by type of judge.

They include test cases as data (the levels of AICoderEval) and the specs of comments and issues.
"""

from __future__ import annotations

from enum import StrEnum
from math import ceil
from typing import Any, ClassVar, Literal

from benchwright.contracts.suites import Suite, Variation
from benchwright.records import Outcome, Record

USUAL_S = 5.0  # CPU seconds that count as one execution, for specs with their own limit


class Spec(Record, frozen=True, kw_only=True, tag_field="judge"):
    """Base of all specs. Each type has its own `tag` and contains only what its judge needs.

    A spec is sent to each worker once, as MessagePack.
    """

    unreadable: ClassVar[Outcome] = Outcome.no_code  # outcome of an answer whose text could not be parsed
    # False: nothing of an answer is executed, so it cannot cheat, and a few workers judge thousands
    executes: ClassVar[bool] = True
    # True: equal answers are executed under equal conditions, so one execution can stand for all of them
    repeatable: ClassVar[bool] = False

    @property
    def executions(self) -> int:
        """Number of executions per judgement; scales the worker timeout."""
        return 1

    @property
    def judge(self) -> str:
        """Name of the judge in the registry."""
        return str(self.__struct_config__.tag)


class ProgramSpec(Spec, frozen=True, kw_only=True):
    """Base of specs for which a Python program is executed."""

    entry_point: str
    environment: str = "bare"  # dependency profile
    cpu_limit_s: float | None = None  # None: the run's limit
    call_limit_s: float | None = None  # CPU seconds of one call; None: only the limit of all
    variation: Variation = Variation()  # differences between executions of the same program
    observed: bool = False  # measure each call; changes no verdict, so it is in no key


class CallsSpec(ProgramSpec, frozen=True, kw_only=True, tag="calls"):
    """Judged by `test`: it defines check(candidate), which runs on the trusted side against a proxy."""

    repeatable: ClassVar[bool] = True

    prelude: str = ""  # trusted source that `test` may use, such as the prompt's helper functions
    test: str = ""
    recorded: bytes = b""  # of `judges.recorded_calls`; changes no verdict, so it is in no key


class BatchSpec(ProgramSpec, frozen=True, kw_only=True, tag="batch"):
    """Judged by values: `calls` run in the sandbox, and their values are compared outside with `expected`."""

    repeatable: ClassVar[bool] = True

    calls: bytes = b""  # encoded list of (args, kwargs)
    expected: list[bytes] = []  # one encoded value per call
    expected_text: list[str] = []  # one text per call, for values that have no literal
    compare: str = "equal"  # "equal": ==, as in an assert; "close": floats within a relative 1e-9


class MeraSpec(ProgramSpec, frozen=True, kw_only=True, tag="mera"):
    """A batch that is loaded, and compared as text, like MERA's two harnesses do."""

    repeatable: ClassVar[bool] = True

    harness: str = "mera-code"  # or "mera-text"
    calls: bytes = b""
    expected_text: list[str] = []


class ValuesSpec(ProgramSpec, frozen=True, kw_only=True, tag="values"):
    """Results of a program as text, as MERA writes them: the payload is a `list[str | None] | str`."""

    calls: bytes
    count: int  # of calls


class InputSet(Record, frozen=True, kw_only=True):
    """Calls of one execution, and the encoded values that they must return, in order.

    A large value is known by its SHA-256 only: `digests` maps the call's index to it, and its bytes are
    empty.
    """

    calls: bytes  # encoded list of (args, kwargs)
    expected: list[bytes]
    digests: dict[int, bytes] = {}
    cpu_limit_s: float | None = None  # None: the run's limit


class PlusSpec(ProgramSpec, frozen=True, kw_only=True, tag="evalplus"):
    """Sets of inputs, "base" and "plus", compared like EvalPlus does: see `judges.evalplus`."""

    repeatable: ClassVar[bool] = True

    sets: dict[str, InputSet]
    atol: float = 0.0  # absolute tolerance of floats; 0: exact, unless a float is expected
    oracle: str = ""  # name of a special comparison; empty for nearly all tasks

    @property
    def executions(self) -> int:
        """One per set, or its CPU limit in units of USUAL_S, rounded up."""
        limits = [each.cpu_limit_s or 0.0 for each in self.sets.values()]
        return sum(max(1, ceil(limit / USUAL_S)) for limit in limits)


class RepliesSpec(ProgramSpec, frozen=True, kw_only=True, tag="replies"):
    """Replies of a program to calls: the payload is a `list[tuple[str, bytes]]`, in the order of the calls.

    A pair is ("value", encoded), ("large", digest of the encoded value), ("exception" | "unsendable" |
    "memory", text), or, as the last one, ("ended", text): the program ended, and later calls have no reply.
    """

    calls: bytes  # encoded list of (args, kwargs)
    count: int
    files: dict[str, bytes] = {}  # in the program's folder, by path
    links: dict[str, str] = {}  # symbolic links in the same folder, with their targets


class LabelSpec(Spec, frozen=True, kw_only=True, tag="label"):
    """Judged by comparison of a label (the extraction's program) with `expected`. Nothing is executed.

    With more than two `classes` the outcome does not identify the answered one, so the judgement has a
    part with that name.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    expected: str
    classes: tuple[str, ...] = ()


class GradersSpec(Spec, frozen=True, kw_only=True, tag="graders"):
    """Judged by each grader that is given, and by `base`; all must pass. See `judges.graders`.

    The extraction's `text` is the answer, its `program` what `base` judges. Costs have the currency of the
    prices, which are for a million tokens; a run sets them.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable

    base: LabelSpec | BatchSpec | CallsSpec | None = None
    contains: list[str] = []  # texts that the answer contains
    regex: str = ""  # a pattern that occurs in the answer
    json_schema: dict[str, Any] | None = None  # of the answer as JSON
    function: str = ""  # source of `check(answer)`, which returns a boolean or a number from 0 to 1
    threshold: float = 1.0  # the least number that passes
    max_cost: float | None = None
    max_seconds: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    price_batch: float = 1.0  # the share of both prices that an answer from a batch costs

    @property
    def executes(self) -> bool:  # type: ignore[override]
        """Return whether the base executes the answer; the author's function is not part of the answer."""
        return self.base is not None and self.base.executes

    @property
    def executions(self) -> int:
        """One for the base, and one for the function."""
        return max(1, (self.base is not None and self.base.executes) + bool(self.function))


class SuiteAnswerSpec(Spec, frozen=True, kw_only=True, tag="suite-answer"):
    """Judged by tests: the answer becomes the focal file of a suite, which lacks it here.

    The focal file is the extraction's program, unchanged. All tests come from the suite.
    """

    repeatable: ClassVar[bool] = True

    suite: Suite
    libraries: tuple[str, ...] = ()  # names of libraries that the suite imports in addition to its toolchain
    drawn: dict[str, str] = {}  # names in the test file that each execution redraws, with readable ones

    @property
    def executions(self) -> int:
        """Eight: compiler, linker, run, and what a worker prepares when it opens the toolchain."""
        return 8


class ServedSpec(SuiteAnswerSpec, frozen=True, kw_only=True, tag="served"):
    """Judged by values: the answer's function is called in a separate program, its replies compared outside.

    Instead of tests, `suite` contains the code that the calls compile against. A reply is right if it equals,
    byte for byte, one of the replies expected for its call.
    """

    entry_point: str
    calls: list[bytes]  # encoded, one at a time as they are sent
    expected: list[tuple[bytes, ...]]  # encoded
    written: list[tuple[str, str]]  # call and expected value as written in the tests, for people
    first_failure_ends: bool  # False: the tests make all calls before they compare


class SuiteSpec(Spec, frozen=True, kw_only=True, tag="suite"):
    """Suites of one language, executed together because a shared compilation is cheaper. There is no answer.

    The payload is a `list[tuple[int, SuiteReport]]`, by index in `suites`.
    """

    suites: list[Suite]
    variation: Variation = Variation()
    libraries: str = ""  # folder of libraries, mounted where the suites are executed

    @property
    def executions(self) -> int:
        """One per suite."""
        return len(self.suites)


class ProgramCommands(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Commands of a language that is not built in. The first word of each is a program of this machine.

    All run in the program's folder. `build` may create files next to the source.
    """

    source: str  # name of the program's file, such as "main.rb"
    run: list[str]  # such as ["ruby", "main.rb"]
    build: list[list[str]] = []


class StdioCase(Record, frozen=True, kw_only=True):
    """One input of a program, and the output that is expected."""

    input: str
    expected: str
    cpu_s: float | None = None  # None: the task's limit
    memory_mb: int | None = None


Comparison = Literal["lines", "tokens", "floats", "checker"]


class StdioSpec(Spec, frozen=True, kw_only=True, tag="stdio"):
    """Judged by output: a whole program reads each input, and what it prints is compared outside.

    With a `checker`, Python source that defines `check(input, expected, actual)`, that function decides in a
    separate jail. Limits are those of one case; a language's runtime adds its own.
    """

    repeatable: ClassVar[bool] = True

    lang: str  # a name of `registry.PROGRAM_LANGUAGES`, or any name if there are commands
    cases: list[StdioCase]
    compare: Comparison = "tokens"
    abs_tol: float = 0.0
    rel_tol: float = 0.0
    checker: str = ""
    cpu_s: float = 2.0
    memory_mb: int = 512
    commands: ProgramCommands | None = None

    @property
    def executions(self) -> int:
        """The build in units of USUAL_S, and at least one for each case."""
        limits = [self.cpu_s if case.cpu_s is None else case.cpu_s for case in self.cases]
        return 8 + sum(max(1, ceil(limit / USUAL_S)) for limit in limits)


class PrintedSpec(Spec, frozen=True, kw_only=True, tag="printed"):
    """Judged by values that programs print: `frame` ends an answer's program with calls of its function.

    `oracle` is a program without an answer that prints the expected values in the same form.
    """

    repeatable: ClassVar[bool] = True

    lang: str  # a name of `registry.PROGRAM_LANGUAGES`
    frame: str
    oracle: str
    written: list[tuple[str, str]]  # each call and expected value as written in the tests, for people
    cpu_s: float = 10.0
    memory_mb: int = 1024

    @property
    def executions(self) -> int:
        """Both programs are built and run."""
        return 16


RULES_CANNOT_TELL = "rules alone cannot tell"  # prefix of the detail of an answer that needs a judge
Unit = Literal["line", "segment", "function", "file"]
Strength = Literal["linked_fix", "accepted", "reactions", "any"]  # strongest first


class Annotation(Record, frozen=True, kw_only=True):
    """A reference comment on one line of the given code; lines are numbered from 1."""

    line: int
    text: str


class CommentSpec(Spec, frozen=True, kw_only=True, tag="comment"):
    """Code to add comments to. The extraction's program is the commented code.

    Judged by rules; nothing is executed. The outcome is `scored`, or `wrong` if the code was changed.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    code: str  # as in the row, with its line ends
    lang: str  # programming language, known to `lang.comment_reading`
    unit: Unit = "function"
    style: str = ""  # style of documentation comments in `lang.docstyles`; empty: the language's default
    language: str = ""  # natural language of the comments, "en", "ru" or "zh"; empty: any
    annotations: list[Annotation] = []  # by line
    comment: str = ""  # reference comment on the whole code
    key_lines: list[int] = []  # lines that a comment should explain; empty: those with annotations


class DocumentationSpec(Spec, frozen=True, kw_only=True, tag="documentation"):
    """A reference to compare an answer with by chrF, and the documented function for judging by rules.

    The extraction's `text` is the answer, its `program` the function with the documentation in the answer.
    Without `by_rules` the outcome is `scored` for any answer. With it, it is that of `comments`, and
    `undecided` if the function cannot be read: then there are no `comments`, and `problem` is the reason.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    reference: str
    by_rules: bool = True
    comments: CommentSpec | None = None
    problem: str = ""


class ReviewSpec(Spec, frozen=True, kw_only=True, tag="review"):
    """A reviewer's remark to compare the remarks in an answer with. The extraction's `text` is the answer.

    `exact`: remarks are found as MERA finds them, and the outcome is `scored`. Otherwise it is `wrong` for an
    answer without a remark, and `undecided` until a model judge has assessed each remark.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    reference: str
    exact: bool = False


class Reference(Record, frozen=True, kw_only=True):
    """A known answer to an issue, with the evidence that it is right."""

    body: str
    strength: Strength = "any"
    author: str = ""  # a pseudonym
    role: str = ""  # role in the project on the platform: "OWNER", "MEMBER", …
    created_at: str = ""  # ISO 8601
    updated_at: str = ""
    reactions: int = 0
    number: int = 0  # n of its field answer_n; 0 if there was none


class IssueSpec(Spec, frozen=True, kw_only=True, tag="issue"):
    """A question with several reference answers, strongest first. The extraction's program is the answer.

    Rules settle empty answers and refusals. Any other answer is `undecided` until a judge has assessed it.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    question: str
    body: str = ""
    asked_at: str = ""  # ISO 8601; an answer may use facts up to this time
    references: list[Reference] = []


class RefineSpec(Spec, frozen=True, kw_only=True, tag="refine"):
    """Code with a hunk that a review remark is about. The extraction's program is the new hunk.

    With a `suite`, its tests decide: its focal file is replaced by the code with the new hunk. Without one,
    the new hunk must equal the reference.
    """

    code: str  # a file or an excerpt of it, with its line ends
    lang: str  # known to `lang.comment_reading`; empty for plain text
    first: int  # lines of the hunk, from 1, both ends included
    last: int
    remarked: tuple[int, int]  # lines that the remark is about, inside the hunk
    reference: str  # the lines that replaced the hunk
    suite: Suite | None = None

    @property
    def executes(self) -> bool:  # type: ignore[override]
        """Return whether there are tests to execute."""
        return self.suite is not None

    @property
    def executions(self) -> int:
        """As for a suite; one without."""
        return 8 if self.suite is not None else 1


class CaseLevel(StrEnum):
    """Purpose of a test case; the three levels of AICoderEval."""

    normal = "normal"
    edge_case = "edge_case"
    correctness = "correctness"


class CaseInput(Record, frozen=True, kw_only=True):
    """The arguments of one call, as JSON.

    Two objects with one key represent what JSON cannot: {"$file": "NAME"} is the path of the file NAME in the
    answer's folder, {"$literal": "(1, 2)"} a Python literal. `files` maps each file to its recipe in
    `cases.recipes` with parameters, such as {"kind": "image", "width": 32}.
    """

    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    files: dict[str, dict[str, Any]] = {}


class ExpectedResult(Record, frozen=True, kw_only=True):
    """Expected result of a call: exactly one of `value`, `raises` and `properties`.

    `value` is JSON with the objects of `CaseInput`; its floats are compared with the tolerances. `raises`
    is the name of an exception type; a subclass is accepted. `properties` are checks by name with a
    parameter, which all must pass (`cases.checking`). `twin_value` is the expected value on the second
    stand-in, for a value that depends on a stand-in model.
    """

    value: Any = None
    raises: str = ""
    properties: dict[str, Any] = {}
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    twin_value: Any = None


class CallCase(Record, frozen=True, kw_only=True):
    """One test case."""

    name: str
    level: CaseLevel
    input: CaseInput
    expected: ExpectedResult
    description: str = ""


class LevelsSpec(ProgramSpec, frozen=True, kw_only=True, tag="levels"):
    """Judged by values, in one execution per level. The levels are the parts of the judgement.

    `links` are symbolic links, created in the answer's /tmp before anything is loaded: name in /tmp, target
    in the jail. With `twin_links`, levels that have cases with a `twin_value` are also executed with these
    links. With `until_failed`, execution stops after the first level that does not pass; later levels are
    not parts.
    """

    cases: list[CallCase]
    links: dict[str, str] = {}
    twin_links: dict[str, str] = {}
    until_failed: bool = False

    @property
    def executions(self) -> int:
        """One for each level with cases, and one for each level executed on the second stand-in."""
        return len({case.level for case in self.cases}) + len(self.twin_levels)

    @property
    def twin_levels(self) -> set[CaseLevel]:
        """Levels that are executed on the second stand-in too."""
        cases = self.cases if self.twin_links else []
        return {case.level for case in cases if case.expected.twin_value is not None}
