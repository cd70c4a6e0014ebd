"""Records about models: a card or a table row with its origin, and the performance that it states.

Stated performance is kept as text, exactly as the card or table writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.sources.licences import spdx_of_name

PASSING = ("unavailable",)  # reasons of drops that a retry may avoid


class CodeBlock(Record, frozen=True, kw_only=True):
    """A fenced or listed piece of example code. Lines are those of the raw text, from 1, both inclusive."""

    language: str  # language tag of the fence in lower case, or empty
    code: str
    first_line: int = 0
    last_line: int = 0


class FormatDeviation(Record, frozen=True, kw_only=True):
    """A tolerated deviation of a source's text from its format."""

    name: str  # a code to count by: "front_matter_broken", "not_utf8", "code_list"
    where: str = ""  # line or field
    detail: str = ""


class ModelRecord(Record, frozen=True, kw_only=True):
    """One model as one source describes it."""

    origin: str  # the source: "huggingface", "torchhub", "gorilla", "cards"
    id: str  # OWNER/NAME, or the name in the source
    revision: str  # commit, or the content key of the raw text
    url: str = ""
    licence: str = ""  # SPDX; empty if not known for certain
    retrieved_at: str = ""  # ISO 8601, UTC; empty for the user's own files
    revised_at: str = ""  # when the revision was made, ISO 8601
    sha256: str  # of the raw bytes
    model: str = ""
    description: str = ""
    task: str = ""  # pipeline tag, or the task name of the source
    tags: list[str] = []
    libraries: list[str] = []
    performance: dict[str, str] = {}  # as published
    blocks: list[CodeBlock] = []
    quirks: list[FormatDeviation] = []
    metadata: dict[str, Any] = {}  # further fields of the source


class StatedPlace(NamedTuple):
    """The place of a source of files, and the licence that the user states for it."""

    rest: str
    licence: str = ""


_LICENCE = re.compile(r"(.*),licence=([^,/]*)", re.DOTALL)


def stated_place(rest: str) -> StatedPlace:
    """Read `PLACE` or `PLACE,licence=SPDX`. Raises UsageError for a missing place or an unknown licence."""
    match = _LICENCE.fullmatch(rest)
    place, licence_name = (match[1], match[2]) if match else (rest, "")
    licence = spdx_of_name(licence_name)
    if match and not licence:
        hint = "an SPDX identifier: licence=Apache-2.0"
        raise UsageError(f"licence={escaped_name(licence_name)}: unknown licence", hint=hint)
    if not place:
        raise UsageError("the source needs a place after its name", hint="cards:FOLDER")
    return StatedPlace(place, licence)


MAX_FIGURES = 200
MAX_TEXT = 120
MAX_LINE = 2000
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_FIGURE = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*[A-Za-z%]{0,3}")
_MARKUP = re.compile(r"[*`_]|<[^>]*>")


def of_model_index(index: Any) -> tuple[dict[str, str], list[FormatDeviation]]:
    """The metrics of a card's `model-index`, as "DATA SET: METRIC"; anything else is a deviation."""
    if index in (None, "", []):
        return {}, []
    found: dict[str, str] = {}
    try:
        for dataset, metric in islice(_metrics(index), MAX_FIGURES):
            name = metric.get("name") or metric["type"]
            add_performance(found, f"{dataset}: {name}" if dataset else name, metric["value"])
    except (KeyError, TypeError, AttributeError):
        return found, [FormatDeviation(name="model_index_broken", where="model-index")]
    return found, []


def of_tables(lines: list[str]) -> dict[str, str]:
    """The figures of Markdown tables, as "ROW: COLUMN". Other cells are skipped."""
    found: dict[str, str] = {}
    header: list[str] = []
    for line, following in pairwise([*lines, ""]):
        if "|" not in line or len(line) > MAX_LINE:
            header = []
        elif not header:
            header = _cells(line) if _is_rule(following) else []
        elif not _is_rule(line):
            _row(found, header, _cells(line))
        if len(found) >= MAX_FIGURES:
            break
    return found


def flattened(value: Any, name: str = "", *, depth: int = 6) -> Iterator[tuple[str, str]]:
    """The texts and numbers of a nested value by their path: "accuracy: top1"."""
    if isinstance(value, dict) and depth:
        for key, item in value.items():
            yield from flattened(item, f"{name}: {key}" if name else str(key), depth=depth - 1)
    elif isinstance(value, list) and depth:
        for item in value:
            yield from flattened(item, name, depth=depth - 1)
    elif isinstance(value, str | int | float) and str(value).strip():
        yield name, str(value)


def add_performance(found: dict[str, str], name: str, value: Any) -> None:
    """Add a figure; another one of the same name gets a number."""
    name = _plain(str(name)) or "value"
    number = 2
    while (key := name if number == 2 and name not in found else f"{name} ({number})") in found:
        number += 1
    found[key] = _plain(str(value))


def _metrics(index: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for model in index:
        for result in model["results"]:
            dataset = result.get("dataset") or {}
            for metric in result["metrics"]:
                yield dataset.get("name") or dataset.get("type") or "", metric


def _is_rule(line: str) -> bool:
    return len(line) <= MAX_LINE and _RULE.fullmatch(line) is not None


def _row(found: dict[str, str], header: list[str], cells: list[str]) -> None:
    for column, cell in zip(header[1:], cells[1:], strict=False):
        if cells[0] and len(found) < MAX_FIGURES and _FIGURE.fullmatch(cell):
            add_performance(found, f"{cells[0]}: {column}" if column else cells[0], cell)


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in line.strip().strip("|").split("|")]


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text[: 10 * MAX_TEXT]).split())[:MAX_TEXT]
