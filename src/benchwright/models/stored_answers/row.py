"""One stored answer, and the row that a plain file has of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.models.stored_answers.names import ANSWER_NAMES, ERROR_NAMES, TEXT_FIELDS
from benchwright.records import SOLUTION
from benchwright.store.strict_json import JsonOrigin

_OTHERS = frozenset(ANSWER_NAMES) - frozenset(TEXT_FIELDS)
_TYPES = (("model", str), ("seed", int), ("finish_reason", str))  # that only a row of this program must have


class Stored(NamedTuple):
    """What a row says. The fields from `prompt` on are read only in rows that a run of this program wrote."""

    task_id: str
    text: str
    model: str | None
    seed: int | None
    finish_reason: str | None
    error: str | None = None  # the model gave no answer
    form: str = ""  # "solution" of a row that calls its text so
    prompt: str = ""  # the variant it was asked in
    tail: str = ""
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    sample: int | None = None  # which answer to its task it is, where the row says so
    round: int = 0  # this and the sample say of which conversation a later answer is


def is_plain(data: dict[str, Any]) -> bool:
    """Whether a row says all in its own words: a task, one text under a name of ours, and no error.

    A row of a run's own answers.jsonl is plain too. Other rows are read by `columns`.
    """
    found = [name for name in TEXT_FIELDS if name in data]
    if len(found) != 1 or isinstance(data.get("task_id"), bool | float | None):
        return False
    if found[0] != "text" and (any(data.get(name) for name in ERROR_NAMES) or _has_other_types(data)):
        return False
    return isinstance(data[found[0]], str | None) and not any(
        data.get(name) is not None and name != "sample" and isinstance(data[name], str | list | dict)
        for name in _OTHERS.intersection(data)
    )


def _has_other_types(data: dict[str, Any]) -> bool:
    """Whether a column that has a name of ours is something else, such as a `seed` that is a program."""
    return any(
        data.get(name) is not None and (not isinstance(data[name], kind) or isinstance(data[name], bool))
        for name, kind in _TYPES
    )


def read_stored(data: dict[str, Any], place: JsonOrigin) -> Stored:
    """The answer in a plain row. Raises DataError for a missing, doubled or mistyped field.

    A text of null is kept as the empty answer: the model was asked and gave nothing.
    """
    field = _text_field(data, place)
    own = field == "text"
    later = (_optional(data, "round", int, "an integer", place) or 0) if own else 0
    stored = Stored(
        task_id=str(_take(data, "task_id", int | str, "an integer or a string", place)),
        text=_take(data, field, str | None, "a string", place) or "",
        model=_optional(data, "model", str, "a string", place),
        seed=_optional(data, "seed", int, "an integer", place),
        finish_reason=_optional(data, "finish_reason", str, "a string", place),
        sample=_take(data, "sample", int, "an integer", place) if later else _sample(data),
    )
    if not own:
        return stored._replace(form=SOLUTION) if field == SOLUTION else stored
    return stored._replace(
        form=_optional(data, "form", str, "a string", place) or "",
        error=_optional(data, "error", str, "a string", place),
        prompt=_optional(data, "prompt", str, "a string", place) or "",
        tail=_optional(data, "tail", str, "a string", place) or "",
        reasoning=_optional(data, "reasoning", str, "a string", place) or "",
        tokens_in=_optional(data, "tokens_in", int, "an integer", place),
        tokens_out=_optional(data, "tokens_out", int, "an integer", place),
        round=later,
    )


def as_row(stored: Stored) -> dict[str, Any]:
    """The plain row of an answer, which `read_stored` reads back."""
    return {name: value for name, value in stored._asdict().items() if value is not None}


def _sample(data: dict[str, Any]) -> int | None:
    value = data.get("sample")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text_field(data: dict[str, Any], place: JsonOrigin) -> str:
    found = [name for name in TEXT_FIELDS if name in data]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{name}`" for name in found or TEXT_FIELDS)
    if found:
        raise place.error(f"the row has more than one answer: {names}", hint="keep one of them")
    raise place.error("the row has no answer", hint=f"write the model's text as one of: {names}")


def _take(data: dict[str, Any], name: str, kind: Any, what: str, place: JsonOrigin) -> Any:
    if name not in data:
        raise place.error("the field is missing", field=name)
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise wrong(name, what, value, place)
    return value


def _optional(data: dict[str, Any], name: str, kind: Any, what: str, place: JsonOrigin) -> Any:
    return _take(data, name, kind, what, place) if data.get(name) is not None else None


def wrong(name: str, what: str, value: object, place: JsonOrigin) -> DataError:
    """The error for a field of another type."""
    return place.error(f"must be {what}, not {escaped_name(repr(value), 40)}", field=name)
