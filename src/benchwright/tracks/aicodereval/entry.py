"""Entries of AICoderEval: the record, the program that it stands for, and its rows as tasks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import StrEnum
from inspect import cleandoc
from textwrap import indent
from typing import Any

import msgspec

from benchwright.cases.reading import FieldFault, faults_of
from benchwright.contracts import LevelsSpec
from benchwright.contracts.specs import CallCase
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.records import Record, Task
from benchwright.sandbox.environments import TWINS
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse_program
from benchwright.tracks.rows import Fields


class Domain(StrEnum):
    """The seven domains of AICoderEval, and what no map knows."""

    nlp = "NLP"
    cv = "CV"
    tabular = "Tabular"
    audio = "Audio"
    multimodal = "Multimodal"
    rl = "RL"
    classification = "Classification"
    unmapped = "unmapped"


class Weights(StrEnum):
    """Kind of the model weights with which an entry was admitted."""

    none = "none"  # the entry loads no model
    stand_in = "stand-in"  # small local models with the real ids: they test the use of the API, not accuracy
    unverified = "unverified-weights"  # a model has no stand-in


class StandIn(Record, frozen=True, kw_only=True):
    """Parameters of a model's two stand-ins: id, kind, and groups of texts on which they must differ.

    An id of torch.hub is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…].
    """

    id: str
    kind: str
    inputs: list[list[str | list[str]]] = []


class BenchmarkEntry(Record, frozen=True, kw_only=True):
    """The fields of AICoderEval's entries. `cases` are judged as data; else `suite` is a pytest file.

    `signature` is "def f(x: int) -> int:"; `docstring` has the text alone, with Args, Returns and Raises;
    `implementation` is the indented body; `libraries` are distributions with versions, "torch==2.13.0".
    """

    task_id: str
    domain: Domain
    description: str  # the task in one sentence
    model: str = ""  # id of the task's model
    model_description: str = ""
    libraries: list[str] = []
    imports: list[str] = []
    signature: str
    docstring: str
    implementation: str
    cases: list[CallCase] = []
    suite: str = ""
    environment: str = "bare"  # dependency profile for execution
    weights: Weights = Weights.none
    stand_ins: list[StandIn] = []  # of the models that it loads, if its weights are stand-ins
    created: str = ""  # date of the source's revision, ISO 8601; never the date of the build
    status: str = (
        "pending"  # "rejected", "partial", "valid", "certified", "env-missing", "unverified-weights"
    )
    time_s: float | None = None  # processor seconds of the canonical solution over all cases


_INDENT = "    "


def entry_point_of(entry: BenchmarkEntry) -> str:
    """Name of the function. Raises ValueError for an invalid signature."""
    tree = parse_program(f"{entry.signature}\n{_INDENT}pass\n")
    if isinstance(tree, ParseFault):
        raise ValueError(f"is not the head of a function: {tree.message}")
    found = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(found, ast.FunctionDef) or found.decorator_list:
        raise ValueError("must be the head of one function, such as `def f(x: int) -> int:`")
    return found.name


def head_of(entry: BenchmarkEntry) -> str:
    """Imports, signature and docstring, which an answer continues."""
    text = cleandoc(entry.docstring).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    docstring = f'"""{text}\n"""' if "\n" in text or text.endswith('"') else f'"""{text}"""'
    imports = "\n".join(entry.imports) + "\n\n\n" if entry.imports else ""
    return f"{imports}{entry.signature}\n{indent(docstring, _INDENT)}\n"


def program_of(entry: BenchmarkEntry) -> str:
    """The whole program with the canonical solution."""
    return f"{head_of(entry)}{entry.implementation.rstrip()}\n"


def libraries_of(entry: BenchmarkEntry) -> list[str]:
    """Names of the entry's libraries, without versions."""
    return [library.partition("==")[0].strip() for library in entry.libraries]


def spec_of(entry: BenchmarkEntry) -> LevelsSpec:
    """The spec of an entry.

    Answers run with twin A of each stand-in model, and with twin B if cases have a value for it. Raises
    ValueError with the entry's first fault.
    """
    fault = next(faults_in(entry), None)
    if fault is not None:
        raise ValueError(f"{fault.field}: {fault.message}")
    stand_in = entry.weights is Weights.stand_in
    has_both = stand_in and any(case.expected.twin_value is not None for case in entry.cases)
    return LevelsSpec(
        entry_point=entry_point_of(entry),
        environment=entry.environment,
        cases=entry.cases,
        links=twin_links("A") if stand_in else {},
        twin_links=twin_links("B") if has_both else {},
    )


def twin_links(name: str) -> dict[str, str]:
    """Links in an answer's folder to twin A or B of every model."""
    return {"hub": f"{TWINS}/{name}/hub", "torch/hub": f"{TWINS}/{name}/torch/hub"}


def faults_in(entry: BenchmarkEntry) -> Iterator[FieldFault]:
    """Faults that prevent an entry from being judged, or make its verdicts meaningless.

    The codes: empty, signature, imports, implementation, suite, no_cases, and those of `cases.reading`.
    """
    yield from _text_faults(entry)
    yield from _program_faults(entry)
    if entry.suite:
        hint = "write its tests as `cases`: arguments, and the expected value, exception or properties"
        yield FieldFault("suite", "suite", "an entry with a pytest suite cannot be judged in a run", hint)
    elif not entry.cases:
        yield FieldFault("no_cases", "cases", "has no test case", "without a case, no answer can fail")
    yield from faults_of(entry.cases)


