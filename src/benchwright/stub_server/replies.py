"""Replies in the shape of OpenAI's interface, and the shapes that servers give in its place."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from benchwright.stub_server.asked import Asked
from benchwright.stub_server.faults import ERRORS, KINDS, Fault
from benchwright.stub_server.generating import (
    Generated,
    chat_logprobs,
    completion_logprobs,
    count_tokens,
    generate,
)
from benchwright.stub_server.http import StubReply
from benchwright.stub_server.script import Script
from benchwright.stub_server.shaping import shaped

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


def answer_reply(asked: Asked, script: Script, faults: dict[str, Fault]) -> StubReply:
    """The answer to a question, bent by the faults that show. Every key of `faults` is a kind."""
    if "wrong-shape" in faults:
        return json_reply({"object": "list", "data": []})
    if "schema-refused" in faults and asked.schema is not None:
        return refusal(400, "stub server: response_format is not supported")
    choices: list[dict[str, Any]] = []
    tokens = 0
    for prompt in asked.prompts:
        for number in range(_choices(asked.n, faults)):
            text = script.answer(**_drawn(asked, number, faults), prompt=prompt, turn=asked.turn)
            if text is None:
                return refusal(400, f"no row of the script has a text of this prompt: {prompt[:200]!r}")
            if asked.schema is not None and "schema-ignored" not in faults:
                text = shaped(text, asked.schema)
            generated = generate(text, asked, faults)
            tokens += generated.tokens
            choices.append(_choice(len(choices), asked, generated, faults))
    return _whole(asked, choices, tokens, faults)


def _choices(n: int, faults: Collection[str]) -> int:
    if "n-ignored" in faults:
        return 1
    return n + 1 if "n-forced" in faults else n


def _drawn(asked: Asked, number: int, faults: Collection[str]) -> dict[str, Any]:
    """What chooses the completion. A request without a seed counts as seed 0, each further choice adds 1."""
    if "duplicates" in faults:
        return {"model": asked.model, "seed": 0, "temperature": 0.0}
    return {"model": asked.model, "seed": (asked.seed or 0) + number, "temperature": asked.temperature}


def _choice(index: int, asked: Asked, made: Generated, faults: Collection[str]) -> dict[str, Any]:
    logprobs = None
    if asked.logprobs and "logprobs-null" not in faults:
        logprobs = chat_logprobs(made.text) if asked.chat else completion_logprobs(made.text)
    text = None if "null" in faults else made.text
    said = {"message": {"role": "assistant", "content": text}} if asked.chat else {"text": text}
    return {"index": index, **said, "logprobs": logprobs, "finish_reason": made.finish_reason}


def _whole(asked: Asked, choices: list[dict[str, Any]], tokens: int, faults: dict[str, Fault]) -> StubReply:
    document: dict[str, Any] = {
        "id": "stub",
        "object": "chat.completion" if asked.chat else "text_completion",
        "created": CREATED,
        "model": asked.model,
        "choices": choices,
    }
    if "usage-missing" not in faults:
        read = sum(map(count_tokens, asked.prompts))
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
