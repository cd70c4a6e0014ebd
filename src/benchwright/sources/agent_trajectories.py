"""Published trajectories of agents as events: OpenHands and SWE-agent.

OpenHands: columns of nebius/SWE-rebench-openhands-trajectories; messages in the format of chat completions,
whose tool calls have their arguments as a text of JSON. SWE-agent: columns of nebius/SWE-agent-trajectories,
and the `.traj` files of https://github.com/SWE-agent/SWE-agent. A trajectory has no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import ndiff
from typing import Any

import msgspec

from benchwright.errors import DataError
from benchwright.lang.languages import language_of
from benchwright.records import Drop
from benchwright.sources.event_maker import EventMaker
from benchwright.sources.events import FileVersion, RepoEvent
from benchwright.sources.session_records import SessionSteps, changed_lines
from benchwright.store.scanning import UnreadableRowError
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.text.fences import locate_blocks

_EXIT = re.compile(r"(?:exit code|returned|exited with(?: code)?):? (-?\d{1,3})\b")
_INSTANCE = re.compile(r"([\w.-]+)__([\w.-]+)-(\d+)")
_OPEN_FILE = re.compile(r"\[File: (\S{1,500}) \(\d+ lines total\)\]")
_FILE_COMMAND = re.compile(r"\s*(?:open|create) [\"']?([^\s\"']{1,500})")
_EDIT = re.compile(r"\s*edit (\d+):(\d+)\s*\n(.*?)(?:\nend_of_edit\s*)?\Z", re.DOTALL)
_PATCHED = re.compile(r"^diff --git a/(\S{1,1000}) b/(\S{1,1000})$", re.MULTILINE)
_EDITORS = ("str_replace_editor", "str_replace_based_edit_tool", "edit_file", "file_editor")
_SHELLS = ("execute_bash", "bash", "execute_ipython_cell", "terminal")
MAX_DIFFED = 20_000  # characters of the texts that are compared line by line


class _Function(msgspec.Struct, frozen=True):
    name: str = ""
    arguments: Any = ""


class _Call(msgspec.Struct, frozen=True):
    id: str = ""
    function: _Function = _Function()


class _ChatMessage(msgspec.Struct, frozen=True):
    role: str
    content: Any = None
    text: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class _Trajectory(msgspec.Struct, frozen=True):
    """The columns that are read; `trajectory` may be a text of JSON."""

    instance_id: str
    trajectory: Any
    trajectory_id: str | int = ""
    repo: str | None = None
    model_name: str | None = None
    model: str | None = None
    target: bool | None = None
    resolved: bool | int | None = None
    exit_status: str | None = None
    model_patch: str | None = None
    generated_patch: str | None = None
    eval_logs: str | None = None


class _TrajStep(msgspec.Struct, frozen=True):
    action: str | None = ""
    observation: str | None = ""
    thought: str | None = ""


class _TrajInfo(msgspec.Struct, frozen=True):
    exit_status: str | None = None
    submission: str | None = None


class _TrajFile(msgspec.Struct, frozen=True):
    trajectory: list[_TrajStep]
    info: _TrajInfo = _TrajInfo()
    environment: str = ""


def is_agent_record(data: Mapping[str, Any]) -> bool:
    """Whether a row is a trajectory of a known format."""
    return "trajectory" in data and "kind" not in data


def events_of_agent(
    data: Mapping[str, Any], maker: EventMaker, origin: JsonOrigin, *, name: str = "", guard: str = ""
) -> Iterator[RepoEvent | Drop]:
    """Yield the events of one trajectory. `name` identifies a `.traj` file.

    Raises DataError for a row that has none of the known formats.
    """
    if "instance_id" not in data:
        yield from _of_traj_file(_converted(data, _TrajFile, origin), maker, name, guard)
        return
    row = _converted(data, _Trajectory, origin)
    listed = row.trajectory
    if isinstance(listed, str):
        listed = parse_object(b'{"m":%b}' % listed.encode(), origin, surrogates="replace")["m"]
    messages = _converted(listed, list[_ChatMessage], origin)
    repo = row.repo or repo_of_instance(row.instance_id) or maker.repo
    session = str(row.trajectory_id or f"{row.instance_id}@{name or origin.line}")
    agent = row.model_name or row.model or ("openhands" if _has_calls(messages) else "swe-agent")
    steps = SessionSteps(maker._replace(repo=repo), session, agent=agent, guard=guard)
    reader = _Chat(steps, maker, f"session:{session}")
    yield steps.opened(_task(messages), cites=_issues(row.instance_id))
    yield from reader.events(messages)
    yield from _end(row, steps)


def repo_of_instance(instance: str) -> str:
    """The repository in an instance's id, as SWE-bench writes it: `owner__name-123`; empty for others."""
    found = _INSTANCE.fullmatch(instance)
    return f"{found[1]}/{found[2]}" if found else ""


