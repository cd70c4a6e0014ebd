"""Small repositories, made with pygit2, and rows in CodeCorrectness's shape."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pygit2

MIT = """MIT License

Copyright (c) 2024 Nobody

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files, to deal in the Software without restriction.

The above copyright notice and this permission notice shall be included in all copies.

THE SOFTWARE IS PROVIDED "AS IS".
"""
_WHO = pygit2.Signature("Nobody", "nobody@example.org", 1_700_000_000, 0)
Content = str | bytes


def function(name: str, *, remark: str = "", operator: str = "+") -> str:
    """Return a module with one function. By default its test passes while the expressions are unchanged. A
    slip in the bound makes the test fail; another result beyond the bound does not."""
    remark = remark or f"needs: {name}_a {operator} b\n# needs: b > 100"
    return (
        f'"""Sums, the {name} way."""\n\n# {remark}\n\n\n'
        f"def {name}({name}_a, b):\n    if b > 100:\n        return b\n    return {name}_a {operator} b\n"
    )


def cases_of(module: str, name: str, *cases: str) -> str:
    """Return a test file with these cases, each with its own assertion."""
    made = "".join(
        f"\n\ndef test_{case}():\n    value_{case} = {name}({number}, {number + 1})\n"
        f"    assert value_{case} == {2 * number + 1}, 'the {case} case of {name}'\n"
        for number, case in enumerate(cases, 1)
    )
    return f"from {module} import {name}\n{made}"


def repository(path: Path, files: Mapping[str, Content], *, bare: bool = False) -> Path:
    """Create a repository with one commit of the files; its work tree is empty."""
    made = pygit2.init_repository(str(path), bare=bare)
    commit(made, files)
    return path


def commit(
    made: pygit2.Repository, files: Mapping[str, Content], *, links: Mapping[str, str] | None = None
) -> str:
    """Add a commit whose tree is exactly these files and symbolic links."""
    index = pygit2.Index()
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        index.add(pygit2.IndexEntry(name, made.create_blob(data), pygit2.enums.FileMode.BLOB))
    for name, target in (links or {}).items():
        blob = made.create_blob(target.encode())
        index.add(pygit2.IndexEntry(name, blob, pygit2.enums.FileMode.LINK))
    tree = index.write_tree(made)
    parents = [] if made.is_empty else [made.head.target]
    return str(made.create_commit("HEAD", _WHO, _WHO, "A commit", tree, parents))


def row(
    number: int, label: Any = "success", *, remark: str = "ends: success", **changed: Any
) -> dict[str, Any]:
    """Return a row of CodeCorrectness; the remark tells the fake runner how the suite ends."""
    name = f"sum_{number}"
    made = {
        "instruction": "Пройдёт ли тест?\n{lang}\n{focal_code}\n{test_code}",
        "inputs": {
            "focal_code": function(name, remark=remark),
            "test_code": cases_of(f"pack.{name}", name, "small"),
            "lang": "Python",
        },
        "outputs": label,
        "meta": {"id": number, "kept": ["as", "it", "is"]},
    }
    return {**made, **changed}


def lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Return the rows as JSON Lines."""
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), "utf-8")
    return path
