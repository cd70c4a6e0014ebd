"""ruHumanEval and ruCodeEval: MERA rows, judged by the text or the value of each call's result.

Row: {instruction, inputs: {function, tests}, outputs, meta: {id, canonical_solution, entry_point}}.
`tests` is a Python literal, a list of keyword arguments; `outputs` is documented as one list per sample and
stored as one flat list, so both are read. Other keys survive a round trip.
Format: https://github.com/MERA-Evaluation.
Rows can be published without golds: only what is needed to ask and execute an answer is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchwright.contracts import BatchSpec, MeraSpec, Spec
from benchwright.errors import DataError, command_name
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.text.literal import parse_literal
from benchwright.tracks.functions import RUHUMANEVAL
from benchwright.tracks.functions.completion import CompletionTrack, check_profile
from benchwright.tracks.prompt_templates import fill
from benchwright.tracks.python_source import MAX_SOURCE, read_signature
from benchwright.tracks.rows import (
    Fields,
    encoded,
    instruction_of,
    open_mera,
    row_of,
    task_error,
    with_extra,
)

# It begins with a line end, because the MERA profiles append an answer to a head that ends in `"""`.
STUB = "\n    raise NotImplementedError\n"
MAX_TESTS = 4 << 20
MERA_LIMIT_S = 4.0  # for loading and all calls together


class RuHumanEval(CompletionTrack, declaration=RUHUMANEVAL):
    """Track of MERA's rows of function completion."""

    language = "ru"

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in and stripped like MERA does."""
        return _prompt(task.instruction, task.inputs)

    def gold(self, task: Task) -> str | None:
        """The canonical completion; None for a private task."""
        return task.meta.get("canonical_solution") or None

    def stub(self, task: Task) -> str:
        """A body that raises; `pass` would return None, which some tasks expect."""
        return STUB

    def spec(self, task: Task, *, profile: str) -> Spec:
        """Calls and expected results: compared by value in "strict", else by text, like MERA does.

        Floats are compared with a tolerance for rounding, because the texts come from another machine.
        """
        if is_private(task):
            hint = "add --ask-only to store answers and export them, or name the file that has its golds"
            raise task_error(
                task, "the outputs are hidden, so it cannot be scored", field="outputs", hint=hint
            )
        texts = _texts(task)
        calls = [((), call) for call in parse_literal(task.inputs["tests"], max_bytes=MAX_TESTS)]
        common: dict[str, Any] = {
            "entry_point": task.meta["entry_point"],
            "calls": encoded(task, calls, field="inputs.tests"),
            "expected_text": texts,
        }
        if check_profile(profile) == "strict":
            return BatchSpec(**common, expected=_expected_values(task, texts), compare="close")
        return MeraSpec(**common, harness=profile, cpu_limit_s=MERA_LIMIT_S)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return row_of(task)


def is_private(task: Task) -> bool:
    """Whether the expected outputs are hidden: all texts are empty, and there is no solution."""
    return task.outputs == "" or not (any(_texts(task)) or task.meta.get("canonical_solution"))


def _texts(task: Task) -> list[str]:
    """The outputs of a loaded task as one flat list."""
    outputs = task.outputs
    if outputs and isinstance(outputs[0], list):
        outputs = outputs[0]
    return list(outputs)


def _expected_values(task: Task, texts: list[str]) -> list[bytes]:
    """One encoded value per call; empty bytes if only the text is known."""
    if "typed_outputs" in task.meta:
        values = [parse_literal(literal) for literal in task.meta["typed_outputs"]]
    else:
        values = typed_values(texts, function=task.inputs["function"], entry_point=task.meta["entry_point"])
    return [b"" if value is UNKNOWN else encoded(task, value, field="outputs") for value in values]


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    entry_point = meta.identifier("entry_point")
    if "canonical_solution" in meta.data:
        meta.text("canonical_solution", limit=MAX_SOURCE)
    inputs = fields.inner("inputs")
    if entry_point not in inputs.text("function", limit=MAX_SOURCE):
        raise inputs.error(f"does not mention the entry point `{entry_point}`", field="function")
    texts = flat_outputs(fields, _count_tests(inputs))
    if "typed_outputs" in meta.data:
        read_typed(meta, texts)
    instruction = _instruction(fields, inputs.data)
    decisive = (inputs.data, texts, entry_point, instruction, meta.data.get("typed_outputs"))
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=fields.data["outputs"],
        meta=with_extra(fields, meta),
        revision=content_key("ruhumaneval", *decisive),
        origin=f"{fields.path}:{fields.line}",
    )


def _count_tests(inputs: Fields) -> int:
    source = inputs.text("tests", limit=MAX_TESTS)
    try:
        tests = parse_literal(source, max_bytes=MAX_TESTS)
    except ValueError as error:
        hint = "write a Python list of dicts: \"[{'x': 1}, {'x': 2}]\""
        raise inputs.error(str(error), field="tests", hint=hint) from None
    if not isinstance(tests, list) or not tests:
        raise inputs.error("must be a list of at least one dict of arguments", field="tests")
    for index, call in enumerate(tests):
        if not isinstance(call, dict) or not all(isinstance(name, str) for name in call):
            raise inputs.error("must be a dict with names as keys", field=f"tests.{index}")
    return len(tests)


def _instruction(fields: Fields, inputs: dict[str, Any]) -> str:
    instruction = instruction_of(fields, limit=MAX_SOURCE)
    try:
        prompt = _prompt(instruction, inputs)
    except ValueError as error:
        raise fields.error(str(error), field="instruction", hint="use {function}") from None
    if inputs["function"].strip() not in prompt:
        hint = "put {function} where the function belongs"
        raise fields.error("does not show the function to the model", field="instruction", hint=hint)
    return instruction


def _prompt(instruction: str, inputs: dict[str, Any]) -> str:
    """The instruction, filled in. One that already contains the function stays as it is, with its braces."""
    if inputs["function"].strip() in instruction:
        return instruction.strip()
    return fill(instruction, inputs).strip()


TRACK = RuHumanEval()


UNKNOWN = object()
_CONTAINERS = (list, tuple, dict, set)


def flat_outputs(fields: Fields, tests: int) -> list[str]:
    """One text per test, from the flat or the two-dimensional form. Raises DataError for invalid outputs.

    The documented form repeats the same list for each sample. Lists that differ are refused, because they
    would judge an answer by its position. A private set may have the single text "".
    """
    outputs = fields.data.get("outputs")
    if outputs == "":
        return [""] * tests
    if not isinstance(outputs, list):
        hint = 'write "outputs": ["1", "2"]'
        raise fields.error("must be a list with one text per test", field="outputs", hint=hint)
    if outputs and isinstance(outputs[0], list):
        for index, row in enumerate(outputs):
            if row != outputs[0]:
                raise fields.error(f"row {index} differs from row 0", field="outputs", hint="keep one row")
        outputs = outputs[0]
    for index, text in enumerate(outputs):
        if not isinstance(text, str):
            hint = 'write the result as text: "None", "True", "[1, 2]"'
            raise fields.error("must be a string", field=f"outputs.{index}", hint=hint)
    if len(outputs) != tests:
        hint = "write one output for each test"
        raise fields.error(f"{len(outputs)} outputs for {tests} tests", field="outputs", hint=hint)
    return list(outputs)


def read_typed(fields: Fields, texts: Sequence[str]) -> None:
    """Check `meta.typed_outputs` of a converted row: literals whose texts are the outputs."""
    typed_outputs = fields.data["typed_outputs"]
    if not isinstance(typed_outputs, list) or len(typed_outputs) != len(texts):
        raise fields.error(f"must be a list of {len(texts)} literals", field="typed_outputs")
    for index, (literal, text) in enumerate(zip(typed_outputs, texts, strict=True)):
        name = f"typed_outputs.{index}"
        try:
            value = parse_literal(literal) if isinstance(literal, str) else UNKNOWN
        except ValueError as error:
            raise fields.error(str(error), field=name) from None
        if value is UNKNOWN or str(value) != text:
            raise _misfit(fields, texts, name)


def _misfit(fields: Fields, texts: Sequence[str], name: str) -> DataError:
    """Create the error for a literal with another text; with blank outputs, it reveals a hidden result."""
    if any(texts):
        return fields.error("is not a literal with the text of its output", field=name)
    hint = f"{command_name()} release private DATA --out private.json --golds golds.jsonl"
    return fields.error("reveals a result, but the outputs are blank", field=name, hint=hint)


def typed_values(texts: Sequence[str], *, function: str, entry_point: str) -> list[Any]:
    """The typed value of each text; UNKNOWN if only the text is known.

    The evidence, in order: an annotation `-> str`; a text that is not a literal, so the function returns
    strings; a container, None, a boolean or a float, whose texts differ from numeric strings. Without an
    annotation, a row with only integers stays UNKNOWN.
    """
    signature = read_signature(function, entry_point)
    returns = signature.returns if signature else ""
    if returns == "str":
        return list(texts)
    values = [_literal(text) for text in texts]
    if returns:
        return values
    if UNKNOWN in values or all(type(value) is int for value in values):
        return [UNKNOWN] * len(texts)
    return values


def _literal(text: str) -> Any:
    """The literal whose `str` is `text`; UNKNOWN for `0b11`, `'a'` or `2,3`, which must be strings.

    The spacing of a container in brackets may differ from its `str`: a hand-written `[1,2]` is a list.
    """
    try:
        value = parse_literal(text)
    except ValueError:
        return UNKNOWN
    bracketed = isinstance(value, _CONTAINERS) and text.startswith(("(", "[", "{"))
    return value if bracketed or str(value) == text else UNKNOWN


_META = ("id", "entry_point", "author", "license")
_INPUTS = ("function", "tests")


def without_golds(task: Task) -> tuple[dict[str, Any], list[str]]:
    """The row of a task with blank outputs, and the names of the removed fields.

    Raises DataError for a row whose outputs are already hidden, because it has no golds to keep.
    """
    if is_private(task):
        hint = "use rows that have outputs and solutions"
        raise task_error(task, "the outputs are already hidden", field="outputs", hint=hint)
    row = TRACK.to_row(task)
    inputs = {name: value for name, value in task.inputs.items() if _is_needed(name, task.instruction)}
    meta = {name: row["meta"][name] for name in _META if name in row["meta"]}
    hidden = {
        "instruction": task.instruction,
        "inputs": inputs,
        "outputs": _blank(task.outputs),
        "meta": {**meta, "canonical_solution": ""},
    }
    removed_fields = [name for name in row if name not in hidden]
    removed_fields += [f"inputs.{name}" for name in task.inputs if name not in inputs]
    removed_fields += [f"meta.{name}" for name in row["meta"] if name not in hidden["meta"]]
    return hidden, removed_fields


def _is_needed(name: str, instruction: str) -> bool:
    """Whether an input is executed, or filled into the instruction."""
    return name in _INPUTS or f"{{{name}}}" in instruction


def _blank(outputs: list[Any]) -> list[Any]:
    return [_blank(each) if isinstance(each, list) else "" for each in outputs]
