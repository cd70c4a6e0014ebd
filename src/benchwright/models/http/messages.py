"""Encode requests, and decode replies into answers or named faults."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from benchwright.asking.parameters import LIMIT, TEMPERATURE, seed_of
from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import DataError, UsageError
from benchwright.models.http.failures import RequestFailure
from benchwright.records import Record
from benchwright.store.strict_json import MAX_DEPTH, NOT_JSON, JsonOrigin, parse_value
from benchwright.text.normalisation import cut_at_stop, strip_reasoning

# Whether the model that a server names is the one that was asked for, written in another way. A name has a
# path, a base and details. The details say which edition it is: a revision (`NAME@main`), a tag
# (`NAME:7b`), a date (`NAME-2024-08-06`), how its numbers are stored (`NAME-AWQ`, `NAME.Q4_K_M.gguf`). Two
# names are of one model when the bases are equal, one path ends as the other does (`models/NAME`,
# `openai/NAME`, a file's folder), and no detail is given on both sides and differs. Case does not count. An
# alias that a server resolves is so no other model, nor is a file's own name; `NAME-mini` is one, and so is
# another date, tag or quantisation than the one that was asked for.

MAX_NAME = 500  # longer texts are not names
_OPEN = frozenset({"", "latest", "main", "master", "default"})  # details that name no edition
_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_SHORT = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|2[0-9](?:0[1-9]|1[0-2])|00\d"  # 0613, 2411, 002
_STORED = r"(?:i?q\d(?:_[0-9a-z]+)*|awq|gptq|gguf|exl\d|bnb-4bit|[48]bit|int[48]|fp(?:8|16|4)|bf16|f16|f32)"
_ENDS = {
    "revision": re.compile(r"@([^@/]*)$"),
    "tag": re.compile(r":([^:/@]*)$"),
    "file": re.compile(r"\.(gguf|safetensors|bin|onnx|pt)$"),
    "date": re.compile(rf"[-@](latest|{_DATE}|{_SHORT})$"),
    "stored": re.compile(rf"[-._]({_STORED})$"),
}


class _Name(NamedTuple):
    path: list[str]  # the base is its last part
    details: dict[str, str]


def same_model(requested: str, answering: str) -> bool:
    """Whether both names can mean one model.

    >>> same_model("gpt-4o", "gpt-4o-2024-08-06"), same_model("gpt-4o", "gpt-4o-mini")
    (True, False)
    """
    if requested == answering:
        return True
    if len(answering) > MAX_NAME:
        return False
    expected, actual = _read(requested), _read(answering)
    shorter = min(len(expected.path), len(actual.path))
    return expected.path[-shorter:] == actual.path[-shorter:] and all(
        expected.details.get(kind, "") in _OPEN or detail in _OPEN or expected.details[kind] == detail
        for kind, detail in actual.details.items()
        if kind != "file"
    )


def _read(name: str) -> _Name:
    rest, details = name.strip().rstrip("/").lower().replace("\\", "/"), dict[str, str]()
    while found := next(((kind, m) for kind, end in _ENDS.items() if (m := end.search(rest))), None):
        kind, match = found
        if not match.start() or rest[match.start() - 1] == "/":
            break  # nothing would be left of the name
        details.setdefault(kind, match[1])
        rest = rest[: match.start()]
    return _Name([part for part in rest.split("/") if part], details)


# A request has one prompt, asks for one answer, and has its own seed. `n` is never sent: a server that
# ignores it returns one choice instead of ten, and one that ignores seeds returns ten copies. With one
# request for each answer, answers can be retried, paced and resumed one by one.

MAX_STOPS = 4  # that OpenAI's interface takes in one request
# Fields of the body that have an option, or that would change the form of a reply.
SETTINGS = {
    "temperature": "--temperature",
    "top_p": "--top-p",
    "max_tokens": "--max-tokens",
    "stop": "--stop",
    "seed": "--seed",
}
OURS = {"model", "messages", "prompt", "n", "best_of", "stream", "stream_options", "echo"}


def check_body(asking: RequestOptions) -> None:
    """Raise UsageError for a body field that Benchwright or one of its options sets."""
    for name, value in asking.body.items():
        if name in OURS:
            message = f"the request's field {name!r} is Benchwright's own"
            raise UsageError(message, hint="each request asks one question once; use `--n` for more answers")
        if name in SETTINGS and value is not None:
            message = f"the request's field {name!r} is set by an option"
            raise UsageError(message, hint=f"{SETTINGS[name]} {value}; null in the body leaves the field out")


class Form:
    """The format of requests: everything that all bodies have in common, computed once."""

    def __init__(self, name: str, asking: RequestOptions) -> None:
        self._chat = asking.api == "chat"
        self._seed = None if "seed" in asking.body else asking.seed
        self.stops = asking.stop
        # Stop strings are never sent to the chat interface: there they also end the reasoning, and that
        # cannot be undone. A base model does not end by itself, so its interface gets as many as it accepts.
        self.sent_stops = () if self._chat else asking.stop[:MAX_STOPS]
        self._fixed = _fixed(name, asking, self.sent_stops)

    def seed(self, prompt: Prompt) -> int | None:
        """Return the seed of a prompt; None where the caller omitted the field."""
        return None if self._seed is None else seed_of(self._seed, prompt.key)

    def body(self, prompt: Prompt) -> bytes:
        """Return the request's body."""
        content = _conversation(prompt) if self._chat else {"prompt": prompt.text}
        seed = {} if self._seed is None else {"seed": self.seed(prompt)}
        return encode_body({**self._fixed, **content, **seed})

    def read(self, data: bytes, *, model: str) -> ReplyContent:
        """Return the answer in a reply with status 200. Raises RequestFailure for an unusable one."""
        return read_reply(data, self, model=model, api="chat" if self._chat else "completions")

    def content(
        self,
        answer: str,
        *,
        reasoning: str,
        reason: Any,
        tokens: tuple[int | None, int | None],
        model_names: tuple[str, Any],
    ) -> ReplyContent:
        """Return the content of a reply. `model_names` are the requested and the answering model.

        An empty requested one is the user's alias, which any model may answer.
        """
        text, tail = cut(answer, self.stops)
        requested, answering = model_names
        faults = {}
        if requested and isinstance(answering, str) and not same_model(requested, answering):
            faults["other-model"] = answering
        if not isinstance(reason, str) or not reason:
            faults["finish-reason-missing"] = ""
        if None in tokens:
            faults["usage-missing"] = ""
        if not answer:
            faults["empty"] = f"finish_reason {reason}" if reason else ""
        return ReplyContent(
            text=text,
            tail=tail,
            reasoning=reasoning,
            finish_reason=reason if isinstance(reason, str) else None,
            tokens_in=tokens[0],
            tokens_out=tokens[1],
            faults=faults,
        )


