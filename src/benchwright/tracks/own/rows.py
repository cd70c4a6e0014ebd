"""Rows of own tasks: a prompt with calls, asserts, a label or a rubric, and the checks of each kind."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Literal

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import command_name, nearest_hint
from benchwright.records import Record, Task
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, bound_names, free_names, parse_program, used_names
from benchwright.tracks.own.graders import FIELDS as GRADER_FIELDS
from benchwright.tracks.own.graders import check_combination, check_graders
from benchwright.tracks.python_source import MAX_SOURCE, MAX_TEST
from benchwright.tracks.rows import Fields, encoded

_KNOWN = frozenset(dir(builtins))


class BadAsserts(ValueError):
    """Invalid asserts: the reason, the line, and a hint."""

    def __init__(self, message: str, *, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.hint, self.line = hint, line


def check_source(asserts: str, entry_point: str) -> str:
    """Source of a `check(candidate)` with these statements as its body. Raises BadAsserts.

    The judge binds the entry point's name to a proxy of the answer's function, so statements call it by
    name. The source is generated from the syntax tree, because indenting the text would change multi-line
    strings.

    >>> print(check_source("assert add(1, 2) == 3", "add"))
    def check(candidate):
        assert add(1, 2) == 3
    """
    tree = _parse_asserts(asserts)
    _check_names(tree, entry_point)
    check = ast.parse("def check(candidate): pass")
    function = check.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = tree.body
    try:
        source = ast.unparse(ast.fix_missing_locations(check))
        compile(source, "<asserts>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadAsserts(f"cannot be a test: {error}", hint="write plain asserts, one per line") from None
    return source


def _parse_asserts(asserts: str) -> ast.Module:
    if len(asserts) > MAX_TEST:
        raise BadAsserts(f"more than {MAX_TEST:,} characters", hint="split it into several tasks")
    tree = parse_program(asserts)
    if isinstance(tree, ParseFault):
        hint = "write Python: assert add(1, 2) == 3"
        raise BadAsserts(f"invalid Python: {tree.message}", hint=hint, line=tree.line)
    return tree


def _check_names(tree: ast.Module, entry_point: str) -> None:
    """Raise BadAsserts unless the statements use the entry point and only known names."""
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    if not asserts or entry_point not in used_names([tree]):
        hint = f"write at least one: assert {entry_point}(…) == …"
        raise BadAsserts(f"no assert calls `{entry_point}`", hint=hint)
    bound = bound_names(tree.body)
    if entry_point in bound:
        raise BadAsserts(
            f"binds `{entry_point}`, which is the answer's", hint=f"remove the definition of `{entry_point}`"
        )
    if "*" in bound:
        raise BadAsserts("has a star import", hint="import each name that is used")
    missing = sorted(free_names(tree) - _KNOWN - {entry_point, "candidate"})
    if missing:
        name = missing[0]
        hint = f"import or define `{name}` before the asserts, or call `{entry_point}`"
        raise BadAsserts(f"uses `{name}`, which is not defined", hint=hint)


Kind = Literal["calls", "asserts", "label", "rubric", "contains", "regex", "json_schema", "function"]
KINDS: tuple[Kind, ...] = ("calls", "asserts", "label", "rubric")  # a task has at most one of these
ALL_KINDS: tuple[Kind, ...] = (*KINDS, "contains", "regex", "json_schema", "function")
MAX_LABELS, MAX_LABEL = 100, 200
_WAYS = (
    'asserts = "assert add(1, 2) == 3", or calls = [{ args = [1, 2], returns = 3 }], or label = "yes", '
    'or rubric = "what a right answer says", or contains = ["a text"], regex, json_schema or function; in '
    "JSON with a colon"
)


class OwnCall(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call of the entry point and its expected value; floats may differ by rounding."""

    returns: Any
    args: list[Any] = []
    kwargs: dict[str, Any] = {}


