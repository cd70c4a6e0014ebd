"""A request to the chat or completions interface, read and checked the way a strict server does it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from benchwright.asking.schema import read_schema
from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.store.strict_json import NOT_JSON

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
MAX_CHOICES = 10_000


class RefusedRequest(Exception):
    """The request is refused with status 400; the text says why."""


class _Part(Record, frozen=True, kw_only=True):
    type: str
    text: str = ""


class _Message(Record, frozen=True, kw_only=True):
    role: str
    content: str | list[_Part] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class _Shape(Record, frozen=True, kw_only=True):
    name: str
    schema: dict[str, Any]
    strict: bool | None = None


class _Format(Record, frozen=True, kw_only=True):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: _Shape | None = None


class _Body(Record, frozen=True, kw_only=True):
    model: str
    messages: list[_Message] | None = None
    prompt: str | list[str] | None = None
    n: int | None = None
    seed: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: str | list[str] | None = None
    response_format: _Format | None = None
    logprobs: bool | int | None = None
    stream: bool | None = None
    echo: bool | None = None


class StubRequest(Record, frozen=True, kw_only=True):
    """The fields of a request that decide its answers. `seed` is None if the client sent none."""

    chat: bool
    model: str
    prompts: list[str]
    n: int
    seed: int | None
    temperature: float
    max_tokens: int | None
    stops: list[str]
    logprobs: bool
    turn: str | None = None  # the last message of the user, in a conversation
    schema: dict[str, Any] | None = None  # of the reply

    @property
    def prompt(self) -> str:
        """All prompts as one text."""
        return "\n\n".join(self.prompts)


def read_asked(path: str, data: bytes) -> StubRequest:
    """The question in a body. Raises Refused for what a real server refuses, and for what this one lacks."""
    try:
        body = msgspec.json.decode(data, type=_Body)
    except NOT_JSON as error:
        raise RefusedRequest(f"the body is not a request: {error}") from None
    _check(body)
    stops = [body.stop] if isinstance(body.stop, str) else body.stop or []
    return StubRequest(
        chat=path == CHAT,
        model=body.model,
        prompts=_prompts(path, body),
        n=1 if body.n is None else body.n,
        seed=body.seed,
        temperature=1.0 if body.temperature is None else body.temperature,
        max_tokens=body.max_completion_tokens or body.max_tokens,
        stops=stops,
        turn=next((each.text for each in reversed(body.messages or []) if each.role == "user"), None),
        schema=_schema(body),
        logprobs=body.logprobs is not None
        and body.logprobs is not False,  # of completions a number, and 0 asks for them too
    )


def _check(body: _Body) -> None:
    if body.stream or body.echo:
        raise RefusedRequest("the stub server has neither `stream` nor `echo`")
    if body.n is not None and not 1 <= body.n <= MAX_CHOICES:
        raise RefusedRequest(f"n must be from 1 to {MAX_CHOICES}")
    if body.temperature is not None and not 0 <= body.temperature <= 2:
        raise RefusedRequest("temperature must be from 0 to 2")
    for name in ("max_tokens", "max_completion_tokens"):
        number = getattr(body, name)
        if number is not None and number < 1:
            raise RefusedRequest(f"{name} must be at least 1")


def _prompts(path: str, body: _Body) -> list[str]:
    """A conversation is one prompt, its messages' texts with empty lines between them."""
    if path == CHAT:
        if not body.messages:
            raise RefusedRequest("`messages` is missing or empty")
        return ["\n\n".join(message.text for message in body.messages)]
    if body.prompt is None or body.prompt == []:
        raise RefusedRequest("`prompt` is missing or empty")
    return [body.prompt] if isinstance(body.prompt, str) else body.prompt


def _schema(body: _Body) -> dict[str, Any] | None:
    """The schema of the reply that is asked for. Raises Refused for one that this server cannot hold to."""
    wanted = body.response_format
    if wanted is None or wanted.type != "json_schema":
        return None
    if wanted.json_schema is None:
        raise RefusedRequest("response_format: `json_schema` is missing")
    try:
        read_schema(wanted.json_schema.schema)
    except UsageError as error:
        raise RefusedRequest(f"response_format: {error.message}") from None
    return wanted.json_schema.schema


def loose(data: Any) -> Any:
    """A body as any JSON, for the record of requests; None when it is none."""
    try:
        return msgspec.json.decode(data)
    except NOT_JSON:
        return None
