"""Recorded tables of API calls: JSON Lines with the fields of Gorilla's APIBench.

Format: `data/api/*.jsonl` of https://github.com/ShishirPatil/gorilla. A language model wrote the rows from
model cards, so a field may have any type. Any other type than text is recorded as a deviation, and every row
ends as a record or as a drop.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.records import Drop
from benchwright.sources.model_cards import as_text, oddities_of_python
from benchwright.sources.model_records import (
    MAX_FIGURES,
    CodeBlock,
    FormatDeviation,
    ModelRecord,
    StatedPlace,
    add_performance,
    flattened,
    stated_place,
)
from benchwright.store.files import locate, open_binary
from benchwright.store.keys import content_key
from benchwright.store.lines import Line, scan_lines
from benchwright.store.strict_json import JsonOrigin, parse_object

MAX_LINE = 1 << 20
MAX_DEPTH = 24
MAX_ROWS = 1_000_000
_NAME_FIELDS = ("domain", "api_name", "api_call")
_TEXT = re.compile(r"""["']([^"'\s]+)["']""")
_ID = re.compile(r"[\w.-]+/[\w.-]+")
_PLACEHOLDERS = ("n/a", "na", "none", "null", "tbd", "-")
_NO_NAME = re.compile(r"[^a-z0-9]+")
_INSTALL = re.compile(r"^(?:!\s*)?(?:pip|pip3|conda)\s+install\s+", re.IGNORECASE)
_PACKAGE = re.compile(r"[A-Za-z][\w.-]*(?:\[[\w,-]+\])?(?:\s*[=<>!~]=?\s*[\w.*]+)?")


class ApiTableSource:
    """The rows of one table. Raises BenchwrightError for a missing file."""

    def __init__(self, given: StatedPlace) -> None:
        self._place, self._path = given, locate(given.rest)

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[ModelRecord]:
        """Each row once: of rows with the same call, the first."""
        with open_binary(self._path) as stream:
            lines = list(scan_lines(stream, escaped_path(self._path), max_line=MAX_LINE))
        return Inventory(len(lines), _Table(self._path, self._place.licence).items(lines))


def open_api_table(rest: str, *, licences: Collection[str]) -> ApiTableSource:
    """`gorilla:FILE`, or `gorilla:FILE,licence=SPDX` if the licence of the table is known."""
    return ApiTableSource(stated_place(rest))


class _Table:
    """Reads a table once, and collects spellings and calls."""

    def __init__(self, path: Path, licence: str) -> None:
        self._path, self._licence = path, licence
        self._calls: dict[str, int] = {}  # lines by call
        self._names: dict[str, int] = {}
        self._domains: dict[str, str] = {}  # the first spelling of each

    def items(self, lines: list[Line]) -> Iterator[Item[ModelRecord] | Drop]:
        for line in lines:
            unit = f"{self._path.name}:{line.number}"
            try:
                row = parse_object(
                    line.data,
                    JsonOrigin(escaped_path(self._path), line.number),
                    max_depth=MAX_DEPTH,
                    surrogates="replace",
                )
            except DataError as error:
                yield Drop(unit=unit, reason="row_unreadable", detail=error.message)
                continue
            yield self._drop(row, line.number, unit) or Item(unit, self._record(row, line))

    def _drop(self, row: dict[str, Any], number: int, unit: str) -> Drop | None:
        missing = [name for name in _NAME_FIELDS if not as_text(row.get(name))]
        if missing:
            return Drop(unit=unit, reason="field_missing", detail=f"no text in {', '.join(missing)}")
        call = " ".join(row["api_call"].split())
        first = self._calls.setdefault(call, number)
        if first != number:
            return Drop(unit=unit, reason="duplicate", detail=f"the call of line {first}: {call[:120]}")
        return None

    def _record(self, row: dict[str, Any], line: Line) -> ModelRecord:
        quirks: list[FormatDeviation] = []
        name, digest = as_text(row["api_name"]), sha256(line.data).hexdigest()
        task = self._task(as_text(row["domain"]), quirks)
        blocks = _blocks(row.get("example_code"), quirks)
        if (first := self._names.setdefault(name, line.number)) != line.number:
            quirks.append(FormatDeviation(name="name_used_before", where="api_name", detail=f"line {first}"))
        for field in ("api_arguments", "performance"):
            _note_type(row.get(field), field, "dict", quirks)
        return ModelRecord(
            origin="gorilla",
            id=f"{name}@{line.number}",
            revision=content_key(digest),
            licence=self._licence,
            sha256=digest,
            model=_model(row, name),
            description=as_text(row.get("description")),
            task=task,
            tags=[text for field in ("functionality", "framework") if (text := as_text(row.get(field)))],
            libraries=_libraries(row.get("python_environment_requirements"), quirks),
            performance=_performance(row.get("performance")),
            blocks=[CodeBlock(language="python", code=row["api_call"]), *blocks],
            quirks=quirks,
            metadata={"line": line.number, "api_arguments": row.get("api_arguments")},
        )

    def _task(self, domain: str, quirks: list[FormatDeviation]) -> str:
        """The domain; another spelling of an earlier one is a deviation."""
        first = self._domains.setdefault(_NO_NAME.sub("", domain.lower()), domain)
        if first != domain:
            quirks.append(
                FormatDeviation(name="domain_spelling", where="domain", detail=f"{domain}; before: {first}")
            )
        return domain


def _blocks(code: Any, quirks: list[FormatDeviation]) -> list[CodeBlock]:
    _note_type(code, "example_code", "text", quirks)
    if not isinstance(code, str):
        code = _joined(code)
    if code.strip().lower() in _PLACEHOLDERS:
        quirks.append(FormatDeviation(name="placeholder", where="example_code", detail=code.strip()))
        return []
    if not code.strip():
        quirks.append(FormatDeviation(name="no_code", where="example_code"))
        return []
    quirks.extend(oddities_of_python(code, "example_code"))
    return [CodeBlock(language="python", code=code)]


def _joined(code: Any) -> str:
    """The lines of a list; of a dict its values, and its names if those contain the code."""
    if isinstance(code, list):
        return "\n".join(part for part in code if isinstance(part, str))
    if isinstance(code, dict):
        values = [part for part in code.values() if isinstance(part, str)]
        return "\n".join(values if any(values) else code)
    return ""


def _note_type(value: Any, field: str, wanted: str, quirks: list[FormatDeviation]) -> None:
    kind = {str: "text", list: "list", dict: "dict", type(None): "null"}.get(type(value), "number")
    if kind != wanted:
        short = "code" if field == "example_code" else field
        quirks.append(FormatDeviation(name=f"{short}_is_{kind}", where=field))


def _model(row: dict[str, Any], name: str) -> str:
    """The id in the call, OWNER/NAME, with `:ENTRY` for a call of torch.hub; otherwise the name."""
    texts = _TEXT.findall(row["api_call"])
    at = next((at for at, text in enumerate(texts) if _ID.fullmatch(text)), None)
    if at is None:
        return name
    entry = texts[at + 1] if "torch.hub.load" in row["api_call"] and at + 1 < len(texts) else ""
    return f"{texts[at]}:{entry}" if entry else texts[at]


def _libraries(value: Any, quirks: list[FormatDeviation]) -> list[str]:
    _note_type(value, "python_environment_requirements", "list", quirks)
    if isinstance(value, dict):
        value = [_pinned(name, version) for name, version in value.items()]
    parts = value if isinstance(value, list) else re.split(r"[,\n]", value) if isinstance(value, str) else []
    found: dict[str, None] = {}
    for part in parts:
        words = [part.strip()] if isinstance(part, str) else []
        if words and (install := _INSTALL.match(words[0])):
            words = words[0][install.end() :].split()
        for word in words:
            if _PACKAGE.fullmatch(word):
                found[word] = None
            elif word:
                quirks.append(
                    FormatDeviation(
                        name="requirement_unclear", where="requirements", detail=escaped_name(word)
                    )
                )
    return list(found)


def _pinned(name: str, version: Any) -> str:
    plain = isinstance(version, str) and re.fullmatch(r"\d[\w.]*", version)
    return f"{name}=={version}" if plain else name


def _performance(value: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, figure in flattened(value):
        if figure.strip().lower() not in _PLACEHOLDERS:
            add_performance(found, name, figure)
        if len(found) == MAX_FIGURES:
            break
    return found
