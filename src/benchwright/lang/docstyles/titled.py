"""Documentation in titled sections: Google's style ("Args:") and NumPy's (an underlined title)."""

from __future__ import annotations

import re
from typing import NamedTuple

from benchwright.lang.docstyles.doc_records import Documentation, DocumentationDraft, Kind

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
COLON_TITLE = re.compile(
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


_PARAMETERS = (
    "Args, Arguments, Parameters, Params, Other Parameters, Keyword Args, Keyword Arguments, "
    "Аргументы, Параметры, Именованные аргументы"
)
_RETURNS = (
    "Returns, Return, Yields, Yield, Возвращает, Возвращаемое значение, Возвращаемые значения, Результат"
)
_RAISES = "Raises, Raise, Exceptions, Throws, Исключения, Вызывает, Вызывает исключения, Возбуждает"
_OTHERS = (
    "Attributes, Example, Examples, Note, Notes, See Also, References, Todo, Warning, Warnings, Warns, "
    "Usage, Deprecated, Атрибуты, Пример, Примеры, Примечание, Примечания, Замечание, Замечания, "
    "Использование, Предупреждение, См. также"
)


def _by_title() -> dict[str, Kind]:
    tables: list[tuple[Kind, str]] = [
        ("parameter", _PARAMETERS),
        ("returns", _RETURNS),
        ("raises", _RAISES),
        ("section", _OTHERS),
    ]
    return {title.lower(): kind for kind, titles in tables for title in titles.split(", ")}


_KINDS = _by_title()
LONGEST = max(map(len, _KINDS))


def kind_of(title: str) -> Kind | None:
    """Return the kind of section with this title, or None for other words."""
    return _KINDS.get(title.lower()) if len(title) <= LONGEST else None


_LINE = re.compile(r"-{3,}[ \t]*")
_ITEM = re.compile(r"(\*{0,2}[^\W\d][\w.]*(?:,[ ]?\*{0,2}[^\W\d][\w.]*)*)[ ]?(?::[ ]?(.*)|$)")
UNDERLINED_TITLE = re.compile(r"^[^\W\d][^\n]{1,40}\n-{3,}[ \t]*$", re.MULTILINE)


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
        has_type = found is not None and found[2] is not None
        names, type_ = ([found[1]], found[2]) if found and has_type else ([""], line)
        draft.begin("returns", names, type_, "", number)
    elif found is None:
        draft.add(line)
    else:
        names = [name.strip("* ") for name in found[1].split(",")]
        draft.begin(kind, names, found[2] or "", "", number)
