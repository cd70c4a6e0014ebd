"""Recorded API tables: every row is a record or a drop, whatever the types of its fields."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Item
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.api_tables import open_api_table
from benchwright.sources.model_records import ModelRecord
from kit.examples import examples
from kit.needs import API_TABLES, need_data

ROW = {
    "domain": "Audio Audio Classification",
    "framework": "Transformers",
    "functionality": "Classification",
    "api_name": "acme/birds",
    "api_call": "pipeline('audio-classification', model='acme/birds')",
    "api_arguments": {},
    "python_environment_requirements": ["transformers"],
    "example_code": "x = 1",
    "performance": {"dataset": "Birds", "accuracy": {"top 1": 0.5, "top 5": "N/A"}},
    "description": "Names birds.",
}


def _items(path: Path, *rows: dict[str, Any] | str) -> list[Item[ModelRecord] | Drop]:
    file = path / "api.jsonl"
    file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return _collected(str(file))


def _collected(rest: str) -> list[Item[ModelRecord] | Drop]:
    inventory = open_api_table(rest, licences=()).collect(Path("unused"), print)
    items = list(inventory.items)
    assert len(items) == inventory.total
    return items


def _record(path: Path, **changed: Any) -> ModelRecord:
    [item] = _items(path, {**ROW, **changed})
    assert isinstance(item, Item)
    return item.record


def test_a_tidy_row(tmp_path: Path) -> None:
    """Call and example are its code; an unknown value is no figure."""
    record = _record(tmp_path)

    assert (record.id, record.model, record.task) == ("acme/birds@1", "acme/birds", ROW["domain"])
    assert [block.code for block in record.blocks] == [ROW["api_call"], "x = 1"]
    assert record.performance == {"dataset": "Birds", "accuracy: top 1": "0.5"}
    assert (record.libraries, record.quirks) == (["transformers"], [])


@pytest.mark.parametrize(
    ("code", "read", "names"),
    [
        (["a = 1", "b = 2"], "a = 1\nb = 2", ["code_is_list"]),
        ({"one": "a = 1", "two": "b = 2"}, "a = 1\nb = 2", ["code_is_dict"]),
        ({"a = 1": "", "b = 2": ""}, "a = 1\nb = 2", ["code_is_dict"]),
        ({}, None, ["code_is_dict", "no_code"]),
        (None, None, ["code_is_null", "no_code"]),
        (7, None, ["code_is_number", "no_code"]),
        ("", None, ["no_code"]),
        ("N/A", None, ["placeholder"]),
        ("a = = 1", "a = = 1", ["python_does_not_parse"]),
        ("!pip install x", "!pip install x", ["shell_in_python"]),
    ],
)
def test_every_type_of_code(tmp_path: Path, code: Any, read: str | None, names: list[str]) -> None:
    """A text, a list of lines, a dict by steps, nothing: each is read, and its type is recorded."""
    record = _record(tmp_path, example_code=code)

    assert [block.code for block in record.blocks[1:]] == ([] if read is None else [read])
    assert [quirk.name for quirk in record.quirks] == names


@pytest.mark.parametrize(
    ("given_as", "read"),
    [
        ({"torch": "1.13.1", "PIL": "latest"}, ["torch==1.13.1", "PIL"]),
        ("transformers>=4.2, torch", ["transformers>=4.2", "torch"]),
        ("pip install -q timm einops", ["timm", "einops"]),
        (["torch", "PyTorch on XLA Devices", "torch"], ["torch"]),
        (None, []),
    ],
)
def test_every_type_of_requirements(tmp_path: Path, given_as: Any, read: list[str]) -> None:
    """Each package occurs once; a text without packages is a deviation."""
    assert _record(tmp_path, python_environment_requirements=given_as).libraries == read


def test_calls_of_torch_hub_name_their_entry(tmp_path: Path) -> None:
    """The repository alone would be one model for all of its entries."""
    call = "torch.hub.load(repo_or_dir='acme/zoo', model='emu', pretrained=True)"

    assert _record(tmp_path, api_call=call).model == "acme/zoo:emu"
    assert _record(tmp_path, api_call="load()", api_name="Emu").model == "Emu"


def test_duplicates_and_spellings(tmp_path: Path) -> None:
    """A repeated call is dropped; a repeated name or another spelling of a domain is only noted."""
    first, again, named = _items(
        tmp_path,
        {**ROW, "domain": "Text-To-Speech"},
        {**ROW, "api_call": f" {ROW['api_call']}"},
        {**ROW, "api_call": "other()", "domain": "Text-to-Speech"},
    )

    assert isinstance(first, Item) and isinstance(named, Item) and isinstance(again, Drop)
    assert (again.unit, again.reason) == ("api.jsonl:2", "duplicate")
    assert [quirk.name for quirk in named.record.quirks] == ["domain_spelling", "name_used_before"]


def test_rows_that_are_none(tmp_path: Path) -> None:
    """Each is a drop with its line, and the others are read."""
    deep = '{"a": ' + "[" * 500 + "]" * 500 + "}"
    items = _items(tmp_path, "not json", "[1]", deep, '{"a": 1, "a": 2}', {**ROW, "api_call": None}, ROW)

    assert [item.reason for item in items if isinstance(item, Drop)] == ["row_unreadable"] * 4 + [
        "field_missing"
    ]
    assert isinstance(items[-1], Item)
    with pytest.raises(UsageError):
        open_api_table(str(tmp_path / "none.jsonl"), licences=())


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=examples(50))
@given(row=st.fixed_dictionaries(dict.fromkeys(ROW, VALUES)))
def test_any_row_is_accounted_for(tmp_path_factory: pytest.TempPathFactory, row: dict[str, Any]) -> None:
    """This holds for any types of the fields."""
    [item] = _items(tmp_path_factory.mktemp("t"), row)

    assert isinstance(item, Item) or item.reason == "field_missing"


def test_the_recorded_tables() -> None:
    """294 of 294 rows: 290 records and the four with a repeated call."""
    found = [item for name in API_TABLES for item in _collected(f"{need_data(name)},licence=Apache-2.0")]
    records = [item.record for item in found if isinstance(item, Item)]
    names = Counter(name for record in records for name in {quirk.name for quirk in record.quirks})

    assert (len(found), len(records)) == (294, 290)
    assert Counter(item.reason for item in found if isinstance(item, Drop)) == {"duplicate": 4}
    assert {record.licence for record in records} == {"Apache-2.0"}
    assert (names["code_is_list"], names["code_is_dict"], names["code_is_null"]) == (74, 16, 2)
    assert names["domain_spelling"] == 1
    assert len({record.id for record in records}) == 290
