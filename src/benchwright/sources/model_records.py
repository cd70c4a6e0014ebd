"""What is collected about a model: a card or a table row, with where it is from and what it says."""

from __future__ import annotations

from benchwright.records import Record


class CodeBlock(Record, frozen=True, kw_only=True):
    """A fenced or listed piece of example code. Lines are those of the raw text, from 1, both inclusive."""

    language: str  # as the fence says, in small letters; empty where it says nothing
    code: str
    first_line: int = 0
    last_line: int = 0


class Quirk(Record, frozen=True, kw_only=True):
    """Something that a source's text does against its format, and that was read all the same."""

    name: str  # a code to count by: "front_matter_broken", "not_utf8", "code_is_list"
    where: str = ""  # line or field
    detail: str = ""


class ModelRecord(Record, frozen=True, kw_only=True):
    """One model as one source describes it."""

    origin: str  # the source: "huggingface", "torchhub", "gorilla", "cards"
    id: str  # OWNER/NAME, or how the source names it
    revision: str  # commit, or the content key of the raw text where the source has none
    url: str = ""
    licence: str = ""  # SPDX; empty where it is not surely known
    retrieved_at: str = ""  # ISO 8601, UTC
    sha256: str  # of the raw bytes
    model: str = ""
    description: str = ""
    task: str = ""  # pipeline tag or what the source calls the task
    libraries: list[str] = []
    performance: dict[str, str] = {}  # as published
    blocks: list[CodeBlock] = []
    quirks: list[Quirk] = []
