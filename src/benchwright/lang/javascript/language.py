"""JavaScript as one object. Only its comments are known: it has no suites."""

from __future__ import annotations

from benchwright.lang.commented import Commentable
from benchwright.lang.javascript.comments import read_javascript


class _JavaScript:
    name = "JavaScript"
    spellings: tuple[str, ...] = ("js", "ecmascript", "node", "jsx")
    suffixes: tuple[str, ...] = (".js", ".mjs", ".cjs", ".jsx")
    fence = "javascript"
    fence_tags = frozenset({"javascript", "js", "jsx", "mjs", "cjs", "node"})
    commented = staticmethod(read_javascript)


JAVASCRIPT: Commentable = _JavaScript()
