"""YAML front matter of a Markdown file from an untrusted source.

YAML can name types, refer to itself and nest without limit. So nothing is constructed by type: this reads the
parser's events, keeps every scalar as the text that the author wrote (`no`, `1.10`, `2024-01-02`), refuses
aliases, and limits depth and size before anything grows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchwright.sources.model_records import Quirk
from benchwright.store.yaml_documents import load_yaml

MAX_CHARACTERS = 512 << 10  # evaluation results of one model fill 200 KB
MAX_NODES = 50_000
MAX_DEPTH = 24
_BEGIN = re.compile(r"\s*---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_CURLY = re.compile(r"^[“”„‘’](.*)[“”‘’]$", re.DOTALL)


class FrontMatter(NamedTuple):
    """The front matter of a text: its fields, the start of the text, and deviations."""

    fields: dict[str, Any]
    body: str
    body_line: int  # of the body's first line, from 1
    quirks: list[Quirk]


class _YamlRefusal(Exception):
    """YAML that is not read: the kind of deviation, the line within the YAML from 1, and the reason."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(name)
        self.name, self.line, self.why = name, line, why


def split_front_matter(text: str) -> FrontMatter:
    """The fields and the body of a text with LF line ends. Broken YAML is a deviation, never an error."""
    begun = _BEGIN.match(text)
    if begun is None:
        return FrontMatter({}, text, 1, [Quirk(name="front_matter_missing")])
    ended = _END.search(text, begun.end())
    if ended is None:
        return FrontMatter({}, text, 1, [Quirk(name="front_matter_unclosed", where="line 1")])
    first = text.count("\n", 0, begun.end()) + 1
    body = text[ended.end() :].removeprefix("\n")
    body_line = first + text.count("\n", begun.end(), ended.end()) + 1
    quirks: list[Quirk] = []
    try:
        fields = _Reader(text[begun.end() : ended.start()], first, quirks).mapping()
    except _YamlRefusal as error:
        where = f"line {first + error.line - 1}"
        return FrontMatter(
            {}, body, body_line, [*quirks, Quirk(name=error.name, where=where, detail=error.why)]
        )
    return FrontMatter(fields, body, body_line, quirks)


class _Reader:
    """Builds plain values (dicts, lists and texts) from the events of a parser."""

    def __init__(self, text: str, first_line: int, quirks: list[Quirk]) -> None:
        self._yaml = load_yaml()
        self._text, self._first, self._quirks = text, first_line, quirks
        self._nodes = 0

    def mapping(self) -> dict[str, Any]:
        """The mapping of the document. Raises _YamlRefusal."""
        if len(self._text) > MAX_CHARACTERS:
            raise _YamlRefusal(
                "front_matter_too_large", 1, f"{len(self._text):,} characters, over {MAX_CHARACTERS:,}"
            )
        try:
            found = self._document()
        except self._yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "not YAML"
            raise _YamlRefusal(
                "front_matter_broken", mark.line + 1 if mark else 1, str(problem)[:200]
            ) from None
        if found in ("", None):
            return {}
        if not isinstance(found, dict):
            raise _YamlRefusal("front_matter_no_mapping", 1, "no `name: value` lines")
        return found

    def _document(self) -> Any:
        loader = getattr(self._yaml, "CSafeLoader", self._yaml.SafeLoader)
        events = self._yaml.parse(self._text, Loader=loader)
        value = None
        for event in events:
            if isinstance(event, self._yaml.NodeEvent):
                value = self._value(event, events, 0)
        return value

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        yaml, line = self._yaml, event.start_mark.line + 1
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _YamlRefusal("front_matter_too_large", line, f"more than {MAX_NODES:,} values")
        if isinstance(event, yaml.AliasEvent):
            raise _YamlRefusal(
                "front_matter_alias", line, "refers to a value elsewhere, which is not followed"
            )
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, line)
        if depth == MAX_DEPTH:
            raise _YamlRefusal("front_matter_too_deep", line, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, depth + 1)
        return self._pairs(events, depth + 1)

    def _sequence(self, events: Iterator[Any], depth: int) -> list[Any]:
        items = []
        for event in events:
            if isinstance(event, self._yaml.SequenceEndEvent):
                break
            items.append(self._value(event, events, depth))
        return items

    def _pairs(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in events:
            if isinstance(event, self._yaml.MappingEndEvent):
                break
            line = event.start_mark.line + 1
            if not isinstance(event, self._yaml.ScalarEvent):
                raise _YamlRefusal("front_matter_broken", line, "a name that is no plain text")
            name = event.value
            if name in found:
                self._odd("duplicate_field", line, name)
            found[name] = self._value(next(events), events, depth)
        return found

    def _scalar(self, event: Any, line: int) -> str:
        value: str = event.value
        if not event.style and value in ("~", "null", "Null", "NULL"):
            return ""
        if curly := _CURLY.match(value):
            self._odd("curly_quotes", line, value)
            return curly[1]
        return value

    def _odd(self, name: str, line: int, detail: str) -> None:
        self._quirks.append(Quirk(name=name, where=f"line {self._first + line - 1}", detail=detail[:80]))
