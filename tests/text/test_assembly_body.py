"""Texts that hold only the body of the entry point."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text import program_assembly
from benchwright.text.code_search import ProgramReading
from benchwright.text.program_assembly import read_body, read_flat, read_stripped_body
from benchwright.text.prompt_frame import frame_of
from kit.examples import examples

HEAD = 'def f(x):\n    """Doc."""\n'
FRAME = frame_of(HEAD, "f")
CLOSED = frame_of("import math\n", "f")

BODIES = {
    "body": ("    return x\n", ProgramReading(HEAD + "    return x\n", "body")),
    "two spaces": (
        "  if x:\n    return x\n",
        ProgramReading(HEAD + "    if x:\n      return x\n", "body+indent"),
    ),
    "tabs": ("\tif x:\n\t\treturn x\n", ProgramReading(HEAD + "    if x:\n    \treturn x\n", "body+indent")),
    "string": (
        '  a = """\n  b"""\n',
        ProgramReading(HEAD + '    a = """\n  b"""\n', "body+indent", hollow=True),
    ),
    "comment at column 0": ("# a\n    return x\n", ProgramReading(HEAD + "# a\n    return x\n", "body")),
    "helper below": (
        "  return g(x)\ndef g(x):\n  return x\n",
        ProgramReading(HEAD + "    return g(x)\ndef g(x):\n  return x\n", "body+indent"),
    ),
    "prose below": ("    return x\nIt is so.\n", ProgramReading(HEAD + "    return x\n", "body", cut=True)),
    "word below": ("    return x\nDone\n", ProgramReading(HEAD + "    return x\n", "body")),
    "same function below": (
        "    return x\n@d\ndef f(x):\n    return 1\n",
        ProgramReading(HEAD + "    return x\n@d\ndef f(x):\n    return 1\n", "body"),
    ),
    "same function twice below": (
        "    return x\ndef f(x):\n    return 1\ndef f(x):\n    return 2\n",
        ProgramReading(HEAD + "    return x\ndef f(x):\n    return 1\ndef f(x):\n    return 2\n", "body"),
    ),
    "same function and a use of it below": (
        "    return x\ndef f(x):\n    return 1\nf(1)\n",
        ProgramReading(HEAD + "    return x\ndef f(x):\n    return 1\nf(1)\n", "body"),
    ),
    "its empty head below": (
        '    return x\n\ndef f(x):\n    """Doc."""\n',
        ProgramReading(HEAD + "    return x\n", "body", cut=True),
    ),
    "the same function broken off below": (
        "    return x\n\ndef f(x):\n    return (\n",
        ProgramReading(HEAD + "    return x\n", "body", cut=True),
    ),
    "rebound below": ("    return x\n\nf = 1\n", ProgramReading(HEAD + "    return x\n\nf = 1\n", "body")),
    "no return": ("    x.sort()\n", ProgramReading(HEAD + "    x.sort()\n", "body", hollow=True)),
}


@pytest.mark.parametrize(("code", "expected"), BODIES.values(), ids=BODIES)
def test_read_body(code: str, expected: ProgramReading) -> None:
    """It is inserted under the head with the head's indentation, followed by the code at column 0."""
    lines = code.split("\n")
    start = next(at for at, line in enumerate(lines) if line.strip() and line[0] != "#")

    assert read_body(lines, start, FRAME) == expected


LINES = st.sampled_from(
    [
        "    return x", "    return(x)", "    return (", "        return x", "  return x", "\treturn x", "    x = [",
        "        1,", "    ]", "    if x:", "    else:", "    x = 'a\\", "    x = 1 + \\", "", "   ", "# c", "    # c",
        "    yield x", "    def g():", "        return 1", "    x = '''", "    '''", "    Done", "    returned = 1",
        "    break", "    nonlocal y", "    return x  # \f", "\f    return x", "    return x; y", "Done", "    \x0b",
        "def f(x):", "    class A: return 1", "    try:", "    finally:", "    return x\xa0", "    return x\0",
    ]
)  # fmt: skip


