"""Formats of training files, each for one family of tools.

`trl`: exactly the columns of a type. `sharegpt`: `conversations` of `{from, value}` as LLaMA-Factory reads
them, with `chosen`, `rejected` and `kto_tag`. `chat`: JSON Lines as fine-tuning services with a chat API take
them. `ianvs`: `prompt`, `query` and `response` of KubeEdge-Ianvs's LLM benchmarks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from benchwright.errors import UsageError
from benchwright.interop.training.row_types import (
    MESSAGES,
    PREFERENCE,
    PROMPT_COMPLETION,
    TOOL_MESSAGES,
    UNPAIRED,
    ChatMessage,
    Form,
    RowType,
    TrainingRow,
    tools_text,
    trl_row,
)

_SPEAKERS = {
    "system": "system",
    "developer": "system",
    "user": "human",
    "assistant": "gpt",
    "tool": "observation",
}

Pack = Callable[[TrainingRow, RowType, Form], dict[str, Any]]


class TrainingFormat(NamedTuple):
    """A format: the types that it can hold, and how a row is written."""

    name: str
    holds: tuple[RowType, ...]
    pack: Pack
    typed: bool = False  # the columns are those of the type, so there is Parquet too

    def check(self, kind: RowType, configuration: str) -> None:
        """Raise UsageError for a type that the format cannot hold."""
        if self.holds and kind not in self.holds:
            known = ", ".join(each.name for each in self.holds)
            message = f"--format {self.name} cannot hold {configuration}, whose rows are {kind.name}"
            raise UsageError(message, hint=f"use --format trl, or recipes with rows of: {known}")


def _sharegpt(row: TrainingRow, kind: RowType, form: Form) -> dict[str, Any]:
    if kind is PREFERENCE:
        return {
            "conversations": _turns(row.prompt),
            "chosen": _turns(row.completion)[0],
            "rejected": _turns(row.rejected)[0],
        }
    packed: dict[str, Any] = {"conversations": _turns([*row.prompt, *row.completion])}
    if kind is UNPAIRED:
        packed["kto_tag"] = row.label
    if kind.has_tools:
        packed["tools"] = tools_text(row)
    return packed


def _turns(messages: list[ChatMessage]) -> list[dict[str, str]]:
    """Messages as turns; each call of a tool is a separate turn with the call as JSON."""
    turns = []
    for each in messages:
        if each.content or not each.tool_calls:
            turns.append({"from": _SPEAKERS[each.role], "value": each.content})
        for call in each.tool_calls:
            value = f'{{"name": {json.dumps(call.function.name)}, "arguments": {call.function.arguments}}}'
            turns.append({"from": "function_call", "value": value})
    return turns


def _chat(row: TrainingRow, kind: RowType, form: Form) -> dict[str, Any]:
    if kind is PREFERENCE:
        return {
            "input": {"messages": [_chat_message(each) for each in row.prompt]},
            "preferred_output": [_chat_message(each) for each in row.completion],
            "non_preferred_output": [_chat_message(each) for each in row.rejected],
        }
    packed: dict[str, Any] = {"messages": [_chat_message(each) for each in [*row.prompt, *row.completion]]}
    return {**packed, "tools": row.tools} if row.tools else packed


def _chat_message(each: ChatMessage) -> dict[str, Any]:
    packed: dict[str, Any] = {"role": each.role, "content": each.content}
    if each.tool_calls:
        packed["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in each.tool_calls
        ]
    if each.tool_call_id:
        packed["tool_call_id"] = each.tool_call_id
    return packed


def _ianvs(row: TrainingRow, kind: RowType, form: Form) -> dict[str, Any]:
    system = [each.content for each in row.prompt if each.role == "system"]
    query = [each.content for each in row.prompt if each.role != "system"]
    response = [each.content for each in row.completion]
    return {
        "prompt": "\n\n".join(system),
        "query": "\n\n".join(query),
        "response": "\n\n".join(response),
        "level_1_dim": "single-modal",
        "level_2_dim": "text",
    }


FORMATS: Mapping[str, TrainingFormat] = {
    each.name: each
    for each in (
        TrainingFormat("trl", (), trl_row, typed=True),
        TrainingFormat(
            "sharegpt", (PROMPT_COMPLETION, PREFERENCE, UNPAIRED, MESSAGES, TOOL_MESSAGES), _sharegpt
        ),
        TrainingFormat("chat", (PROMPT_COMPLETION, PREFERENCE, MESSAGES, TOOL_MESSAGES), _chat),
        TrainingFormat("ianvs", (PROMPT_COMPLETION,), _ianvs),
    )
}
