"""Go in MultiPL-E: prompt, completion and tests are one file `X_test.go`, run by `go test`.

Here, prompt and completion are one file and the tests another file of the same package, which `go test`
compiles like a single file. Imports belong to a file, so both have those of the prompt, and the answer's
file uses each of them, because an unused import is an error.
"""

from __future__ import annotations

import re

from benchwright.contracts import Suite, SuiteAnswerSpec
from benchwright.tracks.multipl.forms import (
    PACKAGE,
    RowParts,
    ServedCall,
    UnconvertibleTest,
    UnknownShape,
    open_braces,
    served_spec,
)
from benchwright.tracks.multipl.go_calls import go_calls

ANSWER, TESTS = "answer.go", "answer_test.go"
_HEAD = re.compile(r"package \w+\n\s*import \((?P<imports>[^()]*)\)")
_FUNCTION = re.compile(r"^func (\w+)\(.*\{\n\Z", re.MULTILINE)
_TEST = re.compile(r"^func (Test\w*)\(\w+ \*testing\.T\)", re.MULTILINE)
_USES = {'"testing"': "_ testing.TB", '"fmt"': "_ = fmt.Sprint"}  # a use of each import without effect
_CASE = "TestBenchwrightCase"  # a placeholder for the name drawn by each execution
_PLACE_HOLDER = "\nfunc {case}(t *testing.T) {{}}\n"  # a name that an answer must not declare
# The output must not contain the expected value: an answer could run its test and read it.
_SAYS = """t.Errorf("expected '%s', got '%s'", tc.expected, tc.actual)"""
_SAYS_NOTHING = """t.Error("not the expected value")"""
_OWN_PACKAGE = re.compile(r"\A(?:\s|//[^\n]*\n|/\*.*?\*/)*package\s+\w+[^\n]*\n", re.DOTALL)
_OWN_IMPORTS = re.compile(r"^import[ \t]*(?:\((?P<many>[^()]*)\)|(?P<one>[^\n(]+))[^\n]*\n?", re.MULTILINE)


class GoForm:
    """MultiPL-E in Go."""

    lang, tag, tags = "Go", "go", frozenset({"go", "golang", ""})
    stub = '    panic("not implemented")\n}\n'

    def read(self, prompt: str, tests: str) -> RowParts:
        """Parse a row. Raises UnknownShape."""
        head, function = _HEAD.match(prompt), _FUNCTION.search(prompt)
        if head is None or function is None:
            message = "must be a package, imports in brackets and last the head of a function"
            raise UnknownShape(message, field="prompt")
        imports = _specs(head["imports"])
        if unknown := sorted(set(imports) - set(_USES)):
            raise UnknownShape(f"imports {', '.join(unknown)}, which MultiPL-E's rows do not", field="prompt")
        cases = _TEST.findall(tests)
        if len(cases) != 1:
            raise UnknownShape("must hold one function TestX(t *testing.T)", field="tests")
        return RowParts(
            name=function[1],
            imports=imports,
            head=head[0],
            rest=prompt[head.end() :],
            tests=tests,
            case=cases[0],
        )

    def defines(self, code: str, name: str) -> bool:
        """Whether code contains the function at its top level."""
        return re.search(rf"^func {name}\s*[(\[]", code, re.MULTILINE) is not None

    def continued(self, parts: RowParts, completion: str) -> str:
        """The prompt and its completion; lines keep their numbers."""
        lines = parts.head.count("\n") - parts.head[: parts.head.index("import")].count("\n")
        opening = _opening(parts.imports, blank=lines - len(parts.imports) - 1)
        return opening + parts.rest + completion

    def closed(self, parts: RowParts, body: str) -> str:
        """The file for a body with or without the brace that ends the function."""
        return self.continued(parts, body + ("\n}\n" if open_braces(body) >= 0 else ""))

    def whole(self, parts: RowParts, code: str) -> str:
        """The code below the prompt's imports and its own imports."""
        code = _OWN_PACKAGE.sub("", code, count=1)
        own = [
            spec for found in _OWN_IMPORTS.finditer(code) for spec in _specs(found["many"] or found["one"])
        ]
        imports = list(dict.fromkeys([*parts.imports, *own]))
        return f"{_opening(imports)}\n\n{_OWN_IMPORTS.sub('', code)}"

    def spec(self, parts: RowParts) -> SuiteAnswerSpec:
        """The spec with the calls of the tests, or with the unchanged tests if they have another form."""
        try:
            calls = go_calls(parts.tests, name=parts.name, case=parts.case)
        except UnconvertibleTest:
            tests = parts.tests.replace(_SAYS, _SAYS_NOTHING) + _PLACE_HOLDER.format(case=parts.case)
            tests = tests.replace(f"func {parts.case}(", f"func {_CASE}(", 1)
            suite = self._suite(parts, _file(parts.imports, tests), [_CASE])
            return SuiteAnswerSpec(suite=suite, drawn={_CASE: parts.case})
        suite = self._suite(parts, _file(parts.imports, _compiled_calls(parts, calls)), [])
        return served_spec(suite, calls, entry_point=parts.name, first_failure_ends=False)

    def _suite(self, parts: RowParts, tests: str, cases: list[str]) -> Suite:
        return Suite(
            lang=self.lang,
            framework="go-vet",  # as `go test` has it
            files={TESTS: tests},
            focal=ANSWER,
            test=TESTS,
            cases=cases,
        )


def _file(imports: list[str], tests: str) -> str:
    specs = "\n".join(f"    {each}" for each in imports)
    return f"package {PACKAGE}\n\nimport (\n{specs}\n)\n\n{tests}"


def _compiled_calls(parts: RowParts, calls: list[ServedCall]) -> str:
    """A test that is never run, with calls of the same types, so that the same answers compile with it."""
    forms = "".join(f"\t_ = interface{{}}({each})\n" for each in dict.fromkeys(call.form for call in calls))
    used = "".join(f"var _ {_USES[each].removeprefix('_ ')}\n" for each in parts.imports)
    return f"{used}\nfunc {parts.case}(t *testing.T) {{\n\tcandidate := {parts.name}\n{forms}}}\n"


def _specs(block: str) -> list[str]:
    """Imports of a block, each with its alias if it has one."""
    lines = (line.partition("//")[0].strip() for line in block.replace(";", "\n").splitlines())
    return [line for line in lines if line]


def _opening(imports: list[str], *, blank: int = 0) -> str:
    """Package and imports, with a use of each; `blank` additional lines keep line numbers."""
    specs = "".join(f"    {each}\n" for each in imports)
    used = "; ".join(_USES[each] for each in imports if each in _USES)
    return f"package {PACKAGE}\n\nimport (\n{specs}" + "\n" * blank + f"); var ({used})"


GO = GoForm()
