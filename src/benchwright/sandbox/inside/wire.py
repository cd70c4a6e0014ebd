"""The protocol between the trusted side and an answer: frames of typed values.

A value is written in marshal format 2: exact built-in types only (a subclass does not marshal), no
references, so equal values of equal types give equal bytes and most answers are compared without being
decoded. Reading goes two ways. The answer's side uses marshal.loads, since it trusts the sender. The
trusted side never does: `benchwright.sandbox.codec` has its own reader with size, depth and type limits.

Values that marshal lacks travel as a tuple that starts with the class StopIteration, which marshal has
and no honest answer returns.
"""

from __future__ import annotations

import collections
import marshal
import sys
from typing import Any

FORMAT = 2
MAX_DEPTH = 200
MARK = StopIteration
# Limits of an exception's report: characters of a name, a text and a class; classes.
CLAIM_NAME, CLAIM_TEXT, CLAIM_KIND, CLAIM_KINDS = 80, 400, 160, 20

_SCALARS = frozenset({int, str, float, bool, type(None), bytes, complex})
_DICTS = (collections.Counter, collections.defaultdict, collections.OrderedDict)


class Unsendable(Exception):
    """A value whose type cannot be sent."""


def encode(value: Any) -> bytes:
    """Encode a value. Raises Unsendable with the name of its type, or ValueError if nested too deeply."""
    return marshal.dumps(_plain(value, 0), FORMAT)


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if depth >= MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH}")
    depth += 1
    if kind in (list, tuple, set, frozenset):
        if _SCALARS.issuperset(map(type, value)):
            return value
        return kind([_plain(item, depth) for item in value])
    if kind is dict or kind in _DICTS:
        return {_plain(key, depth): _plain(item, depth) for key, item in value.items()}
    return _marked_tuple(value, kind, depth)


def _marked_tuple(value: Any, kind: type, depth: int) -> Any:
    if kind is range:
        return (MARK, "range", value.start, value.stop, value.step)
    if kind is collections.deque:
        return (MARK, "deque", [_plain(item, depth) for item in value])
    if kind is bytearray:
        return (MARK, "bytearray", bytes(value))
    fractions = sys.modules.get("fractions")
    if fractions is not None and kind is fractions.Fraction:
        return (MARK, "fraction", value.numerator, value.denominator)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic) and kind.__module__ == "numpy":
        return _plain(value.item(), depth)
    if numpy is not None and kind is numpy.ndarray and value.dtype.kind in "biufc":
        return (MARK, "ndarray", value.dtype.str, tuple(value.shape), value.tobytes())
    raise Unsendable(kind.__name__)


def read_trusted(data: bytes) -> Any:
    """Decode a value that the trusted side encoded. Only for the answer's side, since it uses marshal."""
    value = marshal.loads(data)
    return _unmarked(value) if _MARK_BYTES in data else value


def _unmarked(value: Any) -> Any:
    if type(value) is tuple and value and value[0] is MARK:
        return _BUILD[value[1]](*map(_unmarked, value[2:]))
    if type(value) in (list, tuple):
        return type(value)(map(_unmarked, value))
    if type(value) is dict:
        return {_unmarked(key): _unmarked(item) for key, item in value.items()}
    return value


def _fraction(numerator: int, denominator: int) -> Any:
    from fractions import Fraction  # noqa: PLC0415 (few answers need it)

    return Fraction(numerator, denominator)


def _ndarray(dtype: str, shape: tuple[int, ...], content: bytes) -> Any:
    import numpy  # noqa: PLC0415 (only in profiles that have it)

    return numpy.frombuffer(content, dtype=dtype).reshape(shape).copy()


_MARK_BYTES = b"Su"  # the mark's type code, then that of the text that follows it
_BUILD: dict[str, Any] = {
    "range": range,
    "deque": collections.deque,
    "bytearray": bytearray,
    "fraction": _fraction,
    "ndarray": _ndarray,
}


def frame(kind: bytes, payload: bytes) -> bytes:
    """Return a frame: length of the payload (4 bytes, little endian), one byte of kind, the payload."""
    return len(payload).to_bytes(4, "little") + kind + payload
