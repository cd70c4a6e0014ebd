"""The texts in a value of a stored row: a text, several, a chat completion, an item of a batch, or a log's.

What is looked through is what APIs send: `choices[].message.content` and `choices[].text` (OpenAI's and their
like), `output[].content[].text` (its responses), `message.content[].text` (Anthropic's batches),
`candidates[].content.parts[].text` (Gemini), and conversations, of which the last turn is the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.models.stored_answers.names import ANSWER_NAMES, plain
from benchwright.records import SOLUTION

_DEPTH = 8  # an item of a batch goes down five levels
_ENVELOPES = ("body", "response", "result", "choices", "message", "content", "parts", "candidates", "output")
_IN_PARTS = ("content", "parts")  # a list under one of these is one text in parts
_SPOKEN = frozenset({"text", "output_text", "message"})
_PART_TYPES = _SPOKEN | {"reasoning", "thinking", "redacted_thinking", "tool_use", "function_call"}
_INSIDE = frozenset(ANSWER_NAMES) - {"sample", "samples", "function", "result"}
_FAILED = frozenset({"errored", "expired", "canceled", "cancelled", "failed", "error"})


class ReplyText(NamedTuple):
    """One text with what its envelope says of it."""

    text: str
    finish_reason: str | None = None
    error: str | None = None
    form: str = ""  # "solution" of a text under that name: a whole program, as EvalPlus has it


class TwoTexts(Exception):
    """An envelope that holds two different texts, under these names."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def replies_in(value: Any, depth: int = 0, *, name: str = "") -> list[ReplyText] | None:
    """The replies that a value holds, in their order; None where it is none of the known forms.

    `name` is what the value is called in its row. Raises TwoTexts for an envelope with two different texts.
    """
    found = _found(value, depth, name=name)
    if found is None or plain(name) != SOLUTION:
        return found
    return [each._replace(form=SOLUTION) for each in found]


def _found(value: Any, depth: int, *, name: str) -> list[ReplyText] | None:
    if isinstance(value, str):
        return [ReplyText(value)]
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        return _in_object(value, depth)
    return _in_list(value, depth, in_parts=name in _IN_PARTS) if isinstance(value, list) else None


def failure_in(value: Any, depth: int = 0) -> str | None:
    """Why an API gave no answer, by the envelope of its reply; None where it says nothing of the kind."""
    if not isinstance(value, dict) or depth > _DEPTH:
        return None
    for name in ("body", "response", "result"):
        if (told := failure_in(value.get(name), depth + 1)) is not None:
            return told
    if (told := error_text(value.get("error"))) is not None:
        return told
    status, kind = value.get("status_code"), value.get("type")
    if isinstance(status, int) and not isinstance(status, bool) and status >= 400:
        return f"status {status}"
    return kind if isinstance(kind, str) and kind in _FAILED else None


def error_text(value: Any) -> str | None:
    """An error field as a text; None for one that says that there was none."""
    if value is None or value is False or value in ("", [], {}, 0):
        return None
    if isinstance(value, str):
        return None if value.strip().lower() in ("", "none", "null", "nan", "false", "no error") else value
    if isinstance(value, Mapping):
        told = value.get("message") or value.get("code") or value.get("type")
        return str(told) if isinstance(told, str | int) else "error"
    return "error" if value is True else str(value)[:200]


def _in_object(value: Mapping[str, Any], depth: int) -> list[ReplyText] | None:
    if "role" in value and value.get("content", "") is None:
        return [ReplyText("")]  # a refusal, or a call of a tool: it was asked and said nothing
    names = [name for name in _ENVELOPES if name in value]
    names += [name for name in value if plain(name) in _INSIDE and name not in names]
    found = {
        name: replies
        for name in names
        if (replies := replies_in(value[name], depth + 1, name=name)) is not None
    }
    if not found:
        return None
    if len({tuple(reply.text for reply in replies) for replies in found.values()}) > 1:
        raise TwoTexts(list(found))
    replies = next(iter(found.values()))
    reason = value.get("finish_reason", value.get("stop_reason"))
    return [each._replace(finish_reason=reason) for each in replies] if isinstance(reason, str) else replies


def _in_list(value: Sequence[Any], depth: int, *, in_parts: bool) -> list[ReplyText] | None:
    if value and all(isinstance(each, dict) for each in value):
        if all("role" in each and "type" not in each for each in value):
            return _last_turn(value, depth)
        if in_parts or all(each.get("type") in _PART_TYPES for each in value):
            return _joined(value, depth)
    found: list[ReplyText] = []
    for each in value:
        replies = [ReplyText("")] if each is None else replies_in(each, depth + 1)
        if replies is None:
            return None
        found += replies
    return found


def _last_turn(turns: Sequence[Mapping[str, Any]], depth: int) -> list[ReplyText] | None:
    if turns[-1]["role"] not in ("assistant", "model", "ai", "bot"):
        return None
    return replies_in(turns[-1], depth + 1)


def _joined(parts: Sequence[Mapping[str, Any]], depth: int) -> list[ReplyText] | None:
    """One reply that comes in parts; those that hold thoughts or calls are no text of it."""
    texts: list[str] = []
    for part in parts:
        if part.get("thought") is True or part.get("type", "text") not in _SPOKEN:
            continue
        replies = replies_in(part.get("text", part.get("content")), depth + 1) or []
        texts += [reply.text for reply in replies]
    return [ReplyText("".join(texts))]
