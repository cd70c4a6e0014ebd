"""Rows of programs: a statement, cases, and how outputs are compared. `shapes` reads published rows."""

from __future__ import annotations

import math
from typing import Any

from benchwright.contracts import Comparison, ProgramCommands, StdioCase
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, command_name, nearest_hint
from benchwright.lang.program_languages import program_language
from benchwright.records import Record, TaskId
from benchwright.text.syntax import ParseFault, bound_names, parse_program
from benchwright.tracks.python_source import MAX_SOURCE
from benchwright.tracks.rows import Fields

MAX_CASES = 2000
MAX_CASE = 8 << 20  # characters of an input, and of an output
MAX_ALL = 64 << 20  # characters of all cases of a task
MAX_CPU_S, MAX_MEMORY_MB, LEAST_MEMORY_MB = 120.0, 8192, 16
CPU_S, MEMORY_MB = 2.0, 512
_NAME = 100


class StdioRowCase(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An input and the expected output, with limits of its own if it needs them."""

    input: str
    output: str = ""  # may be missing with a checker
    cpu_s: float | None = None
    memory_mb: int | None = None


class StdioRow(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task: a program reads each input and prints an output."""

    id: int | str
    prompt: str  # the statement, with the format of input and output
    cases: list[StdioRowCase]
    lang: str = "Python"  # language of the answers; any name if there are commands
    compare: Comparison = "tokens"
    abs_tol: float = 0.0  # with "floats": absolute tolerance of numbers
    rel_tol: float = 0.0  # with "floats": tolerance as a share of the expected number
    checker: str = ""  # with "checker": Python that defines check(input, expected, actual)
    cpu_s: float = CPU_S  # processor time of a case, without the start of the language's runtime
    memory_mb: int = MEMORY_MB
    commands: ProgramCommands | None = None  # of a language that is not built in
    solution: str = ""  # a right program
    starter: str = ""  # code that the prompt shows below the statement
    tags: list[str] = []  # the score has a group for each tag
    meta: dict[str, Any] = {}  # anything else; ignored


class StdioProblem(Record, frozen=True, kw_only=True):
    """A task as judged, whatever its row's shape."""

    task_id: TaskId
    statement: str
    cases: list[StdioCase]
    lang: str
    compare: Comparison = "tokens"
    abs_tol: float = 0.0
    rel_tol: float = 0.0
    checker: str = ""
    cpu_s: float = CPU_S
    memory_mb: int = MEMORY_MB
    commands: ProgramCommands | None = None
    solutions: dict[str, str] = {}  # by language
    starter: str = ""
    tags: list[str] = []


def read_own(fields: Fields) -> StdioProblem:
    """Read a row in our shape. Raises DataError with file, line, field and hint."""
    known = StdioRow.__struct_fields__
    if unknown := next((name for name in fields.data if name not in known), None):
        hint = nearest_hint(unknown, known, otherwise=f"the fields are: {', '.join(known)};")
        raise fields.error("unknown field", field=unknown, hint=f"{hint} put notes into `meta`")
    task_id = fields.identity("id")
    fields = fields.named(task_id)
    fields.text("prompt", limit=MAX_SOURCE)
    if "cases" not in fields.data:
        raise fields.error(
            "is missing", field="cases", hint='write "cases": [{"input": "1\\n", "output": "2\\n"}]'
        )
    row = fields.converted(StdioRow, hint=f"{command_name()} schema stdio   # describes the fields")
    lang = row.lang if row.commands else checked_language(fields, row.lang)
    problem = StdioProblem(
        task_id=task_id,
        statement=row.prompt,
        cases=[
            StdioCase(input=case.input, expected=case.output, cpu_s=case.cpu_s, memory_mb=case.memory_mb)
            for case in row.cases
        ],
        lang=lang,
        compare=row.compare,
        abs_tol=row.abs_tol,
        rel_tol=row.rel_tol,
        checker=row.checker,
        cpu_s=row.cpu_s,
        memory_mb=row.memory_mb,
        commands=row.commands,
        solutions={lang: row.solution} if row.solution else {},
        starter=row.starter,
        tags=row.tags,
    )
    return checked_problem(fields, problem)


def checked_language(fields: Fields, name: str) -> str:
    """Return the language's own name. Raises DataError for one that is not built in."""
    try:
        return program_language(name).name
    except DataError as error:
        message = f"unknown language of programs: {escaped_name(name)!r}"
        raise fields.error(
            message, field="lang", hint=f"{error.hint}; or name its commands: {_COMMANDS}"
        ) from None


_COMMANDS = '"commands": {"source": "main.rb", "run": ["ruby", "main.rb"]}'


def checked_problem(fields: Fields, problem: StdioProblem) -> StdioProblem:
    """Return the problem. Raises DataError for a value out of range, or a comparison that cannot work."""
    _check_cases(fields, problem)
    _check_limits(fields, problem)
    _check_comparison(fields, problem)
    if problem.commands is not None:
        _check_commands(fields, problem.commands)
    return problem


def _check_cases(fields: Fields, problem: StdioProblem) -> None:
    cases = problem.cases
    if not 0 < len(cases) <= MAX_CASES:
        hint = "add a case" if not cases else "split the task, or drop cases"
        raise fields.error(
            f"has {len(cases):,} cases; 1 to {MAX_CASES:,} are possible", field="cases", hint=hint
        )
    for number, case in enumerate(cases):
        if max(len(case.input), len(case.expected)) > MAX_CASE:
            message = f"an input or output is larger than {MAX_CASE:,} characters"
            raise fields.error(message, field=f"cases[{number}]", hint="use a smaller case")
    if sum(len(case.input) + len(case.expected) for case in cases) > MAX_ALL:
        message = f"all cases have more than {MAX_ALL:,} characters"
        raise fields.error(message, field="cases", hint="use fewer or smaller cases")


def _check_limits(fields: Fields, problem: StdioProblem) -> None:
    every = [("", problem.cpu_s, problem.memory_mb)]
    every += [
        (f"cases[{number}].", case.cpu_s or CPU_S, case.memory_mb or MEMORY_MB)
        for number, case in enumerate(problem.cases)
    ]
    for place, cpu_s, memory_mb in every:
        if not 0 < cpu_s <= MAX_CPU_S:
            hint = f'write "cpu_s": {CPU_S:g}'
            raise fields.error(
                f"must be between 0 and {MAX_CPU_S:g} seconds", field=f"{place}cpu_s", hint=hint
            )
        if not LEAST_MEMORY_MB <= memory_mb <= MAX_MEMORY_MB:
            message = f"must be between {LEAST_MEMORY_MB} and {MAX_MEMORY_MB:,} MiB"
            raise fields.error(message, field=f"{place}memory_mb", hint=f'write "memory_mb": {MEMORY_MB}')


def _check_comparison(fields: Fields, problem: StdioProblem) -> None:
    tolerances = {"abs_tol": problem.abs_tol, "rel_tol": problem.rel_tol}
    for name, value in tolerances.items():
        if not (math.isfinite(value) and value >= 0):
            raise fields.error("must be a number from 0 on", field=name, hint=f'write "{name}": 1e-6')
    given = next((name for name, value in tolerances.items() if value), None)
    if given and problem.compare != "floats":
        hint = 'add "compare": "floats", or remove the tolerance'
        raise fields.error(f"has no effect with {problem.compare!r}", field=given, hint=hint)
    if problem.compare == "floats" and given is None:
        hint = 'add "abs_tol": 1e-6, or use "compare": "tokens"'
        raise fields.error("needs a tolerance above 0", field="compare", hint=hint)
    if bool(problem.checker) != (problem.compare == "checker"):
        field, missing = ("compare", "checker") if problem.checker else ("checker", "checker source")
        hint = 'write "compare": "checker" and "checker": "def check(input, expected, actual): …"'
        raise fields.error(f"a {missing} needs both fields", field=field, hint=hint)
    if problem.checker:
        _check_checker(fields, problem.checker)


def _check_checker(fields: Fields, source: str) -> None:
    hint = "define: def check(input, expected, actual): return actual.strip() == expected.strip()"
    if len(source) > MAX_SOURCE:
        raise fields.error(f"has more than {MAX_SOURCE:,} characters", field="checker", hint="shorten it")
    tree = parse_program(source)
    if isinstance(tree, ParseFault):
        raise fields.error(f"invalid Python: {tree.message} (line {tree.line})", field="checker", hint=hint)
    if "check" not in bound_names(tree.body):
        raise fields.error("does not define `check`", field="checker", hint=hint)


def _check_commands(fields: Fields, commands: ProgramCommands) -> None:
    if not _is_name(commands.source):
        message = f"{escaped_name(commands.source)!r} is not the name of a file"
        raise fields.error(message, field="commands.source", hint='write "source": "main.rb"')
    every = [("run", commands.run), *(("build", words) for words in commands.build)]
    for name, words in every:
        if not words or not all(words) or any("\0" in word for word in words):
            message = "must be a list of words, none of them empty"
            raise fields.error(message, field=f"commands.{name}", hint=f"for example {_COMMANDS}")
        if words[0].startswith("/") or ".." in words[0].split("/"):
            hint = "name a program on PATH, such as `ruby`, or a file that the build makes, such as `./main`"
            raise fields.error(
                f"{escaped_name(words[0])!r} is a path of this machine", field=f"commands.{name}", hint=hint
            )


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _NAME and text.isprintable() and "/" not in text and text not in (".", "..")
