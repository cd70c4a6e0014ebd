"""The example of a reviewed pull request: equal bytes each time, and the links that it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchwright.building.alignment.card import tally_of_links
from benchwright.building.alignment.exports.release_tables import AlignmentRelease
from kit.command_line import called

EXAMPLE = Path(__file__).parents[2] / "examples" / "alignment" / "make_history.py"


def _made(folder: Path) -> Path:
    subprocess.run([sys.executable, EXAMPLE, folder], check=True)
    return folder


def test_the_example_is_the_same_each_time(tmp_path: Path) -> None:
    one, two = (_made(tmp_path / name) for name in ("one", "two"))

    for place in ("scales.git/refs/pull/1/head", "replies/pulls/1.json", "replies/pulls/1/comments.json"):
        assert (one / place).read_bytes() == (two / place).read_bytes()


def test_a_build_of_the_example_has_its_links(tmp_path: Path) -> None:
    demo = _made(tmp_path / "demo")
    sources = ["--from", demo / "scales.git", "--from", f"github-replies:ours/scales={demo / 'replies'}"]
    said = called(
        "build", "alignment", *sources, "--licence-unknown", "keep", "--out", tmp_path / "b", "--quiet"
    )
    release = tmp_path / "b" / "release"
    found = tally_of_links(AlignmentRelease(release).links())
    labels = called("judge", "links", release, "--out", tmp_path / "labels", "--json").document

    assert said.code == 0, said.err
    assert {rung: found.get(rung) for rung in "1236"} == {"1": 1, "2": 1, "3": 2, "6": 2}
    assert labels["items"] == 2
