"""A page of Markdown with a task's answers: a heading for each run, and under it one block of code."""

from __future__ import annotations

import re
from pathlib import Path

from benchwright.models.stored_answers.replies import replies_in
from benchwright.store.strict_json import JsonOrigin

_HEADING = re.compile(
    r"^#{2,4} +\W*(?:run|sample|attempt|completion|answer|generation) *#?\d+\W*$", re.I | re.M
)
_FENCED = re.compile(r"^(`{3,})[^\n`]*\n(.*)^\1 *$", re.S | re.M)
_START = 1 << 20


def is_runs(path: Path) -> bool:
    """Whether a file is such a page."""
    if path.suffix.lower() != ".md":
        return False
    with path.open("rb") as stream:
        return _HEADING.search(stream.read(_START).decode("utf-8", "replace")) is not None


def read_runs(text: str, place: JsonOrigin) -> list[str]:
    """The texts of the runs on a page. Raises DataError for a run without a text."""
    starts = [*_HEADING.finditer(text)]
    ends = [each.start() for each in starts[1:]] + [len(text)]
    texts = [_block(text[start.end() : end]) for start, end in zip(starts, ends, strict=True)]
    if not texts or replies_in(texts) is None:
        raise place.error("the page has no run with a block of code", hint="name a file of answers")
    return [each or "" for each in texts]


def _block(section: str) -> str | None:
    """What lies in a run's block, which may hold blocks of its own: from its first fence to its last."""
    found = _FENCED.search(section)
    return found[2] if found else None
