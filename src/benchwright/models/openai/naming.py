"""Whether the model that a server names is the one that was asked for, written in another way.

A name has a path, a base and details. The details say which edition it is: a revision (`NAME@main`), a tag
(`NAME:7b`), a date (`NAME-2024-08-06`), how its numbers are stored (`NAME-AWQ`, `NAME.Q4_K_M.gguf`). Two
names are of one model when the bases are equal, one path ends as the other does (`models/NAME`,
`openai/NAME`, a file's folder), and no detail is given on both sides and differs. Case does not count.

An alias that a server resolves is so no other model, nor is a file's own name; `NAME-mini` is one, and so is
another date, tag or quantisation than the one that was asked for.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_NAME = 500  # longer ones are no names
_OPEN = frozenset({"", "latest", "main", "master", "default"})  # details that name no edition
_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_SHORT = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|2[0-9](?:0[1-9]|1[0-2])|00\d"  # 0613, 2411, 002
_STORED = r"(?:i?q\d(?:_[0-9a-z]+)*|awq|gptq|gguf|exl\d|bnb-4bit|[48]bit|int[48]|fp(?:8|16|4)|bf16|f16|f32)"
_ENDS = {
    "revision": re.compile(r"@([^@/]*)$"),
    "tag": re.compile(r":([^:/@]*)$"),
    "file": re.compile(r"\.(gguf|safetensors|bin|onnx|pt)$"),
    "date": re.compile(rf"[-@](latest|{_DATE}|{_SHORT})$"),
    "stored": re.compile(rf"[-._]({_STORED})$"),
}


class _Name(NamedTuple):
    path: list[str]  # the base is its last part
    details: dict[str, str]


def same_model(asked: str, named: str) -> bool:
    """Whether both names can be of one model.

    >>> same_model("gpt-4o", "gpt-4o-2024-08-06"), same_model("gpt-4o", "gpt-4o-mini")
    (True, False)
    """
    if asked == named:
        return True
    if len(named) > MAX_NAME:
        return False
    ours, theirs = _read(asked), _read(named)
    shorter = min(len(ours.path), len(theirs.path))
    return ours.path[-shorter:] == theirs.path[-shorter:] and all(
        ours.details.get(kind, "") in _OPEN or detail in _OPEN or ours.details[kind] == detail
        for kind, detail in theirs.details.items()
        if kind != "file"
    )


def _read(name: str) -> _Name:
    rest, details = name.strip().rstrip("/").lower().replace("\\", "/"), dict[str, str]()
    while found := next(((kind, m) for kind, end in _ENDS.items() if (m := end.search(rest))), None):
        kind, match = found
        if not match.start() or rest[match.start() - 1] == "/":
            break  # nothing would be left of the name
        details.setdefault(kind, match[1])
        rest = rest[: match.start()]
    return _Name([part for part in rest.split("/") if part], details)
