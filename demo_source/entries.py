"""The demo's AICoderEval: drafts and cards of models that there are not, read from `entry_texts/*.toml`.

`sound.toml` has drafts that every gate keeps, `flawed.toml` one for each kind of gate to refuse, `cards.toml`
what the model cards say. They are kept as texts: half of the drafts are wrong on purpose.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.draft_templates import from_template
from benchwright.contracts.specs import CallCase, CaseInput, CaseLevel, ExpectedResult
from benchwright.sources.model_cards import open_cards
from benchwright.sources.model_records import ModelRecord
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, Domain

FOLDER = Path(__file__).parent / "entry_texts"
_CARD = """---
license: {licence}
pipeline_tag: {task}
---
# {id}

{about} There is no such model: the card was written for the demo of Benchwright.

```python
from models import load

model = load("{id}")
```
"""
_ENTRY = ("task_id", "description", "signature", "docstring", "imports", "libraries", "environment")


def sound_drafts() -> list[Draft]:
    """The stored drafts that every gate keeps."""
    return [_draft(row) for row in _rows("sound", "draft")]


def refused_drafts() -> dict[str, tuple[str, Draft]]:
    """By task id, the stored drafts that a gate refuses, with the first reason."""
    return {row["task_id"]: (row["refused"], _draft(_whole(row))) for row in _rows("flawed", "draft")}


def cards() -> dict[str, str]:
    """The text of each card by the name of its file."""
    rows = ({"licence": "apache-2.0", **row} for row in _rows("cards", "card"))
    return {f"{row['id']}.md": _CARD.format(**row) for row in rows}


def refused_cards() -> dict[str, str]:
    """By id, the cards that become no entry, with the reason."""
    return {row["id"]: row["refused"] for row in _rows("cards", "card") if "refused" in row}


def entries() -> list[Draft]:
    """What is certified, as the release has it: the drafts made of the cards, then those that are stored."""
    refused = refused_cards()
    made = [from_template(record) for record in _records() if record.id not in refused]
    return [*(each for each in made if isinstance(each, Draft)), *sound_drafts()]


def _records() -> Iterator[ModelRecord]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in cards().items():
            Path(folder, name).write_text(text, "utf-8")
        source = open_cards(folder, licences=())
        for item in source.collect(Path(folder), lambda _: None).items:
            assert not hasattr(item, "reason"), item
            yield item.record


def _rows(name: str, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))[kind]
    return found


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """A draft that is a copy of a sound one, with what it has instead."""
    if "copy_of" not in row:
        return row
    copied = next(each for each in _rows("sound", "draft") if each["task_id"] == row["copy_of"])
    return {**copied, **row}


def _draft(row: dict[str, Any]) -> Draft:
    cases = [_case(*each) for each in row["cases"]]
    entry = BenchmarkEntry(
        **{name: row[name] for name in _ENTRY if name in row},
        domain=Domain(row["domain"]),
        implementation=row["implementation"].strip("\n"),
        cases=cases,
    )
    return Draft(
        entry=entry,
        alternatives=row.get("alternatives", []),
        wrong={why: program(entry, body) for why, body in row.get("wrong", {}).items()},
        licence=row.get("licence", "Apache-2.0"),
        lineage={"source": f"demo:{entry.task_id}", "drafted_by": "hand"},
    )


def _case(name: str, level: str, args: list[Any], expected: dict[str, Any]) -> CallCase:
    return CallCase(
        name=name, level=CaseLevel(level), input=CaseInput(args=args), expected=ExpectedResult(**expected)
    )


def program(entry: BenchmarkEntry, body: str) -> str:
    """The whole program of a body."""
    return "\n".join([*entry.imports, "", "", entry.signature, body.strip("\n"), ""])


def body_of(entry: BenchmarkEntry, program: str) -> str:
    """The body of a whole program that was made of one."""
    return program.partition(f"{entry.signature}\n")[2].strip("\n")
