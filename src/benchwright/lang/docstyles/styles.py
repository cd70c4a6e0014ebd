"""Parse a documentation comment in a given style, or in the style that its marks indicate.

Contains the styles without titled sections: Javadoc and JSDoc tags (`@param name text`, in JSDoc with
`{type}` and `[optional=default]`), field lists, and Go's prose. Formats: Documentation Comment Specification
for the Standard Doclet (JDK 17); jsdoc.app, "Block tags"; Go Doc Comments (go.dev/doc/comment).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import MappingProxyType

from benchwright.errors import DataError
from benchwright.lang.docstyles import titled
from benchwright.lang.docstyles.doc_records import (
    Documentation,
    DocumentationDraft,
    DocumentedPart,
    Kind,
)

_TAG = re.compile(r"\s*@([A-Za-z][\w.]*)(?=[\s{]|$)\s*(.*)")
_PARAMETERS = {"param", "arg", "argument"}
_RETURNS = {"return", "returns", "yields", "yield"}
_RAISES = {"throws", "exception"}
_BRACKETED = re.compile(r"\[([^\]=\s]*)[^\]]*\]")
TYPED_MARK = re.compile(r"^\s*@(?:param|arg|argument|returns?|throws|yields)[ \t]*\{", re.MULTILINE)
TAG_MARK = re.compile(r"^\s*@(?:param|return|returns|throws|exception)\b(?![ \t]*\{)", re.MULTILINE)
XML_TAG = re.compile(
    r"<(?P<tag>summary|remarks|value|example|param|typeparam|returns|exception)\b"
    r"(?P<attributes>[^<>]*?)(?P<empty>/?)>"
)
XML_MARK = re.compile(r"<(?:summary|remarks|returns|param name=|typeparam name=|exception cref=)")
_XML_NAME = re.compile(r"(?:name|cref)\s*=\s*[\"']([^\"']*)")
_XML_INNER = re.compile(
    r"<(?:see|seealso|paramref|typeparamref|c|code|para)\b[^<>\"']*(?:[\"']([^\"'<>]*)[\"'])?[^<>]*>|</\w+>"
)
_XML_KINDS: dict[str, Kind] = {"param": "parameter", "returns": "returns", "exception": "raises"}
_TagParser = Callable[[str], tuple[str, str, str]]  # after a tag: name, type, text


def parse_javadoc(text: str) -> Documentation:
    """Parse a text with Javadoc tags. A type parameter keeps its brackets: `<T>`."""
    return _parse(text, "javadoc", _word, lambda rest: ("", "", rest))


def parse_jsdoc(text: str) -> Documentation:
    """Parse a text with JSDoc tags; types are optional, as in TypeScript."""
    return _parse(text, "jsdoc", _typed_word, _typed_text)


def _parse(text: str, style: str, parse_named: _TagParser, parse_returned: _TagParser) -> Documentation:
    draft = DocumentationDraft()
    for number, line in enumerate(text.split("\n"), 1):
        found = _TAG.match(line)
        if found is None:
            draft.add(line)
            continue
        tag, rest = found[1], found[2].rstrip()
        if tag in _PARAMETERS:
            name, type_, description = parse_named(rest)
            draft.begin("parameter", [name], type_, description, number)
        elif tag in _RETURNS:
            draft.begin("returns", [""], *parse_returned(rest)[1:], number)
        elif tag in _RAISES:
            name, type_, description = parse_named(rest)
            draft.begin(
                "raises",
                [type_ or name],
                "",
                f"{name} {description}".strip() if type_ else description,
                number,
            )
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


_FIELD = re.compile(r":([^\W\d]\w*)(?:[ ]+([^:\n]*))?:(?:\s+(.*)|$)")
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "kwarg"), "parameter"),
    **dict.fromkeys(("return", "returns", "yield", "yields"), "returns"),
    **dict.fromkeys(("raise", "raises", "except", "exception"), "raises"),
}
FIELD_MARK = re.compile(
    r"^:(?:param|parameter|arg|argument|key|keyword|raises?|except|exception)[ ][^:\n]*:"
    r"|^:(?:returns?|yields?|rtype):",
    re.MULTILINE,
)


def parse_fields(text: str) -> Documentation:
    """Parse a text with field lists. Type fields are attached to the field that they describe."""
    draft, types = DocumentationDraft(), dict[str, str]()
    for number, line in enumerate(text.split("\n"), 1):
        found = _FIELD.match(line)
        if found:
            _begin(draft, types, found, number)
            continue
        if line.strip() and not line[0].isspace():
            draft.end()
        draft.add(line)
    return _typed(draft.finish("rest"), types)


def _begin(draft: DocumentationDraft, types: dict[str, str], found: re.Match[str], number: int) -> None:
    field, argument, text = found[1], (found[2] or "").strip(), found[3] or ""
    kind = _KINDS.get(field)
    if field in ("type", "rtype"):
        types["" if field == "rtype" else argument.lstrip("\\*")] = text.strip()
        draft.end()
    elif kind == "parameter":
        type_, _, name = argument.rpartition(" ")
        draft.begin("parameter", [name.lstrip("\\*")], type_.strip(), text, number)
    elif kind == "raises":
        draft.begin("raises", argument.split(", ") if argument else [""], "", text, number)
    elif kind == "returns":
        draft.begin("returns", [""], "", text, number)
    else:
        draft.begin("section", [f"{field} {argument}".strip()], "", text, number)


def _typed(found: Documentation, types: dict[str, str]) -> Documentation:
    if not types:
        return found
    returns = found.returns or ((DocumentedPart("", types[""], "", 0),) if "" in types else ())
    return found._replace(
        style="rest",
        parameters=tuple(
            part._replace(type=part.type or types.get(part.name, "")) for part in found.parameters
        ),
        returns=tuple(part._replace(type=part.type or types.get("", "")) for part in returns),
    )


_NOTICE = re.compile(r"(Deprecated|BUG\([^)\s]*\)):\s*(.*)")


def parse_go(text: str) -> Documentation:
    """Parse the prose and titled sections of a text."""
    draft = DocumentationDraft()
    in_notice = False
    for number, line in enumerate(text.split("\n"), 1):
        notice = _NOTICE.match(line)
        if line.startswith("# ") and line[2:].strip():
            draft.begin("section", [line[2:].strip()], "", "", number)
            in_notice = False
        elif notice:
            draft.begin("section", [notice[1]], "", notice[2], number)
            in_notice = True
        elif in_notice and not line.strip():
            draft.end()
            in_notice = False
        else:
            draft.add(line)
    return draft.finish("go")


def parse_xml(text: str) -> Documentation:
    """Parse a text with the XML tags of C#; text outside of all tags is prose.

    Format: C# language specification, annex D. A tag that is not closed ends with the text.
    """
    draft = DocumentationDraft()
    number = 1
    for before, tag, name, content in _xml_parts(text):
        number += before.count("\n")
        kind = _XML_KINDS.get(tag)
        first, *rest = content.strip().split("\n")
        for line in before.split("\n") if kind else f"{before}{content}".split("\n"):
            draft.add(line)
        if kind is not None:
            draft.begin(kind, [name], "", first, number)
            for line in rest:
                draft.add(line)
            draft.end()
        number += content.count("\n")
    return draft.finish("xml")


def _xml_parts(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Text before a tag, the tag, its `name` or `cref`, and its content without inner tags."""
    at = 0
    for found in XML_TAG.finditer(text):
        if found.start() < at:
            continue
        close = text.find(f"</{found['tag']}>", found.end())
        end = len(text) if close < 0 else close
        content = "" if found["empty"] else _XML_INNER.sub(r"\1", text[found.end() : end])
        name_match = _XML_NAME.search(found["attributes"])
        yield (
            text[at : found.start()],
            found["tag"],
            name_match[1].removeprefix("T:") if name_match else "",
            content,
        )
        at = found.end() if found["empty"] else min(len(text), end + len(f"</{found['tag']}>"))
    yield text[at:], "", "", ""


