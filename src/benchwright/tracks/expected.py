"""Expected results of a MERA row: the text of each call, and the typed value if it is known.

A row has `str(value)` only, so `22` may be an integer or a string. A comparison with a guessed type could
fail a right answer, so a type is inferred only from evidence; without it, texts are compared.
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
    """One text per test, from the flat or the two-dimensional form. Raises DataError for invalid outputs.

    The documented form repeats the same list for each sample. Lists that differ are refused, because they
    would judge an answer by its position. A private set may have the single text "".
    """
    outputs = fields.data.get("outputs")
    if outputs == "":
        return [""] * tests
    if not isinstance(outputs, list):
        raise fields.error("must be a list with one text per test", field="outputs")
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
    """Check `meta.typed_outputs` of a converted row: literals whose texts are the outputs."""
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
    """Create the error for a literal with another text; with blank outputs, it reveals a hidden result."""
    if any(texts):
        return fields.error("is not a literal with the text of its output", field=name)
    hint = f"{command_name()} release private DATA --out private.json --golds golds.jsonl"
    return fields.error("reveals a result, but the outputs are blank", field=name, hint=hint)


def typed_values(texts: Sequence[str], *, function: str, entry_point: str) -> list[Any]:
    """The typed value of each text; UNKNOWN if only the text is known.

    The evidence, in order: an annotation `-> str`; a text that is not a literal, so the function returns
    strings; a container, None, a boolean or a float, whose texts differ from numeric strings. Without an
    annotation, a row with only integers stays UNKNOWN.
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
    """The literal whose `str` is `text`; UNKNOWN for `0b11`, `'a'` or `2,3`, which must be strings.

    The spacing of a container in brackets may differ from its `str`: a hand-written `[1,2]` is a list.
    """
    try:
        value = parse_literal(text)
    except ValueError:
        return UNKNOWN
    bracketed = isinstance(value, _CONTAINERS) and text.startswith(("(", "[", "{"))
    return value if bracketed or str(value) == text else UNKNOWN
