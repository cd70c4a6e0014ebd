"""Rubrics: questions to a model judge and its allowed replies, as data files in English, Russian and Chinese.

A file `NAME.toml` has the parts common to all languages (`kind`, `criteria` or `labels`) and a table for each
language: `task`, and for a rubric with grades a table of anchors by criterion. `frame.toml` has the sentences
that all prompts share. The content key of a rubric changes with any of its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

from benchwright.asking.schema import Schema, read_schema
from benchwright.contracts import JudgeInput
from benchwright.contracts.assessing import JUDGE_LANGUAGES
from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.store.keys import content_key

RubricKind = Literal["rates", "decides", "prefers", "words"]
BEST = 5  # the best rating; the worst is 1
CLAIMS = ("supported", "contradicted", "unverifiable")
MAX_SHOWN = 200_000  # characters of all texts in a prompt

_FOLDER = Path(__file__).parent
CANDIDATE = "comment2"  # the field for the text to judge
_FIELD = re.compile(r"\{(\w+)\}")


class Rubric(Record, frozen=True, kw_only=True):
    """A rubric in one language. `rates` gives each criterion 1 to 5; other rubrics choose one of the
    labels. The reply to `words` is plain text, and the prompt has the texts without marks, as in MERA:
    fields in braces of its task are replaced by the sections and, the last one, by the text to judge."""

    name: str
    language: str
    kind: RubricKind
    task: str
    frame: dict[str, str]
    criteria: list[str] = []
    anchors: dict[str, dict[str, str]] = {}  # by criterion and rating
    claims: str = ""  # the criterion that single claims are judged for as well
    labels: list[str] = []
    unsure: str = ""  # the label for undecided answers
    key: str = ""  # content key of all other fields

    def prompt(self, exhibit: JudgeInput, key: str) -> str:
        """Return a judge's prompt about one answer, whose content key is `key`."""
        if self.kind == "words":
            return _filled(exhibit.template or self.task, {**exhibit.sections, CANDIDATE: exhibit.candidate})
        return self.compose(exhibit.sections, {self.frame["candidate"]: exhibit.candidate}, key)

    def compose(self, sections: Mapping[str, str], candidates: Mapping[str, str], key: str) -> str:
        """Return the prompt with these texts, each between marks that no text contains."""
        mark = _mark([key, *candidates.values()], [*sections.values(), *candidates.values()])
        scales = [
            "\n".join([self.frame["scale"].format(name=name), *(f"{n}: {text}" for n, text in by.items())])
            for name, by in self.anchors.items()
        ]
        texts = [
            f"{title}:\n{mark} BEGIN\n{text}\n{mark} END"
            for title, text in {**sections, **candidates}.items()
        ]
        boundary = self.frame["boundary"].replace("{mark}", mark)
        parts = [self.task, *scales, boundary, *texts, f"{self.frame['reply']}\n{self._form()}"]
        return "\n\n".join(part.strip("\n") for part in parts)

    def repair(self, prompt: str, problem: str) -> str:
        """Return the prompt that asks again, if the reply to the first could not be parsed."""
        return f"{prompt}\n\n{self.frame['repair'].format(problem=problem)}"

    def _form(self) -> str:
        if self.kind == "rates":
            claims = (
                f'"claims": [{{"claim": "…", "verdict": "{" | ".join(CLAIMS)}"}}], ' if self.claims else ""
            )
            reasons = ", ".join(f'"{name}": "…"' for name in self.criteria)
            ratings = ", ".join(f'"{name}": 1…{BEST}' for name in self.criteria)
            return f'{{{claims}"evidence": ["…"], "reasons": {{{reasons}}}, {ratings}}}'
        reference = '"reference": 1 | 2 | … | null, ' if self.kind == "decides" else ""
        return f'{{"evidence": ["…"], "reason": "…", {reference}"label": "{" | ".join(self.labels)}"}}'


@cache
def find_rubric(name: str, language: str) -> Rubric:
    """Return the rubric with a name in a language. Raises UsageError if there is none."""
    if name not in (known := rubric_names()) or language not in JUDGE_LANGUAGES:
        hint = f"rubrics: {', '.join(known)}; languages: {', '.join(JUDGE_LANGUAGES)}"
        raise UsageError(f"unknown rubric {name!r} or language {language!r}", hint=hint)
    document = _read(name)
    words = {each: document.pop(each) for each in JUDGE_LANGUAGES}[language]
    fields = {
        **document,
        "name": name,
        "language": language,
        "task": words.pop("task"),
        "anchors": words,
        "frame": _read("frame")[language],
    }
    return Rubric(**fields, key=content_key(fields))


def rubric_names() -> list[str]:
    """Return the names of all rubrics."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem != "frame")


@cache
def reply_schema(name: str, language: str, references: int) -> dict[str, Any]:
    """Return the JSON schema of a reply by a rubric, for a number of displayed reference answers; one object
    for all."""
    rubric = find_rubric(name, language)
    if rubric.kind == "words":
        return {"type": "string"}
    texts = {"type": "array", "items": {"type": "string"}}
    if rubric.kind == "rates":
        claim = {"claim": {"type": "string"}, "verdict": {"enum": list(CLAIMS)}}
        claims = {"claims": {"type": "array", "items": _object(claim)}} if rubric.claims else {}
        reasons = {each: {"type": "string"} for each in rubric.criteria}
        rating = {"type": "integer", "minimum": 1, "maximum": BEST}
        ratings = dict.fromkeys(rubric.criteria, rating)
        return _object({**claims, "evidence": texts, "reasons": _object(reasons), **ratings})
    number = {"type": ["integer", "null"], "minimum": 1, "maximum": references}
    reference = {"reference": number} if rubric.kind == "decides" else {}
    label = {"type": "string", "enum": list(rubric.labels)}
    return _object({"evidence": texts, "reason": {"type": "string"}, **reference, "label": label})


@cache
def read_reply_schema(name: str, language: str, references: int) -> Schema:
    """Return the same schema, for checking replies."""
    return read_schema(reply_schema(name, language, references))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _filled(template: str, texts: Mapping[str, str]) -> str:
    """Replace the fields in one pass, so that a text with braces stays as it is."""
    return _FIELD.sub(lambda found: texts.get(found[1], found[0]), template)


def _mark(parts: Sequence[str], texts: Sequence[str]) -> str:
    """Return a mark that is in none of the texts, and that no author of a text can predict."""
    for number in count():
        mark = content_key("mark", *parts, str(number))[:16]
        if not any(mark in text for text in texts):
            return mark
    raise AssertionError("there is always another number")


def _read(name: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 (2 ms, and most commands ask no judge)

    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
