"""Rows of UnitTests in MERA's format.

Row: {instruction, inputs: {focal_func, focal_func_context, test_func_type, test_func_context, language,
focal_file_path, test_file_path, test_framework}, outputs, meta: {id, …}}; `outputs` is the human test. Code
in inputs is fenced. Format: https://github.com/MERA-Evaluation/MERA_CODE.
"""

from __future__ import annotations

from typing import NamedTuple

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, open_mera, text_task

MAX_CODE = 1 << 17  # MERA's rows have up to 70,000 characters
MAX_PATH = 1000
MARK = "#focal function/method here"  # in the context, in place of the function
LANGUAGES = {"python": "Python", "java": "Java", "csharp": "C#", "go": "Go", "js": "JavaScript"}
# By its own lock file the library has tree-sitter 0.23.2, which refuses that file's grammar of C#, 0.23.1.
FAILURES = {"csharp": "the library's tree-sitter 0.23.2 refuses its grammar of C#, so each answer counts 0"}
_CODE = ("focal_func", "focal_func_context", "test_func_context")
_WORDS = ("test_func_type", "focal_file_path", "test_file_path")


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    for name in (*_CODE, *_WORDS):
        inputs.text(name, limit=MAX_CODE if name in _CODE else MAX_PATH)
    if not unfenced(inputs.data["focal_func"]).strip():
        raise inputs.error("is empty", field="focal_func", hint="a row needs a function to test")
    if (language := inputs.text("language", limit=40)) not in LANGUAGES:
        raise inputs.error("is unknown", field="language", hint=f"one of: {', '.join(LANGUAGES)}")
    if inputs.data.get("test_framework") is not None:
        inputs.text("test_framework", limit=MAX_PATH)
    return text_task(
        fields,
        meta,
        inputs,
        shown="focal_func",
        limit=MAX_CODE,
        outputs_limit=MAX_CODE,
        revision=lambda outputs, instruction: content_key(
            "unittests", inputs.data, outputs, language, instruction
        ),
    )


class PlacedFunction(NamedTuple):
    """The file of the tested function, and the lines of that function in it; none if its place is unknown."""

    code: str
    lines: range


def focal_file(task: Task) -> PlacedFunction:
    """The tested function in the rest of its file; the function alone if the context has no mark for it."""
    function = unfenced(task.inputs["focal_func"]).strip("\n")
    context = unfenced(task.inputs["focal_func_context"], task.inputs["focal_file_path"])
    before, mark, after = context.partition(MARK)
    if not mark:
        return PlacedFunction(function + "\n", range(0))
    gap = before.rpartition("\n")[2]
    if gap.strip():  # the mark is not at the start of a line
        return PlacedFunction(before + function + after, range(0))
    first = function[: len(function) - len(function.lstrip(" \t"))]
    head = before[: len(before) - len(gap)] + ("" if first else gap)
    start = head.count("\n") + 1
    code = f"{head}{function}{after}"
    return PlacedFunction(
        code if code.endswith("\n") else f"{code}\n", range(start, start + function.count("\n") + 1)
    )


def test_context(task: Task) -> str:
    """The code of the test file without the test."""
    return unfenced(task.inputs["test_func_context"]).strip("\n")


def unfenced(text: str, path: str = "") -> str:
    """The code in a fence, without a first line with the file's path; or the text as it is."""
    lines = text.split("\n")
    if not lines[0].startswith("```"):
        return text
    body = lines[1 : -1 if lines[-1].strip() == "```" else None]
    return "\n".join(body[1:] if path and body and body[0].strip() == f"#{path}" else body)
