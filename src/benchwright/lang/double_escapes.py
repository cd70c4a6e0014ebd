"""Undo an escape that was applied once too often.

Published rows hold code whose line ends are a backslash and an n: the text went through a JSON encoder twice.
Such a text has no line feed, no bare double quote (an encoder escapes each) and some line ends outside
character literals. A one-line program can have the first two properties by chance.
"""

from __future__ import annotations

import ast
import json
import re

from benchwright.lang.python.tree import parse
from benchwright.lang.source_errors import SyntaxFault

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_BARE_QUOTE = re.compile(r'(?:[^\\"]|\\.)*"', re.DOTALL)
_CHARACTER = re.compile(r"'\\\\?n'")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def unescape_double(code: str) -> str | None:
    """Return the intended source, or None if the text is not double-escaped."""
    if "\n" in code or "\\n" not in code or _BARE_QUOTE.match(code) is not None:
        return None
    if not _has_line_end(code) or _is_python_line(code):
        return None
    try:
        source = json.loads(f'"{code}"', strict=False)
    except ValueError:  # escaped by another encoder than JSON's: Python's repr, JavaScript
        return _ESCAPE.sub(_one, code)
    return str(source)


def _has_line_end(code: str) -> bool:
    r"""Return whether the text has an `\n` that is an escape: not the end of `\\n`, and not all of `'\n'`."""
    return "\\n" in _ESCAPE.findall(_CHARACTER.sub("", code))


def _is_python_line(code: str) -> bool:
    r"""Return whether the text is one line of Python with `\n` in a literal. `\n` in code is an error, in
    comments it is allowed."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return False
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [value.decode("latin-1") if isinstance(value, bytes) else value for value in values]
    return any(isinstance(text, str) and ("\n" in text or "\\n" in text) for text in texts)


def _one(found: re.Match[str]) -> str:
    escape = found.group()
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return _SIMPLE.get(escape[1], escape)
