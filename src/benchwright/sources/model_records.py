"""Records about a model: a card or a table row, with its origin and its statements."""

from __future__ import annotations

import re
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


class Quirk(Record, frozen=True, kw_only=True):
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
    quirks: list[Quirk] = []
    metadata: dict[str, Any] = {}  # further fields of the source


class Stated(NamedTuple):
    """The place of a source of files, and the licence that the user states for it."""

    rest: str
    licence: str = ""


_LICENCE = re.compile(r"(.*),licence=([^,/]*)", re.DOTALL)


def stated(rest: str) -> Stated:
    """Read `PLACE` or `PLACE,licence=SPDX`. Raises UsageError for a missing place or an unknown licence."""
    match = _LICENCE.fullmatch(rest)
    place, named = (match[1], match[2]) if match else (rest, "")
    licence = spdx_of_name(named)
    if match and not licence:
        hint = "an SPDX identifier: licence=Apache-2.0"
        raise UsageError(f"licence={escaped_name(named)}: unknown licence", hint=hint)
    if not place:
        raise UsageError("the source needs a place after its name", hint="cards:FOLDER")
    return Stated(place, licence)
