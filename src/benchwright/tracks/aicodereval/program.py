"""Programs and specs of entries: the head in the prompt, the whole program, the spec, and validation."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import cleandoc
from textwrap import indent

from benchwright.cases.reading import FieldFault, faults_of
from benchwright.contracts import LevelsSpec
from benchwright.sandbox.environments import TWINS
from benchwright.text.syntax import ParseFault, parse_program
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, Weights

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
    both = stand_in and any(case.expected.twin_value is not None for case in entry.cases)
    return LevelsSpec(
        entry_point=entry_point_of(entry),
        environment=entry.environment,
        cases=entry.cases,
        links=twin_links("A") if stand_in else {},
        twin_links=twin_links("B") if both else {},
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
