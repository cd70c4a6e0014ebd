"""Convert the asserts of a Java row into calls and expected values; fails if one has another form.

assert(f(x).equals(y));      f(x) is sent unchanged, and equal values have equal bytes
assert(f(x) == (y));         y is a number or a boolean: f(x) is promoted as `==` would, then sent
assert(f(x).size() == (y));  the same for the result of the methods
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from benchwright.sandbox.codec import encode
from benchwright.tracks.multipl.forms import PACKAGE, ServedCall, Unconvertible
from benchwright.tracks.multipl.java_values import JavaReading, JavaValue, as_float, closing, with_entries

CALLER = "BenchwrightCalls"
_REST = re.compile(r"(?P<methods>(?:\.(?!equals\b)\w+\(\))*)(?P<sign>\.equals(?=\()|\s*==)(?P<right>.*)")
_PARAMETER = re.compile(r"\s*(?P<type>.+?)\s+\w+\s*")
_CALLER = f"""package {PACKAGE};

final class {CALLER}
        implements java.util.function.BiFunction<java.lang.Integer, java.lang.Object[], java.lang.Object> {{
    @java.lang.SuppressWarnings("unchecked")
    public java.lang.Object apply(java.lang.Integer form, java.lang.Object[] given) {{
        switch ((int) form) {{
CASES            default: throw new java.lang.IllegalArgumentException();
        }}
    }}
}}
"""
_ZERO = {"long": "0L", "int": "0", "float": "0f", "double": "0d", "boolean": "false"}


def java_calls(conditions: Sequence[str], *, function: str, parameters: str) -> list[ServedCall]:
    """Read a call from each condition. Raises Unconvertible."""
    known, forms = _parameter_types(parameters), dict[str, int]()
    return [_call(each, function, known, forms) for each in conditions]


def _call(condition: str, function: str, parameters: list[str], forms: dict[str, int]) -> ServedCall:
    name = function.rpartition(".")[2]
    end = closing(condition, len(name)) if condition.startswith(f"{name}(") else -1
    given, rest = condition[len(name) : end + 1], condition[end + 1 :]
    arguments = JavaReading(given)
    values = arguments.several()
    arguments.end()
    found = _REST.fullmatch(rest)
    if found is None:
        raise Unconvertible(f"a condition of another form: {condition}")
    right = JavaReading(found["right"])
    expected = right.value()
    right.end()
    casts = [_cast(each, number, parameters) for number, each in enumerate(values)]
    result = f"{function}({', '.join(casts)}){found['methods']}"
    form = _equal(result, expected) if found["sign"] == ".equals" else _same(result, expected)
    sent = [with_entries(each.value) for each in values]
    replies = (expected.value,) if found["sign"] == ".equals" else _promoted(expected)
    return ServedCall(
        request=encode((forms.setdefault(form, len(forms)), sent)),
        replies=tuple(map(encode, replies)),
        form=form,
        written=(f"{name}{given}{found['methods']}", found["right"]),
    )


def _cast(given: JavaValue, number: int, parameters: list[str]) -> str:
    """Source of an argument. A type that javac would infer is that of the prompt's parameter."""
    to = given.type
    if not to.known:
        to = JavaReading(parameters[number]).type() if number < len(parameters) else to
        if not given.type.fits(to) or to.name != given.type.name:
            raise Unconvertible("an argument of unknown type")
    return f"({to.text()}) given[{number}]"


def _equal(result: str, expected: JavaValue) -> str:
    if expected.type.name in _ZERO:
        raise Unconvertible("`equals` on a primitive value")
    return f"return {result};"


def _same(result: str, expected: JavaValue) -> str:
    zero = _ZERO.get(expected.type.name)
    if zero is None:
        raise Unconvertible("objects compared by identity")
    value = "found" if zero == "false" else f"found + {zero}"
    check = f"boolean same = found == {zero};"
    unboxed = "boolean" if zero == "false" else "var"
    return f"{{ var found = {result}; {check} {unboxed} value = {value}; return value; }}"


def _promoted(expected: JavaValue) -> list[Any]:
    """Encoded values that `==` treats as equal, after promotion of both sides to one type."""
    value = expected.value[1] if isinstance(expected.value, tuple) else expected.value
    if isinstance(value, bool):
        return [value]
    alike: list[Any] = [float(value) + 0.0]
    if expected.type.name != "double":
        alike.append(("Float", as_float(value) + 0.0))
    if expected.type.name in ("long", "int"):
        alike += [value, ("Integer", value)] if expected.type.name == "int" else [value]
    return alike


def _parameter_types(parameters: str) -> list[str]:
    """Types in a method's head, as written."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(f"{parameters},"):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and not depth:
            match = _PARAMETER.fullmatch(parameters[start:at])
            found.append(match["type"] if match else "")
            start = at + 1
    return found


def caller_source(calls: Sequence[ServedCall]) -> str:
    """Source of the class that makes the calls, with full names. Calls with equal types share a form."""
    forms = dict.fromkeys(call.form for call in calls)
    cases = "".join(f"            case {number}: {form}\n" for number, form in enumerate(forms))
    return _CALLER.replace("CASES", cases)
