"""The contract of training files, checked without torch or `datasets`.

A trainer that meets a label of text, an empty completion or a column too many fails late, or trains on
something else. `check_rows` names the row and the column first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, nearest
from benchwright.interop.training.row_types import ROLES, ROW_TYPES, STEPWISE, Form, RowType
from benchwright.store.lines import Row

_LEAVE_OUT = "leave the row out: it teaches nothing"
MAX_FAULTS = 1_000  # of one file; more are not collected


class ContractFault(NamedTuple):
    """A violation in one row, without its place."""

    column: str | None
    message: str
    hint: str


Check = Callable[[str, Any], Iterator[ContractFault]]


def type_of(columns: Iterable[str]) -> RowType:
    """The type with these columns, else the one that shares most columns with them."""
    column_names = set(columns)
    return min(ROW_TYPES.values(), key=lambda kind: len(column_names ^ set(kind.columns)))


def check_rows(
    rows: Iterable[Row], place: str, *, kind: RowType | None = None, form: Form | None = None
) -> Iterator[DataError]:
    """Yield each violation of a type's contract with file, row and column; at most MAX_FAULTS.

    Without `kind` and `form` those of the first row hold for all.
    """
    count = found = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 (whether there is a row)
        if kind is None:
            kind = type_of(row.data)
        if form is None:
            form = form_of(row.data, kind)
        for fault in row_faults(row.data, kind, form):
            yield DataError(fault.message, path=place, line=row.line, field=fault.column, hint=fault.hint)
            if (found := found + 1) >= MAX_FAULTS:
                return
    if not count:
        yield DataError("the file has no rows", path=place, hint="remove the file")


def form_of(row: Mapping[str, Any], kind: RowType) -> Form:
    """The form of a row by its first text column."""
    if kind.forms == ("conversational",) or isinstance(row.get(kind.texts[0]), list):
        return "conversational" if "conversational" in kind.forms else "standard"
    return "standard"


def row_faults(row: Mapping[str, Any], kind: RowType, form: Form) -> Iterator[ContractFault]:
    """Yield the violations of one row."""
    yield from _column_faults(row, kind)
    check = _text_faults if form == "standard" else _messages_faults
    for name in kind.texts:
        if name in row:
            yield from check(name, row[name])
    for name in kind.others:
        if name in row:
            yield from _OTHERS[name](name, row[name])
    if kind.has_tools and "tools" in row:
        yield from _tools_faults("tools", row["tools"])
    if kind is STEPWISE:
        yield from _steps_faults(row)
    if "chosen" in kind.columns and row.get("chosen") == row.get("rejected") and "chosen" in row:
        yield ContractFault("rejected", "equals `chosen`, so the row says nothing", "leave the row out")


def _column_faults(row: Mapping[str, Any], kind: RowType) -> Iterator[ContractFault]:
    missing = [name for name in kind.columns if name not in row]
    column_names = ", ".join(kind.columns)
    for name in row:
        if name not in kind.columns:
            near = nearest(name, missing)
            hint = (
                f"rename it to `{near}`" if near else f"remove it; the columns of {kind.name}: {column_names}"
            )
            yield ContractFault(escaped_name(name), f"unknown column of the type {kind.name}", hint)
    for name in missing:
        yield ContractFault(
            name, f"missing column of the type {kind.name}", f"the columns are: {column_names}"
        )


def _text_faults(name: str, value: Any) -> Iterator[ContractFault]:
    if isinstance(value, list):
        yield ContractFault(
            name, "is a list, and the rows before it have texts", "export all rows in one form"
        )
    elif not isinstance(value, str):
        yield ContractFault(name, f"must be a text, not {_kind(value)}", "write a string")
    elif not value.strip():
        yield ContractFault(name, "is empty", _LEAVE_OUT)


def _messages_faults(name: str, value: Any) -> Iterator[ContractFault]:
    if not isinstance(value, list):
        hint = 'write [{"role": "user", "content": "…"}]'
        yield ContractFault(name, f"must be a list of messages, not {_kind(value)}", hint)
        return
    if not value:
        yield ContractFault(name, "has no messages", _LEAVE_OUT)
        return
    faults = [fault for at, each in enumerate(value) for fault in _message_faults(f"{name}[{at}]", each)]
    yield from faults or _order_faults(name, [each["role"] for each in value])


_MESSAGE = ("role", "content", "tool_calls", "tool_call_id", "name")


def _message_faults(place: str, message: Any) -> Iterator[ContractFault]:
    if not isinstance(message, dict):
        yield ContractFault(
            place, f"must be a message, not {_kind(message)}", 'write {"role": "user", "content": "…"}'
        )
        return
    for name in sorted(set(message) - set(_MESSAGE)):
        near = {"from": "role", "value": "content"}.get(name) or nearest(name, _MESSAGE)
        hint = f"rename it to `{near}`" if near else "remove it"
        yield ContractFault(f"{place}.{escaped_name(name)}", "unknown field of a message", hint)
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        problem = f"unknown role {escaped_name(str(role))}" if "role" in message else "missing role"
        yield ContractFault(f"{place}.role", problem, f"one of: {', '.join(ROLES)}")
    calls = message.get("tool_calls")
    if not isinstance(content, str):
        yield ContractFault(f"{place}.content", f"must be a text, not {_kind(content)}", "write a string")
    elif not content.strip() and not calls and role != "tool":
        yield ContractFault(f"{place}.content", "is empty", _LEAVE_OUT)
    if calls is not None:
        yield from _calls_faults(f"{place}.tool_calls", calls)


def _calls_faults(place: str, calls: Any) -> Iterator[ContractFault]:
    hint = 'write [{"type": "function", "function": {"name": "…", "arguments": "{…}"}}]'
    if not isinstance(calls, list):
        yield ContractFault(place, f"must be a list of calls, not {_kind(calls)}", hint)
        return
    for at, each in enumerate(calls):
        called = each.get("function") if isinstance(each, dict) else None
        if not isinstance(called, dict) or not isinstance(called.get("name"), str):
            yield ContractFault(f"{place}[{at}]", "must name a function", hint)
        elif not isinstance(_parsed(called.get("arguments")), dict):
            yield ContractFault(
                f"{place}[{at}].function.arguments", "must be the text of a JSON object", hint
            )


def _order_faults(name: str, roles: list[str]) -> Iterator[ContractFault]:
    """Violations of the order of roles that chat templates require."""
    if name == "prompt" and roles[-1] not in ("user", "tool"):
        hint = "move the last message to the completion"
        yield ContractFault(name, f"ends with a message of the {roles[-1]}; expected one of the user", hint)
    if name in ("completion", "chosen", "rejected") and roles[0] != "assistant":
        hint = "move the messages before the first one of the assistant to the prompt"
        yield ContractFault(
            name, f"begins with a message of the {roles[0]}; expected one of the assistant", hint
        )
    if name == "messages" and "assistant" not in roles:
        yield ContractFault(name, "has no message of the assistant", _LEAVE_OUT)


def _label_faults(name: str, value: Any) -> Iterator[ContractFault]:
    if not isinstance(value, bool):
        hint = "write true or false without quotes: a text of any content counts as true"
        yield ContractFault(name, f"must be a boolean, not {_kind(value)}", hint)


def _list_of(check: Check) -> Check:
    def faults(name: str, value: Any) -> Iterator[ContractFault]:
        if not isinstance(value, list):
            yield ContractFault(name, f"must be a list, not {_kind(value)}", "write one item for each step")
            return
        for at, each in enumerate(value):
            yield from check(f"{name}[{at}]", each)

    return faults


def _steps_faults(row: Mapping[str, Any]) -> Iterator[ContractFault]:
    steps, labels = row.get("completions"), row.get("labels")
    if not isinstance(steps, list) or not isinstance(labels, list):
        return
    if not steps:
        yield ContractFault("completions", "has no steps", _LEAVE_OUT)
    if len(steps) != len(labels):
        message = f"{len(labels)} labels for {len(steps)} completions"
        yield ContractFault("labels", message, "write one boolean for each completion")


def _tools_faults(name: str, value: Any) -> Iterator[ContractFault]:
    tools = _parsed(value)
    hint = 'write the text of a JSON list: [{"type": "function", "function": {"name": "…"}}]'
    if not isinstance(tools, list):
        yield ContractFault(name, "must be the text of a JSON list", hint)
        return
    for at, each in enumerate(tools):
        described = each.get("function") if isinstance(each, dict) else None
        if not isinstance(described, dict) or not isinstance(described.get("name"), str):
            yield ContractFault(f"{name}[{at}]", "must describe a function", hint)


_OTHERS: dict[str, Check] = {
    "label": _label_faults,
    "completions": _list_of(_text_faults),
    "labels": _list_of(_label_faults),
}


def _parsed(value: Any) -> Any:
    """The value of a JSON text; None for anything else."""
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


def _kind(value: object) -> str:
    if isinstance(value, str):
        return f"the text {json.dumps(escaped_name(value, 20), ensure_ascii=False)}"
    names = {list: "a list", dict: "an object", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
