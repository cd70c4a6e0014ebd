"""JavaScript and TypeScript as objects. Only their comments are known: they have no suites."""

from __future__ import annotations

from benchwright.lang.commented import Commentable
from benchwright.lang.javascript.comments import read_javascript, read_typescript


class _JavaScript:
    name = "JavaScript"
    spellings: tuple[str, ...] = ("js", "ecmascript", "node", "jsx")
    suffixes: tuple[str, ...] = (".js", ".mjs", ".cjs", ".jsx")
    fence = "javascript"
    fence_tags = frozenset({"javascript", "js", "jsx", "mjs", "cjs", "node"})
    commented = staticmethod(read_javascript)


class _TypeScript:
    name = "TypeScript"
    spellings: tuple[str, ...] = ("ts", "mts", "cts")
    suffixes: tuple[str, ...] = (".ts", ".mts", ".cts")
    fence = "typescript"
    fence_tags = frozenset({"typescript", "ts", "mts", "cts"})
    commented = staticmethod(read_typescript)


JAVASCRIPT: Commentable = _JavaScript()
TYPESCRIPT: Commentable = _TypeScript()
