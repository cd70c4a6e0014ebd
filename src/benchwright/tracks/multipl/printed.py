"""MultiPL-E in JavaScript, TypeScript, C++ and Rust: tests become a program that prints values of calls.

The formats are those of MultiPL-E's translators (`dataset_builder/humaneval_to_{js,ts,cpp,rs}.py`): each
assert compares one call of the candidate with one expression. An answer's program evaluates the calls and
prints their values; another program, without the answer, prints the expected ones. Expected values never
enter a jail with an answer. Only texts are handled here: nothing of a row is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchwright.contracts import PrintedSpec
from benchwright.records import Record
from benchwright.tracks.multipl.forms import RowParts, UnknownShape, open_braces

_FRAMES = Path(__file__).with_name("frames")
MAX_CALLS = 1000
_OWN_MAIN = "bw_answer_main"


class PrintedCall(Record, frozen=True, kw_only=True):
    """An assert: the arguments of the candidate and the expected expression, as source."""

    arguments: str
    expected: str


class PrintedSyntax(Record, frozen=True, kw_only=True):
    """How a language writes what MultiPL-E's rows contain."""

    function: re.Pattern[str]  # the last line of a prompt; group 1 is the name
    definition: str  # pattern of a whole function; `{name}` is its name
    imports: re.Pattern[str]  # a line that an answer without it needs
    before: str  # text of the tests before the first assert; `{name}` is the function's
    opening: str  # an assert up to the arguments
    between: str  # between the closed call and the expected expression
    after: str  # text of the tests behind the last assert
    entry: str = "(?!)()"  # pattern of an entry point in an answer; group 1 is what precedes its name
    refused: tuple[str, ...] = ()  # parts of a prompt whose values cannot be printed


class PrintedForm:
    """One of these languages. `frame` names its files in `frames`."""

    def __init__(
        self, lang: str, *, frame: str, tag: str, tags: frozenset[str], stub: str, syntax: PrintedSyntax
    ) -> None:
        self.lang, self.tag, self.tags, self.stub = lang, tag, tags, stub
        self._frame, self._syntax = frame, syntax

    def read(self, prompt: str, tests: str) -> RowParts:
        """Parse a row. Raises UnknownShape."""
        function = self._syntax.function.search(prompt)
        if function is None:
            raise UnknownShape("must end with the head of a function", field="prompt")
        name = function[1]
        if unknown := next((part for part in self._syntax.refused if part in prompt), None):
            raise UnknownShape(f"has a {unknown}, whose values cannot be compared", field="prompt")
        imports = [line for line in prompt.splitlines() if self._syntax.imports.match(line)]
        parts = RowParts(name=name, imports=imports, head="", rest=prompt, tests=tests, case="")
        for _ in self._read_calls(parts):
            continue  # each is checked
        return parts

    def defines(self, code: str, name: str) -> bool:
        """Return whether code contains the function."""
        return re.search(self._syntax.definition.format(name=re.escape(name)), code, re.MULTILINE) is not None

    def continued(self, parts: RowParts, completion: str) -> str:
        """The prompt and its completion; the tests of C++ and Rust begin with the brace that closes it."""
        closing = "\n}\n" if parts.tests.startswith("}") else "\n"
        return parts.rest + completion + closing

    def closed(self, parts: RowParts, body: str) -> str:
        """The file for a body with or without the brace that ends the function."""
        return parts.rest + body + ("\n}\n" if open_braces(body) >= 0 else "\n")

    def whole(self, parts: RowParts, code: str) -> str:
        """The code below the imports of the prompt that it lacks; a `main` of its own gets another name."""
        missing = "".join(f"{line}\n" for line in parts.imports if line.strip() not in code)
        own = re.sub(self._syntax.entry, rf"\g<1>{_OWN_MAIN}(", code, flags=re.MULTILINE)
        return f"{missing}{own}\n"

    def spec(self, parts: RowParts) -> PrintedSpec:
        """The calls and the expected values, each as the end of a program."""
        calls = list(self._read_calls(parts))
        stub = parts.rest + _file(self._frame, "stub")
        statements = [self._call("expected", parts, call) for call in calls]
        return PrintedSpec(
            lang=self.lang,
            frame=self._main(parts, [self._call("call", parts, call) for call in calls]),
            oracle=stub + self._main(parts, statements),
            written=[(f"{parts.name}({call.arguments})", call.expected) for call in calls],
        )

    def _main(self, parts: RowParts, statements: list[str]) -> str:
        return (
            _file(self._frame, "main").replace("@NAME@", parts.name).replace("@CALLS@", "".join(statements))
        )

    def _call(self, kind: str, parts: RowParts, call: PrintedCall) -> str:
        head = parts.rest.rstrip().rpartition("\n")[2]
        show = "sorted" if "-> HashMap<" in head else "plain"
        text = _file(self._frame, kind).replace("@SHOW@", show)
        return text.replace("@EXPECTED@", call.expected).replace("@ARGUMENTS@", call.arguments)

    def _read_calls(self, parts: RowParts) -> Iterator[PrintedCall]:
        """Yield the asserts of the tests. Raises UnknownShape unless there is nothing else."""
        syntax, tests = self._syntax, parts.tests.rstrip()
        before = syntax.before.replace("@NAME@", parts.name)
        if not (tests.startswith(before) and tests.endswith(syntax.after)):
            raise UnknownShape("must be the asserts that MultiPL-E writes for this language", field="tests")
        body = tests[len(before) : len(tests) - len(syntax.after)]
        first, *asserts = body.split(syntax.opening)
        if first.strip() or not 0 < len(asserts) <= MAX_CALLS:
            raise UnknownShape("must contain asserts and nothing else", field="tests")
        for each in asserts:
            yield _assert(each.rstrip(), syntax)


