"""Decoder of values from an answer: a strict reader of marshal format 2 with limits on size, depth and types.

marshal.loads is not safe for untrusted bytes (it can crash the interpreter and builds code objects), so
this reader accepts only plain data types and checks every length before use. The format is defined by
CPython's Python/marshal.c; `inside.wire` describes the subset that is sent.
"""

from __future__ import annotations

import marshal
import math
import struct
from collections import Counter, deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from benchwright.sandbox.inside.wire import MAX_DEPTH, Unsendable, encode
from benchwright.sandbox.untrusted import UntrustedBytes

__all__ = ["CodecError", "OpaqueValue", "TooLarge", "Unsendable", "decode", "decode_two", "encode"]

MAX_BYTES = 16 << 20
MAX_NODES = 2_000_000  # values; a container counts as several, by the memory of an empty one
MAX_SAME_HASH = 128
MAX_FRACTION_BITS = 1 << 14
MAX_LENGTH = 1_000_000  # of values that are small here but expand when iterated
_MARK = object()
_INT32 = struct.Struct("<i")
_FLOAT = struct.Struct("<d")
_NULL = ord("0")
_ITEM_SIZE = {"1": 1, "2": 2, "4": 4, "8": 8, "16": 16}


class CodecError(ValueError):
    """The bytes are not an accepted value: truncated, too deep, or of a forbidden type."""


class TooLarge(CodecError):
    """A well-formed value with too many bytes or elements."""


class OpaqueValue:
    """A value that can be described but not compared, such as an array without numpy."""

    def __init__(self, description: str) -> None:
        self.description = description

    def __repr__(self) -> str:
        return f"<{self.description}>"


def decode(data: bytes | UntrustedBytes) -> Any:
    """Decode the single value in `data`. Raises CodecError; bytes of an answer require active bounds."""
    reader = _Reader(data)
    value = reader.read_checked()
    if reader.at != len(data):
        raise CodecError(f"{len(data) - reader.at} bytes after the value")
    return value


def decode_two(data: bytes | UntrustedBytes) -> tuple[Any, Any]:
    """Decode a value and a second one, if any (else None)."""
    reader = _Reader(data)
    value = reader.read_checked()
    return value, None if reader.at == len(data) else decode(reader.data[reader.at :])


class _Reader:
    """A position in untrusted bytes, with a budget of values: empty containers take 30 times their bytes."""

    __slots__ = ("at", "data", "nodes")

    def __init__(self, data: bytes | UntrustedBytes) -> None:
        if len(data) > MAX_BYTES:
            raise TooLarge(f"{len(data)} bytes, more than {MAX_BYTES}")
        self.data = data.reveal() if isinstance(data, UntrustedBytes) else data
        self.at, self.nodes = 0, MAX_NODES

    def read_checked(self) -> Any:
        try:
            value = self.read(0)
        except (struct.error, IndexError):
            raise CodecError("cut off in a value") from None
        except CodecError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise CodecError(f"bad value: {error}") from None
        if value is _MARK:
            raise CodecError("a mark outside a tuple")
        return value

    def read(self, depth: int) -> Any:
        tag = self.data[self.at]
        self.at += 1
        reader = _READERS.get(tag)
        if reader is None:
            raise CodecError(f"forbidden type code {chr(tag)!r}")
        self.spend(1)
        if depth > MAX_DEPTH + 2:
            raise CodecError(f"nested deeper than {MAX_DEPTH}")
        return reader(self, depth + 1)

    def spend(self, nodes: int) -> None:
        self.nodes -= nodes
        if self.nodes < 0:
            raise TooLarge(f"more than {MAX_NODES} values")

    def int32(self) -> int:
        number: int = _INT32.unpack_from(self.data, self.at)[0]
        self.at += 4
        return number

    def take(self, size: int) -> bytes:
        start, end = self.at, self.at + size
        if size < 0 or end > len(self.data):
            raise CodecError("cut off in a string or an integer")
        self.at = end
        return self.data[start:end]

    def items(self, depth: int) -> list[Any]:
        count = self.int32()
        if not 0 <= count <= len(self.data) - self.at:
            raise CodecError("bad length of a sequence")
        self.spend(2)
        return [self.read(depth) for _ in range(count)]


def _int32(reader: _Reader, depth: int) -> int:
    return reader.int32()


def _float(reader: _Reader, depth: int) -> float:
    number: float = _FLOAT.unpack(reader.take(8))[0]
    return number


def _complex(reader: _Reader, depth: int) -> complex:
    return complex(_float(reader, depth), _float(reader, depth))


def _long(reader: _Reader, depth: int) -> int:
    """Digits of 15 bits each, least significant first; a negative count means a negative number.

    marshal itself reads them: for this one type, with its length checked here, it only fills an array,
    where a loop in Python would hold a hundred bytes for each digit.
    """
    start, count = reader.at, reader.int32()
    reader.take(2 * abs(count))
    number: int = marshal.loads(b"l" + reader.data[start : reader.at])
    return number


def _bytes(reader: _Reader, depth: int) -> bytes:
    return reader.take(reader.int32())


def _str(reader: _Reader, depth: int) -> str:
    return reader.take(reader.int32()).decode("utf-8", "surrogatepass")


