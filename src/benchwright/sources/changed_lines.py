"""Which parts of a file a patch changes: code, comments or docstrings; found by a heuristic on its hunks.

A changed line is a comment if its first characters start one in its language, or if it continues a block
comment (`*`). In Python, a changed line is part of a docstring if it starts with triple quotes, or if it lies
between two such lines of one hunk. Comments at the end of a line of code count as code. A docstring or block
comment whose first and last lines are outside the hunk counts as code.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class ChangedParts(NamedTuple):
    """Which parts of a file were changed."""

    code: bool
    comments: bool
    docstrings: bool


UNKNOWN, _ALL = ChangedParts(False, False, False), ChangedParts(True, True, True)
_STYLES = {
    "hash": (
        "Python:.py .pyi .pyx;Shell:.sh .bash .zsh;Ruby:.rb;Perl:.pl .pm;R:.r;YAML:.yml .yaml;TOML:.toml;"
        "INI:.cfg .ini;Make:.mk;CMake:.cmake;Elixir:.ex .exs;Julia:.jl;Nix:.nix;Dockerfile:.dockerfile"
    ),
    "slash": (
        "C:.c .h;C++:.cc .cpp .cxx .hpp .hh;C#:.cs;Java:.java;JavaScript:.js .jsx .mjs .cjs;"
        "TypeScript:.ts .tsx .mts .cts;Go:.go;Rust:.rs;Kotlin:.kt .kts;Scala:.scala;Swift:.swift;PHP:.php;"
        "Dart:.dart;Groovy:.groovy .gradle;Protocol Buffers:.proto;SCSS:.scss;Less:.less;CSS:.css;"
        "Objective-C:.m;Zig:.zig;Solidity:.sol"
    ),
    "dash": "SQL:.sql;Lua:.lua;Haskell:.hs;Ada:.adb .ads",
    "none": (
        "Markdown:.md .markdown;reStructuredText:.rst;Text:.txt;HTML:.html .htm;XML:.xml;JSON:.json;"
        "AsciiDoc:.adoc .asciidoc;Jupyter Notebook:.ipynb"
    ),
}
_COMMENT = {"hash": r"#", "slash": r"//|/\*|\*(?=[\s/*]|$)", "dash": r"--"}
_LANGUAGES: dict[str, tuple[str, str]] = {
    suffix: (name, style)
    for style, listed in _STYLES.items()
    for name, _, suffixes in (each.partition(":") for each in listed.split(";"))
    for suffix in suffixes.split()
}
_NAMES = {
    "Makefile": ("Make", "hash"),
    "Dockerfile": ("Dockerfile", "hash"),
    "Jenkinsfile": ("Groovy", "slash"),
}
_DOCUMENTS = frozenset(("Markdown", "reStructuredText", "AsciiDoc"))
_DOCUMENT_NAMES = re.compile(r"(?i)^(readme|changes|changelog|contributing|authors|history|news|install)\b")
_DOCUMENT_FOLDERS = frozenset(("doc", "docs", "documentation"))
# A line starts with the line feed before it, which is found much faster than `^`; see `_lines_of`.
_COMMENTED = {style: re.compile(rf"\n[+-][ \t]*(?:{sign})", re.MULTILINE) for style, sign in _COMMENT.items()}
_OTHERS = {
    style: re.compile(rf"\n[+-][ \t]*(?!(?:{sign})|[ \t\r\n])\S", re.MULTILINE)
    for style, sign in _COMMENT.items()
}
_HUNK_END = "\n@@ "
_CHANGED_LINE = re.compile(r"^[+-]", re.MULTILINE)
_DOCSTRING = re.compile(r"""^[ +-][ \t]*[rRuU]?(\"{3}|'{3})[\s\S]*?(?:\1|\Z)""", re.MULTILINE)


def language_of(path: str) -> str:
    """The language of a file by its name; empty for an unknown one."""
    return _language_of(path)[0]


def is_documentation(path: str) -> bool:
    """Whether a file is documentation: by its language, its name or its folder."""
    folder, _, name = path.rpartition("/")
    if language_of(path) in _DOCUMENTS or _DOCUMENT_NAMES.match(name):
        return True
    return language_of(path) in ("Text", "HTML") and not _DOCUMENT_FOLDERS.isdisjoint(folder.split("/"))


def changed_parts(path: str, hunks: str) -> ChangedParts:
    """The parts of a file that its hunks change; nothing for a file of an unknown language."""
    language, style = _language_of(path)
    if style not in _COMMENTED or not hunks:
        return UNKNOWN
    if language == "Python" and ('"""' in hunks or "'''" in hunks):
        return _python_parts(hunks)
    return _lines_of(style, hunks, docstrings=False)


def _lines_of(style: str, hunks: str, *, docstrings: bool) -> ChangedParts:
    lines = f"\n{hunks}"
    return ChangedParts(bool(_OTHERS[style].search(lines)), bool(_COMMENTED[style].search(lines)), docstrings)


def _language_of(path: str) -> tuple[str, str]:
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return _LANGUAGES.get(dot + suffix.lower(), ("", "")) if stem and dot else _NAMES.get(name, ("", ""))


def _python_parts(hunks: str) -> ChangedParts:
    found = UNKNOWN
    first, *others = hunks.split(_HUNK_END)
    for hunk in (first, *(f"@{each}" for each in others)):  # no header starts with a minus
        if found == _ALL:
            break
        sides = (hunk,) if '"""' not in hunk and "'''" not in hunk else _sides(hunk)
        for side in sides:
            found = ChangedParts(*map(max, found, _side_parts(side)))
    return found


def _sides(hunk: str) -> tuple[str, ...]:
    """The hunk as it is after the change and before it, each line with its first character."""
    found = []
    lines = hunk.split("\n")
    if "\n+" in hunk:
        found.append("\n".join([each for each in lines if each[:1] != "-"]))
    if "\n-" in hunk:
        found.append("\n".join([each for each in lines if each[:1] != "+"]))
    return tuple(found)


def _side_parts(side: str) -> ChangedParts:
    docstrings, rest = False, side
    if '"""' in side or "'''" in side:
        docstrings = any(_CHANGED_LINE.search(match[0]) for match in _DOCSTRING.finditer(side))
        rest = _DOCSTRING.sub("", side)
    return _lines_of("hash", rest, docstrings=docstrings)
