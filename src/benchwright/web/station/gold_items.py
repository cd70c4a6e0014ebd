"""Gold items: answers with known values, mixed in to measure judges.

The file has one JSON object per line: `task_id` of the runs' data, `answer` (for a pair `answers`, a list
of two), and `expected`, the correct value by field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.judges.people.judged_items import keyed
from benchwright.judges.people.records import ItemAnswer, JudgedItem, allowed
from benchwright.records import TaskId
from benchwright.store.files import open_binary
from benchwright.store.keys import content_key
from benchwright.store.lines import scan_lines
from benchwright.store.strict_json import JsonOrigin, parse_object

MAX_ROW = 1 << 20  # bytes
MAX_ROWS = 10_000
GOLD = "gold"  # the run of answers that belong to no run
_FORM = '{"task_id": 1, "answer": "…", "expected": {"decision": "correct"}}'


def read_gold(path: Path, models: Mapping[TaskId, JudgedItem]) -> Iterator[JudgedItem]:
    """Read the gold items of a file; `models` has an item of each task, whose question is used.

    Raises DataError with line and field for an invalid row.
    """
    place = escaped_path(path)
    with open_binary(path) as stream:
        for count, (number, _, data) in enumerate(scan_lines(stream, place, max_line=MAX_ROW), 1):
            origin = JsonOrigin(place, number)
            if count > MAX_ROWS:
                raise origin.error(f"more than {MAX_ROWS:,} gold items", hint="split the file")
            yield _gold_item(parse_object(data, origin, max_depth=4), models, origin)


def _gold_item(row: Mapping[str, Any], models: Mapping[TaskId, JudgedItem], origin: JsonOrigin) -> JudgedItem:
    task_id = row.get("task_id")
    if not isinstance(task_id, int | str) or task_id not in models:
        raise origin.error("the runs have no answer to this task", field="task_id", hint=_FORM)
    model = models[task_id]
    texts = _texts(row, 2 if model.kind == "pair" else 1, origin)
    answers = [
        ItemAnswer(run=GOLD, key=content_key(GOLD, text), sample=number, text=text)
        for number, text in enumerate(texts)
    ]
    keyed_item = keyed(msgspec.structs.replace(model, item="", answers=answers))
    return msgspec.structs.replace(keyed_item, expected=_expected(row, model, origin))


def _texts(row: Mapping[str, Any], wanted: int, origin: JsonOrigin) -> list[str]:
    name = "answer" if wanted == 1 else "answers"
    value = row.get(name)
    texts = [value] if wanted == 1 else value
    if not isinstance(texts, list) or len(texts) != wanted or not all(isinstance(t, str) for t in texts):
        what = "a text" if wanted == 1 else "a list of two texts"
        raise origin.error(f"must be {what}", field=name, hint=_FORM)
    return texts


def _expected(row: Mapping[str, Any], model: JudgedItem, origin: JsonOrigin) -> dict[str, int | str]:
    expected = row.get("expected")
    if not isinstance(expected, dict) or not expected:
        raise origin.error("must be an object of correct values", field="expected", hint=_FORM)
    for name, value in expected.items():
        field = f"expected.{escaped_name(name)}"
        if name not in model.fields:
            raise origin.error(f"unknown field; expected one of {', '.join(model.fields)}", field=field)
        if not any(value == each and type(value) is type(each) for each in allowed(name)):
            known = ", ".join(map(str, allowed(name)))
            raise origin.error(f"{escaped_name(repr(value))} is none of {known}", field=field)
    return expected
