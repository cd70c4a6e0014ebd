"""Rows of data sets as records, for `benchwright schema`.

The tracks read rows field by field, keep unknown fields, and report errors in more detail than a schema
can. These records describe the rows for editors and other programs; tests check that both agree.
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
    """A row in HumanEval's format: the head of a function, and a `check(candidate)` with asserts."""

    task_id: int | str
    prompt: str  # Python: imports, helpers, then the head of the function with its docstring
    entry_point: str  # name of the function
    canonical_solution: str  # the body that continues the prompt
    test: str  # Python with one `def check(candidate):` of asserts


class AssertedRow(Record, frozen=True, kw_only=True):
    """A row of MBPP: a sentence and asserts. The sanitized set has `prompt` instead of `text`."""

    task_id: int | str
    text: str = ""  # a sentence that describes the function
    prompt: str = ""  # the same in the sanitized set
    code: str = ""  # the solution, a whole program
    test_list: list[str]  # asserts that call the function
    test_imports: list[str] = []  # imports of the asserts
    test_setup_code: str = ""  # Python before the asserts
    challenge_test_list: list[str] = []  # not used


class PlusRow(Record, frozen=True, kw_only=True):
    """A row of HumanEval+ or MBPP+: inputs only; the canonical solution computes the expected values."""

    task_id: int | str
    prompt: str  # the head of a function, or in MBPP+ a docstring with a sentence and an assert
    entry_point: str  # name of the function
    canonical_solution: str  # the body that continues the prompt, or in MBPP+ a whole program
    base_input: list[list[Any]]  # arguments of each call of the base tests
    plus_input: list[list[Any]] | dict[str, Any]  # arguments of the additional calls; {} for none
    atol: float = 0  # absolute tolerance of floats


class MultiplRow(Record, frozen=True, kw_only=True):
    """A row of MultiPL-E: the head of a function, and tests that follow it in the same file."""

    name: int | str  # of the task
    language: Literal["go_test.go", "go", "java", "js", "ts", "cpp", "rs"]
    prompt: str  # package or class, imports, then the head of the function with its comment
    tests: str  # the text after an answer: in Go a test, in Java the end of the method and a main of asserts
    stop_tokens: list[str] = []  # strings at which the model's completion is cut
    canonical_solution: str = ""  # a completion of the prompt, if there is one


class RowIdentity(Record, frozen=True, kw_only=True):
    """Metadata of every row in MERA's format; other fields are kept."""

    id: int | str


class FunctionMeta(RowIdentity, frozen=True, kw_only=True):
    """Metadata of a row of function completion; other fields are kept."""

    entry_point: str  # name of the function
    canonical_solution: str = ""  # empty or absent in private sets
    typed_outputs: list[str] = []  # the outputs as Python literals, if the text leaves the type open


class FunctionInputs(Record, frozen=True, kw_only=True):
    """The function to complete, and calls of it."""

    function: str  # the head of the function with its docstring
    tests: str  # a Python literal: a list of dicts of keyword arguments


class FunctionRow(Record, frozen=True, kw_only=True):
    """A row of ruHumanEval or ruCodeEval, in MERA's format."""

    instruction: str  # the prompt; {function} is filled in
    inputs: FunctionInputs
    outputs: list[str | list[str]] | str  # one text per call, possibly nested in one list; "" if hidden
    meta: FunctionMeta


class PairInputs(Record, frozen=True, kw_only=True):
    """A file, and a test of it."""

    focal_code: str
    test_code: str
    lang: SuiteLanguage


class CorrectnessRow(Record, frozen=True, kw_only=True):
    """A row of CodeCorrectness: does this test pass on this file?"""

    instruction: str  # {focal_code}, {test_code} and {lang} are filled in
    inputs: PairInputs
    outputs: Literal["success", "failed", ""] | None  # "" or null if hidden
    meta: RowIdentity


class ClassedMeta(RowIdentity, frozen=True, kw_only=True):
    """The class of a failure; rows that pass need neither field."""

    error_class: Literal["success", "assertion", "exception", "build"] = "success"
    kind: str = ""  # of the failure, if there is no class: assertion, exception, compile, syntax, …


