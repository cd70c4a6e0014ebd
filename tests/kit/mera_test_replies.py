"""Replies with tests that test MERA's extraction, drawn with a fixed seed from sample rows: always the same
ones.

`tests/interop/mera/golden/mera_tests.json` has the results of MERA's own code for them, in their order.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from kit.mera_replies import COUNT, rows

_TAGS = ("java", "python", "go", "js", "csharp", "Java", "py", "", "java8", "javascript", "c-sharp", "java ")
_BEFORE = (
    "",
    "Тест:\n",
    "  ",
    "\r\n",
    "```\n",
    "> ",
    "```text\nx\n```\n",
    "<think>```java\nno\n```</think>\n",
)
_AFTER = ("", "\n", "\n\nПояснение.\n", "\n```", "```java\n", "\n```go\nx\n```")
_PIECES = (
    "",
    "\n",
    "x",
    "}",
    "/* ",
    '"',
    "\0",
    "é",
    "\ufeff",
    "// c\n",
    "for",
    "\t\n",
    "((((",
    "# c\n",
    "'''",
)
_STARTS = ("", "", "ckage a;\n", "age b;\n", "ackage c;\n", "<|code|>", "package other;\n", " package no;\n")
_IMPORTS = ("", "import java.util.List;\n", "import static java.lang.Math.abs;\n", "import java.util.*;\n")


@cache
def java_replies() -> list[tuple[int, str]]:
    """Return answers to JavaTestGen, each with the index of its sample row."""
    drawn, made = random.Random(31), rows("javatestgen")
    return [(at % len(made), _java(drawn, made[at % len(made)])) for at in range(COUNT)]


def _java(drawn: random.Random, row: dict[str, Any]) -> str:
    canonical: str = row["meta"]["canonical_test"]
    body = canonical.partition("\n")[2] if drawn.random() < 0.6 else canonical
    code = (
        drawn.choice(_STARTS) + drawn.choice(_IMPORTS) + drawn.choice((body, body, row["inputs"]["code"], ""))
    )
    return _fenced(drawn, code, "java")


def java_source(row: dict[str, Any], at: int) -> str:
    """Return the class of a row; at some indexes with imports or without a package."""
    source: str = row["meta"]["source_code"]
    head, _, rest = source.partition("\n")
    if at % 4 == 0:
        return f"{head}\nimport java.util.List;\nimport static java.lang.Math.abs;\n{rest}"
    return rest if at % 4 == 1 else source


@cache
def unit_replies() -> list[tuple[int, str]]:
    """Return answers to UnitTests, each with the index of its sample row."""
    drawn, made = random.Random(32), rows("unittests")
    return [(at % len(made), _unit(drawn, made, at % len(made))) for at in range(COUNT)]


def _unit(drawn: random.Random, made: list[dict[str, Any]], at: int) -> str:
    row, near = made[at], made[at - at % 6 + drawn.randrange(6)]
    text: str = drawn.choice((row, near))["outputs"]
    cut = drawn.randrange(len(text))
    lines = text.split("\n")
    drawn.shuffle(lines)
    function: str = row["inputs"]["focal_func"]
    codes = [text, text[:cut], text[cut:], "\n".join(lines), function, text + "\n" + text, near["outputs"]]
    codes += [
        text[:cut] + drawn.choice(_PIECES) + text[cut:],
        text.replace("(", "[", 1),
        drawn.choice(_PIECES),
    ]
    code = drawn.choice(codes)
    return _fenced(drawn, code, row["inputs"]["language"])


def _fenced(drawn: random.Random, code: str, language: str) -> str:
    kind = drawn.random()
    if kind < 0.2:
        return drawn.choice(_BEFORE) + code + drawn.choice(_AFTER)
    tag = language if kind < 0.7 else drawn.choice(_TAGS)
    marks = drawn.choice(("```", "```", "```", "````", "~~~"))
    opened = f"{marks}{tag}{drawn.choice((chr(10), chr(10), ' ', chr(13) + chr(10)))}"
    return (
        drawn.choice(_BEFORE) + opened + code + (marks if drawn.random() < 0.8 else "") + drawn.choice(_AFTER)
    )


def written_answer_rows(name: str) -> list[dict[str, Any]]:
    """Return stored answers to the sample rows of a track, one per task."""
    replies = java_replies() if name == "javatestgen" else unit_replies()
    made = rows(name)
    return [{"task_id": made[at]["meta"]["id"], "answer": text} for at, text in replies[: len(made)]]
