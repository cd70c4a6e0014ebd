"""The rows of data sets as records: what `benchwright schema` prints of formats that are read by hand.

The readers keep what they do not know and say more of a fault than a schema can; these records are what
an editor or another program needs to write a row. The tests hold both together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from benchwright.contracts import Annotation, Reference, Unit
from benchwright.lang.languages import LANGUAGES
from benchwright.records import Record

if TYPE_CHECKING:
    SuiteLanguage = str
else:
    SuiteLanguage = Literal[LANGUAGES]  # a schema lists them; mypy knows no generated Literal


class HumanEvalRow(Record, frozen=True, kw_only=True):
    """A row of HumanEval's shape: the head of a function, and a `check(candidate)` that asserts."""

    task_id: int | str
    prompt: str  # Python: imports, helpers, then the head of the function with its docstring
    entry_point: str  # name of the function
    canonical_solution: str  # the body that goes on from the prompt
    test: str  # Python with one `def check(candidate):` of asserts


class AssertedRow(Record, frozen=True, kw_only=True):
    """A row of MBPP, or of its sanitized part, which has `prompt` for `text`: a sentence, and asserts."""

    task_id: int | str
    text: str = ""  # the sentence that asks for the function
    prompt: str = ""  # the same, in the sanitized part
    code: str = ""  # the solution, a whole program
    test_list: list[str]  # asserts, each of which calls the function
    test_imports: list[str] = []  # what the asserts import
    test_setup_code: str = ""  # Python before the asserts
    challenge_test_list: list[str] = []  # nobody judges by these


class PlusRow(Record, frozen=True, kw_only=True):
    """A row of HumanEval+ or MBPP+: inputs alone, since the canonical solution gives the values."""

    task_id: int | str
    prompt: str  # the head of a function, or of MBPP+ a docstring with a sentence and an assert
    entry_point: str  # name of the function
    canonical_solution: str  # the body that goes on from the prompt, or of MBPP+ a whole program
    base_input: list[list[Any]]  # the arguments of each call of the base tests
    plus_input: list[list[Any]] | dict[str, Any]  # of those that EvalPlus added; {} for none
    atol: float = 0  # by how much floats may differ


class MultiplRow(Record, frozen=True, kw_only=True):
    """A row of MultiPL-E: the head of a function in Go or Java, and tests that follow it in one file."""

    name: int | str  # of the task
    language: Literal["go_test.go", "go", "java"]
    prompt: str  # package and imports, or imports and a class, then the head of the function with its comment
    tests: str  # what follows an answer: in Go a test, in Java the method's end and a main of asserts
    stop_tokens: list[str] = []  # where a model that goes on is stopped
    canonical_solution: str = ""  # what goes on from the prompt, where somebody has written it


class Identified(Record, frozen=True, kw_only=True):
    """What every row of MERA's shape says of itself; other fields are kept."""

    id: int | str


class FunctionMeta(Identified, frozen=True, kw_only=True):
    """What a row of function completion says of itself; other fields are kept."""

    entry_point: str  # name of the function
    canonical_solution: str = ""  # empty or absent in private sets
    typed_outputs: list[str] = []  # the outputs as Python literals, where a text alone leaves the type open


class FunctionInputs(Record, frozen=True, kw_only=True):
    """The function to complete and the calls that are made of it."""

    function: str  # the head of the function with its docstring
    tests: str  # a Python literal: a list of dicts of keyword arguments


class FunctionRow(Record, frozen=True, kw_only=True):
    """A row of ruHumanEval or ruCodeEval, as MERA has them."""

    instruction: str  # what the model reads; {function} is filled in
    inputs: FunctionInputs
    outputs: list[str | list[str]] | str  # one text a call, maybe as one list; "" where they are hidden
    meta: FunctionMeta


class PairInputs(Record, frozen=True, kw_only=True):
    """A file and a test of it."""

    focal_code: str
    test_code: str
    lang: SuiteLanguage


class CorrectnessRow(Record, frozen=True, kw_only=True):
    """A row of CodeCorrectness: does this test pass on this file?"""

    instruction: str  # {focal_code}, {test_code} and {lang} are filled in
    inputs: PairInputs
    outputs: Literal["success", "failed", ""] | None  # "" or null where it is hidden
    meta: Identified


class ClassedMeta(Identified, frozen=True, kw_only=True):
    """How a failing row ends; rows that pass need neither."""

    error_class: Literal["success", "assertion", "exception", "build"] = "success"
    kind: str = ""  # of the failure, where there is no class: assertion, exception, compile, syntax, …


class ErrorClassRow(Record, frozen=True, kw_only=True):
    """A row of CodeCorrectness that tells with which class of error its test ends."""

    instruction: str
    inputs: PairInputs
    outputs: Literal["success", "failed", ""] | None
    meta: ClassedMeta


class CommentInputs(Record, frozen=True, kw_only=True):
    """The code that is to be commented."""

    code: str
    lang: str  # Python, Java, Go or JavaScript
    unit: Unit = "function"
    style: str = ""  # of documentation comments; empty: the language's own
    language: str = ""  # that comments are to be written in, "en", "ru" or "zh"; empty: any
    description: str = ""


class CommentOutputs(Record, frozen=True, kw_only=True):
    """What is known of the comments that belong to the code; lines count from 1."""

    annotations: list[Annotation] = []
    comment: str = ""  # a reference comment on the whole
    key_lines: list[int] = []  # that a comment should explain


class CommentRow(Record, frozen=True, kw_only=True):
    """A row of comments to write into given code."""

    instruction: str  # {code} is filled in
    inputs: CommentInputs
    outputs: CommentOutputs
    meta: Identified


class IssueInputs(Record, frozen=True, kw_only=True):
    """A question from a project's tracker."""

    question: str
    body: str = ""
    asked_at: str = ""  # ISO 8601
    language: str = ""  # of the question: "en", "ru" or "zh"


class IssueOutputs(Record, frozen=True, kw_only=True):
    """The known answers, at least one."""

    references: list[Reference]


class IssueRow(Record, frozen=True, kw_only=True):
    """A row of a question with several reference answers."""

    instruction: str  # {question} and {body} are filled in
    inputs: IssueInputs
    outputs: IssueOutputs
    meta: Identified


class StoredAnswerRow(Record, frozen=True, kw_only=True):
    """A row of stored answers, for `--model replay:FILE`: the task and exactly one of the four texts.

    This is the plain row; many other shapes are read too, see docs/stored-answers.md.
    """

    task_id: int | str
    completion: str | None = ""
    solution: str | None = ""
    answer: str | None = ""
    text: str | None = ""
    model: str | None = ""
    seed: int | None = None
    finish_reason: str | None = ""
    meta: dict[str, Any] = {}  # anything else is passed over
