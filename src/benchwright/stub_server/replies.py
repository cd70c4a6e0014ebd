"""Replies of the stub server: errors, generated texts, and texts that fit a JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Collection
from hashlib import sha256
from math import ceil, floor
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from benchwright.asking.schema import Misfit, Schema, read_schema, value_of
from benchwright.stub_server.behaviour import ERRORS, KINDS, Fault, Script
from benchwright.stub_server.http import StubReply
from benchwright.stub_server.requests import StubRequest
from benchwright.text.normalisation import cut_at_stop

JSON = {"Content-Type": "application/json"}
CREATED = 1_700_000_000  # a constant: equal questions get equal bytes


def json_reply(document: Any, *, status: int = 200) -> StubReply:
    """A JSON document."""
    return StubReply(status, msgspec.json.encode(document), JSON)


def refusal(
    status: int, message: str, *, kind: str = "invalid_request_error", code: str | None = None
) -> StubReply:
    """An error in the interface's own shape."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    return json_reply({"error": error}, status=status)


def error_reply(fault: Fault) -> StubReply:
    """The reply of a fault that is an error status."""
    status, kind, code = ERRORS[fault.kind]
    reply = refusal(status, f"stub server: {KINDS[fault.kind]}", kind=kind, code=code)
    if fault.kind != "429":
        return reply
    return reply._replace(headers={**JSON, "Retry-After": f"{fault.seconds:g}"})


def answer_reply(request: StubRequest, script: Script, faults: dict[str, Fault]) -> StubReply:
    """The answer to a question, changed by the active faults; the keys of `faults` are their kinds."""
    if "wrong-shape" in faults:
        return json_reply({"object": "list", "data": []})
    if "schema-refused" in faults and request.schema is not None:
        return refusal(400, "stub server: response_format is not supported")
    choices: list[dict[str, Any]] = []
    tokens = 0
    for prompt in request.prompts:
        for number in range(_choices(request.n, faults)):
            text = script.answer(**_draw_values(request, number, faults), prompt=prompt, turn=request.turn)
            if text is None:
                return refusal(400, f"no row of the script has a text of this prompt: {prompt[:200]!r}")
            if request.schema is not None and "schema-ignored" not in faults:
                text = shape_reply(text, request.schema)
            generated = generate(text, request, faults)
            tokens += generated.tokens
            choices.append(_choice(len(choices), request, generated, faults))
    return _whole_reply(request, choices, tokens, faults)


def _choices(n: int, faults: Collection[str]) -> int:
    if "n-ignored" in faults:
        return 1
    return n + 1 if "n-forced" in faults else n


def _draw_values(request: StubRequest, number: int, faults: Collection[str]) -> dict[str, Any]:
    """Return the values that choose the completion. No seed counts as seed 0; each further choice adds 1."""
    if "duplicates" in faults:
        return {"model": request.model, "seed": 0, "temperature": 0.0}
    return {"model": request.model, "seed": (request.seed or 0) + number, "temperature": request.temperature}


def _choice(
    index: int, request: StubRequest, generated: GeneratedText, faults: Collection[str]
) -> dict[str, Any]:
    logprobs = None
    if request.logprobs and "logprobs-null" not in faults:
        logprobs = chat_logprobs(generated.text) if request.chat else completion_logprobs(generated.text)
    text = None if "null" in faults else generated.text
    body = {"message": {"role": "assistant", "content": text}} if request.chat else {"text": text}
    return {"index": index, **body, "logprobs": logprobs, "finish_reason": generated.finish_reason}


def _whole_reply(
    request: StubRequest, choices: list[dict[str, Any]], tokens: int, faults: dict[str, Fault]
) -> StubReply:
    document: dict[str, Any] = {
        "id": "stub",
        "object": "chat.completion" if request.chat else "text_completion",
        "created": CREATED,
        "model": request.model,
        "choices": choices,
    }
    if "usage-missing" not in faults:
        read = sum(map(count_tokens, request.prompts))
        total = {"prompt_tokens": read, "completion_tokens": tokens, "total_tokens": read + tokens}
        document["usage"] = total
    reply = _huge(document, choices[0], faults["huge"].size) if "huge" in faults else json_reply(document)
    if "wrong-json" in faults:
        reply = reply._replace(body=reply.body[:-2])
    return reply._replace(ending="cut") if "cut" in faults else reply


