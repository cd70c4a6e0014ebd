"""Rows of ruCodeReviewer in MERA's format.

Row: {instruction, inputs: {diff_block}, outputs, meta: {id, language, …}}; `outputs` is the reviewer's
remark. Format: https://github.com/MERA-Evaluation/MERA_CODE.
"""

from __future__ import annotations

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, check_shown, instruction_of, open_mera, optional_text, with_extra

MAX_DIFF = 1 << 18
MAX_REMARK = 1 << 14


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    diff = inputs.text("diff_block", limit=MAX_DIFF)
    if not diff.strip():
        raise inputs.error("is empty", field="diff_block", hint="a row needs a change to review")
    outputs = fields.data.get("outputs")
    if outputs is not None:
        fields.text("outputs", limit=MAX_REMARK)
    optional_text(meta, "language", limit=40)
    instruction = instruction_of(fields, limit=MAX_DIFF)
    check_shown(fields, instruction, inputs, "diff_block")
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=outputs,
        meta=with_extra(fields, meta),
        revision=content_key("rucodereviewer", diff, outputs, instruction),
        origin=f"{fields.path}:{fields.line}",
    )
