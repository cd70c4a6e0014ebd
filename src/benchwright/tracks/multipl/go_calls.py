"""Convert the table of a Go test into calls and their expected texts.

MultiPL-E compares `fmt.Sprintf("%v", …)` of both sides, so an expected value is that text. A call is a list
of pairs: a type as written in the test, "" for an untyped constant, and a value, which `go_server.go`
reads.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, NamedTuple

from benchwright.sandbox.codec import encode
from benchwright.tracks.multipl.forms import ServedCall, UnconvertibleTest

_FRAME = """func {case}(t *testing.T) {{
  candidate := {name}
\ttype test struct {{
\t\tactual   interface{{}}
\t\texpected interface{{}}
\t}}
   tests := []test{{
{rows}
   }}

\tfor i, tc := range tests {{
\t\tt.Run(fmt.Sprintf("test num % d", i), func(t *testing.T) {{
\t\t\tif fmt.Sprintf("%v", tc.actual) != fmt.Sprintf("%v", tc.expected) {{
\t\t\t\tt.Errorf("expected '%s', got '%s'", tc.expected, tc.actual)
\t\t\t}}
\t\t}})
\t}}
}}
"""
_ROW = re.compile(r"\s*\{ actual: candidate\((?P<rest>.*) \},\s*")
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:\\.|[^\"\\\n])*\")|(?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?![\w.])"
    r"|(?P<word>interface\{\}|[A-Za-z_]\w*)|(?P<sign>[\[\]{}(),:-]))"
)
_INTS = range(-(1 << 63), 1 << 63)
_TYPES = ("int", "float64", "string", "bool")
_EMPTY = {"int": "1", "float": "1.5", "string": '""', "bool": "true", "nil": "nil"}
_WIDE = 21  # digits before the point from which %v writes a float with an exponent
MAX_DEPTH = 20


class GoValue(NamedTuple):
    """A literal: `type` is "" for an untyped constant, whose `kind` is one of those in `_EMPTY`."""

    type: str
    kind: str
    value: Any

    @property
    def empty(self) -> str:
        """A literal of the same type without its content."""
        return f"{self.type}{{}}" if self.type else _EMPTY[self.kind]


def go_calls(tests: str, *, name: str, case: str) -> list[ServedCall]:
    """Read the calls of a test. Raises Unconvertible."""
    lines = _rows(tests, name, case)
    return [_call(line) for line in lines]


def _rows(tests: str, name: str, case: str) -> list[str]:
    before, after = _FRAME.format(case=case, name=name, rows="\0").split("\0")
    if not (tests.startswith(before) and tests.endswith(after)):
        raise UnconvertibleTest("the test is not a table of calls in MultiPL-E's form")
    return tests[len(before) : len(tests) - len(after)].split("\n")


def _call(line: str) -> ServedCall:
    row = _ROW.fullmatch(line)
    if row is None:
        raise UnconvertibleTest(f"not a call with an expected value: {line.strip()}")
    reading = _Reading(row["rest"])
    given = reading.several(")")
    for sign in (",", "expected", ":"):
        reading.expect(sign)
    expected = reading.value()
    reading.end()
    request = [(each.type, each.value) for each in given]
    text = shown(*_interface_value(expected))
    return ServedCall(
        request=encode(request),
        replies=(encode(text.encode()),),
        form=f"candidate({', '.join(each.empty for each in given)})",
        written=(f"candidate({row['rest'].rpartition(', expected: ')[0]}", text),
    )


class _Reading:
    """A position in the text of a row."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def _is(self, token: str) -> bool:
        return self._tokens[self._at : self._at + 1] == [token]

    def expect(self, token: str) -> None:
        """Skip a token."""
        if self._next() != token:
            raise UnconvertibleTest(f"{token!r} is missing")

    def end(self) -> None:
        """Raise Unconvertible if text follows."""
        if self._at != len(self._tokens):
            raise UnconvertibleTest("text after the call and its expected value")

    def several(self, closing: str) -> list[GoValue]:
        """Values between commas, up to a closing bracket."""
        found: list[GoValue] = []
        while not self._is(closing):
            found.append(self.value())
            if not self._is(closing):
                self.expect(",")
        self.expect(closing)
        return found

    def value(self, depth: int = 0) -> GoValue:
        """One literal."""
        if depth > MAX_DEPTH:
            raise UnconvertibleTest("nested too deep")
        token = self._next()
        if token == "-" or token[:1].isdigit():
            return _number(token + self._next() if token == "-" else token)
        if token.startswith('"'):
            return GoValue("", "string", _string(token))
        if token in ("true", "false"):
            return GoValue("", "bool", token == "true")
        if token == "nil":
            return GoValue("", "nil", None)
        self._at -= 1
        written = self._type()
        self.expect("{")
        content = self._pairs(written, depth) if written.startswith("map[") else self._items(written, depth)
        return GoValue(written, "", content)

    def _type(self) -> str:
        token = self._next()
        if token == "[":
            self.expect("]")
            return f"[]{self._type()}"
        if token == "map":
            self.expect("[")
            key = self._next()
            self.expect("]")
            if key not in (*_TYPES, "interface{}"):
                raise UnconvertibleTest(f"keys of type {key}")
            return f"map[{key}]{self._type()}"
        if token == "interface{}" or token in _TYPES:
            return token
        raise UnconvertibleTest(f"unknown type {token!r}")

    def _items(self, written: str, depth: int) -> list[Any]:
        if not written.startswith("[]"):
            raise UnconvertibleTest(f"a literal of type {written}")
        found = []
        while not self._is("}"):
            found.append(assigned(self.value(depth + 1), written[2:]))
            if not self._is("}"):
                self.expect(",")
        self.expect("}")
        return found

    def _pairs(self, written: str, depth: int) -> list[tuple[Any, Any]]:
        key_type, value_type = written.removeprefix("map[").split("]", 1)
        found: dict[Any, Any] = {}
        while not self._is("}"):
            key = assigned(self.value(depth + 1), key_type)
            self.expect(":")
            if key in found:
                raise UnconvertibleTest("a key twice")
            found[key] = assigned(self.value(depth + 1), value_type)
            if not self._is("}"):
                self.expect(",")
        self.expect("}")
        if len(found) > 1 and key_type == "interface{}":
            raise UnconvertibleTest("keys of type interface{}, whose order %v has by their types")
        return list(found.items())


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnconvertibleTest(f"unknown literal: {text[at : at + 40]}")
        found.append(match[0].strip())
        at = match.end()
    return found


