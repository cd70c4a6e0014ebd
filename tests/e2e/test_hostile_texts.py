"""A run of texts that are expensive to read and of deep programs is scored, resumed, shown, reported and exported."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kit.command_line import CONTROL, Said, benchwright, called
from kit.hostile_texts import FAMILIES, FUNCTION, PROMPT, SHAPES, deep_program
from kit.small_data import write

LEVELS = (200, 1000, 5000)
SIZE = 2 << 10
TASK = {
    "task_id": "Hostile/0",
    "prompt": PROMPT,
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "test": "def check(candidate):\n    assert candidate(7) == 7\n",
}

pytestmark = pytest.mark.usefixtures("jail")


def run(folder: Path) -> Said:
    """The command that is given twice."""
    stored = write(
        folder / "answers.jsonl", ({"task_id": "Hostile/0", "completion": text} for text in texts())
    )
    data = write(folder / "tasks.jsonl", [TASK])
    words = ("--cpu-limit", "0.2", "--model", f"replay:{stored}", "--out", folder / "run", "--json")
    return benchwright("run", "humaneval", "--data", data, *words)


def texts() -> list[str]:
    """Every shape at every depth, every family once, and a right answer."""
    deep = [deep_program(shape, levels) for shape in SHAPES for levels in LEVELS]
    expensive = [make(SIZE) for families in FAMILIES.values() for make in families.values()]
    every = [
        *deep,
        *(text.encode("utf-8", "replace").decode() for text in expensive),
    ]  # as a UTF-8 file has them
    return [*dict.fromkeys(every), f"```python\n{FUNCTION}```\n"]


def test_no_text_stops_a_run(tmp_path: Path) -> None:
    """Each ends in one outcome, none is missing; the second time nothing is judged; every reader reads all."""
    first = run(tmp_path)
    verdicts = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    again = run(tmp_path)
    shown = benchwright("show", tmp_path / "run", "Hostile/0")
    raw = called("show", tmp_path / "run", "Hostile/0", "--raw")
    page = benchwright("report", tmp_path / "run", "--out", tmp_path / "page.html")
    log = benchwright("export", "inspect", tmp_path / "run", "--out", tmp_path / "run.eval")
    ended = Counter(json.loads(line)["outcome"] for line in verdicts.splitlines())

    assert [said.code for said in (first, again, shown, raw, page, log)] == [0] * 6, first.err[-2000:]
    assert not any("Traceback" in said.err for said in (first, again, shown, raw, page, log))
    assert first.document["outcomes"] == dict(sorted(ended.items())) == again.document["outcomes"]
    assert (ended.total(), first.document["missing"], ended["passed"] > 0) == (len(texts()), 0, True)
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == verdicts
    assert not CONTROL.search(shown.out)
