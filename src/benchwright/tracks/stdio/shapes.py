"""Rows of APPS, CodeContests and LiveCodeBench, by the formats of their public loaders.

- APPS (Hendrycks et al. 2021, https://github.com/hendrycks/apps, `eval/testing_util.py`): `input_output` is
  JSON within JSON; an input is a text or a list of lines.
- CodeContests (Li et al. 2022, https://github.com/google-deepmind/code_contests, `contest_problem.proto`):
  parallel lists of inputs and outputs, three groups of tests.
- LiveCodeBench (Jain et al. 2024, https://github.com/LiveCodeBench/LiveCodeBench,
  `lcb_runner/benchmarks/code_generation.py`): JSON within JSON; private tests may be compressed.

Everything is bounded before it is parsed, and nothing is unpickled. A row may also have the fields of our
shape that say how outputs are compared.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from benchwright.contracts import Comparison, StdioCase
from benchwright.records import Record
from benchwright.tracks.python_source import MAX_SOURCE
from benchwright.tracks.rows import Fields
from benchwright.tracks.stdio.rows import (
    CPU_S,
    MAX_ALL,
    MEMORY_MB,
    StdioProblem,
    checked_language,
    checked_problem,
)

APPS_CPU_S = 4.0  # `timeout` of testing_util.py
LIVE_CPU_S = 6.0  # `--timeout` of lcb_runner
_MAX_TEXT = 2 * MAX_ALL
_MB = 1 << 20
_GROUPS = ("public_tests", "private_tests", "generated_tests")
_LANGUAGES = {2: "C++", 3: "Python", 4: "Java"}  # `Solution.Language`; 1 is Python 2
_PICKLE = b"\x80"  # each pickle of protocol 2 and later begins with it
_SHAPES = "docs/stdio-tasks.md shows a row of each shape"
_CONVERT = "convert the rows as docs/stdio-tasks.md shows (LiveCodeBench), which executes nothing of them"
_T = TypeVar("_T")


class _Judging(Record, frozen=True, kw_only=True):
    """Fields of our shape that a published row may have."""

    lang: str = "Python"
    compare: Comparison = "tokens"
    abs_tol: float = 0.0
    rel_tol: float = 0.0
    checker: str = ""
    cpu_s: float | None = None
    memory_mb: int | None = None


class _AppsTests(Record, frozen=True, kw_only=True):
    inputs: list[Any]
    outputs: list[Any]
    fn_name: str | None = None


class _Duration(Record, frozen=True, kw_only=True):
    seconds: int = 0
    nanos: int = 0


class _LiveTest(Record, frozen=True, kw_only=True):
    input: str
    output: str
    testtype: str = "stdin"


def read_apps(fields: Fields) -> StdioProblem:
    """Read a row of APPS. Raises DataError; call-based rows are refused."""
    fields = fields.named(fields.identity("problem_id" if "problem_id" in fields.data else "id"))
    tests = _json_within(fields, "input_output", _AppsTests)
    if tests.fn_name is not None:
        hint = "remove such rows:  grep -v fn_name FILE > stdio.jsonl"
        raise fields.error(
            "is a call-based task, which has no stdin", field="input_output.fn_name", hint=hint
        )
    if len(tests.inputs) != len(tests.outputs):
        message = f"has {len(tests.inputs)} inputs and {len(tests.outputs)} outputs"
        raise fields.error(message, field="input_output", hint="each input needs one output")
    cases = [
        StdioCase(input=_lines(fields, stdin), expected=_lines(fields, stdout))
        for stdin, stdout in zip(tests.inputs, tests.outputs, strict=True)
    ]
    statement = fields.text("question", limit=MAX_SOURCE)
    solutions = _apps_solutions(fields)
    starter = fields.data.get("starter_code")
    return _problem(fields, statement, cases, cpu_s=APPS_CPU_S, solutions=solutions, starter=starter or "")


def read_codecontests(fields: Fields) -> StdioProblem:
    """Read a row of CodeContests. Raises DataError."""
    fields = fields.named(fields.identity("name"))
    for name in ("input_file", "output_file"):
        if fields.data.get(name):
            hint = "remove the row: only standard input and output are supported"
            raise fields.error("names a file that the program must use", field=name, hint=hint)
    cases = [case for name in _GROUPS if fields.data.get(name) for case in _group(fields, name)]
    statement = fields.text("description", limit=MAX_SOURCE)
    return _problem(
        fields,
        statement,
        cases,
        cpu_s=_seconds(fields),
        memory_mb=_megabytes(fields),
        solutions=_contest_solutions(fields),
    )


def read_livecodebench(fields: Fields) -> StdioProblem:
    """Read a row of LiveCodeBench. Raises DataError; rows with functional tests are refused."""
    fields = fields.named(fields.identity("question_id"))
    tests = _json_within(fields, "public_test_cases", list[_LiveTest])
    if fields.data.get("private_test_cases"):
        tests = [*tests, *_private(fields)]
    if other := next((each.testtype for each in tests if each.testtype != "stdin"), None):
        hint = 'keep the rows whose tests have "testtype": "stdin"; functional ones call a method'
        raise fields.error(f"a test has the type {other[:40]!r}", field="public_test_cases", hint=hint)
    cases = [StdioCase(input=each.input, expected=each.output) for each in tests]
    statement = fields.text("question_content", limit=MAX_SOURCE)
    return _problem(fields, statement, cases, cpu_s=LIVE_CPU_S, starter=fields.data.get("starter_code") or "")


def _problem(fields: Fields, statement: str, cases: list[StdioCase], **known: Any) -> StdioProblem:
    own = Fields(
        {name: fields.data[name] for name in _Judging.__struct_fields__ if name in fields.data}, *fields[1:]
    )
    judging = own.converted(_Judging)
    values = {name: getattr(judging, name) for name in ("compare", "abs_tol", "rel_tol", "checker")}
    limits = {name: value for name in ("cpu_s", "memory_mb") if (value := getattr(judging, name)) is not None}
    data = {**known, **values, **limits, "lang": checked_language(fields, judging.lang)}
    problem = StdioProblem(task_id=fields.task_id or "", statement=statement, cases=cases, **data)
    return checked_problem(fields, problem)


def _json_within(fields: Fields, name: str, kind: type[_T]) -> _T:
    """Return JSON that a text field contains, or the value itself where a converter has unpacked it."""
    value = fields.data.get(name)
    if not isinstance(value, str):
        return _convert_field(fields, name, value, kind)
    return _decode_field(
        fields, name, fields.text(name, limit=_MAX_TEXT).encode("utf-8", "surrogatepass"), kind
    )


def _convert_field(fields: Fields, name: str, value: Any, kind: type[_T]) -> _T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise fields.error(
            f"{error}", field=name, hint="it must be JSON within a text, or that JSON"
        ) from None


def _decode_field(fields: Fields, name: str, data: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        hint = "write the tests as JSON within a text; an empty field means that the row has no tests"
        raise fields.error(f"expected JSON of tests: {error}", field=name, hint=hint) from None


def _private(fields: Fields) -> list[_LiveTest]:
    """Return the private tests: JSON, or JSON compressed with zlib and written in base64."""
    name = "private_test_cases"
    value = fields.data[name]
    if not isinstance(value, str) or value.lstrip()[:1] in ("[", "{"):
        return _json_within(fields, name, list[_LiveTest])
    text = fields.text(name, limit=_MAX_TEXT)
    try:
        data = _decompress(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError, zlib.error) as error:
        hint = "it must be JSON, or JSON compressed with zlib in base64"
        raise fields.error(f"cannot be decompressed: {error}", field=name, hint=hint) from None
    if data[:1] == _PICKLE:
        message = "holds a pickle, which could execute code and is not read"
        raise fields.error(message, field=name, hint=_CONVERT)
    return _decode_field(fields, name, data, list[_LiveTest])


def _decompress(data: bytes) -> bytes:
    """Return the content. Raises ValueError if it is larger than all cases of a task may be."""
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(data, _MAX_TEXT + 1)
    if len(content) > _MAX_TEXT:
        raise ValueError(f"its content is larger than {_MAX_TEXT:,} bytes")
    if not unpacking.eof:
        raise ValueError("its content is truncated")
    return content


def _lines(fields: Fields, value: Any) -> str:
    """Return a text; APPS writes some as a list of lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    raise fields.error("an input or output is neither a text nor a list of lines", field="input_output")


