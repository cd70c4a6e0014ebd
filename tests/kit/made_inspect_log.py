"""Inspect logs, valid and invalid, written without Inspect's package."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def sample(
    task: int | str, epoch: int = 1, text: str | None = "    return x\n", **changed: Any
) -> dict[str, Any]:
    """Return a sample as Inspect writes it; without a text it has no output."""
    choice = {"message": {"role": "assistant", "content": text, "source": "generate"}, "stop_reason": "stop"}
    output = {"model": "some/model-1", "choices": [choice], "completion": text}
    row: dict[str, Any] = {
        "id": task,
        "epoch": epoch,
        "input": "write it",
        "target": "",
        "messages": [],
        "output": {"model": "", "choices": [], "completion": ""} if text is None else output,
        "scores": {"verify": {"value": "C"}},
        "metadata": {},
    }
    return {**row, **changed}


def header(**changed: Any) -> dict[str, Any]:
    """Return the header of a log; `changed` are fields of its `eval`."""
    spec = {
        "created": "2026-01-31T12:00:00+00:00",
        "task": "humaneval",
        "model": "some/model",
        "dataset": {"name": "openai_humaneval"},
        "config": {"epochs": 2},
    }
    return {"version": 2, "status": "success", "eval": {**spec, **changed}}


def write_zip(
    path: Path, samples: Iterable[Mapping[str, Any]], head: Mapping[str, Any] | None = None
) -> Path:
    """Write a .eval file, packed as older versions of Inspect do."""
    members = {"header.json": json.dumps(head or header())}
    for each in samples:
        members[f"samples/{each['id']}_epoch_{each['epoch']}.json"] = json.dumps(each)
    return write_members(path, members)


def write_members(path: Path, members: Mapping[str, str | bytes]) -> Path:
    """Write a zip with these files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def write_document(
    path: Path, samples: Iterable[Mapping[str, Any]], head: Mapping[str, Any] | None = None
) -> Path:
    """Write a .json log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**(head or header()), "samples": list(samples)}))
    return path
