"""The parts of a prompt."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.text.prompt_frame import Definition, frame_of

HEAD = 'def f(x):\n    """Doc."""\n'


def test_parts() -> None:
    """Preamble, its names, the head and the indentation of a body."""
    frame = frame_of(f"import math\n\n\ndef g(x):\n    return x\n\n\n{HEAD}", "f")

    assert frame.preamble == "import math\n\n\ndef g(x):\n    return x\n\n\n"
    assert frame.head == frame.preamble + HEAD
    assert (frame.provides, frame.indent, frame.takes_body) == ({"math", "g"}, "    ", True)


@pytest.mark.parametrize(
    ("prompt", "head", "indent"),
    [
        (HEAD, HEAD, "    "),
        (HEAD.rstrip("\n"), HEAD, "    "),
        (HEAD + "    ", HEAD, "    "),
        (HEAD + "\n\n", HEAD + "\n\n", "    "),
        ("\n\n" + HEAD, HEAD, "    "),
        (HEAD.replace("\n", "\r\n"), HEAD, "    "),
        (HEAD.replace("    ", "  "), HEAD.replace("    ", "  "), "  "),
        (HEAD.replace("    ", "\t"), HEAD.replace("    ", "\t"), "\t"),
        ("def f(x):", "def f(x):\n", "    "),
        ("def f(x):\n    # add\n", "def f(x):\n    # add\n", "    "),
        ("def f(\n    x,\n):\n", "def f(\n    x,\n):\n", "    "),
        ("def f(x):\n    y = 1\n", "def f(x):\n    y = 1\n", "    "),
    ],
)
def test_head_waits_for_a_body(prompt: str, head: str, indent: str) -> None:
    """For any end of the prompt, the head ends where the body's first line begins."""
    frame = frame_of(prompt, "f")

    assert (frame.head, frame.preamble, frame.indent, frame.takes_body) == (head, "", indent, True)


def test_decorator_belongs_to_the_entry_point() -> None:
    """The preamble ends above the decorators, which a whole function would repeat."""
    assert frame_of(f"import a\n@a.b\n{HEAD}", "f").preamble == "import a\n"


@pytest.mark.parametrize(
    ("prompt", "preamble"),
    [
        ("", ""),
        ("import math\n", "import math\n"),
        ("def g(x):\n    return x\n", "def g(x):\n    return x\n"),
        (f"{HEAD}\nx = 1\n", ""),
        ("def f(x): return x\n", ""),
        ("Напишите функцию f.\n", ""),
        ("def f(:\n", ""),
        ("return\n", ""),
    ],
)
def test_prompt_that_takes_no_body(prompt: str, preamble: str) -> None:
    """It does not end in the entry point's head: only definitions can be extracted."""
    frame = frame_of(prompt, "f")

    assert (frame.preamble, frame.takes_body) == (preamble, False)


@pytest.mark.parametrize(
    ("line", "found", "indented"),
    [
        ("def f(x):", True, True),
        ("async  def f (x):", True, True),
        ("def f[T](x: T):", True, True),
        ("    def f(x):", False, True),
        ("def ff(x):", False, False),
        ("# def f(x):", False, False),
        ("def f", False, False),
    ],
)
def test_patterns(line: str, found: bool, indented: bool) -> None:
    """`definition` is for column 0, `indented` for any column."""
    frame = frame_of(HEAD, "f")
    text = f"x = 1\n{line}\n"

    assert (bool(frame.definition.search(text)), bool(frame.indented.search(text))) == (found, indented)


def test_name_is_not_a_pattern() -> None:
    """A name from a data set is matched literally."""
    assert frame_of("", "f.*").definition.search("def foo(x):\n") is None


@given(
    st.sampled_from(["f", "ff", "f.*", "é"]),
    st.lists(
        st.sampled_from(["def ", "async ", "f", "ff", "é", "(", "[", " ", "\t", "\n", "x"]), max_size=12
    ),
    st.sampled_from(["", r"([ \t]*)"]),
)
def test_a_definition_is_found_as_by_the_pattern(name: str, pieces: list[str], before: str) -> None:
    """A text without the name is skipped, which does not change the result."""
    text, definition = "".join(pieces), Definition(name, before=before)
    pattern = re.compile(rf"^{before}(?:async[ \t]+)?def[ \t]+{re.escape(name)}[ \t]*[(\[]", re.MULTILINE)
    found = [match and match.span() for match in (definition.search(text), definition.match(text))]

    assert [match and match.span() for match in (pattern.search(text), pattern.match(text))] == found
