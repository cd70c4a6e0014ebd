"""Questions about source code that is never executed."""

from __future__ import annotations

import ast
import subprocess
import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.syntax import (
    MAX_COMPILED,
    ParseFault,
    always_leaves,
    bound_names,
    compile_program,
    compiles,
    first_line,
    free_names,
    has_return,
    is_hollow,
    is_prose,
    parse,
    parse_program,
    string_lines,
    used_names,
)
from kit.processes import HANG_S


def body(source: str) -> list[ast.stmt]:
    return ast.parse(source).body


def test_parse_gives_the_tree() -> None:
    """The tree is that of the standard parser."""
    tree = parse("x = 1\n")

    assert isinstance(tree, ast.Module)
    assert ast.dump(tree) == ast.dump(ast.parse("x = 1\n"))


FAULTS = {
    "syntax": ("x = 1\ny = (\n", ParseFault("'(' was never closed", 2)),
    "indentation": ("x = 1\n  y = 2\n", ParseFault("unexpected indent", 2)),
    "surrogate": ("x = 1\ny = '\ud800'\n", ParseFault("lone surrogate in source code", 2)),
    "depth": ("x = " + "-" * 50_000 + "1", ParseFault("source code is nested too deeply for the parser", 0)),
    "sum": ("x = 1" + "+1" * 50_000, ParseFault("source code is nested too deeply for the parser", 0)),
}


@pytest.mark.parametrize(("source", "expected"), FAULTS.values(), ids=FAULTS)
def test_parse_faults(source: str, expected: ParseFault) -> None:
    """Any failure of the parser is a fault with its line, or 0."""
    assert parse(source) == expected


def test_parse_nul() -> None:
    """A NUL is a fault on its own line, with the parser's message."""
    fault = parse("x = 1\ny = '\0'\n")

    assert isinstance(fault, ParseFault)
    assert ("null" in fault.message, fault.line) == (True, 2)


def test_fault_reads_well() -> None:
    """The line is shown if it is known."""
    assert [str(ParseFault("bad", 3)), str(ParseFault("bad", 0))] == ["bad (line 3)", "bad"]


@pytest.mark.parametrize("source", ["x = '\\d'\n", "x = 1if y else 2\n", "x = 0_7.5or 1\n"])
def test_parse_is_silent(source: str) -> None:
    """Warnings about the model's code are suppressed, and the caller's filters stay."""
    before = list(warnings.filters)
    parse(source)

    assert warnings.filters == before


@settings(deadline=None)
@given(source=st.text())
def test_parse_never_raises(source: str) -> None:
    """Any text gives a tree or a fault."""
    assert isinstance(parse(source), ast.Module | ParseFault)


def test_parse_program_refuses_a_stray_return() -> None:
    """The compiler refuses it at the top level; inside a function it is valid."""
    assert parse_program("x = 1\nif x:\n    return x\n") == ParseFault("'return' outside function", 3)
    assert isinstance(parse_program("def f():\n    return 1\n"), ast.Module)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("return 1", True),
        ("if x:\n    for y in z:\n        return", True),
        ("yield x", True),
        ("x = yield from y", True),
        ("def f():\n    return 1", False),
        ("class C:\n    def f(self):\n        yield", False),
        ("x = lambda: (yield)", False),
        ("x = 1", False),
    ],
)
def test_has_return(source: str, expected: bool) -> None:
    """Only the scope of the statements themselves counts."""
    assert has_return(body(source)) is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass", {"f"}),
        ("async def f(): pass", {"f"}),
        ("class f: x = 1", {"f"}),
        ("f = g = 1", {"f", "g"}),
        ("f, (g, *h) = x", {"f", "g", "h"}),
        ("f: int = 1", {"f"}),
        ("f: int", set()),
        ("f: int\nf = 1", {"f"}),
        ("f += 1", {"f"}),
        ("import f.g", {"f"}),
        ("import a as f, b", {"f", "b"}),
        ("from a import b as f", {"f"}),
        ("from a import *", {"*"}),
        ("for f in x: g = 1", {"f", "g"}),
        ("with a as f: pass", {"f"}),
        ("try:\n    f = 1\nexcept E:\n    f = g = 2", {"f", "g"}),
        ("print(f := 1)", {"f"}),
        ("def g():\n    f = 1", {"g"}),
        ("x = [f for f in y]", {"x"}),
        ("f.a = f[0] = 1", set()),
        ("f", set()),
    ],
)
def test_bound_names(source: str, expected: set[str]) -> None:
    """Names bound in the scope itself, at any depth of branches, and none of inner scopes."""
    assert bound_names(body(source)) == expected


