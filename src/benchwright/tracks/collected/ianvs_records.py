"""Rows of Ianvs: {"query", "response", "prompt"?, "explanation"?, "judge_prompt"?, "level_3_dim",
"level_4_dim"}, one per line, with common facts in metadata.json in the same folder.

Format: kubeedge/ianvs, core/testenvmanager/dataset. Records written here contain their row as JSON in
`explanation`, because Ianvs passes on this field, but no unknown ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.store.files import locate
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.tracks.collected.records import DATASET, GIVEN, IANVS, SHAPE
from benchwright.tracks.rows import Fields

QUERY, RESPONSE, EXPLANATION, PROMPT = "query", "response", "explanation", "prompt"
METADATA, DATA = "metadata.json", "data.jsonl"  # field names that Ianvs requires
_CARRIED = "benchwright_row"
_COMMON = ("dataset", "description", "level_1_dim", "level_2_dim")


def is_ianvs(fields: Fields) -> bool:
    """Whether a record has Ianvs's format."""
    return QUERY in fields.data and RESPONSE in fields.data


def data_and_metadata(source: str) -> tuple[str, dict[str, Any]]:
    """The file with the rows, and the content of metadata.json; the source may be metadata.json itself.

    A data.jsonl may have a metadata.json in its folder. Raises DataError if that is invalid.
    """
    path = Path(source)
    if path.name == METADATA:
        return str(path.with_name(DATA)), _metadata(path)
    metadata_path = path.with_name(METADATA)
    return source, _metadata(metadata_path) if path.name == DATA and metadata_path.is_file() else {}


def carried_row(fields: Fields) -> dict[str, Any] | None:
    """The row in a record written by Benchwright; None for other records."""
    text = fields.data.get(EXPLANATION)
    if not isinstance(text, str) or _CARRIED not in text[:40]:
        return None
    row = parse_object(text.encode(), JsonOrigin(fields.path, fields.line)).get(_CARRIED)
    return row if isinstance(row, dict) else None


def question_of(fields: Fields) -> str:
    """The text that Ianvs sends to a model: prompt and query, concatenated."""
    prompt = fields.text(PROMPT) if fields.data.get(PROMPT) is not None else ""
    return prompt + fields.text(QUERY)


def record_of_row(
    row: Mapping[str, Any], *, query: str, response: str, levels: tuple[str, str]
) -> dict[str, Any]:
    """Convert a row into a record: the original one, or one that contains the row."""
    meta = row["meta"]
    if meta.get(SHAPE) == IANVS:
        return dict(meta[GIVEN])
    explanation = msgspec.json.encode({_CARRIED: row}).decode()
    level_3, level_4 = levels
    return {
        QUERY: query,
        RESPONSE: response,
        EXPLANATION: explanation,
        "level_3_dim": level_3,
        "level_4_dim": level_4,
    }


class Metadata:
    """Content of metadata.json: that of the original records if all agree, else their track."""

    def __init__(self) -> None:
        self._found: list[Any] = []
        self._track = ""

    def add(self, track: str, row: Mapping[str, Any]) -> None:
        """Add a row."""
        dataset = row["meta"].get(DATASET)
        self._track = track
        if dataset not in self._found[:2]:
            self._found.append(dataset)

    def document(self) -> dict[str, Any]:
        """The fields that Ianvs requires, and those of the original metadata."""
        if len(self._found) == 1 and isinstance(self._found[0], dict):
            return self._found[0]
        family, _, kind = self._track.partition("-")
        about = f"Benchwright's track {self._track}"
        return dict(zip(_COMMON, (self._track, about, family, kind), strict=True))


def _metadata(path: Path) -> dict[str, Any]:
    place = escaped_path(path)
    found = parse_object(locate(path).read_bytes(), JsonOrigin(place, 1))
    for name in _COMMON:
        if name in found and not isinstance(found[name], str):
            raise DataError("must be a string", path=place, field=name, hint=f'write "{name}": "…"')
    return found
