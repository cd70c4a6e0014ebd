"""Recipe on sessions: the events of an agent or a developer as messages with calls of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchwright.building.alignment.exports.discussions import sessions
from benchwright.building.alignment.exports.material import MAX_TEXT, Material, row_for
from benchwright.interop.training.row_types import (
    ChatCall,
    ChatMessage,
    FunctionCall,
    TrainingRow,
)
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.session_records import command_and_output

_SPOKEN = ("issue_opened", "comment", "remark", "review", "error_report")
# By kind of event: the tool that it is a call of, its description, and its parameters.
_TOOLS = {
    "command": ("run", "Runs a command or a tool.", ("command", "tool")),
    "test_result": ("run_tests", "Runs tests and returns their result.", ("command", "tool")),
    "code_written": ("edit", "Changes files as a diff states.", ("paths", "diff")),
}
MAX_SESSION = 16 * MAX_TEXT  # characters of all messages


def agent_messages(material: Material) -> Iterator[TrainingRow | Drop]:
    """The messages of each session: what people said, what the agent said, and each call with its result."""
    for events in sessions(material).values():
        messages = [message for number, each in enumerate(events) for message in _messages(number, each)]
        reason = _refusal(messages)
        if reason:
            yield Drop(unit=events[0].pull, reason=reason)
            continue
        yield row_for(
            material,
            events[0],
            id=f"{events[0].repo}:{events[0].pull}",
            completion=messages,
            tools=_tools(events),
        )


def _messages(number: int, each: RepoEvent) -> Iterator[ChatMessage]:
    if each.kind in _SPOKEN and each.text.strip():
        yield ChatMessage(role=_speaker(each), content=each.text.strip())
    elif each.kind in _TOOLS and (each.text or each.files):  # else the end of the session
        name, arguments, result = _call(each)
        key = f"call_{number}"
        written = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        call = ChatCall(id=key, function=FunctionCall(name=name, arguments=written))
        yield ChatMessage(role="assistant", content="", tool_calls=[call])
        yield ChatMessage(role="tool", content=result, tool_call_id=key, name=name)


def _speaker(each: RepoEvent) -> str:
    if each.bot:
        return "assistant"
    return "system" if each.kind == "comment" and each.state == "system" else "user"


def _call(each: RepoEvent) -> tuple[str, dict[str, Any], str]:
    """The tool, the arguments and the result of an event."""
    name = _TOOLS[each.kind][0]
    if each.kind == "code_written":
        return name, {"paths": [file.path for file in each.files], "diff": each.text}, each.state or "done"
    command, output = command_and_output(each.text)
    result = "\n".join(text for text in (output.strip(), each.state) if text)
    return name, {"command": command, "tool": each.tool}, result


def _refusal(messages: Sequence[ChatMessage]) -> str:
    if not any(each.role == "user" for each in messages):
        return "no_task"
    if not any(each.tool_calls for each in messages):
        return "no_calls"
    if next(each.role for each in messages if each.role != "system") != "user":
        return "begins_without_task"
    return "" if sum(len(each.content) for each in messages) <= MAX_SESSION else "too_long"


def _tools(events: Sequence[RepoEvent]) -> list[dict[str, Any]]:
    """Descriptions of the tools that a session calls, by name."""
    used = sorted({each.kind for each in events} & set(_TOOLS), key=lambda kind: _TOOLS[kind][0])
    return [_tool(*_TOOLS[kind]) for kind in used]


def _tool(name: str, about: str, parameters: tuple[str, ...]) -> dict[str, Any]:
    types: dict[str, dict[str, Any]] = {
        each: {"type": "array", "items": {"type": "string"}} if each == "paths" else {"type": "string"}
        for each in parameters
    }
    schema = {"type": "object", "properties": types, "required": [parameters[0]]}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
