"""What a MERA row expects of each call: its text always, its typed value where that is known.

A row holds `str(value)` only, so `22` may be the integer or the string. A typed comparison against a
guess would fail a right answer; so a type is taken only from evidence, and without it the text decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchwright.errors import DataError, command_name
from benchwright.text.literal import parse_literal
from benchwright.tracks.rows import Fields
from benchwright.tracks.signature import read_signature

UNKNOWN = object()
_CONTAINERS = (list, tuple, dict, set)


def flat_outputs(fields: Fields, tests: int) -> list[str]:
    """One text a test, from the flat or the two-dimensional form. Raises DataError with what is wrong.

    The documented form repeats the same list for each sample; rows that differ would mean that an
    answer is judged by its position, so they are refused. A private set may hold the one text "".
    """
    outputs = fields.data.get("outputs")
    if outputs == "":
        return [""] * tests
    if not isinstance(outputs, list):
        raise fields.error("must be a list with one text a test", field="outputs")
    if outputs and isinstance(outputs[0], list):
        for index, row in enumerate(outputs):
            if row != outputs[0]:
                raise fields.error(f"row {index} differs from row 0", field="outputs", hint="keep one row")
        outputs = outputs[0]
    for index, text in enumerate(outputs):
        if not isinstance(text, str):
            hint = 'write the result as text: "None", "True", "[1, 2]"'
            raise fields.error("must be a string", field=f"outputs.{index}", hint=hint)
    if len(outputs) != tests:
        raise fields.error(f"{len(outputs)} outputs for {tests} tests", field="outputs")
    return list(outputs)


def read_typed(fields: Fields, texts: Sequence[str]) -> None:
    """Check `meta.typed_outputs`, which a converted row has: literals whose texts are the outputs."""
    typed = fields.data["typed_outputs"]
    if not isinstance(typed, list) or len(typed) != len(texts):
        raise fields.error(f"must be a list of {len(texts)} literals", field="typed_outputs")
    for index, (literal, text) in enumerate(zip(typed, texts, strict=True)):
        name = f"typed_outputs.{index}"
        try:
            value = parse_literal(literal) if isinstance(literal, str) else UNKNOWN
        except ValueError as error:
            raise fields.error(str(error), field=name) from None
        if value is UNKNOWN or str(value) != text:
            raise _misfit(fields, texts, name)


def _misfit(fields: Fields, texts: Sequence[str], name: str) -> DataError:
    """The error for a literal with another text; beside blank outputs it tells what they should hide."""
    if any(texts):
        return fields.error("is not a literal with the text of its output", field=name)
    hint = f"{command_name()} release private DATA --out private.json --golds golds.jsonl"
    return fields.error("holds a result, but the outputs are blank", field=name, hint=hint)


def typed_values(texts: Sequence[str], *, function: str, entry_point: str) -> list[Any]:
    """The value each text stands for; UNKNOWN where only its text is known.

    The evidence, in order: an annotation `-> str`; a text that is no literal, which shows that the
    function returns text; a container, None, a boolean or a float, whose texts no number-like string
    has. Without an annotation, a row of integers alone stays UNKNOWN.
    """
    signature = read_signature(function, entry_point)
    returns = signature.returns if signature else ""
    if returns == "str":
        return list(texts)
    values = [_literal(text) for text in texts]
    if returns:
        return values
    if UNKNOWN in values or all(type(value) is int for value in values):
        return [UNKNOWN] * len(texts)
    return values


def _literal(text: str) -> Any:
    """The literal that `text` is the `str` of; UNKNOWN for `0b11`, `'a'` or `2,3`, which strings have.

    A container in brackets may be spaced differently from its `str`: a hand-written `[1,2]` is a list.
    """
    try:
        value = parse_literal(text)
    except ValueError:
        return UNKNOWN
    bracketed = isinstance(value, _CONTAINERS) and text.startswith(("(", "[", "{"))
    return value if bracketed or str(value) == text else UNKNOWN
