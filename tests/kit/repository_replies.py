"""Replies that test MERA's extraction for repository tasks, drawn with a fixed seed: always the same ones.

`tests/interop/mera/golden/repositories.json` holds what MERA's own code makes of them, by their order.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from kit.mera_replies import COUNT, rows

TRACKS = {"realcode": "RealCode", "realcodejava": "RealCodeJava", "yabloco": "YABLoCo"}
_TAGS = ("python", "java", "c", "cpp", "c++", "C", "C++", "", "Python", "py", "cc++", " java")
_BEFORE = ("", "Вот код:\n", "\r\n", "```\n", "<think>\nx\n</think>\n", "\u2028", "    ", "text ``` text ")
_AFTER = ("", "\n", " конец", "\n\nПояснение: `x`.\n", "\n```", "```python\n", "\n}\n", "\n#include <a.h>\n")
_ODD = (
    *("", "\n", " ", "}", "{", "\tx = 1\n", "pass", "-", "x = '\0'", "\f\nx\n", "\x1c", "return 1;\n}"),
    *("#include <a.h>\nint main(void)\n{\n}\n", "void main(", " #include <b.h>\n", "// }\n}\n", '"}"\n'),
    *(
        "/* } */ }\n",
        "'}'\n}\n",
        "'\\''\n}",
        '"\\"}"',
        "x\r\n  y\r\n",
        "é = 1\n",
        "a\vb\n  c",
        "if x:\n    y\n",
    ),
)


@cache
def repository_replies(track: str) -> list[tuple[int, str]]:
    """Return replies, each with the index of its sample row."""
    drawn = random.Random(f"{track} 31")
    made = rows(track)
    return [(at % len(made), _reply(drawn, made[at % len(made)])) for at in range(COUNT)]


def _reply(drawn: random.Random, row: dict[str, Any]) -> str:
    parts = [_part(drawn, _code(drawn, row)) for _ in range(drawn.choice((1, 1, 1, 2)))]
    return drawn.choice(_BEFORE) + "".join(parts)


def _code(drawn: random.Random, row: dict[str, Any]) -> str:
    body, shown = row["outputs"], row["inputs"].get("left_context") or row["inputs"]["signature"]
    cut, depth = drawn.randrange(len(body)), drawn.randrange(9)
    head = shown.rstrip("\n").split("\n")[-1]
    return drawn.choice(
        (
            *(
                body,
                body,
                body.strip(),
                body.rstrip().rstrip("}"),
                body[:cut],
                body[cut:],
                body + "\n\n" + body,
            ),
            *(f"{head}\n{body}", f"{shown}\n{body}", f"{head}\n{body}\n{head}\n{body}", body.lstrip()),
            *("\n".join(" " * depth + line for line in body.split("\n")), body.replace("    ", "\t")),
            *("\n".join(line[depth:] for line in body.split("\n")), body.replace("\n", "\r\n")),
            *(drawn.choice(_ODD), drawn.choice(_ODD) + body, body + drawn.choice(_ODD)),
        )
    )


def _part(drawn: random.Random, code: str) -> str:
    kind = drawn.random()
    if kind < 0.25:
        return code + drawn.choice(_AFTER)
    tag = drawn.choice(("python", "java", "c")) if kind < 0.6 else drawn.choice(_TAGS)
    opened = "```" + tag + drawn.choice(("\n", "\n", "\n", " ", ""))
    return opened + code + ("```" if drawn.random() < 0.85 else "") + drawn.choice(_AFTER)


def stored_answers(track: str) -> list[dict[str, Any]]:
    """Return the first reply to each sample row as a stored answer."""
    made = rows(track)
    replies = repository_replies(track)[: len(made)]
    return [{"task_id": made[at]["meta"]["id"], "answer": text} for at, text in replies]


@cache
def outcomes(track: str) -> list[dict[str, int]]:
    """Return the outcomes of one answer to each sample row, by the names of repotest's columns."""
    drawn = random.Random(f"{track} 32")
    names = ("pass_gen", "pass_gt", "pass_return_pass", "pass_return_empty_str", "pass_stub", "pass_dry_run")
    return [{name: drawn.randrange(2) for name in names} | {"status": 1} for _ in rows(track)]
