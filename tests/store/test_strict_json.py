"""Untrusted JSON gives one object or a DataError with a place, and nothing else."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.store.strict_json import JsonOrigin, parse_object, parse_value, replace_lone
from kit.examples import examples

PLACE = JsonOrigin("rows.jsonl", 7)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=5)


def fault(data: bytes, **options: object) -> DataError:
    """Return the error for some bytes."""
    with pytest.raises(DataError) as caught:
        parse_object(data, PLACE, **options)
    return caught.value


@given(OBJECTS, st.booleans(), st.sampled_from([None, 1]))
def test_what_the_standard_library_writes_is_read(
    value: dict[str, object], ascii_: bool, indent: int | None
) -> None:
    """Any object comes back, in any layout of json.dumps."""
    data = json.dumps(value, ensure_ascii=ascii_, indent=indent).encode()

    assert value == parse_object(data, PLACE)


@given(st.binary(max_size=60))
@settings(max_examples=examples(80))
def test_any_bytes_give_an_object_or_a_data_error(data: bytes) -> None:
    """No input raises another exception."""
    try:
        actual: object = parse_object(data, PLACE)
    except DataError as error:
        actual = error.line

    assert isinstance(actual, dict) or actual == 7


@given(OBJECTS, st.data())
@settings(max_examples=examples(80))
def test_a_damaged_object_gives_an_object_or_a_data_error(
    value: dict[str, object], data: st.DataObject
) -> None:
    """One wrong byte anywhere is handled as random bytes are."""
    raw = bytearray(json.dumps(value).encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        actual: object = parse_object(bytes(raw), PLACE)
    except DataError as error:
        actual = error.line

    assert isinstance(actual, dict) or actual == 7


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"a": 1,}', "not JSON"),
        (b'{"a": tru}', "not JSON"),
        (b'{"a": 1} {"b": 2}', "not JSON"),
        (b'{"a": 01}', "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b'{"a": "\x01"}', "not JSON"),
        (b"[1]", "not an array"),
        (b'"a"', "not a string"),
        (b"3", "not a number"),
        (b"true", "not a boolean"),
        (b"null", "not null"),
        (b'{"a": NaN}', "NaN is not a JSON value"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON value"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "5000 digits"),
        (b'{"a": "\xff"}', "not valid UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "not valid UTF-8"),
        (b'{"\xff": 1}', "not valid UTF-8"),
    ],
)
def test_each_fault_is_named(data: bytes, words: str) -> None:
    """The message has fault and place, without a chained second error."""
    error = fault(data)

    assert (words in error.message, error.path, error.line) == (True, "rows.jsonl", 7)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1, "a": 1}',
        b'{"x": {"a": 1, "b": 2, "a": 3}}',
        b'{"x": [{"a": {}}, {"a": 1, "a" \t: 2}]}',
        b'{"\\u0061": 1, "a": 2}',
        b'{"code": "{\\"k\\": 1}", "a": 1, "a": 2}',
    ],
)
def test_a_key_given_twice_is_refused_with_its_name(data: bytes) -> None:
    """Parsers differ in the one that they keep, so both are refused."""
    assert fault(data).field == "a"


@given(TEXT, TEXT)
def test_text_that_looks_like_keys_is_not_taken_for_keys(key: str, text: str) -> None:
    """Code inside a string may have any number of quotes and colons."""
    value = {key: f'{{"a": 1, "a": 2}} {text}": "', "code": '":":":'}

    assert value == parse_object(json.dumps(value).encode(), PLACE)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [300, 5_000, 300_000])
def test_deep_nesting_is_refused_before_parsing(opening: bytes, depth: int) -> None:
    """A file of brackets cannot exhaust the stack, even with a raised recursion limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        error = fault(b'{"x":' + opening * depth)
    finally:
        sys.setrecursionlimit(before)

    assert "nested deeper than 200 levels" in error.message


def test_brackets_side_by_side_or_in_text_are_not_depth() -> None:
    """Only nesting counts."""
    value = {"a": [[] for _ in range(1000)], "b": "[" * 1000, "c": '\\"' + "{" * 1000}

    assert value == parse_object(json.dumps(value).encode(), PLACE)


def test_depth_up_to_the_limit_is_read() -> None:
    """A depth equal to the limit is allowed."""
    data = b'{"x":' + b"[" * 199 + b"]" * 199 + b"}"

    assert list(parse_object(data, PLACE)) == ["x"]


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b'{"a": "\\ud800"}', "a"),
        (b'{"a": {"b": [0, "x\\udc00y"]}}', "a.b.1"),
        (b'{"a": "\\ud800\\ud800\\udc00"}', "a"),
    ],
)
def test_half_a_surrogate_pair_is_refused_with_its_field(data: bytes, field: str) -> None:
    """Such text cannot be encoded as UTF-8, so a data set may not contain it."""
    assert field == fault(data).field


def test_half_a_surrogate_pair_in_a_key_is_refused() -> None:
    """A key is text too."""
    assert "surrogate" in fault(b'{"\\ud800": 1}').message


def test_half_a_surrogate_pair_can_be_replaced() -> None:
    """In a model's answer a truncated emoji costs one character, and whole pairs stay."""
    data = b'{"a": ["x\\ud83d", "\\ud83d\\ude00"], "\\udc00": 1}'

    assert parse_object(data, PLACE, surrogates="replace") == {"a": ["x\ufffd", "😀"], "\ufffd": 1}


def test_other_faults_are_refused_when_surrogates_are_replaced() -> None:
    """Replacing surrogates allows no other fault."""
    assert "NaN" in fault(b'{"a": NaN, "b": "\\ud800"}', surrogates="replace").message


def test_a_value_need_not_be_an_object() -> None:
    """Keys and scalars of a document are checked by the same rules."""
    assert parse_value(b'[1, "a", null]', PLACE) == [1, "a", None]


@given(st.text(st.characters()))
def test_replaced_text_can_always_be_encoded(text: str) -> None:
    """After the replacement every text can be encoded as UTF-8, at the same length."""
    clean = replace_lone(text)

    assert (len(text), clean) == (len(clean), clean.encode().decode())


@given(st.text(st.characters()))
def test_printable_text_has_no_control_characters(text: str) -> None:
    """A name from a hostile file cannot move the cursor or change colours of the terminal."""
    assert escaped_name(text).isprintable()


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "[1, -Infinity]"])
def test_numbers_that_are_none_are_read_where_a_data_set_has_them(text: str) -> None:
    """The spelling is Python's; elsewhere these values are refused."""
    data = f'{{"a": {text}}}'.encode()
    found = parse_object(data, JsonOrigin("x", 1), numbers="any")

    assert repr(found) == repr({"a": json.loads(text)})
    with pytest.raises(DataError, match="is not a JSON value"):
        parse_object(data, JsonOrigin("x", 1))


@pytest.mark.parametrize("text", ["NaN, ", "[NaN", "Infinit", "1e999", '"a": NaN, "a": 1'])
def test_what_is_no_json_stays_none(text: str) -> None:
    """Only those three words are allowed."""
    with pytest.raises(DataError):
        parse_object(f'{{"b": {text}}}'.encode(), JsonOrigin("x", 1), numbers="any")
