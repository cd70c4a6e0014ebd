"""Exceptions that code throws without naming them, by what it does: told by its tokens.

Sources: "Built-in Exceptions" of The Python Language Reference; The Java Language Specification 17, 11.1 and
15.6, with the Javadoc of the methods; ECMA-262, "Native Error Types Used in This Standard".
"""

from __future__ import annotations

import re
from collections.abc import Collection

_ENDING = re.compile(r"[A-Z]\w*(?:Error|Exception)|StopIteration|KeyboardInterrupt")
_THROWN = {
    "Python": """
        / // %: ZeroDivisionError
        [: IndexError KeyError TypeError
        .: AttributeError
        open: OSError IOError FileNotFoundError PermissionError IsADirectoryError UnicodeDecodeError
        next: StopIteration
        int float max min index remove: ValueError
        pop: IndexError KeyError
        import: ImportError ModuleNotFoundError
        + - * += -= < > <= >= len int float sorted sum: TypeError
        ** exp: OverflowError
        decode: UnicodeDecodeError
        encode: UnicodeEncodeError
        loads load: JSONDecodeError ValueError
        assert: AssertionError
    """,
    "Java": """
        .: NullPointerException
        [: ArrayIndexOutOfBoundsException NegativeArraySizeException IndexOutOfBoundsException
        / %: ArithmeticException
        get charAt substring remove set: IndexOutOfBoundsException StringIndexOutOfBoundsException
        parseInt parseLong parseDouble valueOf decode: NumberFormatException
        next getFirst getLast removeFirst removeLast orElseThrow element pop remove: NoSuchElementException
        pop: EmptyStackException
        copyOf of copyOfRange: NullPointerException UnsupportedOperationException
        for: ConcurrentModificationException
        assert: AssertionError
    """,
    "JavaScript": """
        .: TypeError
        [: TypeError
        parse: SyntaxError
        repeat toFixed normalize: RangeError
        BigInt: RangeError SyntaxError
        decodeURIComponent encodeURIComponent: URIError
    """,
}
_LIKE = {"TypeScript": "JavaScript"}


def _read(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in text.strip().splitlines():
        tokens, _, names = line.partition(": ")
        for token in tokens.split():
            found.setdefault(token, set()).update(names.split())
    return {token: frozenset(names) for token, names in found.items()}


_BY_TOKEN = {lang: _read(text) for lang, text in _THROWN.items()}


def is_exception(name: str) -> bool:
    """Whether a name is one of an exception, by how it ends; `Error` and `Exception` alone are none.

    >>> is_exception("IOException"), is_exception("Error"), is_exception("error")
    (True, False, False)
    """
    last = name.rpartition(".")[2]
    return _ENDING.fullmatch(last) is not None and last not in ("Error", "Exception")


def may_raise(lang: str, tokens: Collection[str]) -> frozenset[str]:
    """The exceptions that code of a language with these tokens may throw without naming them."""
    known = _BY_TOKEN.get(_LIKE.get(lang, lang), {})
    return frozenset().union(*(names for token, names in known.items() if token in tokens))
