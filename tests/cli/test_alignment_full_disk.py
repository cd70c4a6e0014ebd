"""Alignment builds and exports on a full disk and on one that nobody may write: an error, then the rest."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pygit2
import pytest

from benchwright.building.alignment.records import LineRange
from benchwright.demo.git_history import NAME, make_clone
from kit.made_mining import NEW, OLD, REPO, answered, release_folder, remark
from kit.made_repositories import commit
from kit.mounted import mounted

DEMO = Path(__file__).parents[2] / "src" / "benchwright" / "demo" / "alignment"
PROGRAM = """
import json, os, sys
from pathlib import Path
from kit.command_line import called

folder = Path(sys.argv[1])
disk, told = folder / "disk", []

def run(words):
    done = called(*words)
    half = [each for each in os.listdir(disk) if each not in ("build", "full", "training", "benchmark")]
    half += [str(each) for each in disk.rglob("*") if each.name.endswith((".tmp", ".half", ".partial"))]
    told.append([words[1], done.code, done.err.splitlines()[-2:], half])

def fill():
    with open(disk / "full", "wb", buffering=0) as file:
        try:
            while file.write(bytes(1024)):
                pass
        except OSError:
            pass

commands = json.loads((folder / "commands.json").read_text())
run(commands[0])
os.system(f"mount -o remount,size=8m {disk}")
run(commands[0])
for words in commands[1:]:
    fill()
    run(words)
    os.remove(disk / "full")
    run(words)
os.system(f"mount -o remount,ro {disk}")
for words in commands:
    run([each + "-2" if each.startswith(str(disk)) else each for each in words])
sys.stdout.write(json.dumps(told))
"""


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """A folder with what the three commands read, and the commands."""
    history, clone, disk = tmp_path / "history.git", tmp_path / "clone", tmp_path / "disk"
    make_clone(DEMO / "history.json", history)
    made = pygit2.init_repository(str(clone))
    head, fix = (commit(made, {"scales.py": text}) for text in (OLD, NEW))
    places = {
        "before": LineRange(commit=head, path="scales.py", first=7, last=7),
        "after": LineRange(commit=fix, path="scales.py", first=6, last=6),
    }
    link = msgspec.structs.replace(answered(1, 7), target=f"commit:{fix}", **places)
    feedback = [remark(1, 7, "Compare with `is`.", commit=head, hunk="@@ -1 +1 @@\n-a\n+b")]
    release = release_folder(tmp_path / "release", feedback=feedback, links=[link])
    disk.mkdir()
    replies = f"github-replies:{NAME}={DEMO / 'replies'}"
    build = ["build", "alignment", "--from", str(history), "--from", replies, "--licence-unknown", "keep"]
    rows = ["export", "benchmark", str(release), "--track", "smartcoding-refine"]
    found = [
        [*build, "--out", str(disk / "build")],
        [
            "export",
            "training",
            str(release),
            "--recipe",
            "review",
            "--allow-test",
            "--out",
            str(disk / "training"),
        ],
        [*rows, "--clone", f"{REPO}={clone}", "--out", str(disk / "benchmark")],
    ]
    (tmp_path / "commands.json").write_text(json.dumps(found))
    return tmp_path


def test_a_full_or_read_only_disk_is_an_error_and_the_next_call_ends_well(commands: Path) -> None:
    """Nothing half-written is left, each error has a hint, and with space the same command goes through."""
    disk = commands / "disk"
    told = json.loads(mounted(f"mount -t tmpfs -o size=40k none {disk}", PROGRAM, commands))
    full, ended, read_only = told[0:6:2], told[1:6:2], told[6:]

    assert [each[0] for each in full] == ["alignment", "training", "benchmark"]
    for _, code, (error, hint), half in [*full, *read_only]:
        assert (code in (1, 2), error.startswith("error: "), hint.startswith("hint: "), half) == (
            True, True, True, [],
        ), (error, hint)  # fmt: skip
    assert all("full" in error or "space" in error for _, _, (error, _), _ in full)
    assert all("ead-only" in error for _, _, (error, _), _ in read_only)
    assert [(code, half) for _, code, _, half in ended] == [(0, [])] * 3, ended
