"""Documentation comments in each style, written from the parts that a parser must return."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from benchwright.lang.docstyles.doc_records import Documentation, DocumentedPart

LANGUAGE_WORDS = (
    "value",
    "of",
    "the",
    "rectangle",
    "длина",
    "стороны",
    "zero-based",
    "(optional)",
    "1",
    "a.b",
)
NAMES = st.sampled_from(["width", "height_px", "x", "timeoutMs", "ключ", "args", "n2"])
TYPES = st.sampled_from(["int", "str", "list[int]", "dict[str, int]", "float | None", "pkg.Thing"])
ERRORS = st.sampled_from(["ValueError", "KeyError", "pkg.OwnError"])
SENTENCES = st.lists(st.sampled_from(LANGUAGE_WORDS), min_size=1, max_size=6).map(" ".join)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=2).map("\n".join)
PROSE = SENTENCES.map(lambda text: f"Gives {text}.")


def _parts(name: st.SearchStrategy[str], kind: st.SearchStrategy[str]) -> st.SearchStrategy[DocumentedPart]:
    return st.builds(DocumentedPart, name=name, type=kind, text=TEXTS, line=st.just(0))


def documentations(*, types: bool = True, titled: bool = True) -> st.SearchStrategy[Documentation]:
    """Generate parts without lines. `types` is False for a style without types, `titled` False for prose
    alone."""
    kind = TYPES if types else st.just("")
    none = st.just(())
    return st.builds(
        Documentation,
        style=st.just(""),
        summary=PROSE,
        body=st.one_of(st.just(""), PROSE),
        parameters=st.lists(_parts(NAMES, kind), max_size=3).map(tuple) if titled else none,
        returns=st.lists(_parts(st.just(""), kind), max_size=1).map(tuple) if titled else none,
        raises=st.lists(_parts(ERRORS, st.just("")), max_size=2).map(tuple) if titled else none,
        sections=none,
    )


def google(doc: Documentation) -> str:
    """Write them in Google style."""
    lines = []
    for title, parts in (("Args", doc.parameters), ("Returns", doc.returns), ("Raises", doc.raises)):
        lines += [f"\n{title}:"] if parts else []
        for part in parts:
            head = f"{part.name} ({part.type})" if title == "Args" else part.name or part.type
            lines.append(f"    {head}: " + part.text.replace("\n", "\n        "))
    return _with_prose(doc, lines)


def numpy(doc: Documentation) -> str:
    """Write them in NumPy style."""
    lines = []
    for title, parts in (("Parameters", doc.parameters), ("Returns", doc.returns), ("Raises", doc.raises)):
        lines += [f"\n{title}\n{'-' * len(title)}"] if parts else []
        for part in parts:
            head = f"{part.name} : {part.type}" if title == "Parameters" else part.name or part.type
            lines.append(f"{head}\n    " + part.text.replace("\n", "\n    "))
    return _with_prose(doc, lines)


def rest(doc: Documentation) -> str:
    """Write them in reStructuredText, each type in a separate field."""
    lines = [""]
    for part in doc.parameters:
        lines.append(f":param {part.type} {part.name}: " + part.text.replace("\n", "\n    "))
    for part in doc.returns:
        lines.append(":returns: " + part.text.replace("\n", "\n    "))
        lines.append(f":rtype: {part.type}")
    lines += [f":raises {part.name}: " + part.text.replace("\n", "\n    ") for part in doc.raises]
    return _with_prose(doc, lines)


def javadoc(doc: Documentation) -> str:
    """Write them with tags."""
    lines = [""]
    lines += [f"@param {part.name} {part.text}" for part in doc.parameters]
    lines += [f"@return {part.text}" for part in doc.returns]
    lines += [f"@throws {part.name} {part.text}" for part in doc.raises]
    return _with_prose(doc, lines)


def jsdoc(doc: Documentation) -> str:
    """Write them with tags and types."""
    lines = [""]
    lines += [f"@param {{{part.type}}} {part.name} - {part.text}" for part in doc.parameters]
    lines += [f"@returns {{{part.type}}} {part.text}" for part in doc.returns]
    lines += [f"@throws {{{part.name}}} {part.text}" for part in doc.raises]
    return _with_prose(doc, lines)


def xml(doc: Documentation) -> str:
    """Write them with the tags of C#."""
    lines = [""]
    lines += [f'<param name="{part.name}">{part.text}</param>' for part in doc.parameters]
    lines += [f"<returns>{part.text}</returns>" for part in doc.returns]
    lines += [f'<exception cref="{part.name}">{part.text}</exception>' for part in doc.raises]
    return _with_prose(doc, lines)


def _with_prose(doc: Documentation, lines: list[str]) -> str:
    return "\n".join([doc.summary, *(["", doc.body] if doc.body else []), *lines])


RENDERED: dict[str, tuple[Callable[[Documentation], str], st.SearchStrategy[Documentation]]] = {
    "google": (google, documentations()),
    "numpy": (numpy, documentations()),
    "rest": (rest, documentations()),
    "javadoc": (javadoc, documentations(types=False)),
    "jsdoc": (jsdoc, documentations()),
    "xml": (xml, documentations(types=False)),
    "go": (lambda doc: _with_prose(doc, []), documentations(titled=False)),
}
