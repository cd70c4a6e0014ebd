"""Tests of the helpers for numbers."""

import pytest
from toolbox import figures


class TestAverage:
    def test_add(self):
        assert figures.Average().add(2).add(4).value() == 3

    def test_empty(self):
        assert figures.Average().value() == 0

    def test_merged(self):
        both = figures.Average().add(1).merged(figures.Average().add(2).add(6))
        assert (both.count, both.value()) == (3, 3)


def test_clamp():
    assert [figures.clamp(each, 0, 5) for each in (-1, 3, 9)] == [0, 3, 5]


def test_divisors():
    assert figures.divisors(12) == [1, 2, 3, 4, 6, 12]


def test_digits():
    assert figures.digits(120) == [1, 2, 0]
    assert figures.digits(5, base=2) == [1, 0, 1]
    with pytest.raises(ValueError):
        figures.digits(-1)


def test_median():
    assert figures.median([3, 1, 2]) == 2
    assert figures.median([4, 1, 2, 3]) == 2.5


def test_running_sums():
    assert list(figures.running_sums([1, 2, 3])) == [1, 3, 6]


def test_simplify():
    assert figures.simplify(6, -8) == (-3, 4)


def test_to_roman():
    assert [figures.to_roman(each) for each in (4, 9, 1994)] == ["IV", "IX", "MCMXCIV"]


def test_transpose():
    assert figures.transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
