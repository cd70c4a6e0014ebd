"""Replies are untrusted: their faults are named, and one without an answer is a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import RequestOptions
from benchwright.models.http.failures import FAULTS, RequestFailure
from benchwright.models.http.messages import Form, ReplyContent, cut, read_reply
from kit.asking_kit import completion, document

STOP = ("\nclass",)


def read(reply: Any, *, api: str = "chat", stop: tuple[str, ...] = ()) -> ReplyContent:
    """The reading of a document, or of bytes as they are."""
    data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return read_reply(data, Form("m", RequestOptions(api=api, stop=stop)), model="m", api=api)


def fault_of(reply: Any, *, api: str = "chat") -> tuple[str | None, str]:
    """The fault for which a reply cannot be used, and what follows."""
    with pytest.raises(RequestFailure) as caught:
        read(reply, api=api)
    return caught.value.fault, caught.value.course


def message(**fields: Any) -> dict[str, Any]:
    """A chat reply whose message has these fields."""
    return document(choices=[{"message": fields, "finish_reason": "stop"}])


@pytest.mark.parametrize(("api", "reply"), [("chat", document()), ("completions", completion())])
def test_a_good_reply_has_no_fault(api: str, reply: dict[str, Any]) -> None:
    """Text, reason and tokens as the server sent them."""
    assert read(reply, api=api) == ReplyContent(text="code", finish_reason="stop", tokens_in=7, tokens_out=3)


@pytest.mark.parametrize("content", ["", None])
def test_an_empty_answer_is_an_answer(content: str | None) -> None:
    """It is the model's answer, with a fault that reports that it is empty."""
    actual = read(document(content))

    assert (actual.text, actual.faults) == ("", {"empty": "finish_reason stop"})


@pytest.mark.parametrize(
    ("changed", "fault", "detail"),
    [
        ({"usage": None}, "usage-missing", ""),
        ({"usage": {"prompt_tokens": 1}}, "usage-missing", ""),
        ({"usage": {"prompt_tokens": "7", "completion_tokens": 1}}, "usage-missing", ""),
        ({"usage": {"prompt_tokens": True, "completion_tokens": 1}}, "usage-missing", ""),
        ({"usage": {"prompt_tokens": -1, "completion_tokens": 1}}, "usage-missing", ""),
        ({"usage": {"prompt_tokens": 10**30, "completion_tokens": 1}}, "usage-missing", ""),
        ({"model": "m-mini"}, "other-model", "m-mini"),
        ({"model": "m-mini@main"}, "other-model", "m-mini@main"),
        ({"choices": document()["choices"] * 3}, "several-choices", "3 choices"),
        ({"choices": [{"message": {"content": "code"}}]}, "finish-reason-missing", ""),
        (
            {"choices": [{"message": {"content": "code"}, "finish_reason": 5}]},
            "finish-reason-missing",
            "",
        ),
    ],
)
def test_what_a_reply_should_not_do_is_named(changed: dict[str, Any], fault: str, detail: str) -> None:
    """And the answer is kept."""
    actual = read({**document(), **changed})

    assert (actual.text, actual.faults) == ("code", {fault: detail})


@pytest.mark.parametrize("missing", ["model", "id", "object", "created"])
def test_fields_that_do_not_matter_may_be_absent(missing: str) -> None:
    """Small servers leave some out."""
    reply = {name: value for name, value in document().items() if name != missing}

    assert read(reply).faults == {}


def test_of_several_choices_the_first_counts() -> None:
    """One was asked for."""
    choices = [*document("first")["choices"], *document("second")["choices"]]

    assert read(document(choices=choices)).text == "first"


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (b"", "wrong-json"),
        (b"<html>502</html>", "wrong-json"),
        (json.dumps(document()).encode()[:-2], "wrong-json"),
        (b'{"choices": ' + b"[" * 100_000, "wrong-json"),
        (b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "wrong-json"),
        (b'{"x": NaN}', "wrong-json"),
        (b'{"model": "\xff\xfe", "choices": []}', "not-utf8"),
        (b'"\xc3', "not-utf8"),
        (b"null", "wrong-shape"),
        (b"[]", "wrong-shape"),
        ({"object": "list", "data": []}, "wrong-shape"),
        (document(choices=[]), "wrong-shape"),
        (document(choices=None), "wrong-shape"),
        (document(choices=[None]), "wrong-shape"),
        (document(choices={"0": {}}), "wrong-shape"),
        (completion(), "wrong-shape"),
        (document(7), "wrong-shape"),
        (document(["text"]), "wrong-shape"),
        (document({"type": "text"}), "wrong-shape"),
        ({"error": {"message": "overloaded"}}, "error-in-reply"),
        ({**document(), "error": "overloaded"}, "error-in-reply"),
        (document(choices=[{"finish_reason": "error", "message": {"content": ""}}]), "error-in-reply"),
        (document(choices=[{"error": {"code": 502}, "message": {"content": "x"}}]), "error-in-reply"),
    ],
)
def test_what_holds_no_answer_is_asked_again(reply: Any, fault: str) -> None:
    """It is the server's failure, never a wrong answer of the model."""
    assert fault_of(reply) == (fault, "again")


