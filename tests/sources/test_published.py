"""Published figures: from `model-index`, from tables and from nested values, unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.sources.model_records import (
    MAX_FIGURES,
    add_performance,
    flattened,
    of_model_index,
    of_tables,
)


def _index(*metrics: Any, dataset: Any = None) -> list[Any]:
    return [{"name": "m", "results": [{"dataset": dataset or {"name": "D"}, "metrics": list(metrics)}]}]


def test_model_index() -> None:
    """Data set and metric name a value; two values under one name are both kept."""
    index = _index({"type": "f1", "value": "0.50"}, {"type": "f1", "name": "F1", "value": "1"})
    index += _index({"type": "f1", "value": "0.7"})

    assert of_model_index(index) == ({"D: f1": "0.50", "D: F1": "1", "D: f1 (2)": "0.7"}, [])
    assert of_model_index("") == ({}, [])


@pytest.mark.parametrize(
    "index", ["x", {"a": "b"}, [{}], [{"results": [{}]}], _index({"value": "1"}), _index("m")]
)
def test_a_broken_model_index(index: Any) -> None:
    """It is a deviation, not an error."""
    found, [quirk] = of_model_index(index)

    assert (found, quirk.name) == ({}, "model_index_broken")


def test_tables() -> None:
    """Rows and columns name the cells with figures, without their mark-up."""
    text = "| Net | Top-1 | Note |\n|:---|---:|---|\n| **A** | 69.7 % | fast |\n| B | `93M` | |\n\nx | y\n"

    assert of_tables(text.split("\n")) == {"A: Top-1": "69.7 %", "B: Top-1": "93M"}


def test_no_table_is_too_large() -> None:
    """The number of figures is limited, and lines that are too long are not tables."""
    rows = [f"| r{n} | 1 | 2 |" for n in range(MAX_FIGURES)]

    assert len(of_tables(["|a|b|c|", "|-|-|-|", *rows])) == MAX_FIGURES
    assert of_tables(["|a|b|", "|-|-|" + " " * 100_000, "|r|1|"]) == {}


def test_nested_values() -> None:
    """Names on the path to a figure are joined; values that are nested too deeply are left out."""
    value: Any = {"a": {"b": [1, "x", None]}, "c": ""}
    deep: Any = 1
    for _ in range(50):
        deep = {"d": deep}

    assert list(flattened(value)) == [("a: b", "1"), ("a: b", "x")]
    assert list(flattened(deep)) == []


def test_names_are_bounded() -> None:
    """Names and values have the maximum length that a table can show, and an empty name is replaced."""
    found: dict[str, str] = {}
    add_performance(found, "n" * 1000, "v" * 1000)
    add_performance(found, "", 1)

    assert [(len(name), len(value)) for name, value in found.items()] == [(120, 120), (5, 1)]
