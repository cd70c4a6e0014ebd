"""MBPP: a sentence and asserts, judged by those asserts.

The prompt shows all asserts of a task, as in Austin et al. 2021 (https://arxiv.org/abs/2108.07732), because
the sentence names neither the function nor its parameters. `challenge_test_list` is ignored, as is usual.
Rows of the full set, of the sanitized set and of MBPP+ with asserts are read.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import BatchSpec, CallsSpec, ProgramSpec, Question, Spec
from benchwright.errors import DataError
from benchwright.records import Task, TaskId
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.constant_folding import UNKNOWN, looped_calls
from benchwright.tracks.functions import MBPP
from benchwright.tracks.functions.completion import CompletionTrack, check_profile
from benchwright.tracks.prompt_templates import fence, questions, wordings_in
from benchwright.tracks.python_source import MAX_SOURCE, AssertCase, NotData, read_cases
from benchwright.tracks.rows import Fields

_HINT = 'write it as "test_list": ["assert f(1) == 2"]'


class MbppRow(NamedTuple):
    """A parsed row. `shown` are its asserts, unchanged; `lacks` is why it cannot be judged, or ""."""

    task_id: TaskId
    prompt: str
    code: str
    entry_point: str
    shown: list[str]
    tests: str  # the asserts, preceded by the code that they need
    further: list[ast.Assert]
    spec: ProgramSpec
    lacks: str


def read_row(fields: Fields) -> MbppRow:
    """Parse one row. Raises DataError with file, line, field and hint."""
    fields = fields.named(fields.identity("task_id"))
    prompt = fields.text("text" if "text" in fields.data else "prompt", limit=MAX_SOURCE)
    code = _optional(fields, "code")
    asserts = _asserts(fields, "test_list")
    setup = "\n".join([*_texts(fields, "test_imports", required=False), _optional(fields, "test_setup_code")])
    setup = "\n".join([*_borrowed_imports(code, asserts), setup])
    if isinstance(parsed := parse(setup), ParseFault):
        raise fields.error(f"does not parse: {parsed}", field="test_setup_code")
    tests = _Tests.of(code, asserts)
    if not tests.entry_point:
        hint = "each assert must call one function that `code` defines"
        raise fields.error("does not call a function that `code` defines", field="test_list", hint=hint)
    lacks = _missing_part(code, parsed, tests)  # before the spec, for which the asserts are rewritten
    return MbppRow(
        task_id=fields.task_id or "",
        prompt=prompt,
        code=code,
        entry_point=tests.entry_point,
        shown=[each.strip() for each in _texts(fields, "test_list")],
        tests="\n".join(filter(None, [setup.strip(), *map(ast.unparse, asserts)])),
        further=_asserts(fields, "challenge_test_list", required=False),
        spec=_spec(fields, tests, setup),
        lacks=lacks,
    )


class _Tests(NamedTuple):
    """The asserts and the function of the solution that they call."""

    entry_point: str
    asserts: list[ast.Assert]
    others: list[str]  # other names of the solution that they use

    @classmethod
    def of(cls, code: str, asserts: list[ast.Assert]) -> _Tests:
        defined = _defined_names(code)
        names_by_assert = [
            {node.id for node in ast.walk(each) if isinstance(node, ast.Name)} for each in asserts
        ]
        called = Counter(
            name for each in asserts for name in _called_names(each) if name in defined or not defined
        )
        entry_point = called.most_common(1)[0][0] if called else ""
        return cls(entry_point, asserts, sorted(set().union(*names_by_assert) & defined - {entry_point}))


def _borrowed_imports(code: str, asserts: Sequence[ast.Assert]) -> Iterator[str]:
    """Imports of the solution that its tests use, because the data set executes both as one module.

    Only imports of the standard library: the trusted side imports nothing else for a solution.
    """
    used = {node.id for each in asserts for node in ast.walk(each) if isinstance(node, ast.Name)}
    tree = parse(code)
    for node in [] if isinstance(tree, ParseFault) else tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and _is_standard(node):
            bound = {(each.asname or each.name).partition(".")[0] for each in node.names}
            if not used.isdisjoint(bound):
                yield ast.unparse(node)


def _is_standard(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        modules = ["." * node.level + (node.module or "")]
    else:
        modules = [each.name for each in node.names]
    return all(name.partition(".")[0] in sys.stdlib_module_names for name in modules)


def _called_names(node: ast.AST) -> list[str]:
    functions = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
    return [each.id for each in functions if isinstance(each, ast.Name)]


def _defined_names(code: str) -> set[str]:
    tree = parse(code)
    if isinstance(tree, ParseFault):
        return set()
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in tree.body if isinstance(node, definitions)}


def _missing_part(code: str, setup: ast.Module, tests: _Tests) -> str:
    if not code.strip():
        return "the row has no solution"
    setup_names = {node.id for node in ast.walk(setup) if isinstance(node, ast.Name)}
    if others := sorted({*tests.others, *(setup_names & _defined_names(code))}):
        return f"its tests use {', '.join(others)} of the solution, so answers cannot be judged without it"
    if types := sorted({name for each in tests.asserts for name in _passed_types(each, tests.entry_point)}):
        return f"its tests pass {', '.join(types)} as an argument, but only values can be sent to an answer"
    return ""


def _passed_types(test: ast.Assert, entry_point: str) -> Iterator[str]:
    """Built-in types passed to the function as arguments, as in `f(values, int)`."""
    for call in ast.walk(test):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == entry_point:
            for each in [*call.args, *(keyword.value for keyword in call.keywords)]:
                if isinstance(each, ast.Name) and isinstance(getattr(builtins, each.id, None), type):
                    yield each.id


def _spec(fields: Fields, tests: _Tests, setup: str) -> ProgramSpec:
    """The asserts as data if possible, else as the `check` of a trusted test."""
    body = [_Renamed(tests.entry_point).visit(each) for each in tests.asserts]
    lines = [f"    {ast.unparse(each)}" for each in body]
    test = "\n".join(["def check(candidate):", *lines])
    try:
        return _batch(tests.entry_point, [*read_cases(test), *_plus_cases(fields, tests.entry_point)])
    except (NotData, Unsendable, ValueError):
        return CallsSpec(entry_point=tests.entry_point, prelude=setup, test=test)


def _batch(entry_point: str, cases: list[AssertCase]) -> BatchSpec:
    return BatchSpec(
        entry_point=entry_point,
        calls=encode([(case.args, case.kwargs) for case in cases]),
        expected=[encode(case.expected) for case in cases],
    )


class _Renamed(ast.NodeTransformer):
    """Replaces calls of the entry point by calls of `candidate`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("candidate", node.ctx) if node.id == self._name else node


