"""The answer in an item: which column holds the task, the texts, the sample, and the error."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from benchwright.display.escape import quoted
from benchwright.models.stored_answers.fields import (
    ANSWER_NAMES,
    ERROR,
    ERROR_NAMES,
    ID_NAMES,
    IGNORED,
    MBPP_REFERENCE,
    MBPP_TESTS,
    NUMBER,
    PLACE,
    PLACES,
    PROMPT,
    SAMPLE,
    SAMPLE_NAMES,
    TASK,
    TEXT,
    VERDICT_NAMES,
    FieldNames,
    StoredAnswer,
    is_plain,
    list_names,
    plain,
    read_stored,
    value_at,
    wrong,
)
from benchwright.models.stored_answers.items import StoredItem
from benchwright.records import SOLUTION

# Exceptions of programs; a request fails with an OSError, such as a TimeoutError.
_PROGRAM_ERRORS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, OSError)
)


class IdColumn(NamedTuple):
    """The column that says the task: its name in the file, and what its values are (a part of `names`)."""

    name: str | None  # None: the item itself has a key or a place
    kind: str = ""  # empty: unknown


class ItemAnswers(NamedTuple):
    """The answers in one item, all to one task."""

    replies: list[StoredAnswer]
    column: str  # where the texts were
    noted: bool = False  # the row has an error and a text: the error counts as the program's


class Columns:
    """Reads items of one file, by what the user said of its columns and by their usual names."""

    def __init__(self, fields: FieldNames) -> None:
        self._fields = fields

    def id_column(self, item: StoredItem) -> IdColumn:
        """Where items that look like this one say their task."""
        if (mine := self._fields.column(TASK, PLACE, NUMBER)) is not None:
            return IdColumn(mine, self._fields.part(mine))
        if item.key is not None:
            return IdColumn(None)
        if isinstance(item.value, dict):
            by_name = {plain(name): name for name in reversed(item.value) if self._is_free(name)}
            for name in ID_NAMES:
                if name in by_name and _is_id(item.value[by_name[name]]):
                    places = name in PLACES and str(item.value[by_name[name]]).isdigit()
                    return IdColumn(by_name[name], PLACE if places else "")
            if PROMPT in by_name and isinstance(item.value[by_name[PROMPT]], str):
                return IdColumn(by_name[PROMPT], PROMPT)
        return IdColumn(None, PLACE)

    def is_remark(self, item: StoredItem, column: IdColumn) -> bool:
        """Whether a row has neither a task nor an answer, such as sums at the end of a file."""
        row = item.value
        if self._fields or column.name is None or not isinstance(row, dict) or column.name in row:
            return False
        return not any(plain(name) in ANSWER_NAMES or plain(name) in ERROR_NAMES for name in row)

    def read(self, item: StoredItem, column: IdColumn) -> ItemAnswers:
        """The answers in an item, under the name that it has for their task."""
        name = self._name(item, column)
        if isinstance(item.value, dict) and not self._fields and is_plain({**item.value, "task_id": name}):
            stored = read_stored({**item.value, "task_id": name}, item.place)
            used = next(each for each in ("completion", "answer", "solution", "text") if each in item.value)
            return ItemAnswers([stored], used)
        if isinstance(item.value, dict):
            return self._read_row(item, name)
        replies = self._replies(item, item.value, item.form)
        return ItemAnswers([_stored(name, each) for each in replies], "")

    def _read_row(self, item: StoredItem, name: str) -> ItemAnswers:
        row: dict[str, Any] = item.value
        text_column, replies = self._text(item)
        error = self._error(row)
        is_noted = (
            error is not None and any(each.text for each in replies or ()) and self._is_noted(row, error)
        )
        if error is not None and not is_noted:
            count = max(1, len(replies or ()))
            return ItemAnswers([_stored(name, ReplyText("", None, error))] * count, text_column or ERROR)
        if replies is None:
            self._refuse_row(item)
        sample = self._sample(row) if len(replies) == 1 else None
        answers = [_stored(name, each, row, sample) for each in replies]
        return ItemAnswers(answers, text_column, noted=is_noted)

    def _name(self, item: StoredItem, column: IdColumn) -> str:
        if column.name is None:
            return item.key if item.key is not None else str(item.position)
        value = value_at(item.value, column.name) if isinstance(item.value, dict) else None
        if value is None:
            field = column.name
            hint = None if self._fields else "each row needs one; --fields MINE=task_id names another column"
            raise item.place.error("the field is missing", field=field, hint=hint)
        if not _is_id(value):
            raise wrong(column.name, "an integer or a string", value, item.place)
        return str(value)

    def _text(self, item: StoredItem) -> tuple[str, list[ReplyText] | None]:
        """The column with the texts, and these; None where there is no such column."""
        row: Mapping[str, Any] = item.value
        if (mine := self._fields.column(TEXT)) is not None:
            value = value_at(row, mine)
            return mine, None if value is None else self._replies(item, value, mine)
        names = [name for name in row if plain(name) in ANSWER_NAMES and self._is_free(name)]
        found = {name: replies for name in names if (replies := self._of(item, name)) is not None}
        if len(found) > 1 and MBPP_TESTS in row:
            found.pop(MBPP_REFERENCE, None)
        texts = {tuple(reply.text for reply in replies) for replies in found.values()}
        if len(texts) > 1:
            self._refuse_two(item, list(found))
        if found:
            return next(iter(found.items()))
        empty = [name for name in names if row[name] is None]
        if empty:
            return empty[0], [ReplyText("")]
        return "", None

    def _of(self, item: StoredItem, name: str) -> list[ReplyText] | None:
        value = item.value[name]
        if isinstance(value, str) and plain(name) in VERDICT_NAMES:
            return None  # "passed"
        try:
            return replies_in(value, name=plain(name))
        except AmbiguousText as doubled:
            self._refuse_two(item, [f"{name}.{each}" for each in doubled.names])

    def _replies(self, item: StoredItem, value: Any, field: str) -> list[ReplyText]:
        """The texts of a column that must hold some."""
        try:
            replies = replies_in(value, name=plain(field.rpartition(".")[2]))
        except AmbiguousText as doubled:
            self._refuse_two(item, [f"{field}.{each}".lstrip(".") for each in doubled.names])
        if replies is None:
            raise wrong(field or "the answer", "a text, or texts", value, item.place)
        return replies

    def _error(self, row: Mapping[str, Any]) -> str | None:
        if (mine := self._fields.column(ERROR)) is not None:
            return error_text(value_at(row, mine))
        for name in row:
            error = error_text(row[name]) if plain(name) in ERROR_NAMES and self._is_free(name) else None
            if error is not None:
                return error
        return failure_in(row)

    def _is_noted(self, row: Mapping[str, Any], error: str) -> bool:
        """Return whether an error in a row with a text is that of an executed program, not of a request."""
        if self._fields.column(ERROR) is not None:
            return False
        judged = any(plain(name) in VERDICT_NAMES for name in row)
        kind = re.split("[:(]", error, maxsplit=1)[0].strip()
        return judged or kind.rpartition(".")[2] in _PROGRAM_ERRORS

    def _sample(self, row: Mapping[str, Any]) -> int | None:
        mine = self._fields.column(SAMPLE)
        names = [mine] if mine else [name for name in row if plain(name) in SAMPLE_NAMES]
        values = [value_at(row, name) for name in names if self._fields.part(name) != IGNORED]
        found = [each for each in values if isinstance(each, int) and not isinstance(each, bool)]
        return found[0] if found else None

    def _is_free(self, name: str) -> bool:
        """Return whether the user did not map a column to something else."""
        return not self._fields.part(name)

    def _refuse_two(self, item: StoredItem, names: Sequence[str]) -> NoReturn:
        hint = f"name the one that counts: --fields {quoted(f'{names[0]}={TEXT}')}"
        raise item.place.error(f"two columns hold different answers: {list_names(names)}", hint=hint)

    def _refuse_row(self, item: StoredItem) -> NoReturn:
        row: Mapping[str, Any] = item.value
        mistyped = next((name for name in row if plain(name) in ANSWER_NAMES and name in row), None)
        if mistyped is not None and plain(mistyped) not in VERDICT_NAMES:
            raise wrong(mistyped, "a string", row[mistyped], item.place)
        rest = [name for name in row if plain(name) not in ID_NAMES]
        columns_text = f"; its columns are {list_names(rest)}" if rest else ""
        text_column = next((name for name in rest if isinstance(row[name], str)), "COLUMN")
        column = quoted(f"{text_column}={TEXT}")
        hint = f"write the model's text as `{TEXT}`, or name its column: --fields {column}"
        raise item.place.error(f"the row has no answer{columns_text}", hint=hint)


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _stored(
    name: str, reply: ReplyText, row: Mapping[str, Any] | None = None, sample: int | None = None
) -> StoredAnswer:
    """Return a reply as a stored answer, with the fields of its row that have our names and types."""
    fields = row or {}
    model, seed, reason = (fields.get(each) for each in ("model", "seed", "finish_reason"))
    return StoredAnswer(
        task_id=name,
        text=reply.text,
        model=model if isinstance(model, str) else None,
        seed=seed if isinstance(seed, int) and not isinstance(seed, bool) else None,
        finish_reason=reply.finish_reason or (reason if isinstance(reason, str) else None),
        form=reply.form,
        error=reply.error,
        sample=sample,
    )


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


class AmbiguousText(Exception):
    """An envelope that holds two different texts, under these names."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def replies_in(value: Any, depth: int = 0, *, name: str = "") -> list[ReplyText] | None:
    """The replies that a value holds, in their order; None where it is none of the known forms.

    `name` is what the value is called in its row. Raises AmbiguousText for an envelope with two different
    texts.
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
        if (reason := failure_in(value.get(name), depth + 1)) is not None:
            return reason
    if (reason := error_text(value.get("error"))) is not None:
        return reason
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
        message = value.get("message") or value.get("code") or value.get("type")
        return str(message) if isinstance(message, str | int) else "error"
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
        raise AmbiguousText(list(found))
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
    """Join the text parts of one reply; parts with reasoning or calls are excluded."""
    texts: list[str] = []
    for part in parts:
        if part.get("thought") is True or part.get("type", "text") not in _SPOKEN:
            continue
        replies = replies_in(part.get("text", part.get("content")), depth + 1) or []
        texts += [reply.text for reply in replies]
    return [ReplyText("".join(texts))]
