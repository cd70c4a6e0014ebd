"""The cost of an answer, counted in parses, which do not depend on the machine."""

from __future__ import annotations

import ast

import pytest

from benchwright.text.extract import MAX_BYTES, extract

PROMPT = 'import math\n\n\ndef f(x):\n    """Doc."""\n'
FUNCTION = "def f(x):\n    return x\n"


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the size of every text that is parsed from now on; the prompt's own parses are done before."""
    extract("", prompt=PROMPT, entry_point="f")
    sizes: list[int] = []
    real = ast.parse

    def count(source: str, *args: str, **options: str) -> ast.AST:
        sizes.append(len(source))
        return real(source, *args, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(ast, "parse", count)
    return sizes


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        ("    return x\n", 0),  # a plain body is only compiled
        ("return x\n", 1),
        (FUNCTION, 1),
        (PROMPT + "    return x\n", 1),
        (f"```python\n{FUNCTION}```", 1),
        (f"So:\n\n```\n{FUNCTION}```\nIt is so.\n```sh\nls\n```\n", 1),
        (f"<think>\n```\n{FUNCTION}```\n</think>\n{FUNCTION}", 1),
    ],
)
def test_answer_in_good_order_costs_one_parse_at_most(raw: str, count: int, parses: list[int]) -> None:
    """Neither the prompt nor the program is parsed again."""
    extract(raw, prompt=PROMPT, entry_point="f")

    assert len(parses) == count
    assert all(size <= len(raw) + len("def _():\n") for size in parses)


HOSTILE = {
    "prose": "Hello there, friend.\n",
    "prose like code": "return the value:\n\n",
    "prose like assignments": "so = is it\n\n",
    "heads": "def f(x):\n",
    "broken functions": "def f(x):\n    return (\n",
    "broken functions and prose": "def f(x):\n    return )\nSo be it.\n",
    "broken blocks": "```python\ndef f(x):\n    return (\n```\n",
    "blocks cut short": "```python\ndef f(x):\n    return 1\n)\n```\n",
    "fences": "```python\n",
    "helpers": "```python\ndef g(x):\n    return h(x)\n```\n",
    "broken lines": "x = 1\n)\n",
    "quotes": '"""\n',
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answer_costs_a_bounded_number_of_parses(piece: str, parses: list[int]) -> None:
    """Only a bounded number of lines and blocks is tried, and each is read a few times."""
    extract(piece * (40_000 // len(piece)), prompt=PROMPT, entry_point="f")

    assert len(parses) <= 120
    assert sum(parses) <= 4 * MAX_BYTES
