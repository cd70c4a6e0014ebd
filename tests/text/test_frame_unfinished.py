"""Prompts that end inside their function, or whose function is a method."""

from __future__ import annotations

import pytest

from benchwright.text.extract import extract
from benchwright.text.prompt_frame import prelude_of

IMPORTS = "import math\n\n\ndef helper(x):\n    return x\n\n\n"
CASES = {
    "bare signature": ("def f(x):\n", "    return helper(x)\n"),
    "no line end": ("def f(x):", "    return helper(x)\n"),
    "open docstring": ('def f(x):\n    """Doc', 'umented."""\n    return helper(x)\n'),
    "open signature": ("def f(\n    x,\n", "):\n    return helper(x)\n"),
    "open block": ("def f(x):\n    if x:\n", "        return 1\n    return helper(x)\n"),
    "open bracket": ("def f(x):\n    y = [\n", "        x,\n    ]\n    return helper(y)\n"),
    "decorator": ("@math.cache\n@math.other\ndef f(x):\n", "    return helper(x)\n"),
    "decorator, open docstring": ('@math.cache\ndef f(x):\n    """D', '."""\n    return helper(x)\n'),
    "method": ("class A:\n    def f(self, x):\n", "        return helper(x)\n"),
    "comment only": ("# Write f.\n", "def f(x):\n    return helper(x)\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_completion_completes_it(name: str) -> None:
    """Together they are the program; the text before the function parses, and tests may use it."""
    head, rest = CASES[name]
    found = extract(rest, prompt=IMPORTS + head, entry_point="f")

    assert found.problem is None, found.detail
    compile(found.program, "program", "exec")
    assert "helper(" in found.program.replace(IMPORTS, "")
    compile(prelude_of(IMPORTS + head, "f"), "prelude", "exec")
    assert prelude_of(IMPORTS + head, "f").startswith(IMPORTS.rstrip())


@pytest.mark.parametrize("name", CASES)
def test_a_stub_does_not_become_an_answer(name: str) -> None:
    """A body that raises still raises, or is not a program."""
    found = extract("    raise NotImplementedError\n", prompt=IMPORTS + CASES[name][0], entry_point="f")

    assert found.problem is not None or "raise NotImplementedError" in found.program