def _text_faults(entry: BenchmarkEntry) -> Iterator[FieldFault]:
    for name in ("description", "docstring", "implementation"):
        if not getattr(entry, name).strip():
            yield FieldFault("empty", name, "is empty", "describe what the function must do and how")
    if "\n" in entry.description.strip():
        yield FieldFault("empty", "description", "has several lines", "write one sentence")


def _program_faults(entry: BenchmarkEntry) -> Iterator[FieldFault]:
    try:
        entry_point_of(entry)
    except ValueError as error:
        hint = "write `def name(parameter: type) -> type:`, with the colon at its end"
        yield FieldFault("signature", "signature", str(error), hint)
        return
    imports = parse_program("\n".join(entry.imports) + "\n")
    if isinstance(imports, ParseFault):
        message = f"invalid Python at line {imports.line}: {imports.message}"
        yield FieldFault("imports", "imports", message, "write one statement in each text")
        return
    whole = parse_program(program_of(entry))
    if isinstance(whole, ParseFault):
        message = f"is not a body of the function: {whole.message} (line {whole.line} of the whole program)"
        hint = "indent it by four spaces, without the signature"
        yield FieldFault("implementation", "implementation", message, hint)
    elif len(whole.body) != len(imports.body) + 1:
        message = "continues after the end of the function"
        yield FieldFault("implementation", "implementation", message, "indent all of it by four spaces")


ENTRY_POINT = "entry_point"  # key in a task's meta, in addition to the row's fields
MAX_ROW_TEXT = 1 << 20
_TEXTS = ("description", "signature", "docstring", "implementation")


def build(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    entry = read_entry(fields)
    fields = fields.named(entry.task_id)
    fault = next(faults_in(entry), None)
    if fault is not None:
        raise fields.error(fault.message, field=fault.field, hint=fault.hint)
    head = head_of(entry)
    revision_parts = [head, entry.description, entry.libraries, entry.environment]
    if entry.stand_ins:
        revision_parts.append(msgspec.to_builtins(entry.stand_ins))
    return Task(
        task_id=entry.task_id,
        instruction="",
        inputs={"function": head, "description": entry.description.strip(), "libraries": entry.libraries},
        outputs=None,
        meta={**fields.data, ENTRY_POINT: entry_point_of(entry)},
        revision=content_key("aicodereval", *revision_parts, msgspec.to_builtins(entry.cases)),
        origin=f"{fields.path}:{fields.line}",
    )


def read_entry(fields: Fields) -> BenchmarkEntry:
    """Read the entry of a row. Raises DataError for a field of a wrong type."""
    if "instruction" in fields.data and "inputs" in fields.data:
        raise fields.error(
            "this is a MERA row", hint="use the track `ruhumaneval` or `codecorrectness` for it"
        )
    if "prompt" in fields.data and "test" in fields.data:
        raise fields.error("this is a HumanEval row", hint="use the track `humaneval` for it")
    task_id = fields.identity("task_id")
    if not isinstance(task_id, str):
        raise fields.error(
            "must be a string, not a number", field="task_id", hint='write "task_id": "task_0001"'
        )
    fields = fields.named(task_id)
    for name in _TEXTS:
        fields.text(name, limit=MAX_ROW_TEXT)
    try:
        return msgspec.convert(fields.data, BenchmarkEntry)
    except msgspec.ValidationError as error:
        raise _bad_field(fields, error) from None


def entry_of(task: Task) -> BenchmarkEntry:
    """The entry of a task."""
    return msgspec.convert(task.meta, BenchmarkEntry)


def entry_row(entry: BenchmarkEntry) -> dict[str, Any]:
    """An entry as a row, without fields that have default values."""
    row: dict[str, Any] = msgspec.to_builtins(entry)
    return row


def to_row(task: Task) -> dict[str, Any]:
    """The row of a task."""
    return {name: value for name, value in task.meta.items() if name != ENTRY_POINT}


def _bad_field(fields: Fields, error: msgspec.ValidationError) -> DataError:
    """Convert an error of msgspec, which gives the field's path after " - at", into a DataError."""
    message, _, place = str(error).partition(" - at `$")
    field = escaped_name(place.rstrip("`").lstrip("."), 80) or None
    missing = "missing required field" in message
    hint = "see docs/aicodereval.md for the fields of an entry" if missing else _hint(field or "")
    return fields.error(message[:1].lower() + message[1:], field=field, hint=hint)


def _hint(field: str) -> str:
    types = {each.name: each.type for each in msgspec.structs.fields(BenchmarkEntry)}
    kind = types.get(field)
    if isinstance(kind, type) and hasattr(kind, "__members__"):
        return f"one of: {', '.join(each.value for each in kind)}"  # type: ignore[attr-defined]
    if field.endswith(".level"):
        return "one of: normal, edge_case, correctness"
    return "see docs/aicodereval.md for the fields of an entry"
