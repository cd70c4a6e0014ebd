"""Types of training rows: their columns are those of TRL (docs/source/dataset_formats.md, TRL 1.16).

A file has exactly the columns of one type: trainers read a further column as another type, or refuse it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from benchwright.records import Record

Form = Literal["standard", "conversational"]
FORMS: tuple[Form, ...] = ("standard", "conversational")
ROLES = ("system", "developer", "user", "assistant", "tool")

_TEXT = "VARCHAR"
_MESSAGES = 'STRUCT("role" VARCHAR, "content" VARCHAR)[]'
_CALLS = 'STRUCT("id" VARCHAR, "type" VARCHAR, "function" STRUCT("name" VARCHAR, "arguments" VARCHAR))[]'
_TOOL_MESSAGES = (
    f'STRUCT("role" VARCHAR, "content" VARCHAR, "tool_calls" {_CALLS}, '
    '"tool_call_id" VARCHAR, "name" VARCHAR)[]'
)


class RowType(NamedTuple):
    """A type of rows: the columns that hold texts or messages, then those with other values."""

    name: str
    texts: tuple[str, ...]
    others: Mapping[str, str] = {}  # DuckDB's types by column
    forms: tuple[Form, ...] = FORMS
    has_tools: bool = False  # a column `tools` with JSON text, and calls in messages

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in order."""
        return (*self.texts, *self.others, *(("tools",) if self.has_tools else ()))

    def types(self, form: Form) -> dict[str, str]:
        """DuckDB's type of each column."""
        messages = _TOOL_MESSAGES if self.has_tools else _MESSAGES
        texts = dict.fromkeys(self.texts, _TEXT if form == "standard" else messages)
        return {**texts, **self.others, **({"tools": _TEXT} if self.has_tools else {})}


MESSAGES = RowType("messages", ("messages",), forms=("conversational",))
TOOL_MESSAGES = MESSAGES._replace(name="messages_with_tools", has_tools=True)
PROMPT_COMPLETION = RowType("prompt_completion", ("prompt", "completion"))
PREFERENCE = RowType("preference", ("prompt", "chosen", "rejected"))
UNPAIRED = RowType("unpaired_preference", ("prompt", "completion"), {"label": "BOOLEAN"})
STEPWISE = RowType(
    "stepwise", ("prompt",), {"completions": "VARCHAR[]", "labels": "BOOLEAN[]"}, forms=("standard",)
)
ROW_TYPES = {
    each.name: each for each in (MESSAGES, TOOL_MESSAGES, PROMPT_COMPLETION, PREFERENCE, UNPAIRED, STEPWISE)
}


class FunctionCall(Record, frozen=True, kw_only=True):
    """The called function; `arguments` is a JSON object as text."""

    name: str
    arguments: str


class ChatCall(Record, frozen=True, kw_only=True):
    """A call of a tool in a message of an assistant."""

    id: str
    function: FunctionCall


class ChatMessage(Record, frozen=True, kw_only=True):
    """A message of a conversation."""

    role: str
    content: str
    tool_calls: list[ChatCall] = []
    tool_call_id: str = ""  # of a tool's result: the call
    name: str = ""  # of a tool's result: the tool


class TrainingRow(Record, frozen=True, kw_only=True):
    """One row before it is written in a format: texts as messages, whatever the form.

    `prompt` and `completion` are those of the type; for a preference `completion` is the chosen one, for
    `messages` the prompt is empty. `steps` and `labels` belong to the type `stepwise`.
    """

    id: str  # unique in its configuration
    prompt: list[ChatMessage] = []
    completion: list[ChatMessage] = []
    rejected: list[ChatMessage] = []
    label: bool | None = None
    steps: list[str] = []
    labels: list[bool] = []
    tools: list[dict[str, Any]] = []
    repo: str = ""
    licence: str = ""
    rung: int | None = None
    sha: str = ""
    url: str = ""
    at: str = ""  # ISO 8601, UTC
    split: str = "train"
    evidence: str = ""  # id of the link, of the event or of the answer that the row rests on


def user(text: str) -> ChatMessage:
    """A message of the user."""
    return ChatMessage(role="user", content=text)


def assistant(text: str) -> ChatMessage:
    """A message of the assistant."""
    return ChatMessage(role="assistant", content=text)


def trl_row(row: TrainingRow, kind: RowType, form: Form) -> dict[str, Any]:
    """The row with exactly the columns of its type."""
    parts = {
        "messages": [*row.prompt, *row.completion],
        "prompt": row.prompt,
        "completion": row.completion,
        "chosen": row.completion,
        "rejected": row.rejected,
    }
    packed: dict[str, Any] = {
        name: [_message(each, kind) for each in parts[name]]
        if form == "conversational"
        else _text(parts[name])
        for name in kind.texts
    }
    others = {"label": row.label, "completions": row.steps, "labels": row.labels}
    packed |= {name: others[name] for name in kind.others}
    return {**packed, "tools": tools_text(row)} if kind.has_tools else packed


def tools_text(row: TrainingRow) -> str:
    """The descriptions of a row's tools as JSON text, which every version of `datasets` reads alike."""
    return json.dumps(row.tools, ensure_ascii=False, sort_keys=True)


def _text(messages: list[ChatMessage]) -> str:
    return "\n\n".join(each.content for each in messages)


def _message(each: ChatMessage, kind: RowType) -> dict[str, Any]:
    plain = {"role": each.role, "content": each.content}
    if not kind.has_tools:
        return plain
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in each.tool_calls
    ]
    return {
        **plain,
        "tool_calls": calls or None,
        "tool_call_id": each.tool_call_id or None,
        "name": each.name or None,
    }
