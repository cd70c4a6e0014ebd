"""Java in MultiPL-E: a class Problem with the function and a `main` of asserts, run by `java -ea Problem`.

Here, the class is one file and the asserts are the only test of another class. Like `main`, the test stops
at the first failing assert. Two differences do not affect honest answers: an assert becomes an explicit
check, so that it cannot be disabled, and `result.equals(value)` becomes `value.equals(result)`. `equals` is
symmetric for all types in these tests, but an answer may return an object of its own class whose `equals`
is always true.
"""

from __future__ import annotations

import re

from benchwright.contracts import Suite, SuiteAnswerSpec
from benchwright.tracks.multipl.forms import (
    PACKAGE,
    Parts,
    Unconvertible,
    UnknownShape,
    open_braces,
    served_spec,
    without_last_braces,
)
from benchwright.tracks.multipl.java_calls import CALLER, caller_source, java_calls
from benchwright.tracks.multipl.java_values import closing

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

    lang, tag = "Java", "java"
    stub = "        throw new UnsupportedOperationException();\n"

    def read(self, prompt: str, tests: str) -> Parts:
        """Parse a row. Raises UnknownShape."""
        head, opening, rest = prompt.partition(_OPENING)
        function = _FUNCTION.search("\n" + rest)
        if not opening or function is None or _IMPORT.sub("", head).strip():
            message = f"must be imports, `class {ANSWER} {{` and last the head of a static method"
            raise UnknownShape(message, field="prompt")
        _conditions(tests)
        return Parts(
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

    def continued(self, parts: Parts, completion: str) -> str:
        """The prompt and its completion, with the ending of the tests; lines keep their numbers."""
        return f"package {PACKAGE}; {parts.head}{parts.rest}{completion}\n    }}\n\n}}\n"

    def closed(self, parts: Parts, body: str) -> str:
        """The file for a body with or without the braces that end the method and the class."""
        return self.continued(parts, without_last_braces(body, max(0, min(2, -open_braces(body)))))

    def whole(self, parts: Parts, code: str) -> str:
        """A class, or methods of one, below the prompt's imports and the code's own imports."""
        code = _OWN_PACKAGE.sub("", code, count=1)
        own = [each for each in _IMPORT.findall(code) if each not in parts.imports]
        imports = parts.head.rstrip() + "".join(f" import {each};" for each in own)
        code = _IMPORT.sub("", code)
        inner = code if _CLASS.search(code) else f"{_OPENING}{code}\n}}\n"
        return f"package {PACKAGE}; {imports}\n{inner}"

    def spec(self, parts: Parts) -> SuiteAnswerSpec:
        """The spec with the calls of the asserts, or with a test class if an assert has another form."""
        conditions, function = _conditions(parts.tests), _FUNCTION.search(parts.rest)
        parameters = "" if function is None else function[2]
        try:
            calls = java_calls(conditions, function=f"{ANSWER}.{parts.name}", parameters=parameters)
        except Unconvertible:
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


def _test_class(parts: Parts, conditions: list[str]) -> str:
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
