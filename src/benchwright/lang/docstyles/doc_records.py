"""The content of a documentation comment in any style, and its construction line by line."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["parameter", "returns", "raises", "section"]


class DocumentedPart(NamedTuple):
    """A documented parameter, return value or exception; "" for parts that the comment omits."""

    name: str  # a parameter's name with dots, without default or asterisks; an exception's type
    type: str
    text: str
    line: int  # line in the comment's text, from 1


class TitledSection(NamedTuple):
    """Any other section: examples, notes, attributes, tags such as `since`."""

    title: str
    text: str
    line: int


class Documentation(NamedTuple):
    """A documentation comment in parts. Yielded values count as returned."""

    style: str  # the style it was parsed in; "" for plain prose
    summary: str = ""  # the first paragraph
    body: str = ""  # all other prose
    parameters: tuple[DocumentedPart, ...] = ()
    returns: tuple[DocumentedPart, ...] = ()
    raises: tuple[DocumentedPart, ...] = ()
    sections: tuple[TitledSection, ...] = ()

    @property
    def is_prose(self) -> bool:
        """Return whether no part is in a section or tag."""
        return not (self.parameters or self.returns or self.raises or self.sections)

    def prose(self) -> str:
        """Return all prose, without documented names and types."""
        documented = (*self.parameters, *self.returns, *self.raises)
        texts = [each.text for each in documented] + [each.text for each in self.sections]
        return "\n".join(text for text in (self.summary, self.body, *texts) if text)


class _Part(NamedTuple):
    kind: Kind
    names: list[str]
    type: str
    lines: list[str]
    line: int


class DocumentationDraft:
    """A documentation comment under construction: lines go to the part opened last, or to the prose."""

    def __init__(self) -> None:
        self._prose: list[str] = []
        self._parts: list[_Part] = []
        self._open: list[str] = self._prose

    def begin(self, kind: Kind, names: list[str], type_: str, text: str, line: int) -> None:
        """Open a part. Several names share the text that follows."""
        part = _Part(kind, names, type_, [text], line)
        self._parts.append(part)
        self._open = part.lines

    def end(self) -> None:
        """Close the open part: prose follows."""
        self._open = self._prose

    def add(self, line: str) -> None:
        """Add a line to the open part."""
        self._open.append(line)

    def finish(self, style: str) -> Documentation:
        """Return the documentation, with the style's name unless it is plain prose."""
        summary, body = _paragraphs(self._prose)
        return Documentation(
            style=style if self._parts else "",
            summary=summary,
            body=body,
            parameters=self._documented("parameter"),
            returns=self._documented("returns"),
            raises=self._documented("raises"),
            sections=tuple(
                TitledSection(part.names[0], _text(part.lines), part.line)
                for part in self._parts
                if part.kind == "section"
            ),
        )

    def _documented(self, kind: Kind) -> tuple[DocumentedPart, ...]:
        return tuple(
            DocumentedPart(name, part.type, _text(part.lines), part.line)
            for part in self._parts
            if part.kind == kind
            for name in part.names
        )


def _text(lines: list[str]) -> str:
    return "\n".join(line.strip() for line in lines).strip()


def _paragraphs(lines: list[str]) -> tuple[str, str]:
    """Return the first paragraph and all others."""
    stripped = [line.strip() for line in lines]
    first = next((at for at, line in enumerate(stripped) if line), len(stripped))
    blank = next((at for at in range(first, len(stripped)) if not stripped[at]), len(stripped))
    return "\n".join(stripped[first:blank]), "\n".join(stripped[blank:]).strip()