@settings(deadline=None, max_examples=examples(150))
@given(above=st.lists(LINES, max_size=4), below=st.lists(LINES, max_size=2))
def test_a_plain_body_is_what_its_tree_says(above: list[str], below: list[str]) -> None:
    """The fast way for plain bodies gives the same program as the slow one, or none."""
    lines = [*above, "    return x", *below]
    start = next(at for at, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#")
    found = read_body(lines, start, FRAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_assembly, "_is_plain", lambda *_: False)

        assert read_body(lines, start, FRAME) == found


def test_most_bodies_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tree is built, because that takes longer than all other work on an answer's text."""
    monkeypatch.setattr(program_assembly, "longest_window", None)
    lines = ["    # add", "    if x:", "        return 1", "", "    return x", ""]

    assert read_body(lines, 1, FRAME) == ProgramReading(HEAD + "\n".join(lines), "body")


@pytest.mark.parametrize(
    "code", ["    return (\n", "    so be it\n", "    Done\n", "    y = x\n  return y\n"]
)
def test_read_body_without_one(code: str) -> None:
    """Broken code and prose are not a body, even if the prose parses."""
    assert read_body(code.split("\n"), 0, FRAME) is None


@pytest.mark.parametrize(
    "code",
    [
        "y = x\n    return y",
        " y = x\n    return y",
        "     y = x\n    return y",
        "if x:\n        x = 1\n    return x",
    ],
)
def test_read_stripped_body(code: str) -> None:
    """The first line gets the indentation of the others back."""
    reading = read_stripped_body(code.split("\n"), 0, FRAME)

    assert reading is not None
    assert reading == ProgramReading(f"{HEAD}    {code.lstrip()}\n", "stripped-body")


@pytest.mark.parametrize(
    "code", ["return x", "    return x", "So\n    return x", "y = (\n    return x", "y = 1\nx = 2"]
)
def test_read_stripped_body_without_one(code: str) -> None:
    """There is nothing to restore, prose is in the first line, or the text is broken."""
    assert read_stripped_body(code.split("\n"), 0, FRAME) is None


FLAT = {
    "return": ("return x\n", ProgramReading(HEAD + "    return x\n", "flat-body")),
    "loop": (
        "for y in x:\n  return y\n",
        ProgramReading(HEAD + "    for y in x:\n      return y\n", "flat-body"),
    ),
    "yield": ("yield x\n", ProgramReading(HEAD + "    yield x\n", "flat-body")),
    "pass": ("pass\n", ProgramReading(HEAD + "    pass\n", "flat-body", hollow=True)),
    "call": ("x.sort()\n", ProgramReading(HEAD + "    x.sort()\n", "flat-body", hollow=True)),
    "recursion": (
        "if x:\n    return f(x - 1)\nreturn 0\n",
        ProgramReading(HEAD + "    if x:\n        return f(x - 1)\n    return 0\n", "flat-body"),
    ),
    "prose below": ("return x\nIt is so.\n", ProgramReading(HEAD + "    return x\n", "flat-body", cut=True)),
    "word above": ("So\nreturn x\n", ProgramReading(HEAD + "    return x\n", "flat-body")),
    "helper below": (
        "return g(x)\n\ndef g(x):\n    return x\n",
        ProgramReading(HEAD + "    return g(x)\n\ndef g(x):\n    return x\n", "flat-body"),
    ),
    "assignment": ("f = abs\n", ProgramReading("f = abs\n", "module")),
    "import": ("from math import fabs as f\n", ProgramReading("from math import fabs as f\n", "module")),
    "assignment, prose": ("f = abs\nIt is so.\n", ProgramReading("f = abs\n", "module", cut=True)),
    "example": ("print(f(1))\n", ProgramReading("print(f(1))\n", "module", problem="no_entry_point")),
    "example in a loop": (
        "for y in z:\n    print(f(y))\n",
        ProgramReading("for y in z:\n    print(f(y))\n", "module", problem="no_entry_point"),
    ),
    "other": ("y = 1\n", ProgramReading("y = 1\n", "module", problem="no_entry_point")),
}


@pytest.mark.parametrize(("code", "expected"), FLAT.values(), ids=FLAT)
def test_read_flat(code: str, expected: ProgramReading) -> None:
    """It is a body if it returns, or acts without calling the entry point; otherwise it is a module."""
    assert read_flat(code, FRAME) == expected


@pytest.mark.parametrize(
    "code", ["", "Done\n", "42\n", "[1, 2]\n", "So it is.\n", "y = (\n", "y = x\nz = (\nreturn y"]
)
def test_read_flat_without_code(code: str) -> None:
    """Prose, output, and code that ends before it returns."""
    assert read_flat(code, FRAME) is None


def test_prompt_that_takes_no_body() -> None:
    """Without a head to complete, a body in any form is not an answer."""
    assert read_body(["    return 1"], 0, CLOSED) is None
    assert read_stripped_body(["x = 1", "    return x"], 0, CLOSED) is None
    assert read_flat("return 1\n", CLOSED) is None
