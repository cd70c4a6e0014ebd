"""Extraction of one of a task's own labels from an answer.

For arbitrary labels; `text.label` knows the words for success and failure. The last mark (a box, a tag, a
JSON field) decides, else the last line or sentence that consists of a label, else the only label that is
mentioned. A label after "not" is never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from benchwright.contracts import Extraction
from benchwright.records import Outcome
from benchwright.text.extract import CUT_OFF
from benchwright.text.label_words import BOXED, CODE, FENCED, OBJECT, TAGGED, readable_end, sentences_by_line
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

_CUE = re.compile(
    r"^[\w ]{0,40}\b(?:answer|label|class|verdict|ответ|метка|класс)\b[*_]*(?: is\b| [–—-](?=\s)|\s*[:=])*"
)
_EDGE = "*_`\"'«»“”()[]{}.,;:!? \t"
_BULLET = re.compile(r"^\s*(?:[-–—•*#>]+|\d+[.)])\s+")
_NOT = re.compile(r"(?:\b(?:not|no|never|neither|nor|cannot|без|не|нет|ни)|n't)\b[\W_]*(?:\w+[\W_]+){0,2}$")
_WORD = 2  # minimum length of labels that are searched for in prose
_NEAR = 60  # characters before a label that are searched for a "not"


def take_choice(text: str, *, labels: Sequence[str], finish_reason: str | None = None) -> Extraction:
    """Extract a label: `program` is one of `labels`; without one, `problem` is set.

    Case-insensitive. Never raises.

    >>> take_choice("I think so. **Spam**", labels=("spam", "ham")).program
    'spam'
    >>> take_choice("It is not spam.", labels=("spam", "ham")).problem
    'unparsable'
    """
    stripped = strip_reasoning(normalise(text))
    found, rule, why = _read_choice(readable_end(drop_marks(stripped.text)).casefold(), tuple(labels))
    return Extraction(
        program=found,
        rule=f"choice+{rule}",
        problem=None if found else Outcome.unparsable.value,
        detail=why,
        truncated=stripped.truncated or finish_reason in CUT_OFF,
    )


def _read_choice(text: str, labels: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the label or "", the rule that decided, and the reason."""
    if found := _last_label(_marks(text), labels):
        return found, "mark", f"the last marked answer is {found!r}"
    if found := _last_label(_statements(text), labels):
        return found, "statement", f"the last plain answer is {found!r}"
    mentioned = _mentioned_labels(text, labels)
    if len(mentioned) == 1:
        return mentioned[0], "named", f"{mentioned[0]!r} is the only label it names"
    return "", "none", f"it names {len(mentioned)} of the labels and says none of them alone"


def _last_label(pieces: Iterator[str], labels: tuple[str, ...]) -> str:
    bare_labels = [label for piece in pieces if (label := _bare_label(piece, labels))]
    return bare_labels[-1] if bare_labels else ""


def _bare_label(piece: str, labels: tuple[str, ...]) -> str:
    """Return the label if the text is one, apart from a cue such as "answer:"."""
    bare = _BULLET.sub("", piece).strip(_EDGE)
    forms = (piece.strip(), bare, _CUE.sub("", bare).strip(_EDGE))
    return next((label for form in forms for label in labels if label.casefold() == form), "")


def _marks(text: str) -> Iterator[str]:
    found = [(match.start(), match[1]) for match in BOXED.finditer(text)]
    found += [(match.start(), match[2]) for match in TAGGED.finditer(text)]
    found += [(match.start(), value) for match in OBJECT.finditer(text) for value in _fields(match[0])]
    return (piece for _, piece in sorted(found))


def _fields(text: str) -> list[str]:
    """Yield the strings of a flat JSON object."""
    try:
        data: dict[str, Any] = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return []
    return [value for value in data.values() if isinstance(value, str)]


def _statements(text: str) -> Iterator[str]:
    """Yield lines, sentences, and contents of fences and backticks."""
    prose = CODE.sub(r" \1 ", FENCED.sub(lambda block: f"\n{block[1] or block[2] or ''}\n", text))
    for sentences in sentences_by_line(prose):
        yield from sentences


def _mentioned_labels(text: str, labels: tuple[str, ...]) -> list[str]:
    """Return distinct labels that occur as words; all labels if one follows a "not".

    Returns none if a label is a number or a letter, which are common in texts.
    """
    if any(sum(map(str.isalpha, label)) < _WORD for label in labels):
        return []
    by_text = {label.casefold(): label for label in labels}
    found: list[str] = []
    for match in _pattern(labels).finditer(text):
        if _NOT.search(text[max(0, match.start() - _NEAR) : match.start()]):
            return list(labels)
        found.append(by_text[match[0]])
    return list(dict.fromkeys(found))


@lru_cache(maxsize=64)
def _pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of labels as whole words, longer ones first."""
    longest = sorted((label.casefold() for label in labels), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
