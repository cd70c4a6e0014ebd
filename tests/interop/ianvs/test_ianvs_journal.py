"""The file of predictions: stored values, values that are only shown, and the state after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.interop.ianvs.child.costs import CallCost
from benchwright.interop.ianvs.child.journal import Journal

SPENT = CallCost(0.5, 0.25, 20.0)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(value=JSON)
def test_a_value_of_json_comes_back(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    """The same value of the same type."""
    path = tmp_path_factory.mktemp("j") / "predictions.jsonl"
    with Journal(path) as journal:
        journal.add(0, 1, value, SPENT)
    with Journal(path) as journal:
        assert repr(journal.known) == repr({0: value})


@pytest.mark.parametrize("value", [(1, 2), {1: 2}, {"a": {1, 2}}, object(), 1j, b"", [[("a",)]]])
def test_another_value_is_shown_and_asked_for_again(tmp_path: Path, value: object) -> None:
    """It is in use until the process ends, and its text stays to be read."""
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        journal.add(0, 1, value, SPENT)
        assert journal.known == {0: value}

    row = json.loads(path.read_text())
    assert (row["shown"], "prediction" in row) == (repr(value), False)
    with Journal(path) as journal:
        assert journal.known == {}


def test_a_torn_line_is_cut(tmp_path: Path) -> None:
    """What was being written when the process was killed is asked for again."""
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        for number in range(3):
            journal.add(number, number + 1, "A", SPENT)
    path.write_bytes(path.read_bytes()[:-7])

    with Journal(path) as journal:
        assert (journal.known, journal.cut > 0) == ({0: "A", 1: "A"}, True)
        journal.restart()
        journal.add(0, 1, "B", SPENT)
    with Journal(path) as journal:
        assert journal.known == {0: "B"}


@pytest.mark.parametrize("line", ["{", "[]", '{"prediction": 1}', '{"prediction": 1, "item": "x"}'])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    """With its number."""
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"item": 0, "prediction": 1}\n' + line + "\n")

    with pytest.raises(DataError, match=r"predictions.jsonl:2: no prediction"):
        Journal(path)


def test_what_an_item_took_stands_in_its_line(tmp_path: Path) -> None:
    """With the size of replies if they state it, and the share if one call was for several items."""
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        journal.add(0, 1, "four", SPENT)
        journal.add(1, 2, [False, "A", None, "AB"], SPENT, replies=[None, "AB"], shared_by=2)
    first, second = (json.loads(line) for line in path.read_text().splitlines())

    assert first == {
        "item": 0,
        "line": 1,
        "prediction": "four",
        "characters": 4,
        "seconds": 0.5,
        "cpu_s": 0.25,
        "peak_mb": 20.0,
    }
    assert (second["characters"], second["shared_by"]) == (2, 2)
