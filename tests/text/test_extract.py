"""Shapes of answers, and the program to extract from each."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from benchwright.contracts import Extraction
from benchwright.text.extract import extract

PREAMBLE = "from typing import List\n\n\ndef step(n):\n    return n + 1\n"
SIGNATURE = "def total(xs: List[int]) -> int:\n"
DOCSTRING = '    """Add all numbers up.\n\n    >>> total([1, 2])\n    3\n    """\n'
PROMPT = f"{PREAMBLE}\n\n{SIGNATURE}{DOCSTRING}"
BODY = "    result = 0\n    for x in xs:\n        result += x\n    return result\n"
FLAT = "result = 0\nfor x in xs:\n    result += x\nreturn result\n"
FUNCTION = SIGNATURE + BODY
OTHER = "def total(xs):\n    return -1\n"
STUB = SIGNATURE + DOCSTRING
DRAFT = "Maybe:\n```python\ndef total(xs):\n    return 0\n```\nNo, that is wrong.\n"


def take(raw: str, *, prompt: str = PROMPT) -> Extraction:
    return extract(raw, prompt=prompt, entry_point="total")


def body_of(program: str) -> str:
    """Return the statements of the last top-level `total`, without its docstring, as canonical source."""
    own = [item for item in ast.parse(program).body if getattr(item, "name", "") == "total"][-1]
    items = own.body[1:] if ast.get_docstring(own) else own.body
    return "\n".join(map(ast.unparse, items))


RIGHT = {
    # the body, as a base model completes the prompt
    "body": (BODY, "body"),
    "body after a newline": ("\n" + BODY, "body"),
    "body after blank lines": ("\n\n   \n" + BODY, "body"),
    "body without a last newline": (BODY.rstrip("\n"), "body"),
    "body with two spaces": (BODY.replace("    ", "  "), "body+indent"),
    "body with three spaces": (BODY.replace("    ", "   "), "body+indent"),
    "body with tabs": (BODY.replace("    ", "\t"), "body+indent"),
    "body indented by eight": (indent(BODY, "    "), "body+indent"),
    "body under a comment at column 0": ("# add\n" + BODY, "body"),
    "body with CRLF": (BODY.replace("\n", "\r\n"), "body"),
    "body with CR": (BODY.replace("\n", "\r"), "body"),
    "body with BOM": ("\ufeff" + BODY, "body"),
    "stripped body": (BODY.strip(), "stripped-body"),
    "stripped body with two spaces": (BODY.replace("    ", "  ").strip(), "stripped-body"),
    "body with one space too many": (" " + BODY, "stripped-body"),
    "body with one space too few": (BODY[1:], "stripped-body"),
    "flat body": (FLAT, "flat-body"),
    "flat body with CRLF": (FLAT.replace("\n", "\r\n"), "flat-body"),
    # text that a base model adds after it
    "body, prose": (BODY + "\nThis adds them up.\nNext question: write a loop\n", "body+cut"),
    "body, prose that parses": (BODY + "\nDone\n\nOutput: result\n", "body"),
    "body, fence, prose": (BODY + "```\n\nIt's simple.\n", "body+cut"),
    "body, indented fence": (BODY + "    ```\n    It's simple.\n", "body+cut"),
    "body, fence, other version": (f"{BODY}```\n\nOr:\n```python\n{OTHER}```\n", "body+cut"),
    "body, text after its return": (BODY + '    This is it: "\n', "body+cut"),
    "body, question again": (BODY + "\n\n" + STUB, "body+cut"),
    "body, broken function": (BODY + "\n\ndef other(x):\n    return (x\n", "body+cut"),
    "body, half a line": (BODY + "\n\nprint(total([1,", "body+cut"),
    "body, NUL": (BODY + "\n\0\0\0", "body+cut"),
    "body, end mark": (BODY.rstrip() + "<|endoftext|>import os\nraise SystemExit\n", "body"),
    "body, end of turn": (BODY + "<|im_end|>\n<|im_start|>user\nThanks", "body"),
    "flat body, prose": (FLAT + "\nThis adds them up.\n", "flat-body+cut"),
    "flat body, fence": (FLAT + "```\n", "flat-body+cut"),
    # the whole function, without a fence
    "function": (FUNCTION, "function"),
    "function after an import": ("import math\n\n" + FUNCTION, "function"),
    "function with a docstring": (STUB + BODY, "function"),
    "function, example": (FUNCTION + "\nprint(total([1, 2]))\n", "function"),
    "function, main guard": (FUNCTION + "\nif __name__ == '__main__':\n    print(total([]))\n", "function"),
    "function under prose": ("Sure! Here's the code:\n\n" + FUNCTION, "prose+function"),
    "function under one word": ("Solution\n\n" + FUNCTION, "function"),
    "function between prose": (
        f"From the task, it's clear:\n\n{FUNCTION}\nThat's all (I hope.\n",
        "prose+function+cut",
    ),
    "function, one word": (FUNCTION + "\nDone\n", "function"),
    "function, fence, prose": (FUNCTION + "```\n\nThis adds them up.\n", "function+cut"),
    "function, fence, example": (
        f"{FUNCTION}\nUsage:\n\n```python\nprint(total([1]))\n```\n",
        "function+cut",
    ),
    "function, then only its head": (FUNCTION + "\n\n" + STUB, "function"),
    "function, then its head cut off": (FUNCTION + "\n\n" + STUB[:-20], "function+cut"),
    "head, prose, function": (f"{STUB}\nHere is the implementation:\n\n{FUNCTION}", "prose+function"),
    "function in a bare indented block": (
        f"So:\n\n{indent(FUNCTION, '    ')}\nIt adds.\n",
        "prose+function+cut",
    ),
    "function under a lost tag": ("python\n" + FUNCTION, "function"),
    "function in square tags": (f"[PYTHON]\n{FUNCTION}[/PYTHON]\nIt adds.", "function+cut"),
    "function in angle tags": (f"<answer>\n{FUNCTION}</answer>", "xml+function"),
    "bare head, prose, function": (f"{SIGNATURE}\nHere it is:\n\n{FUNCTION}", "prose+function"),
    "broken version, function": (f"def total(xs):\n    return (\n\n{FUNCTION}", "prose+function"),
    "function with a leading space": (" " + FUNCTION, "function"),
    "function, all indented": (indent(FUNCTION, "    "), "function"),
    "prompt repeated": (PROMPT + BODY, "repeat"),
    "prompt repeated under prose": ("The full program:\n" + PROMPT + BODY, "prose+repeat"),
    # fences
    "fence": (f"```python\n{FUNCTION}```", "fence+function"),
    "fence with py": (f"```py\n{FUNCTION}```", "fence+function"),
    "fence with Python": (f"```Python\n{FUNCTION}```", "fence+function"),
    "fence with python3": (f"```python3\n{FUNCTION}```", "fence+function"),
    "fence with a title": (f"```python title=answer.py\n{FUNCTION}```", "fence+function"),
    "fence without a tag": (f"```\n{FUNCTION}```", "fence+function"),
    "fence with the wrong tag": (f"```java\n{FUNCTION}```", "fence+function"),
    "fence of tildes": (f"~~~python\n{FUNCTION}~~~", "fence+function"),
    "fence of five": (f"`````python\n{FUNCTION}`````", "fence+function"),
    "fence in a list": ("1. So:\n\n" + indent(f"```python\n{FUNCTION}```\n", "   "), "fence+function"),
    "fence with CRLF": (f"So:\n```python\n{FUNCTION}```\n".replace("\n", "\r\n"), "fence+function"),
    "fence under prose": (f"Here's `total`:\n\n```python\n{FUNCTION}```\nGood luck!", "fence+function"),
    "fence with the prompt": (f"```python\n{PROMPT}{BODY}```", "fence+repeat"),
    "fence glued to the code": (f"```python\n{FUNCTION.rstrip()}```\nIt works.", "fence+function"),
    "fence with a body": (f"```python\n{BODY}```", "fence+body"),
    "fence with a flat body": (f"The body:\n```python\n{FLAT}```", "fence+flat-body"),
    "fence in Markdown": (f"```markdown\nSo:\n```python\n{FUNCTION}```\n```\n", "fence+function"),
    "fence in longer Markdown": (f"````md\nSo:\n```python\n{FUNCTION}```\n````\n", "fence+function"),
    "fence with pip": (f"```python\n!pip install x\n{FUNCTION}```", "fence+function"),
    "shell, answer, output": (
        f"```bash\npip install x\n```\n```python\n{FUNCTION}```\n```text\n3\n```\n",
        "fence+function",
    ),
    "answer, example": (f"```python\n{FUNCTION}```\n```python\nr = total([1])\n```\n", "fence+function"),
    "answer, output without a tag": (f"```python\n{FUNCTION}```\n```\n[1, 2]\n```\n", "fence+function"),
    "draft, answer": (f"```python\n{OTHER}```\nBetter:\n```python\n{FUNCTION}```\n", "fence+function"),
    "answer, broken version": (
        f"```python\n{FUNCTION}```\nOr:\n```python\ndef total(xs):\n    return (\n```\n",
        "fence+function",
    ),
    "answer, only the head": (f"```python\n{FUNCTION}```\nFor\n```python\n{STUB}```\n", "fence+function"),
    "head, body": (f"For\n```python\n{STUB}```\nthe body is\n```python\n{BODY}```\n", "fence+body"),
    "fence opened by the template": (FUNCTION + "```\nIt adds.\n", "function+cut"),
    # reasoning
    "think, fence": (f"<think>\n{DRAFT}</think>\n\n```python\n{FUNCTION}```", "reasoning+fence+function"),
    "think, body": (f"<think>\n{DRAFT}</think>\n{BODY}", "reasoning+body"),
    "think, function": (f"<think>{DRAFT}</think>{FUNCTION}", "reasoning+function"),
    "end of thinking only": (f"{DRAFT}</think>\n```python\n{FUNCTION}```", "reasoning+fence+function"),
    "harmony channels": (
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>"
        f"```python\n{FUNCTION}```<|return|>",
        "reasoning+fence+function",
    ),
}


def test_right_answer_keeps_its_meaning() -> None:
    """In every form of the answer, the same entry point is found, with the prompt's own names."""
    for dress, (raw, rule) in RIGHT.items():
        found = take(raw)

        assert (found.problem, found.rule) == (None, rule), dress
        assert body_of(found.program) == ast.unparse(ast.parse(FLAT)), dress
        assert {"List", "step"} <= _top_names(found.program), dress


