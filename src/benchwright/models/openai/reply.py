"""Reading a reply: the answer's text, and every way in which the reply is not what was asked for.

A reply is untrusted. It may be any bytes, nest without end, or have any type in any place; what cannot
be read raises `Failed`, and what can is never repaired in silence.
"""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.errors import DataError
from benchwright.models.openai.failures import Failed
from benchwright.models.openai.naming import same_model
from benchwright.models.openai.request import Form
from benchwright.records import Record
from benchwright.store.strict_json import MAX_DEPTH, JsonOrigin, parse_value
from benchwright.text.clean import cut_at_stop
from benchwright.text.reasoning import strip_reasoning

KEPT = 32  # characters from a stop string on: no more is left of its token
MAX_TOKENS = 1 << 40


class ReplyContent(Record, frozen=True, kw_only=True):
    """What a reply says. `faults` names what it should not have done, with a detail for each."""

    text: str
    tail: str = ""
    reasoning: str = ""  # what came beside the answer
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    faults: dict[str, str] = {}


class _Message(msgspec.Struct):
    content: Any = None
    reasoning_content: Any = None  # vLLM, DeepSeek, SGLang, llama.cpp
    reasoning: Any = None  # OpenRouter, and vLLM from 0.12


class _Choice(msgspec.Struct):
    message: _Message | None = None
    text: Any = msgspec.UNSET
    finish_reason: Any = None
    error: Any = None


class _Reply(msgspec.Struct):
    choices: list[_Choice] | None = None
    model: Any = None
    usage: Any = None
    error: Any = None


_DECODE = msgspec.json.Decoder(_Reply).decode


def read_reply(data: bytes, form: Form, *, model: str, api: str) -> ReplyContent:
    """The answer in the body of a reply with status 200. Raises Failed for what holds none."""
    reply = _parse(data)
    choice = _choice(reply)
    said, reasoning = _content(choice) if api == "chat" else (_text(choice.text), "")
    text, tail = cut(said, form.stops)
    tokens_in, tokens_out = _tokens(reply.usage)
    faults = _faults(reply, choice, model=model)
    if tokens_in is None or tokens_out is None:
        faults["usage-missing"] = ""
    if not said:
        faults["empty"] = f"finish_reason {choice.finish_reason}" if choice.finish_reason else ""
    if form.sent_stops and (left := cut(said, form.sent_stops)[1]):
        faults["stop-kept" if len(left) <= KEPT else "stop-ignored"] = left[:KEPT]
    reason = choice.finish_reason if isinstance(choice.finish_reason, str) else None
    return ReplyContent(
        text=text,
        tail=tail,
        reasoning=reasoning,
        finish_reason=reason,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        faults=faults,
    )


def cut(text: str, stops: tuple[str, ...]) -> tuple[str, str]:
    """The text up to the first stop string after its reasoning, and the rest; joined they are the text.

    A stop string in the reasoning ends nothing: it would cut a thinking model off before it answers.
    """
    if not stops:
        return text, ""
    answer = strip_reasoning(text).text if "<" in text or "[" in text or "◁" in text else text
    if not text.endswith(answer):  # reasoning in the middle: there is no one place to start from
        answer = text
    start = len(text) - len(answer)
    kept, tail = cut_at_stop(answer, stops)
    return text[:start] + kept, tail


def _parse(data: bytes) -> _Reply:
    """The reply by its types: only the fields that matter are made, so a huge one costs little."""
    try:
        return _DECODE(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _parse_slowly(data)


def _parse_slowly(data: bytes) -> _Reply:
    """For half a surrogate pair, which a token limit makes of an emoji; else it says what is wrong."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise _malformed("not-utf8", f"byte {error.start} is not UTF-8") from None
    try:
        value = parse_value(data, JsonOrigin("", 0), max_depth=MAX_DEPTH, surrogates="replace")
    except DataError as error:
        raise _malformed("wrong-json", error.message.partition(": ")[2]) from None
    try:
        return msgspec.convert(value, _Reply)
    except msgspec.ValidationError as error:
        raise _malformed("wrong-shape", str(error)) from None


def _choice(reply: _Reply) -> _Choice:
    if reply.error:
        raise _malformed("error-in-reply", _words(reply.error))
    if not reply.choices:
        raise _malformed("wrong-shape", "it has no choices")
    choice = reply.choices[0]
    if choice.error or choice.finish_reason == "error":
        raise _malformed("error-in-reply", _words(choice.error))
    return choice


def _words(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) else "it does not say which"


def _content(choice: _Choice) -> tuple[str, str]:
    """Answer and reasoning of a chat reply."""
    if choice.message is None:
        raise _malformed("wrong-shape", "its choice has no message")
    content, beside = choice.message.content, choice.message.reasoning_content or choice.message.reasoning
    reasoning = beside if isinstance(beside, str) else ""
    if isinstance(content, list):  # parts, as Mistral's reasoning models send them
        return _parts(content, "text"), reasoning or _parts(content, "thinking")
    return _text(content), reasoning


def _parts(parts: list[Any], kind: str) -> str:
    """The texts of the parts of one kind; the thinking ones have parts of their own."""
    texts = []
    for part in parts:
        if not isinstance(part, dict):
            raise _malformed("wrong-shape", "a part of its content is not an object")
        if part.get("type") == kind:
            inner = part.get(kind)
            texts.append(_parts(inner, "text") if isinstance(inner, list) else _text(inner))
    return "".join(texts)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _malformed("wrong-shape", "it has no text, or one that is not a string")
    return value


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    if not isinstance(usage, dict):
        return None, None
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= MAX_TOKENS else None


def _faults(reply: _Reply, choice: _Choice, *, model: str) -> dict[str, str]:
    faults = {}
    if reply.choices and len(reply.choices) > 1:
        faults["several-choices"] = f"{len(reply.choices)} choices"
    if isinstance(reply.model, str) and not same_model(model, reply.model):
        faults["other-model"] = reply.model
    if not isinstance(choice.finish_reason, str) or not choice.finish_reason:
        faults["finish-reason-missing"] = ""
    return faults


def _malformed(fault: str, detail: str) -> Failed:
    return Failed(fault, f"the reply cannot be used: {detail}", fault=fault)
