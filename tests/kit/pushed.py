"""Runs to push: a data set, a real run on it, its archive, and forged copies of the archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.interop.pushing import pack
from benchwright.running.pipeline import run
from benchwright.sandbox.limits import Limits
from kit.small_data import answers, humaneval, humaneval_row, write

PLANTED = ("PLANTED_TEST_7fd1", "PLANTED_GOLD_93ab")


class PushableRun(NamedTuple):
    """A run folder, with the rules of a server that has its data set."""

    folder: Path
    rules: Path
    data: Path


def pushable_run(place: Path, tasks: int = 3) -> PushableRun:
    """Return a run in which each task has a passed and a wrong answer, judged in the sandbox."""
    place.mkdir(parents=True, exist_ok=True)
    data = humaneval(place, tasks)
    run(
        "humaneval",
        data=str(data),
        model=f"replay:{answers(place, tasks, outcomes=('passed', 'wrong'))}",
        name="my-model",
        out=place / "run",
        workers=1,
        limits=Limits(cpu_s=float("3"), memory_mb=int("1024")),  # written to run.json, as by the command line
    )
    rules = place / "rules.toml"
    rules.write_text(
        '[[data]]\nname = "small"\ntrack = "humaneval"\npath = "tasks.jsonl"\n', encoding="utf-8"
    )
    return PushableRun(place / "run", rules, data)


def hidden_data(place: Path, tasks: int = 3) -> Path:
    """Return the rules of a server with hidden tests that contain the texts of PLANTED."""
    place.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(tasks):
        row = humaneval_row(number)
        test = row["test"].replace("assert", f"note = {PLANTED[0]!r}\n    assert") + f"    # {PLANTED[0]}\n"
        gold = f"    note = {PLANTED[1]!r}\n{row['canonical_solution']}"
        rows.append({**row, "test": test, "canonical_solution": gold})
    write(place / "hidden.jsonl", rows)
    public = [{**row, "test": "def check(candidate):\n    pass\n", "canonical_solution": ""} for row in rows]
    write(place / "public.jsonl", public)
    rules = place / "hidden.toml"
    rules.write_text(
        '[[data]]\nname = "secret"\ntrack = "humaneval"\npath = "hidden.jsonl"\nhidden = true\n'
        'public = ["public.jsonl"]\n',
        encoding="utf-8",
    )
    return rules


def packed(folder: Path, *, answers_only: bool = False) -> bytes:
    """Return the archive that `benchwright push` sends."""
    out = io.BytesIO()
    pack(folder, out, answers_only=answers_only)
    return out.getvalue()


def members_of(archive: bytes) -> dict[str, bytes]:
    """Return the content of each member."""
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        return {name: found.read(name) for name in found.namelist()}


def archive_of(members: Mapping[str, bytes]) -> bytes:
    """Return an archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return out.getvalue()


def forged(archive: bytes, name: str, edit: Callable[[list[dict[str, Any]]], Any]) -> bytes:
    """Return the archive with the rows of a member edited in place; a document is one row."""
    members = members_of(archive)
    lines = name.endswith(".jsonl")
    rows = [json.loads(each) for each in members[name].splitlines()] if lines else [json.loads(members[name])]
    edit(rows)
    members[name] = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return archive_of(members)