def test_a_chat_reply_to_a_completion_is_a_wrong_shape() -> None:
    """Its text is not where it belongs, and taking it for an empty answer would be a lie."""
    assert fault_of(document(), api="completions") == ("wrong-shape", "again")


def test_half_an_emoji_costs_one_character() -> None:
    """A token limit may split a surrogate pair; the other characters are kept."""
    data = json.dumps(document("ok \ud83d")).encode()

    assert read(data).text == "ok \ufffd"


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_are_an_exception(data: bytes) -> None:
    """Any bytes are an answer or a failure with a named fault."""
    try:
        read(data)
        fault = "wrong-json"
    except RequestFailure as failed:
        fault = str(failed.fault)

    assert fault in FAULTS


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "type"]), inner),
    max_leaves=5,
)


@settings(deadline=None)
@given(
    choices=_JSON
    | st.lists(
        st.fixed_dictionaries(
            {}, optional={"message": _JSON, "text": _JSON, "finish_reason": _JSON, "error": _JSON}
        ),
        max_size=2,
    ),
    usage=_JSON,
    content=_JSON,
    api=st.sampled_from(["chat", "completions"]),
)
def test_any_type_in_any_place_is_read_or_refused(choices: Any, usage: Any, content: Any, api: str) -> None:
    """Every fault has a sentence, and every text is a string."""
    for reply in (
        document(choices=choices, usage=usage),
        document(content, usage=usage),
        message(content=content),
    ):
        try:
            actual = read(reply, api=api)
        except RequestFailure as failed:
            actual = ReplyContent(text="", faults={str(failed.fault): ""})

        assert set(actual.faults) <= set(FAULTS)
        assert isinstance(actual.text, str)


def test_stop_strings_are_applied_here() -> None:
    """Nothing is lost: what was cut off is in the tail."""
    actual = read(document("body\nclass A: ..."), stop=STOP)

    assert (actual.text, actual.tail, actual.faults) == ("body", "\nclass A: ...", {})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("body\nclassy", {"stop-kept": "\nclassy"}),
        ("body\nclass A:\n" + "    pass\n" * 9, {"stop-ignored": "\nclass A:\n    pass\n    pass\n    "}),
        ("body", {}),
    ],
)
def test_a_stop_string_that_was_sent_and_came_back_is_a_fault(text: str, fault: dict[str, str]) -> None:
    """Some servers keep it with the rest of its token; some do not stop."""
    actual = read(completion(text), api="completions", stop=STOP)

    assert (actual.text, actual.faults) == ("body", fault)


def test_a_stop_string_that_was_not_sent_is_no_fault() -> None:
    """The interface takes four; the fifth is applied here alone."""
    actual = read(completion("body five more"), api="completions", stop=("1", "2", "3", "4", "five"))

    assert (actual.text, actual.tail, actual.faults) == ("body ", "five more", {})


@pytest.mark.parametrize(
    "thought", ["<think>a\nclass B</think>", "let me see\nclass B\n</think>", "[THINK]\nclass B[/THINK]"]
)
def test_a_stop_string_in_the_reasoning_ends_nothing(thought: str) -> None:
    """Else a thinking model would be cut off before it answers."""
    assert cut(f"{thought}body\nclass A", STOP) == (f"{thought}body", "\nclass A")


def test_reasoning_that_never_ended_is_left_whole() -> None:
    """There is no answer to stop in."""
    assert cut("<think>a\nclass B", STOP) == ("<think>a\nclass B", "")


@settings(deadline=None)
@given(st.text(alphabet="ab\n<>/think[]") | st.text(), st.lists(st.text(max_size=3), max_size=3))
def test_text_and_tail_are_what_was_sent(text: str, stops: list[str]) -> None:
    """Wherever it is cut."""
    assert "".join(cut(text, tuple(stops))) == text


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("content", ["body\nclass A", "", None])
def test_reasoning_beside_the_answer_is_kept_beside_it(field: str, content: str | None) -> None:
    """It is not part of the text, and a stop string in it does not end the answer."""
    actual = read(message(content=content, **{field: "hm</think>\nclass?"}), stop=STOP)
    text, _, tail = (content or "").partition("\nclass")

    assert (actual.text, actual.tail[6:], actual.reasoning) == (text, tail, "hm</think>\nclass?")


@pytest.mark.parametrize("value", [5, [], {}, True])
def test_reasoning_of_another_type_is_no_reason_to_lose_the_answer(value: Any) -> None:
    """Some servers send objects there."""
    assert read(message(content="body", reasoning=value)).text == "body"


def test_parts_are_joined() -> None:
    """Mistral's reasoning models send thinking and text as parts of the content."""
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "bo"},
        {"type": "text", "text": "dy"},
        {"type": "image", "url": "u"},
    ]

    assert (read(message(content=parts)).text, read(message(content=parts)).reasoning) == ("body", "hm")