def _huge(document: dict[str, Any], choice: dict[str, Any], size: int) -> StubReply:
    """The first choice's text is made of filling, which is written as it is sent."""
    mark = "\ue000huge\ue000"
    where = choice.get("message", choice)
    where["content" if "content" in where else "text"] = mark
    before, after = msgspec.json.encode(document).split(mark.encode())
    return StubReply(200, before + after, JSON, fill=(len(before), size))


TOKEN = 4  # characters


class GeneratedText(NamedTuple):
    """A choice's text, why it ended, and its tokens."""

    text: str
    finish_reason: str
    tokens: int


def count_tokens(text: str) -> int:
    """Split a text into tokens of four characters; the last one may be shorter."""
    return -(-len(text) // TOKEN)


def generate(completion: str, request: StubRequest, faults: Collection[str]) -> GeneratedText:
    """Cut the completion at the limits of the request."""
    if "empty" in faults:
        return GeneratedText("", "stop", 0)
    text = _text_until_stop(completion, request.stops, faults)
    limit = request.max_tokens
    if limit is not None and count_tokens(text) > limit:
        return GeneratedText(text[: limit * TOKEN], "length", limit)
    return GeneratedText(text, "stop", count_tokens(text))


def _text_until_stop(text: str, stops: list[str], faults: Collection[str]) -> str:
    head, tail = cut_at_stop(text, stops)
    if not tail or "stop-ignored" in faults:
        return text
    if "stop-kept" in faults:
        stop = max((stop for stop in stops if stop and tail.startswith(stop)), key=len)
        return text[: count_tokens(text[: len(head) + len(stop)]) * TOKEN]
    return head


def chat_logprobs(text: str) -> dict[str, object]:
    """Log probabilities in the shape of the chat interface; made from a hash, so they mean nothing."""
    content = [
        {"token": token, "logprob": _logprob(token), "bytes": list(token.encode()), "top_logprobs": []}
        for token in _tokens(text)
    ]
    return {"content": content, "refusal": None}


def completion_logprobs(text: str) -> dict[str, object]:
    """The same in the shape of the completions interface."""
    tokens = _tokens(text)
    return {
        "tokens": tokens,
        "token_logprobs": [_logprob(token) for token in tokens],
        "top_logprobs": [{token: _logprob(token)} for token in tokens],
        "text_offset": list(range(0, len(text), TOKEN)),
    }


def _tokens(text: str) -> list[str]:
    return [text[at : at + TOKEN] for at in range(0, len(text), TOKEN)]


def _logprob(token: str) -> float:
    return -int.from_bytes(sha256(token.encode()).digest()[:2], "big") / 65536


def shape_reply(text: str, document: dict[str, Any]) -> str:
    """The text if it fits the schema, else a small value that fits, with the text as its strings."""
    schema = read_schema(document)
    try:
        value_of(text, schema)
    except Misfit:
        return msgspec.json.encode(_example(schema, text)).decode()
    return text


def _example(schema: Schema, text: str) -> Any:
    if schema.const is not UNSET:
        return schema.const
    if schema.enum is not UNSET and schema.enum:
        return schema.enum[0]
    if schema.any_of:
        return _example(schema.any_of[0], text)
    kind = schema.type if isinstance(schema.type, str) else next(iter(schema.type), "string")
    return _OF_KIND[kind](schema, text)


def _object(schema: Schema, text: str) -> dict[str, Any]:
    names = dict.fromkeys((*schema.properties, *schema.required))
    return {name: _example(schema.properties.get(name, Schema()), text) for name in names}


def _array(schema: Schema, text: str) -> list[Any]:
    item = schema.items if isinstance(schema.items, Schema) else Schema()
    return [_example(item, text)] * schema.min_items


def _string(schema: Schema, text: str) -> str:
    longest = None if schema.max_length is UNSET else schema.max_length
    return text[:longest].ljust(schema.min_length, ".")


def _number(schema: Schema, text: str) -> float:
    """Return the least allowed whole number; with only a maximum, one that does not exceed it."""
    if schema.minimum is not UNSET:
        return ceil(schema.minimum)
    return 0 if schema.maximum is UNSET else min(0, floor(schema.maximum))


_OF_KIND: dict[str, Callable[[Schema, str], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
    "boolean": lambda schema, text: True,
    "null": lambda schema, text: None,
}
