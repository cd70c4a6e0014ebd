"""Content keys: the same content gives the same short name, on every machine and in every version.

The stored form of a key is 32 hex digits, so that a person can paste it and `grep` finds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring

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
    return _digest(f"[{','.join(map(_spelled, parts))}]")


def ending_with(*last: object) -> Callable[..., str]:
    """`content_key` of some parts and then always the same last ones, which are spelled only once.

    >>> ending_with({"b": 1}, "x")("a") == content_key("a", {"b": 1}, "x")
    True
    """
    spelled = "".join(f",{_spelled(part)}" for part in last)
    return lambda *parts: _digest(f"[{','.join(map(_spelled, parts))}{spelled}]")


def _spelled(value: object) -> str:
    """One part as `canonical` has it; an encoder of its own for each text would cost more than the hash."""
    return encode_basestring(value) if type(value) is str else _ENCODE(value)


def _digest(text: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 (5 ms, and workers make no keys)

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def compact(key: str) -> bytes:
    """A key as a set member in half the memory; keys of another spelling are kept as they are.

    >>> len(compact(content_key("x")))
    16
    """
    try:
        return bytes.fromhex(key)
    except ValueError:
        return key.encode("utf-8", "surrogatepass")