def _issues(instance: str) -> list[str]:
    found = _INSTANCE.fullmatch(instance)
    return [f"pull:{found[3]}"] if found else []


def _converted(data: Any, kind: Any, origin: JsonOrigin) -> Any:
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        message = f"not a trajectory: {str(error)[:200]}"
        raise UnreadableRowError(
            message, reason="trajectory_invalid", path=origin.path, line=origin.line
        ) from None


def _has_calls(messages: list[_ChatMessage]) -> bool:
    return any(each.tool_calls for each in messages)


def _text(message: _ChatMessage) -> str:
    """The text of a message, whose content may be a list of parts."""
    content = message.content if message.content is not None else message.text
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(texts)


def _task(messages: list[_ChatMessage]) -> str:
    return next((_text(each) for each in messages if each.role == "user"), "")


class _Chat:
    """Reads the messages of one trajectory; tool calls are joined with their results."""

    def __init__(self, steps: SessionSteps, maker: EventMaker, unit: str) -> None:
        self._steps, self._maker, self._unit = steps, maker, unit
        self._open = ""  # the file in SWE-agent's window

    def events(self, messages: list[_ChatMessage]) -> Iterator[RepoEvent | Drop]:
        """The steps. The system's message and the task, which opens the session, are left out."""
        results = {
            each.tool_call_id: _text(each) for each in messages if each.role == "tool" and each.tool_call_id
        }
        is_first = True
        for place, message in enumerate(messages):
            text = _text(message)
            if message.role in ("assistant", "ai"):
                following = messages[place + 1] if place + 1 < len(messages) else None
                yield from self._turn(message, text, results, following)
            elif message.role == "user" and not is_first and _has_calls(messages):
                yield self._steps.chat_message("user", text)
            is_first = is_first and message.role != "user"

    def _turn(
        self, message: _ChatMessage, text: str, results: Mapping[str, str], following: _ChatMessage | None
    ) -> Iterator[RepoEvent | Drop]:
        if message.tool_calls:
            if text.strip():
                yield self._steps.chat_message("assistant", text)
            for call in message.tool_calls:
                yield self._call(call, results.get(call.id, ""))
            return
        blocks = locate_blocks(text)
        thought = "\n".join(text.split("\n")[: blocks[-1].first_line - 2]) if blocks else text
        if thought.strip():
            yield self._steps.chat_message("assistant", thought.strip())
        if blocks:
            observed = _text(following) if following is not None and following.role == "user" else ""
            yield self.action(blocks[-1].block.content, observed)

    def _call(self, call: _Call, result: str) -> RepoEvent | Drop:
        given = call.function.arguments
        try:
            arguments = given if isinstance(given, dict) else _arguments(given)
        except DataError as error:
            return self._maker.drop(self._unit, "arguments_unreadable", f"{call.function.name}: {error.what}")
        name = call.function.name
        if name in _EDITORS and arguments.get("command") not in ("view", None):
            return self._edit(arguments)
        command = arguments.get("command", arguments.get("code", ""))
        if name in _SHELLS and isinstance(command, str):
            return self._steps.ran(command, result, exit_code(result))
        if name in ("think", "finish", "submit"):
            reply = arguments.get("thought", arguments.get("message", result))
            return self._steps.chat_message("assistant", reply if isinstance(reply, str) else "")
        call_line = f"{name} {command} {arguments.get('path', '')}".strip()
        return self._steps.ran(call_line, result, None, tool=name)

    def _edit(self, arguments: Mapping[str, Any]) -> RepoEvent:
        texts = {name: value for name, value in arguments.items() if isinstance(value, str)}
        path, command = texts.get("path", ""), texts.get("command", "")
        if command == "create":
            return self._changed(path, "", texts.get("file_text", ""), "added")
        return self._changed(path, texts.get("old_str", ""), texts.get("new_str", ""), "modified")

    def _changed(self, path: str, old: str, new: str, status: str) -> RepoEvent:
        diff = line_diff(old, new)
        return self._steps.edited([file_version(path, diff, status)], diff)

    def action(self, action: str, observed: str) -> RepoEvent:
        """A command of SWE-agent: an edit of the open file, or anything for the shell."""
        if command_match := _FILE_COMMAND.match(action):
            self._open = command_match[1]
        edit = _EDIT.match(action)
        path = self._open
        if opened_file := _OPEN_FILE.search(observed):
            self._open = opened_file[1]
        if edit is None:
            return self._steps.ran(action.strip(), observed, exit_code(observed))
        return self._changed(self._open or path, "", edit[3], "modified")