class OwnRow(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user's task: at most one of calls, asserts, label and rubric, and any number of other graders."""

    id: int | str
    prompt: str  # the exact text that the model reads
    entry_point: str = ""  # with calls or asserts: name of the called function
    calls: list[OwnCall] = []
    asserts: str | list[str] = ""  # Python statements that call the entry point: a text or a list of lines
    label: str = ""  # the right label, one of `labels`
    labels: list[str] = []  # all labels that a model may answer; the prompt names each
    rubric: str = ""  # description of a right answer, for a model judge (--judge)
    contains: str | list[str] = ""  # texts that a right answer contains, case included
    regex: str = ""  # a pattern of Python's `re` that occurs in a right answer
    json_schema: dict[str, Any] = {}  # JSON Schema of a right answer, which is JSON, also in a fence
    function: str = ""  # source of `check(answer)`, run in the sandbox: a boolean, or a number from 0 to 1
    threshold: float = 1.0  # with a function: the least number that passes
    max_cost: float | None = None  # most cost of the request, in the currency of the prices
    max_seconds: float | None = None  # most time of the request
    reference: str = ""  # with a rubric or graders of the text: a right answer
    solution: str = ""  # with calls or asserts: a right program
    tags: list[str] = []  # the score has a group for each tag
    meta: dict[str, Any] = {}  # anything else; ignored

    @property
    def kind(self) -> Kind:
        """The way in which answers are judged."""
        return next(kind for kind in ALL_KINDS if getattr(self, kind))


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    _check_field_names(fields)
    task_id = fields.identity("id")
    fields = fields.named(task_id)
    fields.text("prompt", limit=MAX_SOURCE)
    kind = _kind(fields)
    row = fields.converted(OwnRow, hint=f"{command_name()} schema own   # describes the fields")
    if kind in _CHECKS:
        _CHECKS[kind](fields, row)
    check_graders(fields, row)
    revision_fields = {name: fields.data.get(name) for name in (kind, "entry_point", "labels", "reference")}
    revision_fields |= {name: fields.data[name] for name in GRADER_FIELDS if name in fields.data}
    task = Task(
        task_id=task_id,
        instruction=row.prompt,
        inputs={},
        outputs=row.label or None,
        meta=fields.data,
        revision=content_key("own", row.prompt, revision_fields),
        origin=f"{fields.path}:{fields.line}",
    )
    encoded(task, [(call.args, call.kwargs, call.returns) for call in row.calls], field="calls")
    return task


def row_of(task: Task) -> OwnRow:
    """The row of a task."""
    return msgspec.convert(task.meta, OwnRow)


def asserts_of(row: OwnRow) -> str:
    """The asserts of a row as one text."""
    return row.asserts if isinstance(row.asserts, str) else "\n".join(row.asserts)


def _check_field_names(fields: Fields) -> None:
    known = OwnRow.__struct_fields__
    if unknown := next((name for name in fields.data if name not in known), None):
        if "task_id" in fields.data and "prompt" in fields.data and not any(map(fields.data.get, KINDS)):
            hint = (
                "a row of HumanEval has `task_id`, `prompt`, `entry_point` and `test`; an own task has `id`"
            )
            raise fields.error("the row has no tests", field="test", hint=hint)
        hint = nearest_hint(unknown, known, otherwise=f"the fields are: {', '.join(known)};")
        if "prompt" not in fields.data and fields.path.lower().endswith((".csv", ".parquet")):
            hint = f"if this column has the prompts: --map {escaped_name(unknown)}=prompt;"
        raise fields.error("unknown field", field=unknown, hint=f"{hint} put notes into `meta`")


def _kind(fields: Fields) -> Kind:
    """The row's first way to judge answers. Raises DataError for none, and for two of `KINDS`."""
    given = [kind for kind in KINDS if fields.data.get(kind)]
    check_combination(fields, list(given))
    graders = [kind for kind in ALL_KINDS if fields.data.get(kind) and kind not in given]
    if len(given) == 1 or (graders and not given):
        return [*given, *graders][0]
    if not given:
        raise fields.error("has no calls, asserts, label or rubric, and no other grader", hint=f"add {_WAYS}")
    kind_list = " and ".join(f"`{kind}`" for kind in given)
    hint = f"keep one; for the others write a task with another `{escaped_name('id')}`"
    raise fields.error(f"has {kind_list}, but an answer is judged in one way", field=given[1], hint=hint)


def _check_program(fields: Fields, row: OwnRow) -> None:
    """Check a row whose answers are executed: the prompt must name the function."""
    name = fields.identifier("entry_point")
    if name not in row.prompt:
        hint = f"name it: Write a Python function `{name}` that …"
        raise fields.error(f"does not name the function `{name}`", field="prompt", hint=hint)
    if row.asserts:
        _check_asserts(fields, row, name)


def _check_asserts(fields: Fields, row: OwnRow, name: str) -> None:
    try:
        check_source(asserts_of(row), name)
    except BadAsserts as error:
        place = f" (line {error.line} of the asserts)" if error.line else ""
        raise fields.error(f"{error}{place}", field="asserts", hint=error.hint) from None


def _check_label(fields: Fields, row: OwnRow) -> None:
    """Check that labels are several and distinct, include the right one, and occur in the prompt."""
    labels = [label.casefold() for label in row.labels]
    example = f'labels = ["{escaped_name(row.label, 30)}", "another"]'
    if len(labels) < 2 or len(labels) > MAX_LABELS:
        raise fields.error(f"must be 2 to {MAX_LABELS} labels", field="labels", hint=example)
    if len(set(labels)) < len(labels) or not all(0 < len(each.strip()) <= MAX_LABEL for each in labels):
        raise fields.error("the labels must be distinct and not empty", field="labels", hint=example)
    if row.label not in row.labels:
        label_list = ", ".join(escaped_name(each, 30) for each in row.labels[:8])
        raise fields.error("is not one of `labels`", field="label", hint=f"one of: {label_list}")
    prompt = row.prompt.casefold()
    if unnamed := next((each for each in row.labels if each.casefold() not in prompt), None):
        hint = f"add to the prompt: Answer with one of: {', '.join(escaped_name(x, 30) for x in row.labels)}"
        raise fields.error(f"does not name the label {escaped_name(unnamed)!r}", field="prompt", hint=hint)


def _check_rubric(fields: Fields, row: OwnRow) -> None:
    if not row.rubric.strip():
        raise fields.error("is empty", field="rubric", hint="describe a right answer")


_CHECKS = {
    "calls": _check_program,
    "asserts": _check_program,
    "label": _check_label,
    "rubric": _check_rubric,
}