def _top_names(program: str) -> set[str]:
    names = set()
    for item in ast.parse(program).body:
        names |= {getattr(item, "name", "")} | {alias.name for alias in getattr(item, "names", [])}
    return names


HEADS = {
    "no newline at the end": PROMPT.rstrip("\n"),
    "indentation at the end": PROMPT + "    ",
    "no docstring": PREAMBLE + "\n\n" + SIGNATURE,
    "no docstring, no newline": PREAMBLE + "\n\n" + SIGNATURE.rstrip("\n"),
    "a comment for a docstring": f"{PREAMBLE}\n\n{SIGNATURE}    # add them up\n",
    "tabs": PROMPT.replace("    ", "\t"),
    "two spaces": PROMPT.replace("    ", "  "),
    "blank lines first": "\n\n" + PROMPT,
    "CRLF": PROMPT.replace("\n", "\r\n"),
    "async": PROMPT.replace("def total", "async def total"),
    "a decorator": PROMPT.replace("def total", "@cache\ndef total"),
}


@pytest.mark.parametrize("raw", [BODY, FLAT, FUNCTION], ids=["body", "flat", "function"])
@pytest.mark.parametrize("prompt", HEADS.values(), ids=HEADS)
def test_every_head_takes_every_form(prompt: str, raw: str) -> None:
    """A body or a function completes the prompt, whatever the end of its last line."""
    found = take(raw, prompt=prompt)

    assert found.problem is None
    assert body_of(found.program) == ast.unparse(ast.parse(FLAT))
    assert {"List", "step"} <= _top_names(found.program)


@pytest.mark.parametrize("prompt", ["", "import math\n", "Напишите функцию total.\n", "def f(:\n"])
def test_prompt_without_the_head_takes_a_whole_function_only(prompt: str) -> None:
    """If a prompt does not end in the entry point's head, a body cannot complete it."""
    whole, body = take(FUNCTION, prompt=prompt), take(FLAT, prompt=prompt)

    assert (whole.problem, body_of(whole.program)) == (None, ast.unparse(ast.parse(FLAT)))
    assert body.problem == "syntax_error"
