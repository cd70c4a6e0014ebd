"""The end of an answer made readable, the marks that set a final answer off, and its sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from benchwright.parser_limits import long_run_of_marks

TAIL = 32 << 10  # characters from the end that are read: the last clear statement decides

FENCED = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)|```([^`\n]+)```", re.DOTALL)
CODE = re.compile(r"`([^`\n]*)`")
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
TAGGED = re.compile(r"<(answer|final_answer|label|verdict|result|ответ)>([^<]*)</\1>", re.IGNORECASE)
OBJECT = re.compile(r"^[ \t]*\{[^{}]*\}", re.MULTILINE)
_GLUED = re.compile(r"(?<=[a-zа-яё])([.!?])(?=[A-ZА-ЯЁ])")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\s*_\"'»”)]*\s+|;\s+")


def readable_end(text: str) -> str:
    """The last part of a text in its normal form, without characters that nobody sees."""
    text = text[-TAIL:]
    if long_run_of_marks(text) < 0:  # else the normal form takes time with the square of the run
        text = unicodedata.normalize("NFKC", text)[-TAIL:]  # one character may become eighteen
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def sentences_by_line(prose: str) -> Iterator[list[str]]:
    """The sentences of each line, those that hold nothing left out."""
    for line in _GLUED.sub(r"\1 ", prose).split("\n"):
        yield [part for part in _SENTENCE_END.split(line) if part.strip()]
