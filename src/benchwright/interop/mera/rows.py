"""The rows of a task set's document: is it the right document, and are its ids those of the task set?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.interop.mera.findings import Findings


def read_rows(document: Any, file: str, found: Findings) -> dict[Any, Any] | None:
    """The outputs by id as the server holds them, the last of doubled ones; None for another document."""
    rows = _rows(document, file, found)
    if rows is None:
        return None
    outputs: dict[Any, Any] = {}
    for number, row in enumerate(rows):
        field = f"data.test.{number}"
        has_outputs = isinstance(row, dict) and "outputs" in row
        if not has_outputs:
            found.add("no-outputs", file, "the row has no `outputs`", field=field, task_id=_id_of(row))
        task_id = _take_id(row, file, field, found)
        if task_id is None or not has_outputs:
            continue
        if task_id in outputs:
            found.add("doubled-id", file, "it was already there", field=field, task_id=_shown_id(task_id))
        outputs[task_id] = row["outputs"]
    return outputs


def check_ids(outputs: dict[Any, Any], expected: Iterable[Any], file: str, found: Findings) -> None:
    """Note the ids that are missing, and those of no task."""
    wanted = dict.fromkeys(expected)
    for task_id in wanted:
        if task_id not in outputs:
            found.add("missing-id", file, "there is no row of this task", field="meta.id", task_id=task_id)
    for task_id in outputs:
        if task_id not in wanted:
            problem = "the task set has no such task"
            found.add("unknown-id", file, problem, field="meta.id", task_id=_shown_id(task_id))


def _rows(document: Any, file: str, found: Findings) -> list[Any] | None:
    if not isinstance(document, dict):
        kind = "no-data" if isinstance(document, list) else "wrong-top"
        found.add(kind, file, f"the document is {name_of(document)}, not an object")
    elif "data" not in document:
        found.add("no-data", file, "the document has no `data`", field="data")
    elif not isinstance(document["data"], dict):
        kind = "no-split" if isinstance(document["data"], list) else "wrong-top"
        found.add(kind, file, f"it is {name_of(document['data'])}, not an object", field="data")
    elif "test" not in document["data"]:
        found.add("no-split", file, "`data` has no `test`", field="data.test")
    elif not isinstance(document["data"]["test"], list):
        problem = f"it is {name_of(document['data']['test'])}, not an array of rows"
        found.add("wrong-top", file, problem, field="data.test")
    else:
        return list(document["data"]["test"])
    return None


def _take_id(row: Any, file: str, field: str, found: Findings) -> str | float | None:
    """The row's id; None when it has none that a row could be found by."""
    meta = row.get("meta") if isinstance(row, dict) else None
    if not isinstance(row, dict) or "meta" not in row:
        found.add("no-meta", file, "the row has no `meta`", field=field)
        return None
    if not isinstance(meta, dict) or "id" not in meta:
        found.add("no-id", file, "`meta` has no `id`", field=f"{field}.meta")
        return None
    task_id = meta["id"]
    if isinstance(task_id, list | dict):
        found.add("id-unusable", file, f"it is {name_of(task_id)}", field=f"{field}.meta.id")
        return None
    if type(task_id) is not int:
        problem = f"it is {name_of(task_id)}, not an integer"
        found.add("id-not-integer", file, problem, field=f"{field}.meta.id", task_id=_shown_id(task_id))
    return task_id if isinstance(task_id, str | int | float) else None


def _id_of(row: Any) -> Any:
    """The id for a message, where there is one."""
    meta = row.get("meta") if isinstance(row, dict) else None
    return _shown_id(meta["id"]) if isinstance(meta, dict) and "id" in meta else None


def _shown_id(task_id: Any) -> Any:
    if isinstance(task_id, str):
        return escaped_name(task_id)
    if isinstance(task_id, int):
        return task_id if task_id.bit_length() < 64 else escaped_name(str(task_id))
    return None


def name_of(value: Any) -> str:
    """What kind of JSON value it is, in words."""
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "an array" if isinstance(value, list) else "an object")
