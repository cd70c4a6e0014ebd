"""JavaScript and TypeScript as objects. Only their comments are known: they have no suites."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.lang.commented import Commentable
from benchwright.lang.javascript.comments import read_javascript, read_typescript
from benchwright.lang.javascript.words import JAVASCRIPT_NAMES, RAISES, TYPESCRIPT_NAMES


class _JavaScript:
    name = "JavaScript"
    spellings: tuple[str, ...] = ("js", "ecmascript", "node", "jsx")
    suffixes: tuple[str, ...] = (".js", ".mjs", ".cjs", ".jsx")
    fence = "javascript"
    fence_tags = frozenset({"javascript", "js", "jsx", "mjs", "cjs", "node"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("jsdoc",)
    builtin_names = JAVASCRIPT_NAMES
    raises: Mapping[str, frozenset[str]] = RAISES
    commented = staticmethod(read_javascript)


class _TypeScript:
    name = "TypeScript"
    spellings: tuple[str, ...] = ("ts", "mts", "cts")
    suffixes: tuple[str, ...] = (".ts", ".mts", ".cts")
    fence = "typescript"
    fence_tags = frozenset({"typescript", "ts", "mts", "cts"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("jsdoc",)
    builtin_names = TYPESCRIPT_NAMES
    raises: Mapping[str, frozenset[str]] = RAISES
    commented = staticmethod(read_typescript)


JAVASCRIPT: Commentable = _JavaScript()
TYPESCRIPT: Commentable = _TypeScript()
