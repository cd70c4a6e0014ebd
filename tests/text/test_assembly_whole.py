"""Texts with the whole entry point."""

from __future__ import annotations

import ast

import pytest

from benchwright.text.code_search import ProgramReading
from benchwright.text.program_assembly import assemble, read_function, read_indented_function
from benchwright.text.prompt_frame import frame_of

PREAMBLE = "import math\n"
FRAME = frame_of(f'{PREAMBLE}\n\ndef f(x):\n    """Doc."""\n', "f")
FUNCTION = "def f(x):\n    return x\n"
PROGRAM = f"{PREAMBLE}\n\n{FUNCTION}"
STUB = 'def f(x):\n    """Doc."""\n'

READ = {
    "function": (FUNCTION, ProgramReading(PROGRAM, "function")),
    "preamble repeated": (PROGRAM, ProgramReading(PROGRAM, "function")),
    "prompt repeated": (
        FRAME.head + "    return x\n",
        ProgramReading(FRAME.head + "    return x\n", "repeat"),
    ),
    "prose around": (f"So:\n{FUNCTION}It is so.", ProgramReading(PROGRAM, "function", prose=True, cut=True)),
    "word around": (f"So\n\n{FUNCTION}\nDone", ProgramReading(f"{PREAMBLE}\n\n{FUNCTION}", "function")),
    "stub alone": (STUB, ProgramReading(f"{PREAMBLE}\n\n{STUB}", "function", hollow=True)),
    "stub after": (f"{FUNCTION}\n{STUB}", ProgramReading(PROGRAM, "function")),
    "two stubs after": (f"{FUNCTION}\n{STUB}{STUB}", ProgramReading(PROGRAM, "function")),
    "stub, prose, function": (
        f"{STUB}It is so:\n{FUNCTION}",
        ProgramReading(PROGRAM, "function", prose=True),
    ),
    "broken, function": (
        f"def f(x):\n    return (\n{FUNCTION}",
        ProgramReading(PROGRAM, "function", prose=True),
    ),
}


@pytest.mark.parametrize(("code", "expected"), READ.values(), ids=READ)
def test_read_function(code: str, expected: ProgramReading) -> None:
    """The module has the prompt's preamble on top; the removed text is returned too."""
    assert read_function(code, FRAME) == expected


@pytest.mark.parametrize(
    "code", ["", "def g(x):\n    return x\n", "def f(x):\n    return (\n", "  def f(x): 1"]
)
def test_read_function_without_one(code: str) -> None:
    """No definition at column 0 parses, so there is nothing to read."""
    assert read_function(code, FRAME) is None


def test_a_later_version_replaces_an_earlier_one() -> None:
    """If the whole text parses, the last definition counts, as in Python."""
    reading = read_function(f"{FUNCTION}\ndef f(x):\n    return -x\n", FRAME)

    assert reading is not None
    assert reading.program == f"{PROGRAM}\ndef f(x):\n    return -x\n"


@pytest.mark.parametrize(
    "lines",
    [
        [" def f(x):", "    return x"],
        ["   def f(x):", "    return x"],
        ["    def f(x):", "        return x"],
        ["\tdef f(x):", "\t\treturn x"],
        ["  @d", "  def f(x):", "    return x"],
        ["    def g(y):", "        return y", "    def f(x):", "        return x"],
    ],
)
def test_read_indented_function(lines: list[str]) -> None:
    """A stray indentation of the first line, or of all lines, is removed."""
    reading = read_indented_function(lines, 0, FRAME)

    assert reading is not None
    last = ast.parse(reading.program).body[-1]
    assert isinstance(last, ast.FunctionDef)
    assert (reading.cut, last.name, ast.unparse(last.body[0])) == (False, "f", "return x")


ASSEMBLED = {
    "preamble": (FUNCTION, PREAMBLE, f"{PREAMBLE}\n\n{FUNCTION}"),
    "no preamble": (FUNCTION, "", FUNCTION),
    "repeated": (f"import re\nimport math\n{FUNCTION}", PREAMBLE, f"import re\nimport math\n{FUNCTION}"),
    "repeated too low": (f"{FUNCTION}import math\n", PREAMBLE, f"{PREAMBLE}\n\n{FUNCTION}import math\n"),
    "longer name": (f"import mathx\n{FUNCTION}", PREAMBLE, f"{PREAMBLE}\n\nimport mathx\n{FUNCTION}"),
    "future": (
        f"from __future__ import annotations\n{FUNCTION}",
        PREAMBLE,
        f"from __future__ import annotations\n{PREAMBLE}\n\n{FUNCTION}",
    ),
    "blank lines": (f"\n\n{FUNCTION}\n\n", "", FUNCTION),
}


@pytest.mark.parametrize(("code", "preamble", "expected"), ASSEMBLED.values(), ids=ASSEMBLED)
def test_assemble(code: str, preamble: str, expected: str) -> None:
    """The preamble comes first unless the code has it above the entry point; `__future__` precedes all."""
    frame = frame_of(f"{preamble}\n\ndef f(x):\n", "f")

    assert assemble(code.split("\n"), ast.parse(code), frame) == expected
    compile(expected, "program", "exec", ast.PyCF_ONLY_AST)