def _number(text: str) -> GoValue:
    digits = text.removeprefix("-")
    if digits.isdigit():
        if (digits != "0" and digits.startswith("0")) or int(text) not in _INTS:
            raise UnconvertibleTest(f"{text} is not a decimal integer of 64 bits")
        return GoValue("", "int", int(text))
    try:
        return GoValue("", "float", _float(text))
    except ValueError:
        raise UnconvertibleTest(f"{text!r} is not a number") from None


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("too large")
    return value or 0.0  # a constant has no negative zero


def _string(token: str) -> str:
    """A Go string; only escapes that JSON has too are supported."""
    try:
        text = str(json.loads(token, strict=False))
        text.encode()
    except ValueError:
        raise UnconvertibleTest(f"an escape in {token}") from None
    return text


def assigned(given: GoValue, to: str) -> Any:
    """Convert a value to the type of a variable. Raises Unconvertible if Go would refuse it."""
    if to == "interface{}":
        return None if given.kind == "nil" else _interface_value(given)
    if given.type == to or (given.kind, to) in {("string", "string"), ("bool", "bool"), ("float", "float64")}:
        return given.value
    if given.kind == "int" and to in ("int", "float64"):
        return given.value if to == "int" else float(given.value)
    raise UnconvertibleTest(f"a value of another type instead of {to}")


def _interface_value(given: GoValue) -> tuple[str, Any]:
    """Type and value, as in an interface."""
    defaults = {"int": "int", "float": "float64", "string": "string", "bool": "bool", "nil": ""}
    return given.type or defaults[given.kind], given.value


def shown(written: str, value: Any) -> str:
    """The text that `%v` prints for a value.

    >>> shown("[]interface{}", [("float64", 1e21), None, ("map[string]int", [("b", 2), ("a", 1)])])
    '[1e+21 <nil> map[a:1 b:2]]'
    """
    if value is None:
        return "<nil>"
    if written == "interface{}":
        return shown(*value)
    if written.startswith("[]"):
        return f"[{' '.join(shown(written[2:], each) for each in value)}]"
    if written.startswith("map["):
        key_type, value_type = written.removeprefix("map[").split("]", 1)
        pairs = sorted(value, key=lambda pair: _order(pair[0]))
        return f"map[{' '.join(f'{shown(key_type, k)}:{shown(value_type, v)}' for k, v in pairs)}]"
    if written == "float64":
        return _float_text(value)
    return str(value).lower() if written == "bool" else str(value)


def _order(key: Any) -> Any:
    return key.encode() if isinstance(key, str) else key


def _float_text(value: float) -> str:
    """The shortest text of a float, with an exponent if `%v` prints one."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)  # number of digits before the point
    minus = "-" if sign else ""
    if value and not -4 < point <= _WIDE:
        power = point - 1
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        return f"{minus}{text[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{text}" if value else f"{minus}0"
    whole, rest = text[:point].ljust(point, "0"), text[point:]
    return f"{minus}{whole}.{rest}" if rest else f"{minus}{whole}"
