"""The assignment of comments to annotations is the best one, and costs as much as there are annotations."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from benchwright.judges.comments.accuracy import NOTHING, WINDOW, Option, assign

LINES = st.lists(st.integers(1, 12), unique=True, max_size=8).map(sorted)
WORTHS = st.floats(0.01, 1.0)


def offered(lines: list[int], comments: list[tuple[int, list[float]]]) -> list[list[Option]]:
    """What each annotation may take of comments with a line and a worth for each annotation."""
    return [
        [(at, worths[place]) for at, (where, worths) in enumerate(comments) if abs(where - line) <= WINDOW]
        for place, line in enumerate(lines)
    ]


@given(lines=LINES, data=st.data())
def test_it_is_the_best(lines: list[int], data: st.DataObject) -> None:
    """Worth as much as the Hungarian algorithm's, each comment taken once, only by those that may."""
    worths = st.lists(WORTHS, min_size=len(lines), max_size=len(lines))
    comments = data.draw(st.lists(st.tuples(st.integers(1, 12), worths), max_size=14))
    options = offered(lines, comments)
    matrix = np.zeros((len(lines), len(comments)))
    for row, each in enumerate(options):
        for column, worth in each:
            matrix[row, column] = worth

    taken = assign(options)

    found = [dict(each)[comment] for each, comment in zip(options, taken, strict=True) if comment != NOTHING]
    assert abs(sum(found) - matrix[linear_sum_assignment(matrix, maximize=True)].sum()) < 1e-9
    used = [comment for comment in taken if comment != NOTHING]
    assert len(used) == len(set(used))


def test_of_equals_the_first() -> None:
    """The same input has one answer, in the order of lines and comments."""
    assert assign([[(0, 0.5), (1, 0.5)], [(0, 0.5), (1, 0.5)]]) == [0, 1]
    assert assign([]) == []


def test_it_grows_with_the_annotations() -> None:
    """Ten thousand annotations that all compete, with comments in plenty."""
    options = [[(3 * at + k, 0.1 + 0.01 * k) for k in range(-4, 5)] for at in range(10_000)]
    started = time.process_time()
    taken = assign(options)
    assert time.process_time() - started < 20 and NOTHING not in taken
