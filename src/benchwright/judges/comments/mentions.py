"""Names that prose mentions, by the forms in which people write names of code.

In backticks, called, snake_case, camelCase, UPPER_CASE, with `self.` or `this.` before it, or with the ending
of an exception. Plain words with dots or inner capitals are left alone: `example.com` and GitHub are no code.
"""

from __future__ import annotations

import re
from collections.abc import Collection

MOST = 1000  # maximum mentions of one answer
_NAME = r"[^\W\d]\w{0,100}(?:(?:\.|::|#)[^\W\d]\w{0,100}){0,5}"
_MENTION = re.compile(
    rf"``?(?P<quoted>[^`\n]{{1,100}})``?"
    rf"|(?<![\w.@/])(?P<called>{_NAME})\(\)"
    r"|(?<![\w.@/])(?P<own>(?:self|this|cls)(?:\.[^\W\d]\w{0,100})+)"
    r"|(?<![\w.@/-])(?P<formed>_?[^\W\d_]+\d*_\w{1,100}"  # snake_case, UPPER_CASE
    r"|[a-z]{2,40}\d{0,4}[A-Z]\w{0,100}"  # camelCase
    r"|[A-Z]\w{0,100}(?:Error|Exception))(?![\w/-])"
)
_LIKELY = re.compile(r"[`_]|\(\)|[a-z]\d{0,4}[A-Z]|(?:self|this|cls)\.")  # characters of every mention
_CALL = re.compile(rf"(?P<name>@?{_NAME})\(.*\)")
_WHOLE = re.compile(_NAME)
_LITERAL = re.compile(r"[-+]?\d[\w.]*|\"[^\"]*\"|'[^']*'")
_SEPARATOR = re.compile(r"\.|::|#")
_OWNERS = frozenset({"self", "this", "cls"})


def mentions(text: str) -> list[str]:
    """Return the names and quoted literals that a text mentions, each once, in order; at most `MOST`."""
    if not (_LIKELY.search(text) or "Error" in text or "Exception" in text):
        return []
    found: dict[str, None] = {}
    for match in _MENTION.finditer(text):
        name = _quoted(match["quoted"].strip()) if match["quoted"] else match[match.lastgroup or 0]
        if name:
            found[name] = None
        if len(found) >= MOST:
            break
    return list(found)


def _quoted(text: str) -> str:
    """Return the content of backticks if it is a name or a literal; "" for an expression or prose."""
    called = _CALL.fullmatch(text)
    if called:
        return called["name"].lstrip("@")
    return text if _WHOLE.fullmatch(text) or _LITERAL.fullmatch(text) else ""


def exists(mention: str, names: Collection[str], builtin: Collection[str]) -> bool:
    """Return whether a mention exists: as a name of the code or of the language.

    Of a dotted name each part does, or its first part belongs to the language, such as a module of its
    library. Names like `__init__` belong to the language.
    """
    if mention in names or mention in builtin or (mention.startswith("__") and mention.endswith("__")):
        return True
    first, *rest = _SEPARATOR.split(mention)
    if first in _OWNERS:
        return all(part in names for part in rest)
    return bool(rest) and (
        first in builtin or all(part in names or part in builtin for part in (first, *rest))
    )
