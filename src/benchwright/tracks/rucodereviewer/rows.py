"""Rows of ruCodeReviewer in MERA's format.

Row: {instruction, inputs: {diff_block}, outputs, meta: {id, language, …}}; `outputs` is the reviewer's
remark. Format: https://github.com/MERA-Evaluation/MERA_CODE.
"""

from __future__ import annotations

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, open_mera, optional_text, text_task

MAX_DIFF = 1 << 18
MAX_REMARK = 1 << 14


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    diff = inputs.text("diff_block", limit=MAX_DIFF)
    if not diff.strip():
        raise inputs.error("is empty", field="diff_block", hint="a row needs a change to review")
    optional_text(meta, "language", limit=40)
    return text_task(
        fields,
        meta,
        inputs,
        shown="diff_block",
        limit=MAX_DIFF,
        outputs_limit=MAX_REMARK,
        revision=lambda outputs, instruction: content_key("rucodereviewer", diff, outputs, instruction),
    )
