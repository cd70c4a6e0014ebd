"""Rows of CodeLinterEval in MERA's format.

Row: {instruction, inputs: {code, feedback}, outputs: [1, …], meta: {id, canonical_code}}. `outputs` has a 1
for each sample: it holds no answer, and its length is that of the samples of a submission.
Format: https://github.com/MERA-Evaluation/MERA_CODE.
"""

from __future__ import annotations

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, check_shown, instruction_of, open_mera, with_extra

MAX_CODE = 1 << 16
MAX_FEEDBACK = 1 << 16
MAX_SAMPLES = 1000


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    code, feedback = inputs.text("code", limit=MAX_CODE), inputs.text("feedback", limit=MAX_FEEDBACK)
    if not code.strip():
        raise inputs.error("is empty", field="code", hint="a row needs code with findings of the linter")
    if not feedback.strip():
        raise inputs.error("is empty", field="feedback", hint='write a finding: "W292: … in 3 line"')
    _check_outputs(fields)
    if "canonical_code" in meta.data:
        meta.text("canonical_code", limit=MAX_CODE)
    instruction = instruction_of(fields, limit=MAX_CODE)
    check_shown(fields, instruction, inputs, "code")
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=fields.data["outputs"],
        meta=with_extra(fields, meta),
        revision=content_key("codelintereval", code, feedback, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def _check_outputs(fields: Fields) -> None:
    if "outputs" not in fields.data:
        raise fields.error("the field is missing", field="outputs", hint='write "outputs": [1, 1, 1]')
    given = fields.data["outputs"]
    if given in ("", None):
        return
    if not isinstance(given, list) or len(given) > MAX_SAMPLES:
        hint = 'write "outputs": [1, 1, 1]'
        raise fields.error("must be a list with a 1 for each sample", field="outputs", hint=hint)
    for at, each in enumerate(given):
        if type(each) is not int or each != 1:
            raise fields.error("must be 1", field=f"outputs[{at}]", hint="write a 1 for each sample")