def _apps_solutions(fields: Fields) -> dict[str, str]:
    if not fields.data.get("solutions"):
        return {}
    found = _json_within(fields, "solutions", list[str])
    return {"Python": found[0]} if found else {}


def _group(fields: Fields, name: str) -> list[StdioCase]:
    tests = fields.inner(name)
    inputs, outputs = (_texts(tests, each) for each in ("input", "output"))
    if len(inputs) != len(outputs):
        message = f"has {len(inputs)} inputs and {len(outputs)} outputs"
        raise fields.error(message, field=name, hint="each input needs one output")
    return [StdioCase(input=one, expected=other) for one, other in zip(inputs, outputs, strict=True)]


def _texts(fields: Fields, name: str) -> Sequence[str]:
    value = fields.data.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise fields.error("must be a list of texts", field=name, hint=f'write "{name}": ["1 2\\n"]')
    return value


def _seconds(fields: Fields) -> float:
    """Return the time limit, a `Duration` of protocol buffers."""
    value = fields.data.get("time_limit")
    if value is None:
        return CPU_S
    limit = _convert_field(fields, "time_limit", value, _Duration)
    return limit.seconds + limit.nanos / 1e9 or CPU_S


def _megabytes(fields: Fields) -> int:
    value = fields.data.get("memory_limit_bytes") or 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise fields.error(
            "must be a number of bytes", field="memory_limit_bytes", hint="for example 256000000"
        )
    return -(-value // _MB) or MEMORY_MB


def _contest_solutions(fields: Fields) -> dict[str, str]:
    """Return the first right solution of each language."""
    value = fields.data.get("solutions")
    if not isinstance(value, dict):
        return {}
    numbers, texts = value.get("language", []), _texts(fields.inner("solutions"), "solution")
    found: dict[str, str] = {}
    for number, text in zip(numbers if isinstance(numbers, list) else [], texts, strict=False):
        if number in _LANGUAGES:
            found.setdefault(_LANGUAGES[number], text)
    return found
