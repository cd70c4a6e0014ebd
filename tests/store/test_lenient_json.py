"""Repairs of commas: only if they are wrong, never inside a string, and each one reported."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.store.lenient_json import MOST, Place, RepairedJson, mend
from kit.examples import USUAL, examples
from kit.growth import PER_DOUBLING, growth

TEXTS = st.text(st.sampled_from('ab{}[],:"\\ \n\té1'), max_size=12)
SCALARS = st.one_of(TEXTS, st.integers(-9, 9), st.booleans(), st.none(), st.floats(0, 1))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4), st.lists(inner, min_size=1)
    ),
    max_leaves=12,
)
SPACES = st.sampled_from(["", " ", "\n", "\n    ", "\r\n"])


def fixed(text: str) -> RepairedJson:
    """Return the repaired text of a file."""
    return mend(text, Place("rows.json"))


@st.composite
def broken(draw: st.DrawFn, value: Any) -> tuple[str, int]:
    """Return a value as JSON with commas missing between members and surplus ones at the end, and the number
    of faults."""
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=draw(st.booleans())), 0
    is_object, faults, parts = isinstance(value, dict), 0, []
    for at, each in enumerate(value):
        inner, inside = draw(broken(value[each] if is_object else each))
        faults += inside
        last = at == len(value) - 1
        is_wrong = draw(st.booleans()) and (is_object or last)
        comma = "," if last == is_wrong else ""
        faults += is_wrong
        key = f"{json.dumps(each)}{draw(SPACES)}:{draw(SPACES)}" if is_object else ""
        parts.append(f"{draw(SPACES)}{key}{inner}{draw(SPACES)}{comma}")
    text = "".join(parts) + draw(SPACES)
    return (f"{{{text}}}" if is_object else f"[{text}]"), faults


@settings(max_examples=examples(2 * USUAL))
@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_is_never_changed(value: Any, indent: int | None, ascii_only: bool) -> None:
    """The text is unchanged in any layout."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert fixed(text) == (text, [])


@settings(max_examples=examples(2 * USUAL))
@given(VALUES.flatmap(lambda value: st.tuples(st.just(value), broken(value))))
def test_wrong_commas_cost_nothing_of_the_value(case: tuple[Any, tuple[str, int]]) -> None:
    """The number of repairs equals that of the faults, and the value is the intended one."""
    value, (text, faults) = case
    mended = fixed(text)

    assert (json.loads(mended.text), len(mended.repairs)) == (value, faults)


@given(st.text(st.sampled_from('{}[],:"\\ab1 \n'), max_size=40))
def test_any_text_gives_a_text(text: str) -> None:
    """This holds for any content; without a repair the text is unchanged."""
    mended = fixed(text)

    assert (mended.text == text) == (not mended.repairs)
    assert fixed(mended.text).text == mended.text


@pytest.mark.parametrize(
    ("text", "expected", "repairs"),
    [
        ('{"a":"b""c": 1}', '{"a":"b","c": 1}', [(1, 9, "missing comma")]),
        ('{"a": 1\n "c": 2}', '{"a": 1,\n "c": 2}', [(1, 8, "missing comma")]),
        ('{\n"é": {},\n}', '{\n"é": {}\n}', [(2, 8, "trailing comma")]),
        ('{"a": [1, 2,],}', '{"a": [1, 2]}', [(1, 12, "trailing comma"), (1, 14, "trailing comma")]),
        (
            '{"a": {"b": 1} "c": [] "d": null}',
            '{"a": {"b": 1}, "c": [], "d": null}',
            [(1, 15, "missing comma"), (1, 23, "missing comma")],
        ),
    ],
)
def test_each_repair_is_named(text: str, expected: str, repairs: list[tuple[int, int, str]]) -> None:
    """By line and column, from 1, in characters."""
    mended = fixed(text)

    assert mended.text == expected
    assert [(each.line, each.column, each.fault) for each in mended.repairs] == repairs


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "x,}" }',
        '["a" "b"]',
        "[1,,2]",
        "{,}",
        "[,]",
        '{"a" "b": 1}',
        '{"a": 1 b: 2}',
        '{"a": "not closed, "b": 1,}',
        ",}",
        '{"a": "two\nlines",}',
        '{"a": 1,' * (MOST + 2) + '"b": 1' + ",}" * (MOST + 2),
    ],
)
def test_anything_else_is_left_alone(text: str) -> None:
    """Strings, elements without a comma, keys, and a text without structure."""
    assert fixed(text) == (text, [])


def test_a_place_is_counted_from_the_place_of_the_text() -> None:
    """The first line counts from a column, the others from their start."""
    repairs = mend('{"a":"b""c":1,\n"d":2,}', Place("f", 5, 10)).repairs

    assert [str(each) for each in repairs] == [
        'f:5:18: missing comma added near `{"a":"b""c":1,`',
        'f:6:6: trailing comma removed near `"d":2,}`',
    ]


def test_control_characters_are_escaped_where_they_are_shown() -> None:
    """The terminal gets none."""
    (repair,) = fixed('{"\u202eb": "\x1b[2J",}').repairs

    assert repair.near.isprintable()


@pytest.mark.parametrize("unit", ['{"a":"b""c":1,},', '"', "{" * 3, '{"a": "\\', "[,"])
def test_time_grows_with_the_length(unit: str) -> None:
    """Twice the text takes about twice the time, for any fault."""
    assert growth(fixed, lambda size: unit * (size // len(unit)), 4_000) <= PER_DOUBLING
