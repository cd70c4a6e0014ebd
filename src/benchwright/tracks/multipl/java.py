"""MultiPL-E in Java: an answer's file, its test suite, and its asserts as calls and values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from benchwright.contracts import Suite, SuiteAnswerSpec
from benchwright.sandbox.codec import encode
from benchwright.tracks.multipl.forms import (
    PACKAGE,
    RowParts,
    ServedCall,
    UnconvertibleTest,
    UnknownShape,
    open_braces,
    served_spec,
    without_last_braces,
)
from benchwright.tracks.multipl.java_values import JavaReading, JavaValue, as_float, closing, with_entries

ANSWER, TESTS, CASE = "Problem", "ProblemTest", "asserts"
LIBRARIES = ("javatuples",)  # every row imports org.javatuples.*
_SAYS_NOTHING = '"not the expected value"'  # without the number of the assert, which an answer could exploit
_OPENING = f"class {ANSWER} {{\n"
_FUNCTION = re.compile(r"\n    public static .+ (\w+)\(([^\n]*)\) \{\n\Z")
_BEFORE = "    }\n    public static void main(String[] args) {\n"
_AFTER = "    }\n\n}\n"
_ASSERT = re.compile(r"\s*assert\((.*)\);")
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w.* \t]+);[^\n]*\n?", re.MULTILINE)
_OWN_PACKAGE = re.compile(r"^[ \t]*package[ \t]+[\w.]+;[^\n]*\n?", re.MULTILINE)
_CLASS = re.compile(rf"^[ \t]*(?:(?:public|final)[ \t]+)*class[ \t]+{ANSWER}\b", re.MULTILINE)


class JavaForm:
    """MultiPL-E in Java."""

    lang, tag, tags = "Java", "java", frozenset({"java", "javalang", ""})
    stub = "        throw new UnsupportedOperationException();\n"

    def read(self, prompt: str, tests: str) -> RowParts:
        """Parse a row. Raises UnknownShape."""
        head, opening, rest = prompt.partition(_OPENING)
        function = _FUNCTION.search("\n" + rest)
        if not opening or function is None or _IMPORT.sub("", head).strip():
            message = f"must be imports, `class {ANSWER} {{` and last the head of a static method"
            raise UnknownShape(message, field="prompt")
        _conditions(tests)
        return RowParts(
            name=function[1],
            imports=_IMPORT.findall(head),
            head=head,
            rest=opening + rest,
            tests=tests,
            case=f"{TESTS}#{CASE}",
        )

    def defines(self, code: str, name: str) -> bool:
        """Whether code contains the method, or a class that may contain it."""
        method = re.compile(rf"[\w>\]][ \t]+{name}[ \t]*\([^;{{}}]*\)[^;{{}}()]*\{{")
        return method.search(code) is not None

    def continued(self, parts: RowParts, completion: str) -> str:
        """The prompt and its completion, with the ending of the tests; lines keep their numbers."""
        return f"package {PACKAGE}; {parts.head}{parts.rest}{completion}\n    }}\n\n}}\n"

    def closed(self, parts: RowParts, body: str) -> str:
        """The file for a body with or without the braces that end the method and the class."""
        return self.continued(parts, without_last_braces(body, max(0, min(2, -open_braces(body)))))

    def whole(self, parts: RowParts, code: str) -> str:
        """A class, or methods of one, below the prompt's imports and the code's own imports."""
        code = _OWN_PACKAGE.sub("", code, count=1)
        own = [each for each in _IMPORT.findall(code) if each not in parts.imports]
        imports = parts.head.rstrip() + "".join(f" import {each};" for each in own)
        code = _IMPORT.sub("", code)
        inner = code if _CLASS.search(code) else f"{_OPENING}{code}\n}}\n"
        return f"package {PACKAGE}; {imports}\n{inner}"

    def spec(self, parts: RowParts) -> SuiteAnswerSpec:
        """The spec with the calls of the asserts, or with a test class if an assert has another form."""
        conditions, function = _conditions(parts.tests), _FUNCTION.search(parts.rest)
        parameters = "" if function is None else function[2]
        try:
            calls = java_calls(conditions, function=f"{ANSWER}.{parts.name}", parameters=parameters)
        except UnconvertibleTest:
            suite = _suite(self.lang, TESTS, _test_class(parts, conditions), [parts.case])
            return SuiteAnswerSpec(suite=suite, libraries=LIBRARIES, drawn={TESTS: TESTS})
        return served_spec(
            _suite(self.lang, CALLER, caller_source(calls), []),
            calls,
            entry_point=f"{PACKAGE}.{CALLER}",
            first_failure_ends=True,
            libraries=LIBRARIES,
        )


def _suite(lang: str, test: str, source: str, cases: list[str]) -> Suite:
    return Suite(
        lang=lang,
        framework="junit5",
        files={_path("test", test): source},
        focal=_path("main", ANSWER),
        test=_path("test", test),
        cases=cases,
    )


def _test_class(parts: RowParts, conditions: list[str]) -> str:
    imports = "".join(f"import {each};\n" for each in parts.imports)
    checks = "".join(
        f"        if (!({value_first(each, parts.name)})) throw new AssertionError({_SAYS_NOTHING});\n"
        for each in conditions
    )
    return (
        f"package {PACKAGE};\n\n{imports}import static {PACKAGE}.{ANSWER}.{parts.name};\n\n"
        f"class {TESTS} {{\n    @org.junit.jupiter.api.Test\n    void {CASE}() {{\n{checks}    }}\n}}\n"
    )


def _path(root: str, name: str) -> str:
    return f"src/{root}/java/{PACKAGE}/{name}.java"


def _conditions(tests: str) -> list[str]:
    """Conditions of the asserts in `main`. Raises UnknownShape for any other statement."""
    if not (tests.startswith(_BEFORE) and tests.endswith(_AFTER)):
        raise UnknownShape("must end the method and continue with a main of asserts", field="tests")
    lines = tests[len(_BEFORE) : -len(_AFTER)].splitlines()
    found = [(_ASSERT.fullmatch(line), line) for line in lines if line.strip()]
    if not found or any(match is None for match, _ in found):
        raise UnknownShape("must contain only asserts, one per line", field="tests")
    return [match[1] for match, _ in found if match is not None]


def value_first(condition: str, name: str) -> str:
    """Convert `f(x).equals(y)` into `(y).equals(f(x))`; other conditions are unchanged.

    >>> value_first('f("a)").equals("b")', "f")
    '("b").equals(f("a)"))'
    """
    end = closing(condition, len(name)) if condition.startswith(f"{name}(") else -1
    call, rest = condition[: end + 1], condition[end + 1 :]
    if not call or not rest.startswith(".equals(") or closing(rest, len(".equals")) != len(rest) - 1:
        return condition
    return f"({rest[len('.equals(') : -1]}).equals({call})"


JAVA = JavaForm()


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
        raise UnconvertibleTest(f"a condition of another form: {condition}")
    right = JavaReading(found["right"])
    expected = right.value()
    right.end()
    casts = [_cast(each, number, parameters) for number, each in enumerate(values)]
    result = f"{function}({', '.join(casts)}){found['methods']}"
    form = _equal(result, expected) if found["sign"] == ".equals" else _identity_form(result, expected)
    argument_values = [with_entries(each.value) for each in values]
    replies = (expected.value,) if found["sign"] == ".equals" else _promoted_values(expected)
    return ServedCall(
        request=encode((forms.setdefault(form, len(forms)), argument_values)),
        replies=tuple(map(encode, replies)),
        form=form,
        written=(f"{name}{given}{found['methods']}", found["right"]),
    )


def _cast(given: JavaValue, number: int, parameters: list[str]) -> str:
    """Source of an argument. A type that javac would infer is that of the prompt's parameter."""
    target = given.type
    if not target.known:
        target = JavaReading(parameters[number]).type() if number < len(parameters) else target
        if not given.type.fits(target) or target.name != given.type.name:
            raise UnconvertibleTest("an argument of unknown type")
    return f"({target.text()}) given[{number}]"


def _equal(result: str, expected: JavaValue) -> str:
    if expected.type.name in _ZERO:
        raise UnconvertibleTest("`equals` on a primitive value")
    return f"return {result};"


def _identity_form(result: str, expected: JavaValue) -> str:
    zero = _ZERO.get(expected.type.name)
    if zero is None:
        raise UnconvertibleTest("objects compared by identity")
    value = "found" if zero == "false" else f"found + {zero}"
    check = f"boolean same = found == {zero};"
    unboxed = "boolean" if zero == "false" else "var"
    return f"{{ var found = {result}; {check} {unboxed} value = {value}; return value; }}"


def _promoted_values(expected: JavaValue) -> list[Any]:
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
