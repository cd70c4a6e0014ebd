"""Tests of the helpers for schedules."""

import pytest
from toolbox import planning


def test_is_free(calendar):
    assert calendar.is_free(600, 660)
    assert not calendar.is_free(590, 610)


def test_book(calendar):
    calendar.book(600, 660)
    assert calendar.spans == [(540, 600), (600, 660), (660, 720)]
    with pytest.raises(ValueError):
        calendar.book(700, 730)
    with pytest.raises(ValueError):
        calendar.book(800, 800)


def test_gaps(calendar):
    assert calendar.gaps(500, 700) == [(500, 540), (600, 660)]
    assert calendar.gaps(720, 730) == [(720, 730)]


def test_note(calendar):
    calendar.note(" bring tea ")
    assert calendar.spans


def test_clock():
    assert [planning.clock(each) for each in (0, 615, 1500)] == ["00:00", "10:15", "01:00"]


def test_minutes_of():
    assert planning.minutes_of("10:15") == 615


def test_merge_spans():
    assert planning.merge_spans([(5, 7), (1, 3), (2, 4)]) == [(1, 4), (5, 7)]


def test_total_time():
    assert planning.total_time([(1, 3), (2, 4), (5, 7)]) == 5


def test_order_steps():
    assert planning.order_steps({"bake": ["mix"], "mix": [], "eat": ["bake"]}) == ["mix", "bake", "eat"]
    with pytest.raises(ValueError):
        planning.order_steps({"a": ["b"], "b": ["a"]})
