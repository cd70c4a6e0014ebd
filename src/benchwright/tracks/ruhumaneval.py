"""ruHumanEval and ruCodeEval: MERA rows, judged by the text or the value of each call's result.

Row: {instruction, inputs: {function, tests}, outputs, meta: {id, canonical_solution, entry_point}}.
`tests` is a Python literal, a list of keyword arguments; `outputs` is documented as one list per sample and
stored as one flat list, so both are read. Other keys survive a round trip.
Format: https://github.com/MERA-Evaluation.
"""

from __future__ import annotations

from typing import Any

from benchwright.contracts import BatchSpec, MeraSpec, Spec
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.text.literal import parse_literal
from benchwright.tracks.completion import CompletionTrack, check_profile
from benchwright.tracks.expected import UNKNOWN, flat_outputs, read_typed, typed_values
from benchwright.tracks.functions import RUHUMANEVAL
from benchwright.tracks.rows import Fields, encoded, instruction_of, open_mera, task_error
from benchwright.tracks.signature import MAX_SOURCE
from benchwright.tracks.wordings import fill

# It begins with a line end, because the MERA profiles append an answer to a head that ends in `"""`.
STUB = "\n    raise NotImplementedError\n"
EXTRA = "_row"  # key of `Task.meta` for fields other than MERA's four
MAX_TESTS = 4 << 20
MERA_LIMIT_S = 4.0  # for loading and all calls together
_OWN = ("instruction", "inputs", "outputs", "meta")


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
            return BatchSpec(**common, expected=_expected(task, texts), compare="close")
        return MeraSpec(**common, harness=profile, cpu_limit_s=MERA_LIMIT_S)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        meta = {name: value for name, value in task.meta.items() if name != EXTRA}
        row = {"instruction": task.instruction, "inputs": task.inputs, "outputs": task.outputs, "meta": meta}
        return {**row, **task.meta.get(EXTRA, {})}


def is_private(task: Task) -> bool:
    """Whether the expected outputs are hidden: all texts are empty, and there is no solution."""
    return task.outputs == "" or not (any(_texts(task)) or task.meta.get("canonical_solution"))


def _texts(task: Task) -> list[str]:
    """The outputs of a loaded task as one flat list."""
    outputs = task.outputs
    if outputs and isinstance(outputs[0], list):
        outputs = outputs[0]
    return list(outputs)


def _expected(task: Task, texts: list[str]) -> list[bytes]:
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
        meta=_with_extra(fields, meta),
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


def _with_extra(fields: Fields, meta: Fields) -> dict[str, Any]:
    """The meta of a task, with the row's unknown fields under EXTRA."""
    if EXTRA in meta.data:
        raise meta.error("the name is reserved", field=EXTRA, hint="rename the field")
    extra = {name: value for name, value in fields.data.items() if name not in _OWN}
    return {**meta.data, EXTRA: extra} if extra else meta.data


TRACK = RuHumanEval()
