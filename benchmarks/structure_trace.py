"""One answer, one pair and one request through the command line of any tree, and the files each passes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchwright.stub_server import StubServer

TRACER = Path(__file__).resolve().parent / "tracing"
LIMIT_S = 300.0
TASK = {
    "task_id": "Own/0",
    "prompt": 'def twice(x: int) -> int:\n    """Twice x."""\n',
    "entry_point": "twice",
    "canonical_solution": "    return x * 2\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-3) == -6\n",
}
ANSWER = {
    "task_id": "Own/0",
    "completion": "Twice is the sum:\n```python\ndef twice(x):\n    return x + x\n```\n",
}
LICENCE = (
    "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy.\n"
    "The above copyright notice and this permission notice shall be included in all copies.\n"
)
PAIR = {
    "LICENSE": LICENCE,
    "shop/__init__.py": "",
    "shop/prices.py": "def total(prices, rate):\n    net = sum(prices)\n"
    "    if net > 100:\n        net = net - 5\n    return net + net * rate // 100\n",
    "tests/test_prices.py": "from shop.prices import total\n\n\n"
    "def test_large():\n    got = total([60, 60], 10)\n    assert got == 126\n",
}


def moves(package: Path) -> dict[str, list[tuple[str, str]]]:
    """By action: each call from one file to another, in the command and its workers, imports left out."""
    with TemporaryDirectory(prefix="benchwright-") as name:
        folder = Path(name)
        actions = {"one answer": answer_words(folder), "one pair": _pair(folder)}
        found = {what: traced(package, words, folder / what.split()[-1]) for what, words in actions.items()}
        with StubServer() as server:
            request = traced(package, _request(folder, server.base_url), folder / "request")
        return {**found, "one request": request}


def traced(package: Path, words: Sequence[str], notes: Path) -> list[tuple[str, str]]:
    """Run a command of the package in this folder with its calls noted in a folder that is made for it."""
    notes.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", f"{package.name}.cli.main", *words],
        env={**os.environ, **_environment(package, notes)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return list(_read(notes))


def _environment(package: Path, notes: Path) -> Mapping[str, str]:
    """The tree's own package comes before any that is installed; the standard library's own paths stay."""
    path = [str(TRACER), str(package.resolve().parent)]
    return {
        "PYTHONPATH": os.pathsep.join(path),
        "TRACED_PACKAGE": str(package.resolve()),
        "TRACED_NOTES": str(notes),
        "OPENAI_API_KEY": "none",
    }


def _read(notes: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(notes.iterdir()):
        for line in path.read_text("ascii").splitlines():
            caller, callee = line.split()
            yield caller, callee


def _data(folder: Path) -> Path:
    path = folder / "HumanEval.jsonl"
    path.write_text(json.dumps(TASK) + "\n", "utf-8")
    return path


def answer_words(folder: Path) -> list[str]:
    """A run over one task with one stored answer; its self-check judges a right and a wrong one besides."""
    answers = folder / "answers.jsonl"
    answers.write_text(json.dumps(ANSWER) + "\n", "utf-8")
    model = ["--model", f"replay:{answers}", "--workers", "1"]
    return ["run", "humaneval", "--data", str(_data(folder)), *model, "--out", str(folder / "run"), "--json"]


def _pair(folder: Path) -> list[str]:
    """A build from a repository with one file, and one test of it with one case."""
    clone = folder / "clone"
    _commit(clone, PAIR)
    return ["build", "codecorrectness", "--from", str(clone), "--out", str(folder / "build"), "--json"]


def _request(folder: Path, base_url: str) -> list[str]:
    """One task, asked once and stored."""
    model = ["--model", "openai:stub", "--base-url", base_url, "--n", "1", "--ask-only"]
    return [
        "run",
        "humaneval",
        "--data",
        str(_data(folder)),
        *model,
        "--out",
        str(folder / "asked"),
        "--json",
    ]


def _commit(path: Path, files: Mapping[str, str]) -> None:
    import pygit2  # noqa: PLC0415 (an extra)

    made, index = pygit2.init_repository(str(path)), pygit2.Index()
    for name, text in files.items():
        index.add(pygit2.IndexEntry(name, made.create_blob(text.encode()), pygit2.enums.FileMode.BLOB))
    who = pygit2.Signature("Nobody", "nobody@example.org", 1_700_000_000, 0)
    made.create_commit("HEAD", who, who, "A commit", index.write_tree(made), [])
