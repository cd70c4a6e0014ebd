"""Google style: a title with a colon, its items indented [Google Python Style Guide, 3.8 Comments]."""

from __future__ import annotations

import re
from typing import NamedTuple

from benchwright.lang.docstyles.documentation import Documentation, DocumentationDraft, Kind
from benchwright.lang.docstyles.titles import kind_of

_TITLE = re.compile(r"([^\W\d][^:]{0,40}):(?:[ \t]+(\S.*))?")
_NAMES = r"\*{0,2}[^\W\d][\w.]*(?:,[ ]?\*{0,2}[^\W\d][\w.]*)*"
_PARAMETER = re.compile(rf"({_NAMES})[ ]?(?:\((.*?)\))?[ ]?:(?:\s+(.*)|$)")
_BARE = re.compile(rf"({_NAMES})[ ]?(?:\((.*)\))?()")
_RAISED = re.compile(r"([^\W\d][\w.]*(?:(?:,| or)[ ][^\W\d][\w.]*)*)[ ]?(?::(?:\s+(.*)|$)|$)")
_TYPED = re.compile(
    r"([^\W\d][\w.]*(?:\[[^:]{0,200}\])?(?:[ ]?\|[ ]?[^\W\d][\w.]*(?:\[[^:|]{0,200}\])?){0,9})"
    r":(?:\s+(.*)|$)"
)
_SPLIT = re.compile(r",[ ]?|[ ]or[ ]")
TITLE_MARK = re.compile(
    r"^(?:Args|Arguments|Parameters|Params|Returns|Yields|Raises"
    r"|Аргументы|Параметры|Возвращает|Возвращаемое значение|Исключения|Вызывает):[ \t]*$",
    re.MULTILINE,
)


def parse_google(text: str) -> Documentation:
    """Parse a text in Google style."""
    draft, section = DocumentationDraft(), _Section(None, -1)
    for number, line in enumerate(text.split("\n"), 1):
        indent = len(line) - len(line.lstrip())
        if line.strip() and not indent:
            section = _begin(draft, line.strip(), number)
        elif section.kind is None or not line.strip():
            draft.add(line)
        else:
            section = _item(draft, section, line.strip(), indent, number)
    return draft.finish("google")


class _Section(NamedTuple):
    """The open section: its kind, and the indent of its items (-1: none yet)."""

    kind: Kind | None
    indent: int


def _begin(draft: DocumentationDraft, line: str, number: int) -> _Section:
    """Read a line at the margin: a title, or prose."""
    found = _TITLE.fullmatch(line)
    kind = kind_of(found[1]) if found else None
    if found is None or kind is None or (found[2] and kind != "returns"):
        draft.end()
        draft.add(line)
        return _Section(None, -1)
    if kind == "section":
        draft.begin("section", [found[1]], "", "", number)
    elif found[2]:
        draft.begin("returns", [""], "", found[2], number)
        return _Section(kind, 0)
    else:
        draft.end()
    return _Section(kind, -1)


def _item(draft: DocumentationDraft, section: _Section, line: str, indent: int, number: int) -> _Section:
    """Read an indented line in a section: a new item, or the continuation of one."""
    first = section.indent < 0
    if section.kind == "section" or not (first or indent <= section.indent):
        draft.add(line)
        return section
    if section.kind == "parameter":
        begun = _begin_parameter(draft, line, number)
    elif section.kind == "raises":
        begun = _begin_raised(draft, line, number)
    else:
        begun = first and _begin_returned(draft, line, number)
    if not begun:
        draft.add(line)
    return _Section(section.kind, indent) if first else section


def _begin_parameter(draft: DocumentationDraft, line: str, number: int) -> bool:
    found = _PARAMETER.match(line) or _BARE.fullmatch(line)
    if found is None:
        return False
    names = [name.strip("* ") for name in found[1].split(",")]
    draft.begin("parameter", names, found[2] or "", found[3] or "", number)
    return True


def _begin_raised(draft: DocumentationDraft, line: str, number: int) -> bool:
    found = _RAISED.match(line)
    if found is None:
        return False
    draft.begin("raises", _SPLIT.split(found[1]), "", found[2] or "", number)
    return True


def _begin_returned(draft: DocumentationDraft, line: str, number: int) -> bool:
    found = _TYPED.match(line)
    draft.begin("returns", [""], found[1] if found else "", (found[2] or "") if found else line, number)
    return True
