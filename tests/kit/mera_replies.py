"""Replies that test MERA's extraction, drawn with a fixed seed from parts written here: always the same ones.

`tests/interop/mera/golden` has the results of MERA's own code for them, in their order.
"""

from __future__ import annotations

import json
import random
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import benchwright

SAMPLES = Path(benchwright.__file__).parent / "demo" / "mera"
COUNT = 200
_TAGS = ("python", "py", "Python", "python3", "", "c-lang", "пайтон", "python ", "js")
_BEFORE = (
    "",
    "Вот код:\n",
    "Готово.\n\n",
    "  ",
    "\r\n",
    "text\n\n```\n",
    "> ",
    "\u2028",
    "<think>\nx\n</think>\n",
)
_AFTER = ("", "\n", " конец", "\n\nПояснение: `x`.\n", "\n```", "```python\n")
_CODES = (
    *("pass\n", "", "\n", "x = 1\n", "x=1\n", "import os\n", "x = 1  # noqa\nimport os  # noqa\n"),
    *("# flake8: noqa\nx=1\n", "#flake8:noqa:E225\nx=1\n", "def f(:\n", "\tx = 1\n", "x = '\u00e9'\n"),
    *("x = 1\r\ny = 2\r\n", "x = 1\n\n\n", 'x = """```\n"""\n', "\ufeffx = 1\n", "x = '\0'\n", "x = 1"),
    *(
        "[tool.flake8]\nignore = E,W,F\n",
        "x = (\n",
        "if True:\n  pass\n",
        "print(undefined)\n",
        "\f\nx = 1\n",
    ),
)


@cache
def rows(name: str) -> list[dict[str, Any]]:
    """Return the sample rows of a track."""
    text = (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@cache
def code_replies() -> list[str]:
    """Return replies with Python code in fences, outside of them, or nowhere."""
    drawn = random.Random(29)
    canonical = [row["meta"]["canonical_code"] for row in rows("codelintereval")]
    given = [row["inputs"]["code"] for row in rows("codelintereval")]
    pools = (canonical, canonical, given, list(_CODES))
    return [_reply(drawn, pools) for _ in range(COUNT)]


def _reply(drawn: random.Random, pools: tuple[list[str], ...]) -> str:
    parts = [_part(drawn, drawn.choice(drawn.choice(pools))) for _ in range(drawn.choice((1, 1, 1, 2, 3)))]
    return drawn.choice(_BEFORE) + "".join(parts)


def _part(drawn: random.Random, code: str) -> str:
    kind = drawn.random()
    if kind < 0.2:
        return code + drawn.choice(_AFTER)
    tag = "python" if kind < 0.6 else drawn.choice(_TAGS)
    marks = drawn.choice(("```", "```", "```", "````", "~~~", "``"))
    opened = f"{drawn.choice(('', '', '', '  '))}{marks}{tag}{drawn.choice((chr(10), chr(10), chr(10), ' ', chr(13) + chr(10)))}"
    return opened + code + (marks if drawn.random() < 0.85 else "") + drawn.choice(_AFTER)


@cache
def text_replies() -> list[tuple[int, str]]:
    """Return documentation with changes of all kinds, each with the index of its sample row."""
    drawn = random.Random(30)
    made = rows("strucom")
    return [(at % len(made), _spoiled(drawn, made[at % len(made)])) for at in range(COUNT)]


def _spoiled(drawn: random.Random, row: dict[str, Any]) -> str:
    text, function = row["outputs"], row["inputs"]["function"]
    cut = drawn.randrange(len(text))
    ways = (
        *(text, "", " ", text[:cut], text[cut:], text.upper(), function, function + "\n" + text),
        *(f"```\n{text}\n```", text.replace(" ", "  "), text[::-1], "\u200b" + text, text + "\u0301"),
        *(
            "да" * drawn.randrange(1, 400),
            text * drawn.randrange(1, 9),
            "\t\n\r\u00a0",
            "🙂" * 7 + text[:5],
            "\0" + text,
        ),
    )
    return drawn.choice(ways)


_HEADS = (
    *(
        "Комментарий 1:",
        "Комментарий 1:",
        "Комментарий 2:",
        "\nКомментарий 3: ",
        "комментарий 1:",
        "Комментарий  1:",
    ),
    *(
        "Комментарий №1:",
        "**Комментарий 1:**",
        "Комментарий 1 :",
        "Комментарий ١:",
        "Комментарий 12345678901234567890:",
    ),
    *("Комментарий\u00a01:", "Комментарий\n1:", "Comment 1:", "1. ", "Комментарий Комментарий 1:", ""),
)
JUDGE_REPLIES = (
    *(
        "correct",
        "Correct",
        "incorrect",
        "wrong",
        " wrong\n",
        "correct wrong",
        "wrong, then correct",
        "да",
        "",
    ),
    *("It is correct", "correct.", "not wrong", "INCORRECT", "Ответ: correct\u2028", "correctly", "wrongly"),
)


@cache
def review_replies() -> list[tuple[int, str]]:
    """Return reviews with headings of all kinds, each with the index of its sample row."""
    drawn = random.Random(31)
    made = rows("rucodereviewer")
    return [(at % len(made), _review(drawn, made[at % len(made)])) for at in range(COUNT)]


def _review(drawn: random.Random, row: dict[str, Any]) -> str:
    text, diff = row["outputs"], row["inputs"]["diff_block"]
    pool = (
        *(text, text, text.upper(), text[: len(text) // 2], text.replace(".", " ."), text.replace(" ", "\n")),
        *(
            diff,
            "",
            " \n\t",
            "correct",
            "&quot;1,5&amp;2.0&quot; 3-4",
            "<skipped>a-\nb",
            "🙂 \0 \ufeff",
            "x" * 300,
        ),
        *(
            "Комментарий 7",
            "нет. " * 30,
            "```\nКомментарий 1: `a`\n```",
            "\r\n\u2028\u00a0",
            "'\"!#$%()*+/:;<=>?@[]^_`{|}~",
        ),
    )
    parts = drawn.choice((0, 1, 1, 2, 3, 5, 12))
    start = drawn.choice(("", "", "Вот замечания.\n", "<think>Комментарий 1: x</think>\n"))
    if not parts:
        return start + drawn.choice(pool)
    return start + "".join(
        drawn.choice(_HEADS) + drawn.choice((" ", "", "\n")) + drawn.choice(pool) for _ in range(parts)
    )


def judge_reply(remark: str) -> str:
    """Return a stub judge's reply to a remark."""
    return JUDGE_REPLIES[sha256(remark.encode()).digest()[0] % len(JUDGE_REPLIES)]


def answer_rows(name: str) -> list[dict[str, Any]]:
    """Return stored answers to the sample rows of a track: ten per task from `code_replies`, or one
    documentation."""
    if name in ("strucom", "rucodereviewer"):
        replies_of = text_replies if name == "strucom" else review_replies
        first = [text for _, text in replies_of()[: len(rows(name))]]
        return [
            {"task_id": row["meta"]["id"], "answer": text}
            for row, text in zip(rows(name), first, strict=True)
        ]
    replies = code_replies()
    places = [(row["meta"]["id"], sample) for row in rows(name) for sample in range(10)]
    return [{"task_id": task, "answer": replies[at % COUNT]} for at, (task, _) in enumerate(places)]
