"""Complete CodeCorrectness rows for the tests, written here, with replaceable parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.records import Task
from benchwright.tracks.correctness.track import TRACK
from kit.track_rows import write_rows

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"
FOCAL = 'import re\n\n\ndef words(text: str) -> dict:\n    """{word: count}."""\n    return {"n": len(re.split(r"\\W+", text))}\n'
TEST = 'from app.words import words\n\n\ndef test_words():\n    assert words("a b") == {"n": 2}\n'
INSTRUCTION = "Файл на {lang}:\n{focal_code}\n\nТест:\n{test_code}\n\nОтвет: success или failed?\n"


def correctness_row(**changes: Any) -> dict[str, Any]:
    """Return a row. `focal_code`, `test_code` and `lang` go into inputs, `id` and `extra` into meta; None
    removes a field."""
    inputs = {"focal_code": FOCAL, "test_code": TEST, "lang": "Python"}
    meta: dict[str, Any] = {"id": 7}
    row = {"instruction": INSTRUCTION, "inputs": inputs, "outputs": "success", "meta": meta}
    for name, value in changes.items():
        place = (
            inputs
            if name in inputs
            else meta
            if name in ("id", "subset", "tags", "repo", "cluster", "kind", "error_class", "_row", "_escaped")
            else row
        )
        place[name] = value
        if value is None:
            del place[name]
    return row


def escaped(code: str) -> str:
    """Return the code as a row stores it after two rounds of JSON encoding."""
    return json.dumps(code, ensure_ascii=False)[1:-1]


def load(folder: Path, *rows: Any) -> list[Task]:
    """Return the tasks of these rows."""
    return list(TRACK.load(write_rows(folder, *rows)))


def seed_rows() -> Iterator[dict[str, Any]]:
    """Return the example row of the published card, if its text is next to the repository."""
    for path in sorted(SEEDS.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        if text.startswith("# CodeCorrectness"):
            start = text.index("```json\n") + len("```json\n")
            yield json.loads(text[start : text.index("\n```", start)])