def _plus_cases(fields: Fields, entry_point: str) -> list[AssertCase]:
    """Inputs and results that the test of MBPP+ loops over, if both are constants."""
    test = fields.data.get("test")
    tree = parse(test) if isinstance(test, str) and len(test) <= MAX_SOURCE else None
    if not isinstance(tree, ast.Module):
        return []
    calls = looped_calls(tree, frozenset({entry_point}), most=sys.maxsize)
    return [
        AssertCase(tuple(each.args), each.kwargs, each.expected, 0)
        for each in calls
        if each.expected is not UNKNOWN
    ]


def _asserts(fields: Fields, name: str, *, required: bool = True) -> list[ast.Assert]:
    found: list[ast.Assert] = []
    for number, text in enumerate(_texts(fields, name, required=required)):
        tree = parse(text)
        if isinstance(tree, ParseFault):
            raise fields.error(f"does not parse: {tree}", field=f"{name}.{number}", hint=_HINT)
        found += _only_asserts(fields, tree.body, f"{name}.{number}")
    if required and not found:
        raise fields.error("contains no assert", field=name, hint=_HINT)
    return found


def _only_asserts(fields: Fields, body: Iterable[ast.stmt], field: str) -> list[ast.Assert]:
    asserts = []
    for node in body:
        if not isinstance(node, ast.Assert):
            raise fields.error("must contain asserts only", field=field, hint=_HINT)
        asserts.append(node)
    return asserts


def _texts(fields: Fields, name: str, *, required: bool = True) -> list[str]:
    value = fields.data.get(name)
    if value is None and not required:
        return []
    if isinstance(value, list) and all(isinstance(each, str) and len(each) <= MAX_SOURCE for each in value):
        return value
    raise _not_texts(fields, name)


def _not_texts(fields: Fields, name: str) -> DataError:
    message = "must be a list of texts" if name in fields.data else "the field is missing"
    return fields.error(message, field=name, hint=_HINT)


def _optional(fields: Fields, name: str) -> str:
    return fields.text(name, limit=MAX_SOURCE) if fields.data.get(name) is not None else ""


STUB = "    raise NotImplementedError\n"


class Mbpp(CompletionTrack, declaration=MBPP):
    """Track of MBPP rows, of the full set and of the sanitized set."""

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The sentence and the asserts as a docstring, for a base model to continue."""
        text: str = task.inputs["function"]
        return text

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Ten prompts, each with the sentence and all asserts."""
        return mbpp_questions(task.inputs["task"], task.inputs["tests"], language=language, form=form)

    def gold(self, task: Task) -> str | None:
        """The row's solution, a whole program."""
        solution = task.meta.get("code")  # missing in some copies of the data set
        return solution if isinstance(solution, str) and solution else None

    def stub(self, task: Task) -> str:
        """A function that always raises."""
        return stub_of(task)

    def refusal(self, task: Task) -> str:
        """Why a task cannot be judged without its own solution; empty for nearly all tasks."""
        reason: str = _row_of(task).lacks
        return reason

    def spec(self, task: Task, *, profile: str) -> Spec:
        """The asserts as calls and values if they are data, else as a `check` on the trusted side."""
        check_profile(profile)
        return _row_of(task).spec

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return {"task_id": task.task_id, **{key: task.meta[key] for key in task.meta if key != "entry_point"}}


def docstring(sentence: str, asserts: str) -> str:
    """A module with only a docstring: the sentence and the asserts."""
    return f'"""\n{sentence.strip()}\n{asserts}\n"""\n'


def mbpp_questions(sentence: str, asserts: str, *, language: str, form: str) -> list[Question]:
    """All prompts that ask for a function by a sentence and the asserts that it must pass."""
    wordings = wordings_in("mbpp", language=language, form=form)
    values = {"task": sentence.strip(), "tests": asserts, "fence": fence(sentence, asserts)}
    return questions(wordings, values, language=language)


def stub_of(task: Task) -> str:
    """A function with the task's name that raises."""
    return f"def {task.meta['entry_point']}(*args, **kwargs):\n{STUB}"


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    row = read_row(fields)
    tests = "\n".join(row.shown)
    rest = {key: value for key, value in fields.data.items() if key != "task_id"}
    return Task(
        task_id=row.task_id,
        instruction="",
        inputs={"function": docstring(row.prompt, tests), "task": row.prompt, "tests": tests},
        outputs=None,
        meta={**rest, "entry_point": row.entry_point},
        revision=content_key("mbpp", row.prompt, row.tests, row.entry_point),
        origin=f"{fields.path}:{fields.line}",
    )


def _row_of(task: Task) -> MbppRow:
    """Parse the row of a loaded task again."""
    data = {"task_id": task.task_id, **task.meta}
    return read_row(Fields(data, task.origin, 0))


TRACK = Mbpp()