def test_used_and_free_names() -> None:
    """Used names are read anywhere; free ones of them are bound nowhere."""
    tree = ast.parse(
        "def f(a, *b):\n    c = a + d\n    try:\n        e\n    except X as g:\n        return g, c"
    )

    assert used_names([tree]) == {"a", "c", "d", "e", "g", "X"}
    assert free_names(tree) == {"d", "e", "X"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Done", True),
        ("yes or no", True),
        ("not sure", True),
        ("one, two", True),
        ("a.b", True),
        ("x < 3", True),
        ("[PYTHON]", True),
        ("Output: 3", True),
        ("Result: text", True),
        ("f()", False),
        ("f(x) or y", False),
        ("x[0]", False),
        ("1", False),
        ("'text'", False),
        ("...", False),
        ("x: int = 3", False),
        ("x = y", False),
        ("pass", False),
    ],
)
def test_is_prose(source: str, expected: bool) -> None:
    """Prose that parses only reads names; calls, bindings and constants are code."""
    assert is_prose(body(source)[0]) is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass", True),
        ("def f(): ...", True),
        ("async def f():\n    '''Doc.'''", True),
        ("def f():\n    '''Doc.'''\n    pass", True),
        ("def f():\n    '''Doc.'''\n    return", False),
        ("class f: pass", False),
        ("f = 1", False),
    ],
)
def test_is_hollow(source: str, expected: bool) -> None:
    """A function with only a docstring, `pass` or `...`."""
    assert is_hollow(body(source)[0]) is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("return 1", True),
        ("raise E", True),
        ("if x:\n    return 1\nelse:\n    raise E", True),
        ("if x:\n    return 1\nelif y:\n    return 2\nelse:\n    return 3", True),
        ("if x:\n    return 1", False),
        ("if x:\n    return 1\nelif y:\n    return 2", False),
        ("while True:\n    return 1", False),
        ("with x:\n    return 1", False),
        ("try:\n    return 1\nfinally:\n    pass", False),
        ("x = 1", False),
    ],
)
def test_always_leaves(source: str, expected: bool) -> None:
    """True only without any doubt."""
    assert always_leaves(body(source)[0]) is expected


def test_first_line_counts_decorators() -> None:
    """A decorated function begins with its first decorator."""
    assert [first_line(item) for item in body("x = 1\n@a\n@b\ndef f(): pass\n")] == [1, 2]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('x = """a\nb\nc"""\ny = 1\n', {2, 3}),
        ('x = f"""{y}\nb"""\n', {2}),
        ("x = 'a\\\nb'\n", {2}),
        ("x = 'a'\ny = 'b'\n", set()),
        ("x = [\n1]\n", set()),
    ],
)
def test_string_lines(source: str, expected: set[int]) -> None:
    """Lines whose start is inside a string, counted from 1."""
    assert string_lines(ast.parse(source)) == expected


def test_what_the_parser_is_slow_at_is_a_fault() -> None:
    """The parser is not called, because it could not be stopped."""
    marks = "a" + "\u0301\u0327" * 1000

    assert parse(f"x = 1\n{marks} = 2\n") == ParseFault("more than 256 combining characters in a row", 2)