def encode_body(body: dict[str, Any]) -> bytes:
    """Encode a body as JSON, whatever its texts contain."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:  # half a surrogate pair, which an escape can send as it is
        return json.dumps(body).encode()


def _conversation(prompt: Prompt) -> dict[str, Any]:
    """Return the messages, and the reply format if the prompt has a schema; it precedes that of --body."""
    messages = [{"role": message.role, "content": message.content} for message in prompt.history]
    messages.append({"role": "user", "content": prompt.text})
    if prompt.schema is None:
        return {"messages": messages}
    reply_format = {"name": "reply", "schema": prompt.schema, "strict": True}
    return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": reply_format}}


def _fixed(name: str, asking: RequestOptions, stops: tuple[str, ...]) -> dict[str, Any]:
    own = {
        "model": name,
        "max_tokens": None if asking.body.get(LIMIT) else asking.max_tokens,
        "temperature": TEMPERATURE if asking.temperature is None else asking.temperature,
        "top_p": asking.top_p,
        "stop": list(stops) or None,
    }
    # A null is a field left out: some servers refuse a field that they do not know, whatever its value.
    return {field: value for field, value in {**own, **asking.body}.items() if value is not None}


# Reading a reply: the answer's text, and every way in which the reply is not what was asked for. A reply is
# untrusted. It may be any bytes, nest without end, or have any type in any place; what cannot be read
# raises `RequestFailure`, and every repair is recorded.

KEPT = 32  # characters from a stop string on: no more is left of its token
MAX_TOKENS = 1 << 40


class ReplyContent(Record, frozen=True, kw_only=True):
    """The content of a reply. `faults` are violations of the interface, with details."""

    text: str
    tail: str = ""
    reasoning: str = ""  # sent separately from the answer
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


_Parsed = TypeVar("_Parsed", bound=msgspec.Struct)


def read_reply(data: bytes, form: Form, *, model: str, api: str) -> ReplyContent:
    """Return the answer in a reply with status 200. Raises RequestFailure for an unusable one."""
    reply = parse_reply(data, _Reply)
    choice = _choice(reply)
    answer, reasoning = _content(choice) if api == "chat" else (_text(choice.text), "")
    found = form.content(
        answer,
        reasoning=reasoning,
        reason=choice.finish_reason,
        tokens=_tokens(reply.usage),
        model_names=(model, reply.model),
    )
    faults = dict(found.faults)
    if reply.choices and len(reply.choices) > 1:
        faults["several-choices"] = f"{len(reply.choices)} choices"
    if form.sent_stops and (left := cut(answer, form.sent_stops)[1]):
        faults["stop-kept" if len(left) <= KEPT else "stop-ignored"] = left[:KEPT]
    return msgspec.structs.replace(found, faults=faults)


def cut(text: str, stops: tuple[str, ...]) -> tuple[str, str]:
    """Split a text before the first stop string after its reasoning.

    A stop string in the reasoning ends nothing: it would cut a reasoning model off before its answer.
    """
    if not stops:
        return text, ""
    answer = strip_reasoning(text).text if "<" in text or "[" in text or "◁" in text else text
    if not text.endswith(answer):  # reasoning in the middle: there is no one place to start from
        answer = text
    start = len(text) - len(answer)
    before_stop, tail = cut_at_stop(answer, stops)
    return text[:start] + before_stop, tail


def parse_reply(data: bytes, kind: type[_Parsed]) -> _Parsed:
    """Decode a reply by its types. Only relevant fields are created, so a huge reply costs little."""
    try:
        reply: _Parsed = _decoder(kind).decode(data)
    except NOT_JSON:
        return _parse_slowly(data, kind)
    return reply


@cache
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _parse_slowly(data: bytes, kind: type[_Parsed]) -> _Parsed:
    """Decode half a surrogate pair, which a token limit makes of an emoji; else explain the error."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise malformed_reply("not-utf8", f"byte {error.start} is not UTF-8") from None
    try:
        value = parse_value(data, JsonOrigin("", 0), max_depth=MAX_DEPTH, surrogates="replace")
    except DataError as error:
        raise malformed_reply("wrong-json", error.message.partition(": ")[2]) from None
    try:
        reply: _Parsed = msgspec.convert(value, kind)
        return reply
    except msgspec.ValidationError as error:
        raise malformed_reply("wrong-shape", str(error)) from None


