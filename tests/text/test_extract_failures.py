"""Answers without a program, and truncated answers."""

from __future__ import annotations

import pytest

from benchwright.contracts import Extraction
from benchwright.text.extract import MAX_BYTES, extract

PROMPT = 'from typing import List\n\n\ndef total(xs: List[int]) -> int:\n    """Add all numbers up."""\n'
BODY = "    return sum(xs)\n"
FUNCTION = "def total(xs: List[int]) -> int:\n    return sum(xs)\n"
DRAFT = "Maybe:\n```python\ndef total(xs):\n    return 0\n```\nNo, that is wrong.\n"


def take(raw: str, *, finish_reason: str | None = None) -> Extraction:
    return extract(raw, prompt=PROMPT, entry_point="total", finish_reason=finish_reason)


FAILURES = {
    "nothing": ("", "no_code", "none"),
    "blank lines": (" \n\n\t\n", "no_code", "none"),
    "a refusal": ("I cannot help with that, because it's unclear.\n", "no_code", "none"),
    "one word": ("Sorry", "no_code", "none"),
    "prose in Russian": ("Функция складывает числа и возвращает результат.\n", "no_code", "none"),
    "output": ("```\n[1, 2, 3]\n```\n", "no_code", "none"),
    "a comment": ("# TODO\n", "no_code", "none"),
    "an indented comment": ("    # TODO\n", "no_code", "none"),
    "an empty fence": ("```python\n```\n", "no_code", "none"),
    "only reasoning": ("<think>\nLet me see.\n</think>\n", "no_code", "reasoning+none"),
    "endless reasoning": (f"<think>\n{DRAFT}", "no_code", "reasoning+none"),
    "an example": ("print(total([1, 2]))\n", "no_entry_point", "module"),
    "an example in a fence": ("```python\nprint(total([1]))\n```", "no_entry_point", "fence+module"),
    "other function": ("def add(xs):\n    return sum(xs)\n", "no_entry_point", "module"),
    "other function in a fence": ("```\ndef add(xs):\n    return 1\n```", "no_entry_point", "fence+module"),
    "imports": ("import math\nfrom re import sub\n", "no_entry_point", "module"),
    "a method of what needs arguments": (
        "class Solution:\n    def __init__(self, a):\n        pass\n\n    def total(self, xs):\n        return 1\n",
        "no_entry_point",
        "module",
    ),
    "a declaration": ("import math\ntotal: int\n", "no_entry_point", "module"),
    "a broken function": ("def total(xs):\n    return (\n", "syntax_error", "guess"),
    "a broken line in the middle": (
        "def total(xs):\n    a = 1\n    for x in\n        a += x\n    return a\n",
        "syntax_error",
        "guess",
    ),
    "a broken helper above": (
        "def add(a:\n    return 1\n\n\ndef total(xs):\n    return add(xs)\n",
        "syntax_error",
        "guess",
    ),
    "a broken import above": (
        "import\n\ndef add(a):\n    return (1\n\ndef total(xs):\n    return add(xs)\n",
        "syntax_error",
        "guess",
    ),
    "a broken class above": (
        "class Sum(:\n    pass\n\ndef total(xs):\n    return 1\n",
        "syntax_error",
        "guess",
    ),
    "a broken body": ("    for x in xs\n        return x\n", "syntax_error", "guess"),
    "a body cut off": ("    a = 1\n    for x in xs:\n        a = (a +", "syntax_error", "guess"),
    "a broken fence": ("So:\n```python\ndef total(xs):\n  return ]\n```\nEnd.", "syntax_error", "guess"),
    "tabs and spaces": ("    if xs:\n\treturn 1\n    return 2\n", "syntax_error", "guess"),
    "NUL": ("    return '\0'\n", "syntax_error", "guess"),
    "a lone surrogate": ("    return '\ud800'\n", "syntax_error", "guess"),
    "deep brackets": ("    return " + "(" * 5000, "syntax_error", "guess"),
    "deep operators": ("    return " + "-" * 60_000 + "1\n", "syntax_error", "guess"),
    "deep sums": ("    return 1" + "+1" * 60_000 + "\n", "syntax_error", "guess"),
    "a long number": ("    return " + "9" * 5000 + "\n", "syntax_error", "guess"),
}


@pytest.mark.parametrize(("raw", "problem", "rule"), FAILURES.values(), ids=FAILURES)
def test_answer_without_a_program(raw: str, problem: str, rule: str) -> None:
    """No program can be executed: the record has the reason in words, and can be stored as UTF-8."""
    found = take(raw)

    assert (found.problem, found.rule) == (problem, rule)
    assert found.detail != ""
    assert found.program.encode().decode() == found.program
    assert (found.program == "") == (problem == "no_code")


def test_syntax_error_says_what_and_where() -> None:
    """The detail is the parser's message with the line in the program that is shown with it."""
    found = take("    a = 1\n    for x in xs\n        return x\n")

    assert found.program.split("\n")[6] == "    for x in xs"
    assert found.detail == "expected ':' (line 7)"


def test_missing_entry_point_names_what_there_is() -> None:
    """The detail lists the names that the answer binds instead."""
    found = take("import math\ndef add(xs):\n    return 1\n")

    assert found.detail == "`total` is not bound at the top level; it binds add, math"


def test_larger_than_the_limit() -> None:
    """A text over the limit is not read; one at the limit is. Bytes count, not characters."""
    over, at = "    return 1 #" + "я" * (MAX_BYTES // 2), "    return 1 #".ljust(MAX_BYTES, "x")

    assert (take(over).problem, take(over).program) == ("output_limit", "")
    assert take(over).detail == f"the answer has {MAX_BYTES + 14} bytes, and the limit is {MAX_BYTES}"
    assert take(at).problem is None


TRUNCATED = {
    "length": (BODY, "length", True),
    "max_tokens": (BODY, "max_tokens", True),
    "stop": (BODY, "stop", False),
    "not said": (BODY, None, False),
    "open fence": (f"```python\n{FUNCTION}", "stop", True),
    "open fence after the answer": (f"```python\n{FUNCTION}```\n```bash\npython", "stop", True),
    "open fence, nothing else": ("So:\n```\ndef total(", None, True),
    "closed fence": (f"```python\n{FUNCTION}```", "stop", False),
    "fence that ends the text": (f"```python\n{FUNCTION}```\n```\n", "stop", False),
    "fence that the template opened": (f"{FUNCTION}```\nIt adds.\n", "stop", False),
    "endless reasoning": ("<think>\nLet me", "stop", True),
    "over the limit": ("x" * (MAX_BYTES + 1), "length", True),
}


@pytest.mark.parametrize(("raw", "finish_reason", "expected"), TRUNCATED.values(), ids=TRUNCATED)
def test_truncated(raw: str, finish_reason: str | None, expected: bool) -> None:
    """The server reports it, or a fence or the reasoning was never closed."""
    assert take(raw, finish_reason=finish_reason).truncated is expected
