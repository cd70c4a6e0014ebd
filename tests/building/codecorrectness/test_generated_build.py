"""A build in which a model writes tests: asked over HTTP, executed in the sandbox, killed and gone on with."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.codecorrectness.options import BuildOptions, GeneratedTestOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import CorrectnessBuild, build
from benchwright.stub_server import Script, StubServer
from kit.made_candidates import funnel_faults
from kit.made_repositories import MIT, repository
from kit.processes import HANG_S, wait_until

pytestmark = pytest.mark.usefixtures("jail")

_FOCAL = {
    "clamp": "def clamp(value, low, high):\n    return max(low, min(high, value))\n",
    "halves": "def halves(items):\n    middle = len(items) // 2\n    return items[:middle], items[middle:]\n",
    "initials": 'def initials(name):\n    return "".join(word[0].upper() for word in name.split())\n',
}
_REPLIES = {
    "clamp": "from clamp import clamp\n\n\ndef test_inside():\n    low = clamp(5, 1, 9)\n    assert low == 5\n\n\n"
    "def test_above():\n    high = clamp(12, 1, 9)\n    assert high == 12\n",
    "halves": "from halves import halves\n\n\ndef test_odd_length():\n    parts = halves([1, 2, 3])\n"
    "    assert parts == ([1, 2], [3])\n\n\ndef test_nothing():\n    assert halves([]) == ([], [])\n",
    "initials": "from initials import initials\n\n\ndef test_two_words():\n    found = initials('ada king')\n"
    "    assert found == 'AK'\n\n\ndef test_error():\n    found = initials(None)\n    assert found == ''\n",
}
_SCRIPT = Script.of({f"`{name}.py`": f"Here:\n```python\n{code}```\n" for name, code in _REPLIES.items()})


def _clone(folder: Path) -> Path:
    return repository(
        folder / "clone", {"LICENSE": MIT, **{f"{name}.py": code for name, code in _FOCAL.items()}}
    )


def _rows(built: CorrectnessBuild) -> list[dict[str, Any]]:
    return [
        row
        for name in ("test.json", "shots.json")
        for row in json.loads((Path(built.folder) / name).read_text())["data"]
    ]


def _replies(out: Path) -> list[bytes]:
    path = out / "replies/answers.jsonl"
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def test_killed_while_asking_then_replayed(tmp_path: Path) -> None:
    """`kill -9` loses no stored reply and none is asked for again; labels are what executions say; the stored
    replies give the same rows in another folder, without a server."""
    clone, out = _clone(tmp_path), tmp_path / "out"
    line = [sys.executable, "-m", "benchwright.cli.main", "build", "codecorrectness", str(clone), "--json"]
    line += ["--out", str(out), "--generate", "openai:stub", "--tests-per-file", "1", "--concurrency", "1"]
    line += ["--repeat", "2", "--broken", "0"]
    with StubServer(_SCRIPT, faults=["slow:seconds=3600,every=2"], within="process") as server:
        run = subprocess.Popen([*line, "--base-url", server.base_url], stdout=subprocess.DEVNULL)
        assert wait_until(
            lambda: run.poll() is not None or (len(_replies(out)), server.stats()["requests"]) == (1, 2)
        )
        run.kill()
        run.communicate(timeout=HANG_S)
    stored = [json.loads(row)["key"] for row in _replies(out) if row.endswith(b"\n")]
    with StubServer(_SCRIPT, within="process") as server:
        line += ["--base-url", server.base_url]
        done = subprocess.run(line, capture_output=True, check=False, timeout=HANG_S)
        requests = server.stats()["requests"]
    again = build(_options(clone, f"replay:{out / 'replies'}"), tmp_path / "again")
    labels = {(row["meta"]["case"], row["outputs"]) for row in _rows(again) if "mutation" not in row["meta"]}

    assert (done.returncode, len(stored)) == (0, 1), done.stderr
    assert (len(_replies(out)), requests) == (3, 2)  # three files, one of which was answered before
    assert (tmp_path / "again/test.json").read_bytes() == (out / "test.json").read_bytes()
    assert labels <= {
        ("test_inside", "success"),
        ("test_above", "failed"),
        ("test_odd_length", "failed"),
        ("test_nothing", "success"),
        ("test_two_words", "success"),
        ("test_error", "failed"),
    }
    assert len(labels) == 4
    assert Counter(row["outputs"] for row in _rows(again)) == {"success": 4, "failed": 4}
    assert (funnel_faults(again.levels), again.manifest["generated"]["rows"]) == (
        [],
        {"openai:stub": 8},
    )


def _options(clone: Path, model: str, **more: Any) -> BuildOptions:
    given = GeneratedTestOptions(model=model, tests=1, **more)
    return BuildOptions(sources=(str(clone),), repeat=2, bounds=RowBounds(), generate=given, broken=0)
