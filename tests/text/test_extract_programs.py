"""Answers with one exact program."""

from __future__ import annotations

import pytest

from benchwright.text.extract import extract

PREAMBLE = "from typing import List\n\n\ndef step(n):\n    return n + 1\n"
PROMPT = f'{PREAMBLE}\n\ndef total(xs: List[int]) -> int:\n    """Add all numbers up."""\n'

EXACT = {
    "body, helper below": (
        "    return add(xs)\n\n\ndef add(xs):\n    return sum(xs)\n",
        PROMPT + "    return add(xs)\n\n\ndef add(xs):\n    return sum(xs)\n",
    ),
    "flat body, helper below": (
        "return add(xs)\n\n\ndef add(xs):\n    return sum(xs)\n",
        PROMPT + "    return add(xs)\n\n\ndef add(xs):\n    return sum(xs)\n",
    ),
    "flat body, helper above": (
        "def add(xs):\n    return sum(xs)\n\nreturn add(xs)\n",
        PROMPT + "    def add(xs):\n        return sum(xs)\n\n    return add(xs)\n",
    ),
    "flat body that returns twice": (
        "if xs:\n    return 1\nelse:\n    return 2\nreturn 3\n",
        PROMPT + "    if xs:\n        return 1\n    else:\n        return 2\n    return 3\n",
    ),
    "flat body that yields": ("for x in xs:\n    yield x\n", PROMPT + "    for x in xs:\n        yield x\n"),
    "flat body without a return": ("xs.sort()\n", PROMPT + "    xs.sort()\n"),
    "flat body with a string of lines": (
        'text = """a\nb\n"""\nreturn text\n',
        PROMPT + '    text = """a\nb\n"""\n    return text\n',
    ),
    "tabbed body with a string of lines": (
        '\ttext = """a\n\tb"""\n\tif xs:\n\t\treturn text\n',
        PROMPT + '    text = """a\n\tb"""\n    if xs:\n    \treturn text\n',
    ),
    "body under prose": ("The body is:\n\n    return sum(xs)\n", PROMPT + "    return sum(xs)\n"),
    "flat body under prose": ("It's easy:\n\nreturn sum(xs)\n", PROMPT + "    return sum(xs)\n"),
    "stub": ("    pass\n", PROMPT + "    pass\n"),
    "class": ("class total:\n    pass\n", f"{PREAMBLE}\n\nclass total:\n    pass\n"),
    "lambda": ("total = lambda xs: sum(xs)\n", f"{PREAMBLE}\n\ntotal = lambda xs: sum(xs)\n"),
    "import of the answer": (
        "from math import fsum as total\n",
        f"{PREAMBLE}\n\nfrom math import fsum as total\n",
    ),
    "binding in a branch": (
        "try:\n    from m import total\nexcept ImportError:\n    total = sum\n",
        f"{PREAMBLE}\n\ntry:\n    from m import total\nexcept ImportError:\n    total = sum\n",
    ),
    "async": ("async def total(xs):\n    return 1\n", f"{PREAMBLE}\n\nasync def total(xs):\n    return 1\n"),
    "decorator": (
        "@cache\ndef total(xs):\n    return 1\n",
        f"{PREAMBLE}\n\n@cache\ndef total(xs):\n    return 1\n",
    ),
    "helper after prose": (
        "So:\n\ndef add(a, b):\n    return a + b\n\n\ndef total(xs):\n    return add(*xs)\n",
        f"{PREAMBLE}\n\ndef add(a, b):\n    return a + b\n\n\ndef total(xs):\n    return add(*xs)\n",
    ),
    "prose between the parts": (
        "I import this:\n\nimport math\n\nFrom here, it's easy:\ndef add(a, b):\n    return a + b\n"
        "That helps. If you like:\n- it is short\n- it's clear\n\ndef total(xs):\n    return add(*xs)\n",
        f"{PREAMBLE}\n\nimport math\n\n\ndef add(a, b):\n    return a + b\n\n\n\n\ndef total(xs):\n"
        "    return add(*xs)\n",
    ),
    "future import": (
        "from __future__ import annotations\ndef total(xs: X):\n    return 1\n",
        f"from __future__ import annotations\n{PREAMBLE}\n\ndef total(xs: X):\n    return 1\n",
    ),
    "imports in a block of their own": (
        "```python\nimport math\nimport re\n```\n```python\ndef total(xs):\n    return math.fsum(xs)\n```\n",
        f"{PREAMBLE}import math\n\n\n\ndef total(xs):\n    return math.fsum(xs)\n",
    ),
    "helper that needs a helper, in later blocks": (
        "```python\ndef total(xs):\n    return a(xs)\n```\n```python\ndef a(x):\n    return b(x)\n```\n"
        "```python\nb = sum\n```\n",
        f"{PREAMBLE}def a(x):\n    return b(x)\n\nb = sum\n\n\n\ndef total(xs):\n    return a(xs)\n",
    ),
    "example with the same name as a local": (
        "```python\ndef total(xs):\n    r = 1\n    return r\n```\n```python\nr = total([1])\n```\n",
        f"{PREAMBLE}\n\ndef total(xs):\n    r = 1\n    return r\n",
    ),
    "example with the same name as a builtin": (
        "```python\nsum = 3\n```\n```python\ndef total(xs):\n    return sum(xs)\n```\n",
        f"{PREAMBLE}\n\ndef total(xs):\n    return sum(xs)\n",
    ),
    "tag in code": (
        '```python\ndef total(xs):\n    return "<think>" + xs + "</think>"\n```',
        f'{PREAMBLE}\n\ndef total(xs):\n    return "<think>" + xs + "</think>"\n',
    ),
    "tags in bare code": (
        'TAG = "</think>"\ndef total(xs):\n    # drop what stands before </think>\n'
        '    return xs.split("</think>")\n',
        f'{PREAMBLE}\n\nTAG = "</think>"\ndef total(xs):\n    # drop what stands before </think>\n'
        '    return xs.split("</think>")\n',
    ),
    "end mark in code": ("    return '<|im_end|>'\n", PROMPT + "    return '<|im_end|>'\n"),
    "fence in a docstring": (
        '```python\ndef total(xs):\n    """\n    ```py\n    total()\n    ```\n    """\n    return 1\n```',
        f'{PREAMBLE}\n\ndef total(xs):\n    """\n    ```py\n    total()\n    ```\n    """\n    return 1\n',
    ),
    "fence in a flush docstring": (
        '```python\ndef total(xs):\n    """\n```\ntotal([])\n```\n"""\n    return 1\n```',
        f'{PREAMBLE}\n\ndef total(xs):\n    """\n```\ntotal([])\n```\n"""\n    return 1\n',
    ),
    "invalid escape": ("    return '\\d'\n", PROMPT + "    return '\\d'\n"),
    "Cyrillic": ("    имя = 'да'\n    return имя\n", PROMPT + "    имя = 'да'\n    return имя\n"),
    "wrong answer": ("    return None\n", PROMPT + "    return None\n"),
}


@pytest.mark.parametrize(("raw", "expected"), EXACT.values(), ids=EXACT)
def test_exact_program(raw: str, expected: str) -> None:
    """Each shape gives exactly this program."""
    found = extract(raw, prompt=PROMPT, entry_point="total")

    assert (found.program, found.problem) == (expected, None)
