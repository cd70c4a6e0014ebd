"""The prompts for drafting an entry, step by step, and the form of each reply.

The steps follow the work: first the solution, then inputs to it, then the results of executing it, and the
description last, when the content of the tests is known. So a task never asks for what no solution does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchwright.contracts import CaseInput, CaseLevel
from benchwright.sources.model_records import ModelRecord
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, head_of, libraries_of

PROMPTS = "draft-entries-1"  # version of the prompts; change it with their texts
MAX_CODE = 6000  # maximum length of a record's code in a prompt
MAX_CASES = 16
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_PROGRAM_FIELDS = {
    "libraries": {**_TEXTS, "description": "installed distributions that it imports, by name"},
    "imports": {**_TEXTS, "description": "one import statement each"},
    "signature": {**_TEXT, "description": "one line, typed, ending in a colon"},
    "implementation": {**_TEXT, "description": "the body, indented by four spaces, without a docstring"},
}
_CASE_FIELDS = {
    "name": _TEXT,
    "level": {"enum": [level.value for level in CaseLevel]},
    "description": {"type": "string"},
    "args": {"type": "array"},
    "kwargs": {"type": "object"},
}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_CASES = {"type": "array", "items": _object(_CASE_FIELDS), "minItems": 3, "maxItems": MAX_CASES}
SOLUTION_SCHEMA = _object(_PROGRAM_FIELDS)
INPUTS_SCHEMA = _object({"cases": _CASES})
REPAIR_SCHEMA = _object({"analysis": {"type": "string"}, **_PROGRAM_FIELDS, "cases": _CASES})
WORDS_SCHEMA = _object({"description": _TEXT, "docstring": _TEXT})
SOLVE_SCHEMA = _object({"program": _TEXT})
REVIEW_SCHEMA = _object({"verdict": {"enum": ["accept", "reject"]}, "faults": _TEXTS})


class SolutionReply(msgspec.Struct):
    """A function, without words about it."""

    libraries: list[str]
    imports: list[str]
    signature: str
    implementation: str

    @property
    def program(self) -> str:
        """The whole of it."""
        head = "\n".join(self.imports) + "\n\n\n" if self.imports else ""
        return f"{head}{self.signature}\n{self.implementation.rstrip()}\n"


class ProposedCase(msgspec.Struct):
    """The input of a case; what must come of it is found by executing the solution."""

    name: str
    level: CaseLevel
    description: str
    args: list[Any]
    kwargs: dict[str, Any]

    @property
    def input(self) -> CaseInput:
        """As a case has it."""
        return CaseInput(args=self.args, kwargs=self.kwargs)


class InputsReply(msgspec.Struct):
    """Inputs for all levels."""

    cases: list[ProposedCase]


class RepairReply(SolutionReply):
    """The function and its inputs again, mended."""

    cases: list[ProposedCase]
    analysis: str = ""


class WordsReply(msgspec.Struct):
    """The task in a sentence, and the function's docstring."""

    description: str
    docstring: str


class SolveReply(msgspec.Struct):
    """A solution by somebody who was shown the task alone."""

    program: str


class ReviewReply(msgspec.Struct):
    """What a second model says of an entry."""

    verdict: str
    faults: list[str]


def ask_solution(record: ModelRecord, installed: Mapping[str, str]) -> str:
    """Ask for a function that uses the record's model or its library."""
    return f"""Write one Python function for a benchmark of programming tasks about AI libraries. This is a
model or library that it may be about:

{_record_text(record)}

Rules for the function:

- It solves one small, useful task around such a model: preparing its inputs, using its API, or reading its
  outputs.
- It can be executed offline in seconds. Installed: {_listed(installed)}. Nothing else can be
  imported, and no file or address is there to be read.
- The same arguments give the same result every time: no clock, no unseeded chance, no order of a set.
- Arguments and result are plain data: numbers, texts, truth values, None, lists, dicts with texts as keys.
- It raises a built-in exception, such as ValueError, where an argument cannot be used.
- The result depends on every argument, so that no constant answer passes tests of it.
"""


def ask_inputs() -> str:
    """Ask for inputs to the function."""
    return f"""Now write inputs that the function will be tested with. At least one for each level:

- "normal": ordinary use.
- "edge_case": borders and arguments that it must refuse with an exception.
- "correctness": inputs whose results show whether every part of the function is right.

At most {MAX_CASES} in all, each with a name of its own. `args` and `kwargs` are JSON. Write
{{"$literal": "(1, 2)"}} for a Python literal that JSON cannot write. Do not write results: the function will
be executed to find them.
"""


def ask_repair(fault: str, left: int) -> str:
    """Ask for the function and its inputs again, with the errors of their execution."""
    return f"""The function was executed with these inputs, and this went wrong:

{fault}

Say in `analysis` why, then give the whole function and all inputs again, mended. Repairs left after this
one: {left}.
"""


def ask_words(results: Sequence[str]) -> str:
    """Ask for the description of the task, once the content of the tests is known."""
    executed = "\n".join(results)
    return f"""The function was executed, and this is what its tests will ask for:

{executed}

Now write the task for somebody who will not see the function or the tests, and must write a function that
passes them. `description` is one sentence that says what is asked for. `docstring` says everything that the
tests hold the function to, in sections Args, Returns and Raises: exact keys, order, rounding, formats of
texts, and which exception is raised when. It holds no example and no result of the tests.
"""


def ask_solve(entry: BenchmarkEntry) -> str:
    """Ask for a solution from the description alone."""
    installed = ", ".join(entry.libraries) or "the standard library"
    return f"""Complete this function. Answer with the whole program, imports and signature included.

# Task: {entry.description}
# Installed: {installed}

{head_of(entry)}"""


def ask_review(entry: BenchmarkEntry) -> str:
    """Ask a second model for its opinion on an entry."""
    cases = json.dumps(msgspec.to_builtins(entry.cases), ensure_ascii=False, indent=1)
    return f"""Judge this task of a programming benchmark. Somebody who sees the description and the head of
the function alone must be able to write a function that passes all its tests.

Description: {entry.description}
Libraries: {", ".join(libraries_of(entry)) or "the standard library"}

{head_of(entry)}{entry.implementation}

Tests: {cases}

Reject it if a test asks for what the task does not say, if the description or the docstring is wrong about
the function, if a wrong function would pass, or if the task is of no use to anybody. Name each fault in one
sentence.
"""


def ask_again(why: str) -> str:
    """Ask once more after a reply in an invalid form."""
    return (
        f"That reply cannot be used: {why}. Give it again, in the form that was asked for, and nothing else."
    )


def _record_text(record: ModelRecord) -> str:
    return "\n".join(_lines(record))


def _lines(record: ModelRecord) -> Iterator[str]:
    facts = {
        "Model": record.model or record.id,
        "Task": record.task,
        "Libraries": ", ".join(record.libraries),
        "Description": record.description,
    }
    yield from (f"{name}: {value}" for name, value in facts.items() if value)
    room = MAX_CODE
    for block in record.blocks:
        code = block.code[:room].rstrip()
        room -= len(code)
        if code:
            yield f"Code from its card:\n{code}"


def _listed(installed: Mapping[str, str]) -> str:
    names = [f"{name} {version}" for name, version in installed.items() if name != "python"]
    python = f"Python {installed.get('python', '3')} with its standard library"
    return ", ".join([python, *names])
