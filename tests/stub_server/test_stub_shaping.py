"""Replies that a JSON schema was asked for: the script's own where it fits, else something that does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.asking.schema import misfit, read_schema
from benchwright.stub_server.replies import shape_reply
from benchwright.stub_server.requests import CHAT, RefusedRequest, read_asked

WHOLE = st.integers(-50, 50)


def _bounds(low: str, high: str, numbers: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, Any]]:
    both = st.tuples(numbers, numbers).map(sorted)
    return both.flatmap(
        lambda pair: st.sampled_from([{}, {low: pair[0]}, {high: pair[1]}, {low: pair[0], high: pair[1]}])
    )


def _leaves() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"enum": ["a", 1]}, {"const": [None]}, {}]),
        st.builds(dict, _bounds("minimum", "maximum", WHOLE), type=st.sampled_from(["integer", "number"])),
        st.builds(dict, _bounds("minLength", "maxLength", st.integers(0, 9)), type=st.just("string")),
    )


def _above(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    arrays = st.builds(
        dict, _bounds("minItems", "maxItems", st.integers(0, 3)), type=st.just("array"), items=inner
    )
    objects = st.builds(
        lambda properties: {
            "type": "object",
            "properties": properties,
            "required": sorted(properties),
            "additionalProperties": False,
        },
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
    )
    return arrays | objects | st.builds(dict, anyOf=st.lists(inner, min_size=1, max_size=2))


@given(st.recursive(_leaves(), _above, max_leaves=6), st.text())
def test_what_comes_is_by_the_schema(schema: dict[str, Any], text: str) -> None:
    """Whatever the schema and the script's text."""
    assert misfit(shape_reply(text, schema), read_schema(schema)) == ""


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 2.5}\n'])
def test_what_fits_is_sent_as_it_is(text: str) -> None:
    """Byte for byte, so that a test can say what comes."""
    assert shape_reply(text, {"type": "object", "required": ["a"]}) == text


def body(**fields: Any) -> bytes:
    """A question to the chat interface."""
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": "x"}], **fields}).encode()


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"type": "xml"}, "xml"),
        ({"type": "json_schema"}, "`json_schema` is missing"),
        ({"type": "json_schema", "json_schema": {"name": "r", "schema": {"pattern": "x"}}}, "pattern"),
    ],
)
def test_a_shape_that_cannot_be_held_to_is_refused(wanted: dict[str, Any], words: str) -> None:
    """As real servers do, with 400."""
    with pytest.raises(RefusedRequest, match=words):
        read_asked(CHAT, body(response_format=wanted))


def test_the_last_message_of_the_user_is_the_turn() -> None:
    """Whatever follows it; other kinds of format ask for no schema."""
    messages = [("user", "one"), ("assistant", "two"), ("user", "three"), ("assistant", "four")]
    said = [{"role": role, "content": content} for role, content in messages]
    asked = read_asked(CHAT, body(messages=said, response_format={"type": "json_object"}))

    assert (asked.turn, asked.schema, asked.prompt) == ("three", None, "one\n\ntwo\n\nthree\n\nfour")
