"""Exception names, and tables of the exceptions that operations raise."""

from __future__ import annotations

import re

_ENDING = re.compile(r"[A-Z]\w*(?:Error|Exception)|StopIteration|KeyboardInterrupt")


def by_token(text: str) -> dict[str, frozenset[str]]:
    """Parse a table of exceptions by token. Each line has tokens, a colon, and exceptions."""
    found: dict[str, set[str]] = {}
    for line in text.strip().splitlines():
        tokens, _, names = line.partition(": ")
        for token in tokens.split():
            found.setdefault(token, set()).update(names.split())
    return {token: frozenset(names) for token, names in found.items()}


def is_exception(name: str) -> bool:
    """Return whether a name ends like that of an exception; `Error` and `Exception` alone do not count.

    >>> is_exception("IOException"), is_exception("Error"), is_exception("error")
    (True, False, False)
    """
    last = name.rpartition(".")[2]
    return _ENDING.fullmatch(last) is not None and last not in ("Error", "Exception")
