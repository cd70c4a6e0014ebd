"""The reader of untrusted bytes: valid values are returned, all others raise CodecError quickly."""

from __future__ import annotations

import collections
import marshal
import math
import struct
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.sandbox import codec
from benchwright.sandbox.codec import (
    CodecError,
    OpaqueValue,
    TooLarge,
    Unsendable,
    decode,
    decode_two,
    encode,
)
from benchwright.sandbox.inside import wire
from kit.examples import examples
from kit.needs import need_module

text = st.text(st.characters(exclude_categories=()), max_size=12)  # lone surrogates included
floats = st.floats(allow_nan=False)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | floats
    | text
    | st.binary(max_size=12)
    | st.complex_numbers(allow_nan=False)
)
hashable = st.recursive(
    scalars | st.fractions(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=4),
    max_leaves=8,
)
extras = (
    st.fractions()
    | st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([-2, -1, 1, 3]))
    | st.binary(max_size=8).map(bytearray)
)
values = st.recursive(
    scalars | extras | hashable,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.lists(inner, max_size=4).map(collections.deque)
        | st.sets(hashable, max_size=4)
        | st.dictionaries(hashable, inner, max_size=4)
    ),
    max_leaves=20,
)


def typed(value: Any) -> Any:
    """Return the value with its types, so that 1, 1.0 and True differ, and -0.0 differs from 0.0."""
    if isinstance(value, float | complex):
        return type(value), repr(value)
    if isinstance(value, list | tuple | collections.deque):
        return type(value), [typed(item) for item in value]
    if isinstance(value, set | frozenset):
        return type(value), sorted(repr(typed(item)) for item in value)
    if isinstance(value, dict):
        return type(value), [(typed(key), typed(item)) for key, item in value.items()]
    return type(value), value


@given(values)
def test_values_come_back_as_they_were(value: Any) -> None:
    """Encoding and decoding keeps value and exact type, at every depth."""
    back = decode(encode(value))

    assert typed(value) == typed(back)


@given(values, values)
def test_two_values_in_a_row(first: Any, second: Any) -> None:
    """A value and its successor are separated."""
    back = decode_two(encode(first) + encode(second))

    assert (typed(first), typed(second)) == (typed(back[0]), typed(back[1]))


@given(values)
def test_one_value_where_two_might_be(value: Any) -> None:
    """If no second value follows, it is None."""
    back = decode_two(encode(value))

    assert (typed(value), None) == (typed(back[0]), back[1])


@given(st.binary(max_size=400))
def test_any_bytes_give_a_value_or_a_codec_error(data: bytes) -> None:
    """Random bytes raise no other exception."""
    assert _only_codec_errors(data)


@given(values, st.data())
@settings(max_examples=examples(60))
def test_damaged_values_give_a_value_or_a_codec_error(value: Any, data: st.DataObject) -> None:
    """Truncated, overwritten and spliced values raise no other exception."""
    whole = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole)))
        whole[at : at + data.draw(st.integers(0, 6))] = data.draw(st.binary(max_size=6))

    assert _only_codec_errors(bytes(whole))


def _only_codec_errors(data: bytes) -> bool:
    for read in (decode, decode_two):
        try:
            read(data)
        except CodecError:
            continue
    return True


@pytest.mark.parametrize(
    "tag", [tag for tag in range(256) if chr(tag) not in "NTFSigylsu([<>{"], ids=lambda tag: f"{tag:#x}"
)
def test_other_type_codes_are_refused(tag: int) -> None:
    """Code objects, references, interned strings and later additions of marshal are not values."""
    with pytest.raises(CodecError, match="forbidden type code"):
        decode(bytes([tag]) + bytes(64))


def test_a_code_object_is_refused() -> None:
    """The most dangerous content of marshal is refused at its first byte."""
    with pytest.raises(CodecError, match="forbidden"):
        decode(marshal.dumps(compile("1", "x", "exec"), 2))


def _sequence(tag: bytes, count: int, items: bytes) -> bytes:
    return tag + struct.pack("<i", count) + items


def _marked(*fields: Any) -> bytes:
    return marshal.dumps((StopIteration, *fields), 2)