def _choice(reply: _Reply) -> _Choice:
    if reply.error:
        raise malformed_reply("error-in-reply", error_text(reply.error))
    if not reply.choices:
        raise malformed_reply("wrong-shape", "it has no choices")
    choice = reply.choices[0]
    if choice.error or choice.finish_reason == "error":
        raise malformed_reply("error-in-reply", error_text(choice.error))
    return choice


def error_text(error: Any) -> str:
    """Return the words of an error with status 200."""
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else "it does not say which"


def _content(choice: _Choice) -> tuple[str, str]:
    """Return answer and reasoning of a chat reply."""
    if choice.message is None:
        raise malformed_reply("wrong-shape", "its choice has no message")
    content, beside = choice.message.content, choice.message.reasoning_content or choice.message.reasoning
    reasoning = beside if isinstance(beside, str) else ""
    if isinstance(content, list):  # parts, as Mistral's reasoning models send them
        return _parts(content, "text"), reasoning or _parts(content, "thinking")
    return _text(content), reasoning


def _parts(parts: list[Any], kind: str) -> str:
    """Return the texts of one kind of parts; reasoning has its own parts."""
    texts = []
    for part in parts:
        if not isinstance(part, dict):
            raise malformed_reply("wrong-shape", "a part of its content is not an object")
        if part.get("type") == kind:
            inner = part.get(kind)
            texts.append(_parts(inner, "text") if isinstance(inner, list) else _text(inner))
    return "".join(texts)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise malformed_reply("wrong-shape", "it has no text, or one that is not a string")
    return value


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    if not isinstance(usage, dict):
        return None, None
    return token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))


def token_count(value: Any) -> int | None:
    """Return a number of tokens if it is valid."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= MAX_TOKENS else None


def malformed_reply(fault: str, detail: str) -> RequestFailure:
    """Return the failure of an unusable reply."""
    return RequestFailure(fault, f"the reply cannot be used: {detail}", fault=fault)
