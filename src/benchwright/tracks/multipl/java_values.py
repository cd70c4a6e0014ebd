"""Parse values in the tests of Java rows: types as javac sees them, and values.

A value has the form that `Wire.java` reads and writes. An expression that javac would refuse, or whose
evaluation fails, is refused here, so that its row is executed unchanged.
"""

from __future__ import annotations

import json
import re
import struct
from typing import Any, NamedTuple

from benchwright.sandbox.codec import encode
from benchwright.tracks.multipl.forms import UnconvertibleTest

BOXES = {"long": "Long", "int": "Integer", "float": "Float", "double": "Double", "boolean": "Boolean"}
PLACES = {
    **dict.fromkeys((*BOXES.values(), "String", "Object"), "java.lang."),
    **dict.fromkeys(("ArrayList", "HashMap", "Optional"), "java.util."),
    "Pair": "org.javatuples.",
}  # packages of types, because an answer may have types with the same names
ARITY = {"ArrayList": 1, "HashMap": 2, "Optional": 1, "Pair": 2}
UNKNOWN = "?"  # a type that javac infers from the context
_NOTHING: dict[str, Any] = {"ArrayList": [], "HashMap": ("Map",)}
MOST_PAIRS = 10  # limit of Map.of
MAX_DEPTH = 20
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:\\.|[^\"\\\n])*\")|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[lLfFdD]?)(?![\w.])"
    r"|(?P<name>[A-Za-z_][\w.]*)|(?P<sign>[()<>,-]))"
)


class JavaType(NamedTuple):
    """A type: its simple name and its type arguments."""

    name: str
    inner: tuple[JavaType, ...] = ()

    def text(self) -> str:
        """Source of the type, with its full name."""
        inner = f"<{', '.join(each.text() for each in self.inner)}>" if self.inner else ""
        return f"{PLACES.get(self.name, '')}{self.name}{inner}"

    @property
    def boxed(self) -> JavaType:
        """The boxed type."""
        return JavaType(BOXES.get(self.name, self.name), self.inner)

    @property
    def known(self) -> bool:
        """Whether no part of the type has to be inferred."""
        return self.name != UNKNOWN and all(each.known for each in self.inner)

    def fits(self, to: JavaType) -> bool:
        """Whether a boxed value of this type is accepted as the other type."""
        own = self.boxed
        return to.name == "Object" or own.name == UNKNOWN or own == to or own._unifies(to)

    def _unifies(self, target: JavaType) -> bool:
        is_same = self.name == target.name and len(self.inner) == len(target.inner)
        return (
            is_same
            and not self.known
            and all(a.fits(b) for a, b in zip(self.inner, target.inner, strict=True))
        )


class JavaValue(NamedTuple):
    """Type and value of an expression."""

    type: JavaType
    value: Any


