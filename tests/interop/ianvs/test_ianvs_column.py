"""The list that replaces an array, compared with numpy's."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.ianvs.child.datasets import Column, column_of
from kit.needs import need_module

numpy = need_module("numpy")
VALUES = st.one_of(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6),
    st.lists(st.integers(-9, 9), min_size=1, max_size=6),
)


@given(VALUES, st.data())
def test_it_answers_as_an_array_does(values: list[Any], data: st.DataObject) -> None:
    """Shape, items, slices, choices, and comparison item by item with any sequence of the same kind."""
    column, array = column_of(values), numpy.array(values)
    others = data.draw(st.lists(st.sampled_from(values), min_size=len(values), max_size=len(values)))
    mask = [value == values[0] for value in values]

    assert (column.shape, column.size, column.ndim, column.tolist()) == (
        array.shape,
        array.size,
        1,
        array.tolist(),
    )
    assert column[1:].tolist() == array[1:].tolist() and column[0] == array[0]
    assert (
        column[mask].tolist() == array[mask].tolist() and column[[0, -1]].tolist() == array[[0, -1]].tolist()
    )
    for other in (others, numpy.array(others), values[0], Column(others)):
        assert (column == other).tolist() == (array == other).tolist()
        assert (column != other).tolist() == (array != other).tolist()
    assert (others == column).tolist() == (others == array).tolist()
    assert (column == others).sum() == (array == others).sum()
    assert float(numpy.mean(column == others)) == pytest.approx(float(numpy.mean(array == others)))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6))
def test_numbers_calculate(values: list[int]) -> None:
    """What only an array can do is done by one."""
    column, array = Column(values), numpy.array(values)

    for found, wanted in (
        (column + 1, array + 1),
        (2 * column, 2 * array),
        (column - column, array - array),
        (column / 2, array / 2),
        (column > 0, array > 0),
        (column.astype("float"), array.astype(float)),
        (column.reshape(-1, 1), array.reshape(-1, 1)),
    ):
        assert found.tolist() == wanted.tolist()
    assert (column.mean(), column.max(), column.all(), column.any()) == (
        pytest.approx(array.mean()),
        array.max(),
        array.all(),
        array.any(),
    )


def test_labels_of_a_column_are_of_one_type() -> None:
    """Where one is a text all are, as an array has it; lists and None stay."""
    assert column_of(["A", 0, 1.5]).tolist() == numpy.array(["A", 0, 1.5]).tolist()
    assert column_of([1, 2]).tolist() == [1, 2]
    assert column_of(["A", ["B"], None]).tolist() == ["A", ["B"], None]


def test_it_is_a_list_to_the_rest_of_python() -> None:
    """It is copied and pickled, and has no name that neither a list nor an array has."""
    column = Column(["a", "b"])

    assert copy.deepcopy(column).tolist() == pickle.loads(pickle.dumps(column)).tolist() == ["a", "b"]
    assert (isinstance(column, list), "a" in column, numpy.asarray(column).tolist()) == (
        True,
        True,
        ["a", "b"],
    )
    with pytest.raises(AttributeError, match="nothing"):
        _ = column.nothing


def test_a_comparison_with_other_lengths_is_false() -> None:
    """As with a list."""
    assert (Column([1, 2]) == [1]) is False