_PARSERS: MappingProxyType[str, Callable[[str], Documentation]] = MappingProxyType(
    {
        "google": titled.parse_google,
        "numpy": titled.parse_numpy,
        "rest": parse_fields,
        "javadoc": parse_javadoc,
        "jsdoc": parse_jsdoc,
        "go": parse_go,
        "xml": parse_xml,
    }
)
STYLES = tuple(_PARSERS)
_MARKS = {
    "google": titled.COLON_TITLE,
    "numpy": titled.UNDERLINED_TITLE,
    "rest": FIELD_MARK,
    "jsdoc": TYPED_MARK,
    "javadoc": TAG_MARK,
    "xml": XML_MARK,
}
_ALSO = {"jsdoc": "javadoc"}  # tags without types are valid JSDoc


def detect(text: str) -> str:
    """Return the style whose marks a text has most of, the first of `STYLES` on a tie; "" for plain prose."""
    if not any(mark in text for mark in ":@-<"):
        return ""
    counts = {style: len(mark.findall(text)) for style, mark in _MARKS.items()}
    if counts["jsdoc"]:
        counts["jsdoc"] += counts["javadoc"]
    best = max(counts, key=lambda style: counts[style])
    return best if counts[best] else ""


def shows_style(text: str, style: str) -> bool:
    """Return whether a text is compatible with a style: it has the style's marks, or no marks."""
    return detect(text) in ("", style, _ALSO.get(style))


def parse(text: str, style: str = "") -> Documentation:
    """Parse a text in a style, by default the detected one; plain prose as Google's.

    Never raises for the content of a text. Raises DataError for a style that is not one of `STYLES`.
    """
    if style and style not in _PARSERS:
        hint = f"one of: {', '.join(STYLES)}"
        raise DataError(f"{style!r} is not a documentation style", field="style", hint=hint)
    return _PARSERS[style or detect(text) or "google"](text) if text else Documentation("")


def parse_shown(text: str, expected: str) -> Documentation:
    """Parse a text in the expected style, or in another one whose marks it has."""
    return parse(text, expected if shows_style(text, expected) else detect(text))
