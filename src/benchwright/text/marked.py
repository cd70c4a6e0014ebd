"""Marks around final answers, and normalisation and sentences of the end of an answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from benchwright.parser_limits import long_run_of_marks

TAIL = 32 << 10  # characters at the end that are read: the last clear statement decides

FENCED = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)|```([^`\n]+)```", re.DOTALL)
CODE = re.compile(r"`([^`\n]*)`")
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
TAGGED = re.compile(r"<(answer|final_answer|label|verdict|result|ответ)>([^<]*)</\1>", re.IGNORECASE)
OBJECT = re.compile(r"^[ \t]*\{[^{}]*\}", re.MULTILINE)
_GLUED = re.compile(r"(?<=[a-zа-яё])([.!?])(?=[A-ZА-ЯЁ])")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\s*_\"'»”)]*\s+|;\s+")


def readable_end(text: str) -> str:
    """Return the last part of a text in normal form, without invisible characters."""
    text = text[-TAIL:]
    if long_run_of_marks(text) < 0:  # otherwise normalising takes quadratic time
        text = unicodedata.normalize("NFKC", text)[-TAIL:]  # one character may become eighteen
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def sentences_by_line(prose: str) -> Iterator[list[str]]:
    """Yield the sentences of each line, without blank ones."""
    for line in _GLUED.sub(r"\1 ", prose).split("\n"):
        yield [part for part in _SENTENCE_END.split(line) if part.strip()]
