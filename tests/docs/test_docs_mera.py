"""The commands of docs/mera.md for tasks whose answers are texts, executed as a reader pastes them.

Tasks that execute answers have their own tests in `tests/tracks`: thirty rows would take minutes here.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from kit.command_line import called
from kit.doc_commands import blocks, lines

ROOT = Path(__file__).parents[2]
BLOCKS = blocks(ROOT / "docs" / "mera.md")


@pytest.mark.parametrize("track", ["strucom", "rucodereviewer"])
def test_a_run_is_exported_and_checked(track: str, tmp_path: Path) -> None:
    """The references of thirty rows of our own, packed without an error."""
    (tmp_path / "src").symlink_to(ROOT / "src")
    (block,) = (each for each in BLOCKS if f"benchwright run {track} --data src/" in each)
    commands = [shlex.split(line)[1:] for line in lines(block)]
    ends = [called(*command, cwd=tmp_path) for command in commands]

    assert [command[0] for command in commands] == ["run", "export", "check-submission"]
    assert [each.code for each in ends] == [0, 0, 0], ends
    assert "no errors" in ends[-1].err


def test_a_half_is_hidden(tmp_path: Path) -> None:
    """The first block of the chapter on hidden sets, with rows of StRuCom; the hidden half has no outputs."""
    (tmp_path / "rows.jsonl").write_bytes((ROOT / "src/benchwright/demo/mera/strucom.jsonl").read_bytes())
    (block,) = (each for each in BLOCKS if "--tasks 2/2 --rest" in each)
    command = [*shlex.split(lines(block)[1])[1:], "--task", "stRuCom"]
    ended = called(*command, cwd=tmp_path)

    assert ended.code == 0
    assert {name: (tmp_path / name).exists() for name in ("private.json", "golds.jsonl", "open.jsonl")} == {
        "private.json": True,
        "golds.jsonl": True,
        "open.jsonl": True,
    }
    assert called("check", "private.json", cwd=tmp_path).out.count("15 without gold answers") == 1