def _arguments(given: Any) -> dict[str, Any]:
    text = given if isinstance(given, str) else ""
    return parse_object(
        text.encode("utf-8", "replace") or b"{}", JsonOrigin("arguments", 1), surrogates="replace"
    )


def exit_code(output: str) -> int | None:
    """The exit code that an agent's log states in its last lines; None if it states none."""
    found = _EXIT.findall(output[-400:])
    return int(found[-1]) if found else None


def line_diff(old: str, new: str) -> str:
    """Removed and added lines, with a sign before each; long texts are not compared line by line."""
    if not old:
        return "\n".join(f"+{line}" for line in new.split("\n")) if new else ""
    if len(old) + len(new) > MAX_DIFFED:
        removed = [f"-{line}" for line in old.split("\n")]
        return "\n".join([*removed, *(f"+{line}" for line in new.split("\n"))])
    found = [line for line in ndiff(old.split("\n"), new.split("\n")) if not line.startswith("?")]
    return "\n".join(line[0] + line[2:] for line in found)


def file_version(path: str, diff: str, status: str) -> FileVersion:
    """A file of an edit, with its numbers of lines."""
    added, removed = changed_lines(diff)
    language = language_of(path)
    return FileVersion(
        path=path, status=status, added=added, removed=removed, language=language.name if language else ""
    )


def patched_files(patch: str) -> list[FileVersion]:
    """The files of a patch that git wrote, with their numbers of lines."""
    heads = list(_PATCHED.finditer(patch))
    ends = [*(each.start() for each in heads), len(patch)][1:]
    found = []
    for head, end in zip(heads, ends, strict=True):
        part = patch[head.end() : end]
        kinds = {"new file mode": "added", "deleted file mode": "deleted", "rename from": "renamed"}
        status = next((kind for mark, kind in kinds.items() if f"\n{mark}" in part[:400]), "modified")
        version = file_version(head[2], part, status)
        found.append(version)
    return found


def _end(row: _Trajectory, steps: SessionSteps) -> Iterator[RepoEvent]:
    """The patch, and whether the tests of the task accepted it."""
    patch = row.model_patch or row.generated_patch or ""
    if patch.strip():
        yield steps.edited(patched_files(patch), patch)
    accepted = row.resolved if row.resolved is not None else row.target
    if accepted is not None:
        yield steps.tested("passed" if accepted else "failed", row.eval_logs or "", tool="evaluation")
    if row.exit_status:
        yield steps.ended(row.exit_status)


def _of_traj_file(file: _TrajFile, maker: EventMaker, name: str, guard: str) -> Iterator[RepoEvent | Drop]:
    repo = repo_of_instance(name) or maker.repo
    steps = SessionSteps(maker._replace(repo=repo), name, agent="swe-agent", guard=guard)
    chat = _Chat(steps, maker, f"session:{name}")
    yield steps.opened("", cites=_issues(name))
    for step in file.trajectory:
        if (step.thought or "").strip():
            yield steps.chat_message("assistant", (step.thought or "").strip())
        if (step.action or "").strip():
            yield chat.action(step.action or "", step.observation or "")
    if (file.info.submission or "").strip():
        yield steps.edited(patched_files(file.info.submission or ""), file.info.submission or "")
    if file.info.exit_status:
        yield steps.ended(file.info.exit_status)
