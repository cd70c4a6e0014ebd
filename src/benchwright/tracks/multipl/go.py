"""Go in MultiPL-E: prompt, completion and tests are one file `X_test.go`, run by `go test`.

Here the prompt with the completion is a file, and the tests are another one of the same package: `go test`
would compile two files of a package as it compiles one. Imports belong to a file, so both have the prompt's,
and the answer's file says a word of each, since one that only the tests need would be an error there.
"""

from __future__ import annotations

import re

from benchwright.contracts import Suite, SuiteAnswerSpec
from benchwright.tracks.multipl.forms import (
    PACKAGE,
    Parts,
    ServedCall,
    Unconvertible,
    UnknownShape,
    open_braces,
    served_spec,
)
from benchwright.tracks.multipl.go_calls import go_calls

ANSWER, TESTS = "answer.go", "answer_test.go"
_HEAD = re.compile(r"package \w+\n\s*import \((?P<imports>[^()]*)\)")
_FUNCTION = re.compile(r"^func (\w+)\(.*\{\n\Z", re.MULTILINE)
_TEST = re.compile(r"^func (Test\w*)\(\w+ \*testing\.T\)", re.MULTILINE)
_USES = {'"testing"': "_ testing.TB", '"fmt"': "_ = fmt.Sprint"}  # a word of each, which runs nothing
_CASE = "TestBenchwrightCase"  # a name that no row has, for one drawn by each execution
_PLACE_HOLDER = (
    "\nfunc {case}(t *testing.T) {{}}\n"  # which an answer may not declare, and which says nothing
)
# What is printed must not say which value is expected: an answer could run its test and read that.
_SAYS = """t.Errorf("expected '%s', got '%s'", tc.expected, tc.actual)"""
_SAYS_NOTHING = """t.Error("not the expected value")"""
_OWN_PACKAGE = re.compile(r"\A(?:\s|//[^\n]*\n|/\*.*?\*/)*package\s+\w+[^\n]*\n", re.DOTALL)
_OWN_IMPORTS = re.compile(r"^import[ \t]*(?:\((?P<many>[^()]*)\)|(?P<one>[^\n(]+))[^\n]*\n?", re.MULTILINE)


class GoForm:
    """Go's way with rows and answers."""

    lang, tag = "Go", "go"
    stub = '    panic("not implemented")\n}\n'

    def read(self, prompt: str, tests: str) -> Parts:
        """The parts of a row. Raises UnknownShape."""
        head, function = _HEAD.match(prompt), _FUNCTION.search(prompt)
        if head is None or function is None:
            message = "must be a package, imports in brackets and last the head of a function"
            raise UnknownShape(message, field="prompt")
        imports = _specs(head["imports"])
        if unknown := sorted(set(imports) - set(_USES)):
            raise UnknownShape(
                f"imports {', '.join(unknown)}, which no row of MultiPL-E does", field="prompt"
            )
        cases = _TEST.findall(tests)
        if len(cases) != 1:
            raise UnknownShape("must hold one function TestX(t *testing.T)", field="tests")
        return Parts(
            name=function[1],
            imports=imports,
            head=head[0],
            rest=prompt[head.end() :],
            tests=tests,
            case=cases[0],
        )

    def defines(self, code: str, name: str) -> bool:
        """Whether code holds the function at its top level."""
        return re.search(rf"^func {name}\s*[(\[]", code, re.MULTILINE) is not None

    def continued(self, parts: Parts, completion: str) -> str:
        """The prompt and what goes on from it; each line keeps its number."""
        lines = parts.head.count("\n") - parts.head[: parts.head.index("import")].count("\n")
        opening = _opening(parts.imports, blank=lines - len(parts.imports) - 1)
        return opening + parts.rest + completion

    def closed(self, parts: Parts, body: str) -> str:
        """A body with the brace that ends the function, whether it had it or not."""
        return self.continued(parts, body + ("\n}\n" if open_braces(body) >= 0 else ""))

    def whole(self, parts: Parts, code: str) -> str:
        """The code below the prompt's imports and its own."""
        code = _OWN_PACKAGE.sub("", code, count=1)
        own = [
            spec for found in _OWN_IMPORTS.finditer(code) for spec in _specs(found["many"] or found["one"])
        ]
        imports = list(dict.fromkeys([*parts.imports, *own]))
        return f"{_opening(imports)}\n\n{_OWN_IMPORTS.sub('', code)}"

    def spec(self, parts: Parts) -> SuiteAnswerSpec:
        """The calls of the tests; or the tests as they are, where they are of another form."""
        try:
            calls = go_calls(parts.tests, name=parts.name, case=parts.case)
        except Unconvertible:
            tests = parts.tests.replace(_SAYS, _SAYS_NOTHING) + _PLACE_HOLDER.format(case=parts.case)
            tests = tests.replace(f"func {parts.case}(", f"func {_CASE}(", 1)
            suite = self._suite(parts, _file(parts.imports, tests), [_CASE])
            return SuiteAnswerSpec(suite=suite, drawn={_CASE: parts.case})
        suite = self._suite(parts, _file(parts.imports, _compiled_calls(parts, calls)), [])
        return served_spec(suite, calls, entry_point=parts.name, first_failure_ends=False)

    def _suite(self, parts: Parts, tests: str, cases: list[str]) -> Suite:
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


def _compiled_calls(parts: Parts, calls: list[ServedCall]) -> str:
    """A test that is never run, with calls of the same types: so the same answers compile beside it."""
    forms = "".join(f"\t_ = interface{{}}({each})\n" for each in dict.fromkeys(call.form for call in calls))
    used = "".join(f"var _ {_USES[each].removeprefix('_ ')}\n" for each in parts.imports)
    return f"{used}\nfunc {parts.case}(t *testing.T) {{\n\tcandidate := {parts.name}\n{forms}}}\n"


def _specs(block: str) -> list[str]:
    """The imports of a block, each with its alias where it has one."""
    lines = (line.partition("//")[0].strip() for line in block.replace(";", "\n").splitlines())
    return [line for line in lines if line]


def _opening(imports: list[str], *, blank: int = 0) -> str:
    """Package and imports, with a word of each that tests need; `blank` lines more keep their numbers."""
    specs = "".join(f"    {each}\n" for each in imports)
    used = "; ".join(_USES[each] for each in imports if each in _USES)
    return f"package {PACKAGE}\n\nimport (\n{specs}" + "\n" * blank + f"); var ({used})"


GO = GoForm()
