"""Content keys: the same content gives the same short name, on every machine and in every version.

The stored form of a key is 32 hex digits, so that a person can paste it and `grep` finds it.
"""

from __future__ import annotations

import hashlib
import json

# The standard library's encoder, not msgspec's: a key must never change because a library was
# updated, and msgspec refuses the lone surrogates that a hostile answer may hold.
_ENCODE = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def canonical(value: object) -> bytes:
    """The one spelling of a JSON value that is hashed: sorted keys, no spaces, UTF-8.

    Raises ValueError for NaN and infinities, and TypeError for what JSON cannot hold: a key over
    such a value would not be the same everywhere.
    """
    return _ENCODE(value).encode("utf-8", "surrogatepass")


def content_key(*parts: object) -> str:
    """The content key of some JSON values: 128 bits of SHA-256, as 32 hex digits.

    >>> content_key({"b": 1, "a": 2}) == content_key({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(canonical(parts)).hexdigest()[:32]


def compact(key: str) -> bytes:
    """A key as a set member in half the memory; keys of another spelling are kept as they are.

    >>> len(compact(content_key("x")))
    16
    """
    try:
        return bytes.fromhex(key)
    except ValueError:
        return key.encode("utf-8", "surrogatepass")
