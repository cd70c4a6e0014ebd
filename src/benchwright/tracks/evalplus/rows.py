"""Rows of HumanEval+ and MBPP+ as published by EvalPlus.

{task_id, prompt, entry_point, canonical_solution, base_input, plus_input, atol, contract}, with `test` in
HumanEval+ and `assertion` in MBPP+. They have no expected values: the canonical solution computes them.
Formats: https://github.com/evalplus/humanevalplus_release, https://github.com/evalplus/mbppplus_release.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.store.keys import content_key
from benchwright.tracks.evalplus.inputs import typed
from benchwright.tracks.rows import Fields
from benchwright.tracks.signature import MAX_SOURCE

SETS = ("base", "plus")
MAX_INPUTS = 20_000
_OWN = frozenset({"task_id", "prompt", "base_input", "plus_input"})
_QUOTES = '"""'


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    task_id = fields.identity("task_id")
    fields = fields.named(task_id)
    prompt = fields.text("prompt", limit=MAX_SOURCE)
    solution = fields.text("canonical_solution", limit=MAX_SOURCE)
    entry_point = fields.identifier("entry_point")
    for name in SETS:
        read_calls(fields, name)
    atol = _atol(fields)
    sentence, asserts = ("", "") if "assertion" not in fields.data else split_prompt(prompt)
    return Task(
        task_id=task_id,
        instruction="",
        inputs={"function": prompt, "task": sentence, "tests": asserts, **_inputs(fields)},
        outputs=None,
        meta={**{key: value for key, value in fields.data.items() if key not in _OWN}, "atol": atol},
        revision=content_key("evalplus", prompt, solution, entry_point, _digest(fields), atol),
        origin=f"{fields.path}:{fields.line}",
    )


def calls_of(task: Task) -> dict[str, bytes]:
    """Encoded calls of each input set of a loaded task."""
    fields = Fields(task.inputs, task.origin, 0, task.task_id)
    return {name: read_calls(fields, name) for name in SETS}


def read_calls(fields: Fields, name: str) -> bytes:
    """Encode the calls of one input set for the sandbox. Raises DataError."""
    field = f"{name}_input"
    if field not in fields.data:
        hint = "rows of HumanEval+ and MBPP+ have it; use the tracks `humaneval` and `mbpp` for other rows"
        raise fields.error("the field is missing", field=field, hint=hint)
    value = fields.data[field]
    if value == {}:  # Mbpp/793 has no plus inputs; the field is {}
        value = []
    if (
        not isinstance(value, list)
        or len(value) > MAX_INPUTS
        or not all(isinstance(each, list) for each in value)
    ):
        hint = f'write it as "{field}": [[1, 2], [3, 4]], a list of arguments for each call'
        raise fields.error(
            f"must be a list of at most {MAX_INPUTS:,} lists of arguments", field=field, hint=hint
        )
    try:
        return encode([(typed(fields.task_id, each), {}) for each in value])
    except (ValueError, TypeError, LookupError, AttributeError, Unsendable) as error:
        raise _not_arguments(fields, field, error) from None


def _not_arguments(fields: Fields, field: str, error: Exception) -> DataError:
    hint = f"use the published file: the arguments of {fields.task_id} have special types"
    return fields.error(f"an input does not fit this task: {error}", field=field, hint=hint)


def _inputs(fields: Fields) -> dict[str, Any]:
    return {f"{name}_input": fields.data[f"{name}_input"] for name in SETS}


def _digest(fields: Fields) -> str:
    """Key of all inputs as JSON, because the order of strings in sets varies by process."""
    return hashlib.sha256(json.dumps(_inputs(fields)).encode()).hexdigest()


def _atol(fields: Fields) -> float:
    value = fields.data.get("atol", 0)
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not (value >= 0 and math.isfinite(value))
    ):
        raise fields.error("must be a number of at least 0", field="atol", hint='write it as "atol": 1e-06')
    return float(value)


def split_prompt(prompt: str) -> tuple[str, str]:
    """Sentence and assert from MBPP+'s prompt, a docstring with both."""
    lines = prompt.strip().removeprefix(_QUOTES).removesuffix(_QUOTES).strip().splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith("assert ")), len(lines))
    return "\n".join(lines[:first]).strip(), "\n".join(lines[first:]).strip()
