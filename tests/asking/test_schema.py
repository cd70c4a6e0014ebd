"""Replies by a JSON schema: matching ones, reasons for others, and refused schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.asking.schema import Misfit, misfit, read_schema, value_of
from benchwright.errors import UsageError

JUDGEMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "reason": {"type": "string", "minLength": 1, "maxLength": 40},
        "kind": {"enum": ["logic", "format", None]},
        "marks": {"type": "array", "items": {"type": ["number", "null"]}, "minItems": 1, "maxItems": 3},
        "more": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        "version": {"const": 1},
    },
    "required": ["score", "reason"],
    "additionalProperties": False,
}
GOOD: dict[str, Any] = {"score": 3, "reason": "it holds"}


def why(schema: dict[str, Any], text: str) -> str:
    """Why a reply does not fit."""
    return misfit(text, read_schema(schema))


@pytest.mark.parametrize(
    "added",
    [
        {},
        {"score": 5.0},
        {"kind": None},
        {"kind": "logic", "marks": [1, 2.5, None], "more": True, "version": 1.0},
        {"more": "text"},
    ],
)
def test_what_fits(added: dict[str, Any]) -> None:
    """The value is what the JSON spells."""
    wanted = GOOD | added

    assert value_of(json.dumps(wanted), read_schema(JUDGEMENT)) == wanted


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        ({"score": 6}, "the reply.score must be at most 5, and is 6"),
        ({"score": 0}, "the reply.score must be at least 1, and is 0"),
        ({"score": 2.5}, "the reply.score must be integer, and is 2.5"),
        ({"score": True}, "the reply.score must be integer, and is true"),
        ({"score": "3"}, 'the reply.score must be integer, and is "3"'),
        ({"score": 10**400}, "the reply.score must be at most 5, and is 1000"),
        ({"reason": ""}, "the length of the reply.reason must be at least 1, and is 0"),
        ({"reason": "x" * 41}, "the length of the reply.reason must be at most 40, and is 41"),
        ({"kind": "luck"}, 'the reply.kind must be one of ["logic","format",null], and is "luck"'),
        ({"kind": False}, "the reply.kind must be one of"),
        ({"marks": []}, "the length of the reply.marks must be at least 1, and is 0"),
        ({"marks": [1, 2, 3, 4]}, "the length of the reply.marks must be at most 3, and is 4"),
        ({"marks": [1, "2"]}, 'the reply.marks[1] must be number or null, and is "2"'),
        ({"more": 1}, "none of 2 alternatives fits: the reply.more must be string, and is 1"),
        ({"version": True}, "the reply.version must be 1, and is true"),
        ({"other\x1b": 1}, "the reply.other\\x1b is not asked for"),
    ],
)
def test_what_does_not_fit(added: dict[str, Any], reason: str) -> None:
    """The reason has the place, the expected and the actual value; a reply's text is escaped."""
    found = why(JUDGEMENT, json.dumps(GOOD | added))

    assert found.startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is not JSON"),
        ("Sure! Here it is.", "it is not JSON"),
        ("```json\n{}\n```", "it is not JSON"),
        ('{"score": 3, "score": 4}', "it is not JSON: the key appears twice"),
        ('{"score": NaN}', "it is not JSON: NaN is not a JSON value"),
        ("[" * 100_000, "it is not JSON: nested deeper"),
        ("[]", "the reply must be object, and is []"),
        ('{"score": 3}', "the reply lacks 'reason'"),
    ],
)
def test_a_reply_that_is_no_such_value(text: str, reason: str) -> None:
    """Nothing is repaired: what surrounds a value makes it none."""
    assert why(JUDGEMENT, text).startswith(reason)


def test_reasoning_before_the_value_is_left_out() -> None:
    """As everywhere that an answer is read."""
    assert why(JUDGEMENT, f"<think>{{maybe 4?}}</think>\n{json.dumps(GOOD)}\n") == ""


def test_a_reply_that_was_cut_off_says_so() -> None:
    """A longer limit would help; another prompt would not."""
    text = json.dumps(GOOD)[:-5]

    assert misfit(text, read_schema(JUDGEMENT), cut_off=True).startswith(
        "cut off at the token limit: it is not JSON"
    )


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object", "patternProperties": {}}, "patternProperties"),
        ({"type": "string", "pattern": "(a+)+$"}, "pattern"),
        ({"$ref": "#/$defs/x"}, "$ref"),
        ({"type": "text"}, "text"),
        ({"type": "object", "properties": {"a": {"format": "date"}}}, "format"),
        ({"type": "array", "items": 3}, "items"),
        ({"required": "score"}, "required"),
        ({"const": float("nan")}, "not JSON compliant"),
        ({"default": {1, 2}}, "not JSON serializable"),
    ],
)
def test_a_schema_that_is_not_checked_whole_is_refused(schema: dict[str, Any], words: str) -> None:
    """Otherwise replies would pass unchecked."""
    with pytest.raises(UsageError, match="the schema of a reply cannot be used") as caught:
        read_schema(schema)

    assert words in caught.value.message
    assert "additionalProperties" in str(caught.value.hint)


@given(st.text())
def test_any_text_fits_or_has_a_reason(text: str) -> None:
    """A reply may be anything."""
    schema = read_schema(JUDGEMENT)
    try:
        value = value_of(text, schema)
    except Misfit as reason:
        assert str(reason)
    else:
        assert isinstance(value, dict)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_a_schema_without_demands_takes_every_value(value: Any) -> None:
    """And gives it back as it was spelled."""
    assert value_of(json.dumps(value), read_schema({})) == json.loads(json.dumps(value))