def _assert(text: str, syntax: PrintedSyntax) -> PrintedCall:
    """Split `ARGUMENTS) == EXPECTED);` at the parenthesis that closes the call."""
    end = _closing(text)
    rest = text[end + 1 :]
    if end < 0 or not rest.startswith(syntax.between) or not rest.endswith(");"):
        raise UnknownShape("an assert does not compare one call with one value", field="tests")
    return PrintedCall(arguments=text[:end], expected=rest[len(syntax.between) : -2])


def _closing(text: str) -> int:
    """Position of the first closing parenthesis without an opening one, outside of strings; -1 for none."""
    depth = at = 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return at
        at += 1
    return -1


@cache
def _file(frame: str, kind: str) -> str:
    return (_FRAMES / f"{frame}_{kind}.txt").read_text("utf-8")


_SCRIPT = PrintedSyntax(
    function=re.compile(r"^function (\w+)\(.*\{\n\Z", re.MULTILINE),
    definition=r"\bfunction\s+{name}\s*[(<]|\b(?:const|let|var)\s+{name}\b",
    imports=re.compile(r"(?!)"),
    before="const assert = require('node:assert');\n\n\nfunction test() {\n  let candidate = @NAME@;\n",
    opening="  assert.deepEqual(candidate(",
    between=",",
    after="}\n\ntest();",
)
JAVASCRIPT = PrintedForm(
    "JavaScript",
    frame="js",
    tag="javascript",
    tags=frozenset({"javascript", "js", ""}),
    stub="  throw new Error('not implemented');\n}\n",
    syntax=_SCRIPT,
)
TYPESCRIPT = PrintedForm(
    "TypeScript",
    frame="js",
    tag="typescript",
    tags=frozenset({"typescript", "ts", ""}),
    stub="  throw new Error('not implemented');\n}\n",
    syntax=PrintedSyntax(
        function=_SCRIPT.function,
        definition=_SCRIPT.definition,
        imports=_SCRIPT.imports,
        before=f"declare var require: any;\n{_SCRIPT.before}",
        opening=_SCRIPT.opening,
        between=_SCRIPT.between,
        after=_SCRIPT.after,
    ),
)
CPP = PrintedForm(
    "C++",
    frame="cpp",
    tag="cpp",
    tags=frozenset({"cpp", "c++", "cc", ""}),
    stub="    std::abort();\n",
    syntax=PrintedSyntax(
        function=re.compile(r"^[\w:<>, ]+ (\w+)\(.*\{\n\Z", re.MULTILINE),
        definition=r"^[\w:<>,&\* ]+[ >&\*]{name}\s*\(",
        imports=re.compile(r"#include"),
        before="}\nint main() {\n    auto candidate = @NAME@;\n",
        opening="    assert(candidate(",
        between=" == ",
        after="}",
        entry=r"^([ \t]*(?:int|auto|void)[ \t]+)main[ \t]*\(",
        refused=("union Union_", "std::any"),
    ),
)
RUST = PrintedForm(
    "Rust",
    frame="rs",
    tag="rust",
    tags=frozenset({"rust", "rs", ""}),
    stub='    panic!("not implemented")\n',
    syntax=PrintedSyntax(
        function=re.compile(r"^fn (\w+)\(.*\{\n\Z", re.MULTILINE),
        definition=r"\bfn\s+{name}\s*[(<]",
        imports=re.compile(r"use "),
        before="}\n\nfn main() {\n    let candidate = @NAME@;\n",
        opening="    assert_eq!(candidate(",
        between=", ",
        after="}",
        entry=r"^([ \t]*(?:pub[ \t]+)?fn[ \t]+)main[ \t]*\(",
        refused=("Vec<HashMap", "Option<HashMap", ", HashMap<"),
    ),
)
