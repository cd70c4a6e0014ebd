"""A documentation comment in parts, its style given or found by what stands in it."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from benchwright.errors import DataError
from benchwright.lang.docstyles import fields, google, numpy, tags
from benchwright.lang.docstyles.documentation import Documentation
from benchwright.lang.docstyles.go import parse_go

_PARSERS: MappingProxyType[str, Callable[[str], Documentation]] = MappingProxyType(
    {
        "google": google.parse_google,
        "numpy": numpy.parse_numpy,
        "rest": fields.parse_fields,
        "javadoc": tags.parse_javadoc,
        "jsdoc": tags.parse_jsdoc,
        "go": parse_go,
    }
)
STYLES = tuple(_PARSERS)
_MARKS = {
    "google": google.TITLE_MARK,
    "numpy": numpy.TITLE_MARK,
    "rest": fields.FIELD_MARK,
    "jsdoc": tags.TYPED_MARK,
    "javadoc": tags.TAG_MARK,
}
_ALSO = {"jsdoc": "javadoc"}  # tags without types are valid JSDoc


def detect(text: str) -> str:
    """Return the style whose marks a text has most of, the first of `STYLES` on a tie; "" for plain prose."""
    if not any(mark in text for mark in ":@-"):
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