class JavaReading:
    """A position in the source of an expression."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0

    def next(self) -> str:
        """Return the next token and advance; empty at the end."""
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def sees(self, token: str) -> bool:
        """Whether a token comes next."""
        return self._tokens[self._at : self._at + 1] == [token]

    def expect(self, token: str) -> None:
        """Skip a token."""
        if self.next() != token:
            raise UnconvertibleTest(f"{token!r} is missing")

    def end(self) -> None:
        """Raise Unconvertible if text follows."""
        if self._at != len(self._tokens):
            raise UnconvertibleTest("text after the expression")

    def several(self, depth: int = 0) -> list[JavaValue]:
        """Expressions between commas and brackets."""
        found: list[JavaValue] = []
        self.expect("(")
        while not self.sees(")"):
            found.append(self.value(depth + 1))
            if not self.sees(")"):
                self.expect(",")
        self.expect(")")
        return found

    def value(self, depth: int = 0) -> JavaValue:
        """One expression."""
        if depth > MAX_DEPTH:
            raise UnconvertibleTest("nested too deep")
        token = self.next()
        if token == "(":
            return self._bracket(depth)
        if token == "-" or token[:1].isdigit():
            return _number(token + self.next() if token == "-" else token)
        if token.startswith('"'):
            return JavaValue(JavaType("String"), _string(token))
        if token in ("true", "false"):
            return JavaValue(JavaType("boolean"), token == "true")
        if token == "new":
            return self._new_object(self.type(), depth)
        return self._call_value(token, depth)

    def type(self) -> JavaType:
        """Parse a type. Raises Unconvertible for a type that the tests do not use."""
        name = self.next()
        inner: list[JavaType] = []
        while self.sees("<") or (inner and self.sees(",")):
            self.next()
            inner.append(self.type())
        if inner:
            self.expect(">")
        known = name in PLACES or name in BOXES
        if not known or len(inner) != ARITY.get(name, 0) or any(each.name in BOXES for each in inner):
            raise UnconvertibleTest(f"unknown type {name}")
        return JavaType(name, tuple(inner))

    def _bracket(self, depth: int) -> JavaValue:
        """A cast or an expression in brackets."""
        start = self._at
        try:
            target = self.type()
            self.expect(")")
        except UnconvertibleTest:
            self._at = start
            found = self.value(depth + 1)
            self.expect(")")
            return found
        return _cast(self.value(depth + 1), target)

    def _new_object(self, java_type: JavaType, depth: int) -> JavaValue:
        given = self.several(depth)
        if not given and java_type.name in _NOTHING:
            return JavaValue(java_type, _NOTHING[java_type.name])
        if len(given) != 1:
            raise UnconvertibleTest(f"new {java_type.name} of {len(given)} values")
        argument, method = given[0], {"ArrayList": "Arrays.asList", "HashMap": "Map.of"}.get(java_type.name)
        if method is None or argument.type.name != method:
            raise UnconvertibleTest(f"new {java_type.name} of another value")
        width = len(java_type.inner)
        for number, each in enumerate(argument.type.inner):
            if not each.fits(java_type.inner[number % width]):
                raise UnconvertibleTest(f"a {each.name} in {java_type.name}")
        return JavaValue(java_type, argument.value)

    def _call_value(self, name: str, depth: int) -> JavaValue:
        given = self.several(depth)
        types, values = tuple(each.type.boxed for each in given), [each.value for each in given]
        if any(each.name in ("Arrays.asList", "Map.of") for each in types):
            raise UnconvertibleTest("a list or a map of another kind")
        if name == "Arrays.asList":
            return JavaValue(JavaType(name, types), values)
        if name == "Map.of" and len(given) % 2 == 0 and len(given) <= 2 * MOST_PAIRS:
            return JavaValue(JavaType(name, types), _map(values))
        if name == "Pair.with" and len(given) == 2:
            return JavaValue(JavaType("Pair", types), ("Pair", *values))
        if name == "Optional.of" and len(given) == 1:
            return JavaValue(JavaType("Optional", types), ("Optional", *values))
        if name == "Optional.empty" and not given:
            return JavaValue(JavaType("Optional", (JavaType(UNKNOWN),)), ("Optional",))
        raise UnconvertibleTest(f"{name} of {len(given)} values")


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnconvertibleTest(f"unknown expression: {text[at : at + 40]}")
        found.append(match[0].strip())
        at = match.end()
    return found


def _number(text: str) -> JavaValue:
    last = text[-1].lower()
    digits = text.removeprefix("-").rstrip("lL")
    if digits.isdigit():
        return _integer_value(int(text.rstrip("lL")), digits, kind="long" if last == "l" else "int")
    try:
        value = float(text.rstrip("fFdD"))
        real = ("Float", as_float(value)) if last == "f" else value
    except (ValueError, OverflowError):
        raise UnconvertibleTest(f"{text!r} is not a number") from None
    return JavaValue(JavaType("float" if last == "f" else "double"), real)


def _integer_value(number: int, digits: str, *, kind: str) -> JavaValue:
    most = 1 << (63 if kind == "long" else 31)
    if (digits != "0" and digits.startswith("0")) or not -most <= number < most:
        raise UnconvertibleTest(f"{number} is not a decimal {kind}")
    return JavaValue(JavaType(kind), number if kind == "long" else ("Integer", number))


def as_float(value: float) -> float:
    """The nearest `float`. Raises OverflowError."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _string(token: str) -> str:
    """A string; only escapes that JSON has too are supported."""
    try:
        text = str(json.loads(token))
        text.encode()
    except ValueError:
        raise UnconvertibleTest(f"an escape in {token}") from None
    return text


def _cast(given: JavaValue, target: JavaType) -> JavaValue:
    """A cast without effect, to Object, or from an integer to a float."""
    if (given.type.name, target.name) == ("long", "float"):
        return JavaValue(target, ("Float", as_float(given.value)))
    if given.type == target or (target.name == "Object" and given.type.known):
        return JavaValue(target, given.value)
    raise UnconvertibleTest(f"a cast of {given.type.name} to {target.name}")


def _map(values: list[Any]) -> Any:
    pairs = sorted(zip(values[::2], values[1::2], strict=True), key=lambda pair: encode(pair[0]))
    if len({encode(key) for key, _ in pairs}) != len(pairs):
        raise UnconvertibleTest("Map.of with a key twice, which fails")
    return ("Map", *pairs)


def with_entries(value: Any) -> Any:
    """A value as in a request, which marks the pairs of a map because they are created before it."""
    if isinstance(value, list):
        return [with_entries(each) for each in value]
    if isinstance(value, tuple) and value[:1] == ("Map",):
        return ("Map", *(("entry", *map(with_entries, pair)) for pair in value[1:]))
    return (value[0], *map(with_entries, value[1:])) if isinstance(value, tuple) else value


def closing(text: str, at: int) -> int:
    """Position of the bracket that closes the one at `at`, outside strings; -1 if there is none."""
    depth, quote, place = 0, "", at
    while place < len(text):
        letter = text[place]
        if quote:
            place += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "()":
            depth += 1 if letter == "(" else -1
            if not depth:
                return place
        place += 1
    return -1