_PRIME = (1 << 61) - 1
MALFORMED: dict[str, bytes] = {
    "nothing": b"",
    "half an integer": b"i\x00\x00",
    "half a float": b"g1234",
    "a length beyond the end": b"u\x10\x00\x00\x00ab",
    "a negative length": b"s\xff\xff\xff\xff",
    "a list longer than the rest": _sequence(b"[", 1 << 30, b"N"),
    "a negative count": _sequence(b"[", -1, b"N"),
    "an integer of too many digits": b"l\xff\xff\xff\x7f\x01\x00",
    "an integer of the least count": b"l\x00\x00\x00\x80",
    "an integer with a bad digit": b"l\x01\x00\x00\x00\xff\xff",
    "an integer with a zero in front": b"l\x02\x00\x00\x00\x01\x00\x00\x00",
    "text that is not UTF-8": b"u\x01\x00\x00\x00\xff",
    "a dict without its end": b"{NN",
    "a dict with a key alone": b"{N0",
    "a list as a key": b"{" + _sequence(b"[", 0, b"") + b"N0",
    "a list in a set": _sequence(b"<", 1, _sequence(b"[", 0, b"")),
    "two values": b"NN",
    "a mark alone": b"S",
    "a mark in a list": _sequence(b"[", 1, b"S"),
    "a mark as a key": b"{SN0",
    "a mark as a value": b"{NS0",
    "a mark second": _sequence(b"(", 2, b"NS"),
    "a mark without a name": _sequence(b"(", 1, b"S"),
    "a mark with an unknown name": _marked("module"),
    "a mark with a number for a name": _marked(3),
    "a range with too few fields": _marked("range", 1, 2),
    "a range without a step": _marked("range", 1, 2, 0),
    "a range of floats": _marked("range", 1.0, 2, 3),
    "a deque of text": _marked("deque", "abc"),
    "a bytearray of a length": _marked("bytearray", 1 << 40),
    "a fraction over zero": _marked("fraction", 1, 0),
    "a fraction of floats": _marked("fraction", 1.0, 2.0),
    "an array of objects": _marked("ndarray", "|O", (1,), bytes(8)),
    "an array of the wrong size": _marked("ndarray", "<i8", (2,), bytes(8)),
    "an array of a negative size": _marked("ndarray", "<i8", (-1,), bytes(8)),
    "an array in forty dimensions": _marked("ndarray", "<i8", (1,) * 40, bytes(8)),
    "an array of names": _marked("ndarray", "i,i", (1,), bytes(8)),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_values_are_refused(data: bytes) -> None:
    """Every invalid length, type and mark is a CodecError."""
    with pytest.raises(CodecError):
        decode(data)


HEAVY: dict[str, Callable[[], bytes]] = {
    "keys of one hash": lambda: b"{" + b"".join(_int(n * _PRIME) + b"N" for n in range(50_000)) + b"0",
    "elements of one hash": lambda: _sequence(
        b"<", 50_000, b"".join(_int(n * _PRIME) for n in range(50_000))
    ),
    "a fraction of giants": lambda: _marked("fraction", (1 << 400_000) + 1, (1 << 400_000) + 3),
    "more bytes than a reply has": lambda: bytes(codec.MAX_BYTES + 1),
    "deeper than a value may be": lambda: _sequence(b"[", 1, b"") * 100_000 + b"N",
}


def _int(number: int) -> bytes:
    return marshal.dumps(number, 2)


@pytest.mark.parametrize("make", HEAVY.values(), ids=HEAVY.keys())
def test_values_made_to_be_slow_are_refused_soon(make: Callable[[], bytes]) -> None:
    """Values that could occupy this process for hours cost moments at most."""
    data = make()
    started = time.process_time()
    with pytest.raises(CodecError):
        decode(data)
    used = time.process_time() - started

    assert used < 5.0


@pytest.mark.parametrize(
    ("one", "count"),
    [(_sequence(b"<", 0, b""), 20), (b"{0", 40), (_sequence(b"[", 0, b""), 40), (_marked("deque", []), 10)],
    ids=["sets", "dicts", "lists", "deques"],
)
def test_empty_containers_count_for_what_they_weigh(
    one: bytes, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The budget of values counts memory that exceeds the number of bytes."""
    monkeypatch.setattr(codec, "MAX_NODES", 100)
    with pytest.raises(TooLarge, match="more than"):
        decode(_sequence(b"[", count, one * count))


@pytest.mark.parametrize(
    "make",
    [
        lambda: encode([0] * codec.MAX_NODES),
        lambda: bytes(codec.MAX_BYTES + 1),
        lambda: encode(Fraction((1 << codec.MAX_FRACTION_BITS) + 1, 3)),
        lambda: encode(range(codec.MAX_LENGTH + 1)),
        lambda: encode(range(10**12, 0, -7)),
        lambda: encode(range(-(10**40), 10**40)),
        lambda: encode([range(3), {"x": range(10**9)}]),
        lambda: _marked("ndarray", "<i8", (1 << 24, 0), b""),
        lambda: _marked("ndarray", "<f4", (0, 2000, 2000), b""),
    ],
    ids=[
        *("values", "bytes", "digits of a fraction", "a range", "one that counts down", "one beyond len()"),
        *("ranges inside", "rows of no number", "no rows of many"),
    ],
)
def test_what_is_only_too_large_is_told_from_what_is_wrong(make: Callable[[], bytes]) -> None:
    """An honest answer may return more than the limit: this is not an attempt to cheat."""
    with pytest.raises(TooLarge, match="more than"):
        decode(make())


@pytest.mark.parametrize(
    "value",
    [
        range(codec.MAX_LENGTH),
        range(0, -3 * codec.MAX_LENGTH, -3),
        range(10**40, 0),
        range(10**40, 10**40 + 5),
    ],
    ids=["as long as may be", "downwards", "empty", "of large numbers"],
)
def test_ranges_within_the_bound_travel(value: range) -> None:
    """The number of values counts, not their size."""
    assert decode(encode(value)) == value


@pytest.mark.parametrize("name", ["keys of one hash", "deeper than a value may be"])
def test_what_no_answer_sends_is_not_called_too_large(name: str) -> None:
    """Values that the answer's side never writes are malformed, whatever their size."""
    with pytest.raises(CodecError) as caught:
        decode(HEAVY[name]())

    assert not isinstance(caught.value, TooLarge)


@pytest.mark.parametrize("bits", [1, 14, 15, 16, 30, 31, 32, 61, 1000, 40_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_every_length(bits: int, sign: int) -> None:
    """Integers around the borders of digits keep their value."""
    number = sign * ((1 << bits) - 1)
    back = decode(encode(number))

    assert number == back


def test_not_a_number_stays_one() -> None:
    """NaN comes back as NaN."""
    back = decode(encode(math.nan))

    assert math.isnan(back)


def test_ordinary_sets_with_equal_hashes_pass() -> None:
    """-1 and -2 share a hash in CPython; tuples of them are honest values."""
    honest = {(first, second, third) for first in (-1, -2) for second in (-1, -2) for third in range(200)}
    back = decode(encode(honest))

    assert honest == back


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.defaultdict(list, a=[1]), {"a": [1]}),
    ],
)
def test_kinds_of_dict_travel_as_dict(value: Any, plain: dict[str, Any]) -> None:
    """The standard library's dicts equal dicts, so dicts are sent."""
    back = decode(encode(value))

    assert typed(plain) == typed(back)


class _Int(int):
    """A subclass may compare in any way, so it is not sent."""


@pytest.mark.parametrize(
    "value", [_Int(3), [_Int(3)], {"k": object()}, print, type, iter([]), {1: {_Int(2)}}]
)
def test_other_types_are_not_sent(value: Any) -> None:
    """Only exact plain types are encoded, no subclass, function or iterator."""
    with pytest.raises(Unsendable):
        encode(value)


@pytest.mark.parametrize("depth", [wire.MAX_DEPTH, wire.MAX_DEPTH + 1])
def test_depth_has_a_limit(depth: int) -> None:
    """The limit is equal on both sides."""
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]
    if depth <= wire.MAX_DEPTH:
        assert nested == decode(encode(nested))
    else:
        with pytest.raises(ValueError, match="nested deeper"):
            encode(nested)


def test_frames_carry_length_kind_and_payload() -> None:
    """A frame is the payload's length, one byte of kind, and the payload."""
    frame = wire.frame(b"V", b"abc")

    assert frame == b"\x03\x00\x00\x00Vabc"


@given(st.integers(-(10**40), 10**40), st.integers(1, 10**40))
def test_fractions_keep_their_value(numerator: int, denominator: int) -> None:
    """Fractions travel as two integers."""
    fraction = Fraction(numerator, denominator)
    back = decode(encode(fraction))

    assert typed(fraction) == typed(back)


def test_arrays_travel_with_shape_and_type() -> None:
    """An array of numbers comes back as an equal array, if numpy is installed."""
    numpy = need_module("numpy")
    array = numpy.arange(6, dtype="<i4").reshape(2, 3)
    back = decode(encode(array))

    assert (array.dtype, array.tolist()) == (back.dtype, back.tolist())


def test_an_array_without_numpy_is_opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numpy an array has only a name, and equals nothing."""
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    back = decode(_marked("ndarray", "<i8", (1,), bytes(8)))

    assert (OpaqueValue, "<array of <i8, shape (1,)>", False) == (type(back), repr(back), back == [0])