class ErrorClassRow(Record, frozen=True, kw_only=True):
    """A row of CodeCorrectness with the class of error of its test."""

    instruction: str
    inputs: PairInputs
    outputs: Literal["success", "failed", ""] | None
    meta: ClassedMeta


class LintInputs(Record, frozen=True, kw_only=True):
    """Python code, and what the linter finds in it."""

    code: str
    feedback: str  # one finding a line: "E231: missing whitespace after ',' in 2 line"


class LintMeta(RowIdentity, frozen=True, kw_only=True):
    """Metadata of a row of code to correct; other fields are kept."""

    canonical_code: str = ""  # code without findings; empty or absent in private sets


class LintRow(Record, frozen=True, kw_only=True):
    """A row of CodeLinterEval: code to rewrite so that the linter finds nothing."""

    instruction: str  # {code} and {feedback} are filled in
    inputs: LintInputs
    outputs: list[int] | str | None  # a 1 for each sample; empty if hidden
    meta: LintMeta


class DocumentedFunction(Record, frozen=True, kw_only=True):
    """A function to document."""

    function: str


class DocumentationMeta(RowIdentity, frozen=True, kw_only=True):
    """The language of the function; other fields are kept."""

    language: Literal["python", "java", "csharp", "go", "javascript"]


class DocumentationRow(Record, frozen=True, kw_only=True):
    """A row of StRuCom: a function, and its documentation comment in Russian."""

    instruction: str  # {function} is filled in
    inputs: DocumentedFunction
    outputs: str | None  # empty or null if hidden
    meta: DocumentationMeta


class ReviewedChange(Record, frozen=True, kw_only=True):
    """A change to review."""

    diff_block: str  # lines of a diff: "+" added, "-" removed


class ReviewMeta(RowIdentity, frozen=True, kw_only=True):
    """The programming language of the change; other fields are kept."""

    language: str = ""


class ReviewRow(Record, frozen=True, kw_only=True):
    """A row of ruCodeReviewer: a change, and the remark of its reviewer in Russian."""

    instruction: str  # {diff_block} is filled in
    inputs: ReviewedChange
    outputs: str | None  # empty or null if hidden
    meta: ReviewMeta


class JavaTestInputs(Record, frozen=True, kw_only=True):
    """A Java class, and the names of it and of its test class."""

    class_name: str
    test_class_name: str
    code: str


class JavaTestMeta(RowIdentity, frozen=True, kw_only=True):
    """Where MERA executes the test; other fields are kept."""

    fn_test: str = ""  # path of the test file in the project
    source_code: str = ""  # the class in its repository; empty: the code of the inputs
    canonical_test: str = ""  # a test class that passes; MERA's rows have none
    repo: str = ""
    base_commit: str = ""
    image_name: str = ""
    test_command: str = ""


class JavaTestRow(Record, frozen=True, kw_only=True):
    """A row of JavaTestGen: a class to write a JUnit test class for."""

    instruction: str  # {class_name}, {test_class_name} and {code} are filled in
    inputs: JavaTestInputs
    outputs: list[str] | str | None = None  # no answer
    meta: JavaTestMeta


class UnitTestInputs(Record, frozen=True, kw_only=True):
    """A function or method, the rest of its file, and the file that its test belongs into."""

    focal_func: str
    focal_func_context: str  # the file with a mark in place of the function
    test_func_type: str  # "тестовую функцию" or "тестовый метод"
    test_func_context: str
    language: Literal["python", "java", "csharp", "go", "js"]
    focal_file_path: str
    test_file_path: str
    test_framework: str = ""


class UnitTestRow(Record, frozen=True, kw_only=True):
    """A row of UnitTests: a function to write a test for."""

    instruction: str  # all inputs are filled in
    inputs: UnitTestInputs
    outputs: str | None = None  # the human test; empty or null if hidden
    meta: RowIdentity


class CommentInputs(Record, frozen=True, kw_only=True):
    """The code to comment."""

    code: str
    lang: str  # Python, Java, Go, JavaScript, TypeScript or C#
    unit: Unit = "function"
    style: str = ""  # style of documentation comments; empty: the language's default
    language: str = ""  # natural language of the comments, "en", "ru" or "zh"; empty: any
    description: str = ""


