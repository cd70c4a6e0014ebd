"""Instructions of judges: a version of the rubric, with an anchor for each value of a field."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from benchwright.contracts.assessing import judge_language
from benchwright.errors import UsageError
from benchwright.judges.people.records import (
    ANSWERED,
    DECISION,
    DECISIONS,
    PREFERENCE,
    PREFERENCES,
    ItemKind,
)
from benchwright.judges.rubric.rubrics import find_rubric
from benchwright.records import Record
from benchwright.store.keys import content_key

MAX_GUIDANCE = 20_000  # characters
_RATED = "comments"  # the rubric whose anchors people share with model judges


class Guidance(Record, frozen=True, kw_only=True):
    """The rubric of a project: general text in Markdown, and the meaning of each value by field."""

    kind: ItemKind
    language: str
    text: str
    anchors: dict[str, dict[str, str]] = {}

    @property
    def digest(self) -> str:
        """A hash of the rubric; each vote names it."""
        return content_key("guidance", self.kind, self.language, self.text, self.anchors)

    def saying(self, text: str) -> Guidance:
        """The same scale with another text. Raises UsageError for an empty or too long text."""
        if not text.strip() or len(text) > MAX_GUIDANCE:
            raise UsageError(
                f"the text of the rubric must have 1 to {MAX_GUIDANCE:,} characters", hint="shorten it"
            )
        return Guidance(kind=self.kind, language=self.language, text=text.strip(), anchors=self.anchors)


def default_guidance(kind: ItemKind, language: str) -> Guidance:
    """The built-in instructions."""
    language = judge_language(language)
    words = _words()[language]
    return Guidance(
        kind=kind, language=language, text=words["kinds"][kind], anchors=_anchors(kind, language, words)
    )


def _anchors(kind: ItemKind, language: str, words: dict[str, Any]) -> dict[str, dict[str, str]]:
    labels = words["labels"]
    if kind == "decide":
        return {DECISION: {name: labels[name] for name in DECISIONS}}
    if kind == "pair":
        return {PREFERENCE: {name: labels[name] for name in PREFERENCES}}
    if kind == "annotate":
        return {}
    if kind == "link":
        return {ANSWERED: dict(words["link"])}
    return {**find_rubric(_RATED, language).anchors, "format": words["format"]}


@cache
def _words() -> dict[str, Any]:
    text = (files("benchwright.judges.people") / "rubric.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
