"""Field maps: columns become fields, texts become lists and numbers, and a map is part of the data's hash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.store import task_snapshot
from benchwright.store.data_files import data_hash, open_rows
from benchwright.tracks.own.field_kinds import field_kinds, mapped_data
from benchwright.tracks.own.track import TRACK

CSV = "question,right,note\n2 even: yes or no?,yes,x\n3 even: yes or no?,no,\n"
MAP = {"question": "prompt", "right": "label"}
SET = {"labels": "yes|no"}


def written(folder: Path, content: str, name: str = "rows.csv") -> str:
    """Write a file with this content; return its name."""
    (folder / name).write_text(content)
    return str(folder / name)


def test_a_csv_becomes_tasks(tmp_path: Path) -> None:
    """Rows are numbered, other columns are ignored, and the values are in each row."""
    data = mapped_data(written(tmp_path, CSV), MAP, SET)

    assert [row.data for row in open_rows(data)] == [
        {"id": 1, "prompt": "2 even: yes or no?", "label": "yes", "labels": ["yes", "no"]},
        {"id": 2, "prompt": "3 even: yes or no?", "label": "no", "labels": ["yes", "no"]},
    ]
    assert [task.origin for task in TRACK.load(data)] == [f"{data}:2", f"{data}:3"]


def test_cells_are_read_by_the_types_of_their_fields(tmp_path: Path) -> None:
    """This also holds without a map: lists are split at `|`, numbers and calls are JSON, an empty cell is no
    field."""
    calls = '"[{""args"": [1], ""returns"": 2}]"'
    content = f"id,prompt,entry_point,calls,tags,max_cost,label\nt,Write `inc`,inc,{calls},a|b,0.5,\n"

    [task] = TRACK.load(written(tmp_path, content))

    assert task.meta["calls"] == [{"args": [1], "returns": 2}]
    assert (task.meta["tags"], task.meta["max_cost"], "label" in task.meta) == (["a", "b"], 0.5, False)


def test_a_number_of_a_typed_data_set_can_be_a_label(tmp_path: Path) -> None:
    """As in published sets whose classes are numbers; their other columns are ignored."""
    path = written(tmp_path, '{"q": "0 or 1?", "y": 1, "id": "a", "more": {}}\n', "rows.jsonl")
    data = mapped_data(path, {"q": "prompt", "y": "label"}, {"labels": "0|1"})

    assert [task.meta for task in TRACK.load(data)] == [
        {"id": "a", "prompt": "0 or 1?", "label": "1", "labels": ["0", "1"]}
    ]


def test_the_map_is_a_part_of_the_hash(tmp_path: Path) -> None:
    """A CSV without a map has the hash of its file, so that --data finds its runs."""
    path = written(tmp_path, CSV)

    plain, mapped = data_hash(mapped_data(path, {}, {})), data_hash(mapped_data(path, MAP, SET))

    assert plain == data_hash(path)
    assert len({plain, mapped, data_hash(mapped_data(path, MAP, {"labels": "no|yes"}))}) == 3


def test_a_run_folder_keeps_rows_that_need_no_map(tmp_path: Path) -> None:
    """They are JSON Lines with row numbers."""
    data = mapped_data(written(tmp_path, CSV), MAP, SET)

    task_snapshot.store_tasks(data, tmp_path, data=data_hash(data))
    kept = list(TRACK.load(tmp_path / task_snapshot.NAME))

    assert [task.revision for task in kept] == [task.revision for task in TRACK.load(data)]
    assert [task.task_id for task in kept] == [1, 2]


def test_each_field_of_a_task_has_a_kind() -> None:
    kinds = field_kinds()

    assert (kinds["prompt"], kinds["id"], kinds["asserts"], kinds["labels"]) == (
        "text",
        "text",
        "text",
        "list",
    )
    assert {name for name, kind in kinds.items() if kind == "json"} == {
        *("calls", "json_schema", "max_cost", "max_seconds", "meta", "threshold"),
    }


@pytest.mark.parametrize(
    ("columns", "values", "kind", "message", "hint"),
    [
        ({"question": "promt"}, {}, UsageError, "own tasks have no field 'promt'", "`prompt`"),
        ({}, {"lables": "a|b"}, UsageError, "own tasks have no field 'lables'", "`labels`"),
        ({"question": "prompt", "right": "prompt"}, {}, UsageError, "is given twice", "keep one"),
        ({"right": "label"}, {"label": "yes"}, UsageError, "is given twice", "keep one"),
        ({"questoin": "prompt"}, {}, DataError, "--map: the data set has no column 'questoin'", "question"),
        ({"zzz": "prompt"}, {}, DataError, "no column 'zzz'", "its columns are: question, right, note"),
        (MAP, {"max_cost": "cheap"}, DataError, "'cheap' is invalid JSON", "as JSON"),
        ({}, {"labels": "yes|no"}, DataError, "unknown field", ""),
    ],
)
def test_a_map_that_does_not_fit_is_refused(
    tmp_path: Path,
    columns: dict[str, str],
    values: dict[str, str],
    kind: type[BenchwrightError],
    message: str,
    hint: str,
) -> None:
    """The error comes before anything is asked; a typing error gets the nearest name."""
    path = written(tmp_path, CSV)
    with pytest.raises(kind) as caught:
        list(TRACK.load(mapped_data(path, columns, values)))

    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def test_a_hub_row_with_a_column_missing_later_is_named(tmp_path: Path) -> None:
    """The first row defines the columns; a later row without one lacks the field."""
    rows: list[dict[str, Any]] = [{"q": "a or b?", "y": "a"}, {"q": "b or a?"}]
    path = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")
    data = mapped_data(path, {"q": "prompt", "y": "label"}, {"labels": "a|b"})

    with pytest.raises(DataError) as caught:
        list(TRACK.load(data))

    assert (caught.value.line, "no calls, asserts, label" in caught.value.message) == (2, True)
