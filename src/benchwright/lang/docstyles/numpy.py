"""NumPy style: a title underlined by dashes, `name : type` at the margin [numpydoc, Style guide]."""

from __future__ import annotations

import re

from benchwright.lang.docstyles.documentation import Documentation, DocumentationDraft, Kind
from benchwright.lang.docstyles.titles import kind_of

_LINE = re.compile(r"-{3,}[ \t]*")
_ITEM = re.compile(r"(\*{0,2}[^\W\d][\w.]*(?:,[ ]?\*{0,2}[^\W\d][\w.]*)*)[ ]?(?::[ ]?(.*)|$)")
TITLE_MARK = re.compile(r"^[^\W\d][^\n]{1,40}\n-{3,}[ \t]*$", re.MULTILINE)


def parse_numpy(text: str) -> Documentation:
    """Parse a text in NumPy style."""
    draft, kind = DocumentationDraft(), None
    lines = [*text.split("\n"), ""]
    number = 0
    while number < len(lines) - 1:
        line = lines[number]
        number += 1
        if line.strip() and _LINE.fullmatch(lines[number]):
            kind = _begin_section(draft, line.strip(), number)
            number += 1
        elif kind in (None, "section") or not line.strip() or line[0].isspace():
            draft.add(line)
        else:
            _read_item(draft, kind, line.strip(), number)
    return draft.finish("numpy")


def _begin_section(draft: DocumentationDraft, title: str, number: int) -> Kind:
    kind = kind_of(title) or "section"
    if kind == "section":
        draft.begin("section", [title], "", "", number)
    else:
        draft.end()
    return kind


def _read_item(draft: DocumentationDraft, kind: Kind, line: str, number: int) -> None:
    """Read a line at the margin: a name with its type; a return value may have only a type."""
    found = _ITEM.match(line)
    if kind == "returns":
        named = found is not None and found[2] is not None
        names, type_ = ([found[1]], found[2]) if found and named else ([""], line)
        draft.begin("returns", names, type_, "", number)
    elif found is None:
        draft.add(line)
    else:
        names = [name.strip("* ") for name in found[1].split(",")]
        draft.begin(kind, names, found[2] or "", "", number)