def test_lines_of_an_f_string_are_found_once() -> None:
    """All its parts have the line numbers of the whole; the lines are those between its quotes."""
    tree = parse('x = f"""\n{a}\n  {b}\n"""\ny = """\n"""\n')

    assert isinstance(tree, ast.Module)
    assert string_lines(tree) == {2, 3, 4, 6}


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("def f(): return 1\n", True),
        ("def f(: pass\n", False),
        ("break\n", False),
        ("return 1\n", False),
        ("x = '\0'\n", False),
        ("x = '\ud800'\n", False),
        ("try: pass\nfinally: pass\n", False),
        ("with a: pass\n", False),
        ("async def f():\n\tasync with a: pass\n", False),
        ("x = 'with'  # a word\n", True),
        (f"x = {'[' * 16}1{' for a in b]' * 16}\n", True),
        (f"x = {'[' * 17}1{' for a in b]' * 17}\n", False),
        (f"x = 1{' ' * MAX_COMPILED}\n", False),
        (f"x = {'-' * 20_000}1\n", False),
        (f"e{chr(0x301) * 300} = 1\n", False),
    ],
)
def test_compiles(program: str, expected: bool) -> None:
    """False for code that does not compile, and for code that could cost the compiler much time or memory."""
    assert compiles(program) is expected


# Nested blocks, from the outermost in: lines after which the indentation increases.
NESTS = {
    "comprehensions": lambda n: [f"y = {'[' * n}1{' for a in b]' * n}", "yield"],
    "dicts and sets": lambda n: [f"y = {'{0: {' * n}1{' for a in b} for c in d}' * n}", "yield"],
    "comprehensions in conditions": lambda n: [f"y = {'[0 for a in b if ' * n}1{']' * n}", "yield"],
    "asynchronous comprehensions": lambda n: [f"y = {'[' * n}1{' async for a in b]' * n}", "yield"],
    "try": lambda n: nested(n, "try:", "yield", "except E as e: pass"),
    "try in except": lambda n: nested(n, "try: pass\nexcept E as e:", "yield"),
    "except*": lambda n: nested(n, "try:", "yield", "except* E as e: pass"),
    "try and comprehensions": lambda n: nested(
        n, "try:", f"y = {'[' * n}1{' for a in b]' * n}", "except E as e: yield"
    ),
    "with": lambda n: nested(n, "with a as b:", "yield"),
    "with of many": lambda n: [f"with {', '.join(['a'] * n)}: yield"],
    "with behind a line end": lambda n: [f"\\\n async\\\n with {', '.join(['a'] * n)}: yield"],
    "with and comprehensions": lambda n: nested(n, "with a:", f"y = {'[' * n}1{' for a in b]' * n}"),
}
COMPILE = """
import ast, sys
from benchwright.text.syntax import compiles
programs = ast.literal_eval(sys.stdin.read())
print(sum(map(compiles, programs)))
"""


def nested(levels: int, head: str, innermost: str, tail: str = "") -> list[str]:
    """Return nested statements."""
    lines = [innermost]
    for _ in range(levels):
        lines = [*head.split("\n"), *(f" {line}" for line in lines), *filter(None, [tail])]
    return lines


@pytest.mark.parametrize("shape", NESTS)
def test_no_nest_brings_the_compiler_down(shape: str) -> None:
    """Compilation outside the sandbox does not end the process, at any depth."""
    programs = [
        "\n ".join(["async def f():", *NESTS[shape](levels)]) + "\n" for levels in (*range(1, 30), 60, 90)
    ]
    done = subprocess.run(
        [sys.executable, "-c", COMPILE],
        input=repr(programs),
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (int(done.stdout) > 0) is not shape.startswith("with")


def test_a_program_is_compiled_once_for_two_who_ask() -> None:
    """The reader of an answer needs to know whether it compiles, its judge needs the code."""
    assert compiles("x = 1\n")
    assert compile_program("x = 1\n") is compile_program("x = 1\n")
