"""reStructuredText as Sphinx reads it: `:param name:`, `:returns:` [Sphinx, Info field lists]."""

from __future__ import annotations

import re

from benchwright.lang.docstyles.documentation import Documentation, DocumentationDraft, Documented, Kind

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
    returns = found.returns or ((Documented("", types[""], "", 0),) if "" in types else ())
    return found._replace(
        style="rest",
        parameters=tuple(
            part._replace(type=part.type or types.get(part.name, "")) for part in found.parameters
        ),
        returns=tuple(part._replace(type=part.type or types.get("", "")) for part in returns),
    )
