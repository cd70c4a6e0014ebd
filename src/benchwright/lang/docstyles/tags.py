"""Javadoc and JSDoc: `@param name text`, in JSDoc with `{type}` and `[optional=default]`.

Formats: Documentation Comment Specification for the Standard Doclet (JDK 17); jsdoc.app, "Block tags".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from benchwright.lang.docstyles.documentation import Documentation, DocumentationDraft

_TAG = re.compile(r"\s*@([A-Za-z][\w.]*)(?=[\s{]|$)\s*(.*)")
_PARAMETERS = {"param", "arg", "argument"}
_RETURNS = {"return", "returns", "yields", "yield"}
_RAISES = {"throws", "exception"}
_BRACKETED = re.compile(r"\[([^\]=\s]*)[^\]]*\]")
TYPED_MARK = re.compile(r"^\s*@(?:param|arg|argument|returns?|throws|yields)[ \t]*\{", re.MULTILINE)
TAG_MARK = re.compile(r"^\s*@(?:param|return|returns|throws|exception)\b(?![ \t]*\{)", re.MULTILINE)
_Cut = Callable[[str], tuple[str, str, str]]  # after a tag: name, type, text


def parse_javadoc(text: str) -> Documentation:
    """Parse a text with Javadoc tags. A type parameter keeps its brackets: `<T>`."""
    return _parse(text, "javadoc", _word, lambda rest: ("", "", rest))


def parse_jsdoc(text: str) -> Documentation:
    """Parse a text with JSDoc tags; types are optional, as in TypeScript."""
    return _parse(text, "jsdoc", _typed_word, _typed_text)


def _parse(text: str, style: str, named: _Cut, returned: _Cut) -> Documentation:
    draft = DocumentationDraft()
    for number, line in enumerate(text.split("\n"), 1):
        found = _TAG.match(line)
        if found is None:
            draft.add(line)
            continue
        tag, rest = found[1], found[2].rstrip()
        if tag in _PARAMETERS:
            name, type_, said = named(rest)
            draft.begin("parameter", [name], type_, said, number)
        elif tag in _RETURNS:
            draft.begin("returns", [""], *returned(rest)[1:], number)
        elif tag in _RAISES:
            name, type_, said = named(rest)
            draft.begin("raises", [type_ or name], "", f"{name} {said}".strip() if type_ else said, number)
        else:
            draft.begin("section", [tag], "", rest, number)
    return draft.finish(style)


def _word(rest: str) -> tuple[str, str, str]:
    name, _, text = rest.partition(" ")
    return name, "", text.strip()


def _typed_text(rest: str) -> tuple[str, str, str]:
    if not rest.startswith("{"):
        return "", "", rest
    depth = 0
    for at, char in enumerate(rest):
        depth += (char == "{") - (char == "}")
        if not depth:
            return "", rest[1:at].strip(), rest[at + 1 :].strip()
    return "", rest[1:].strip(), ""


def _typed_word(rest: str) -> tuple[str, str, str]:
    _, type_, rest = _typed_text(rest)
    bracketed = _BRACKETED.match(rest)
    name, text = (bracketed[1], rest[bracketed.end() :]) if bracketed else rest.partition(" ")[::2]
    text = text.strip()
    return name, type_, text[2:].strip() if text.startswith("- ") else text