def _list(reader: _Reader, depth: int) -> list[Any]:
    items = reader.items(depth)
    _refuse_mark(items)
    return items


def _set(reader: _Reader, depth: int) -> set[Any]:
    items = _list(reader, depth)
    reader.spend(4)
    _refuse_collisions(items)
    return set(items)


def _frozenset(reader: _Reader, depth: int) -> frozenset[Any]:
    return frozenset(_set(reader, depth))


def _tuple(reader: _Reader, depth: int) -> Any:
    items = reader.items(depth)
    if items and items[0] is _MARK:
        reader.spend(10)
        _refuse_mark(items[1:])
        return _decode_marked(items[1:])
    _refuse_mark(items)
    return tuple(items)


def _dict(reader: _Reader, depth: int) -> dict[Any, Any]:
    """Pairs up to a null type code."""
    keys, values = [], []
    reader.spend(2)
    while reader.data[reader.at] != _NULL:
        keys.append(reader.read(depth))
        values.append(reader.read(depth))
    reader.at += 1
    _refuse_mark(keys)
    _refuse_mark(values)
    _refuse_collisions(keys)
    return dict(zip(keys, values, strict=True))


def _refuse_collisions(items: list[Any]) -> None:
    """A million integers of one hash keep a set busy for hours, inside one call that no clock can end."""
    if len(items) > MAX_SAME_HASH and max(Counter(map(hash, items)).values()) > MAX_SAME_HASH:
        raise CodecError(f"more than {MAX_SAME_HASH} keys with the same hash")


def _refuse_mark(items: list[Any]) -> None:
    if any(item is _MARK for item in items):
        raise CodecError("a mark out of place")


def _decode_marked(items: list[Any]) -> Any:
    name, *fields = items
    build = _MARKED_TYPES.get(name) if isinstance(name, str) else None
    if build is None:
        raise CodecError("an unknown marked value")
    return build(*fields)


def _range(start: Any, stop: Any, step: Any) -> range:
    """A range is forty bytes, whatever its length, and gigabytes as the tuple that a test makes of it."""
    _refuse_unless(all(type(item) is int for item in (start, stop, step)))
    value = range(start, stop, step)
    # Not by len(), which fails above 2 ** 63.
    if value and abs(stop - start) > abs(step) * MAX_LENGTH:
        raise TooLarge(f"a range of more than {MAX_LENGTH} values")
    return value


def _deque(items: Any) -> deque[Any]:
    _refuse_unless(type(items) is list)
    return deque(items)


def _bytearray(content: Any) -> bytearray:
    _refuse_unless(type(content) is bytes)
    return bytearray(content)


def _fraction(numerator: Any, denominator: Any) -> Fraction:
    _refuse_unless(type(numerator) is int and type(denominator) is int and denominator > 0)
    # To be reduced, a fraction takes time by the square of its length: hours for one of 16 MiB.
    if max(numerator.bit_length(), denominator.bit_length()) > MAX_FRACTION_BITS:
        raise TooLarge(f"a fraction of more than {MAX_FRACTION_BITS} bits")
    return Fraction(numerator, denominator)


def _ndarray(dtype: Any, shape: Any, content: Any) -> Any:
    _refuse_unless(type(dtype) is str and len(dtype) <= 4 and dtype[:1] in "<>|=" and dtype[1:2] in "biufc")
    _refuse_unless(type(shape) is tuple and len(shape) <= 32 and type(content) is bytes)
    size = _ITEM_SIZE.get(dtype[2:], 0)
    for length in shape:
        _refuse_unless(type(length) is int and 0 <= length <= MAX_BYTES)
        size *= length
    _refuse_unless(size == len(content) and dtype[2:] in _ITEM_SIZE)
    # Sixteen million empty rows take 0 bytes here, and become sixteen million lists when used.
    if not content and math.prod(length or 1 for length in shape) > MAX_LENGTH:
        raise TooLarge(f"an array of more than {MAX_LENGTH} empty rows")
    try:
        import numpy  # noqa: PLC0415 (only where the trusted side has it)
    except ImportError:
        return OpaqueValue(f"array of {dtype}, shape {shape}")
    return numpy.frombuffer(content, dtype=dtype).reshape(shape).copy()


def _refuse_unless(condition: bool) -> None:
    if not condition:
        raise CodecError("a marked value with fields of the wrong type")


_MARKED_TYPES: dict[str, Callable[..., Any]] = {
    "range": _range,
    "deque": _deque,
    "bytearray": _bytearray,
    "fraction": _fraction,
    "ndarray": _ndarray,
}
_READERS: dict[int, Callable[[_Reader, int], Any]] = {
    ord("N"): lambda reader, depth: None,
    ord("T"): lambda reader, depth: True,
    ord("F"): lambda reader, depth: False,
    ord("S"): lambda reader, depth: _MARK,
    ord("i"): _int32,
    ord("g"): _float,
    ord("y"): _complex,
    ord("l"): _long,
    ord("s"): _bytes,
    ord("u"): _str,
    ord("("): _tuple,
    ord("["): _list,
    ord("<"): _set,
    ord(">"): _frozenset,
    ord("{"): _dict,
}