class CommentOutputs(Record, frozen=True, kw_only=True):
    """Reference comments on the code; lines are numbered from 1."""

    annotations: list[Annotation] = []
    comment: str = ""  # a reference comment on the whole code
    key_lines: list[int] = []  # lines that a comment should explain


class CommentRow(Record, frozen=True, kw_only=True):
    """A row with code to comment."""

    instruction: str  # {code} is filled in
    inputs: CommentInputs
    outputs: CommentOutputs
    meta: RowIdentity


class IssueInputs(Record, frozen=True, kw_only=True):
    """A question from a project's tracker."""

    question: str
    body: str = ""
    asked_at: str = ""  # ISO 8601
    language: str = ""  # of the question: "en", "ru" or "zh"


class IssueOutputs(Record, frozen=True, kw_only=True):
    """At least one known answer."""

    references: list[Reference]


class IssueRow(Record, frozen=True, kw_only=True):
    """A row with a question and several reference answers."""

    instruction: str  # {question} and {body} are filled in
    inputs: IssueInputs
    outputs: IssueOutputs
    meta: RowIdentity


class StoredAnswerRow(Record, frozen=True, kw_only=True):
    """A row of stored answers for `--model replay:FILE`: the task, and exactly one of the four texts.

    docs/stored-answers.md describes other supported formats.
    """

    task_id: int | str
    completion: str | None = ""
    solution: str | None = ""
    answer: str | None = ""
    text: str | None = ""
    model: str | None = ""
    seed: int | None = None
    finish_reason: str | None = ""
    meta: dict[str, Any] = {}  # anything else; ignored


class RepositoryInputs(Record, frozen=True, kw_only=True):
    """The code before the body of a function."""

    left_context: str


class RepositoryMeta(RowIdentity, frozen=True, kw_only=True):
    """The place of the function in its repository, and its tests; other fields are kept."""

    repo: str  # "owner/name"
    base_commit: str
    fn: str  # path of the file
    gt: str  # the reference body
    left_context: str  # equal to inputs.left_context
    right_context: str
    PASS_TO_PASS: list[str]  # at least one
    FAIL_TO_PASS: list[str] = []  # not used
    intent: str  # name and kind: "run[function]"
    intent_type: str = ""
    image_name: str = ""  # this and the commands are not used: tests run in suites
    build_command: str = ""
    test_command: str = ""


class RepositoryRow(Record, frozen=True, kw_only=True):
    """A row of RealCode: a function of a Python repository, to be completed."""

    instruction: str  # {left_context} is filled in
    inputs: RepositoryInputs
    outputs: str | None = None
    meta: RepositoryMeta


class JavaRepositoryMeta(RowIdentity, frozen=True, kw_only=True):
    """The place of the method in its repository, and its tests; other fields are kept."""

    repo: str  # "owner/name"
    base_commit: str
    file_path: str
    gt: str  # the reference body, with the brace that ends the method
    stub: str  # a body without function, with the brace
    left_context: str  # equal to inputs.left_context
    right_context: str
    PASS_TO_PASS: list[str]  # "package.Class::test", at least one
    FAIL_TO_PASS: list[str] = []  # not used
    intent: str
    intent_type: str = ""
    image_name: str = ""  # this and the commands are not used: tests run in suites
    build_command: str = ""
    test_command: str = ""


class JavaRepositoryRow(Record, frozen=True, kw_only=True):
    """A row of RealCodeJava: a method of a Java repository, to be completed."""

    instruction: str  # {left_context} is filled in; other braces are kept
    inputs: RepositoryInputs
    outputs: str | None = None
    meta: JavaRepositoryMeta


class MakeInputs(Record, frozen=True, kw_only=True):
    """A function to write, and the functions that it calls."""

    language: Literal["C", "C++", "c", "cpp", "c++", "CPP"]
    signature: str
    docstring: str
    context: str


class MakeMeta(RowIdentity, frozen=True, kw_only=True):
    """The place of the function: lines `pos` to `pos + code_length` of the file; other fields are kept."""

    repository: str
    file: str  # the folder of the repository, then the path in it
    pos: int
    code_length: int


class MakeRow(Record, frozen=True, kw_only=True):
    """A row of YABLoCo: a function of a C or C++ repository."""

    instruction: str  # the inputs are filled in
    inputs: MakeInputs
    outputs: str | None = None
    meta: MakeMeta
