"""MBPP rows as audit tasks; `tracks.mbpp_rows` defines how they are read."""

from __future__ import annotations

import ast
from typing import Any

from benchwright.auditing.tasks import AuditTask
from benchwright.building.solved import SolvedTask
from benchwright.store.keys import content_key
from benchwright.tracks.mbpp_rows import read_row
from benchwright.tracks.rows import Fields


def is_mbpp(row: dict[str, Any]) -> bool:
    """Whether a row has the format of MBPP."""
    return "test_list" in row and "code" in row


def read_mbpp(fields: Fields) -> AuditTask:
    """The task of one row. Raises DataError with place, field and hint."""
    row = read_row(fields)
    solved = SolvedTask(
        unit=str(row.task_id),
        revision=content_key("mbpp", row.prompt, row.code, row.tests, fields.data.get("test")),
        prompt=row.prompt,
        entry_point=row.entry_point,
        gold=row.code,
        spec=row.spec,
        tests=row.tests,
    )
    return AuditTask(
        solved=solved,
        shape="mbpp",
        origin=f"{fields.path}:{fields.line}",
        lacks=row.lacks,
        further_tests="\n".join(ast.unparse(each) for each in row.further),
    )
