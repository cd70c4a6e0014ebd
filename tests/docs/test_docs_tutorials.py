"""The tutorials that make something of one's own: every command pasted in order, and what the page says came of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kit.doc_commands import ELSEWHERE, Ended, Reader, blocks, lines
from kit.needs import need
from kit.ports import free_port

DOCS = Path(__file__).parents[2] / "docs"
# Verifying executes all rows again; tests/e2e/test_build_and_verify.py does so after a build.
LEFT_OUT = (*ELSEWHERE, "benchwright verify")

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.slow]


class Followed:
    """A page that was followed to its end in a folder."""

    def __init__(self, page: str, folder: Path) -> None:
        self.path, self.folder = DOCS / page, folder
        reader = Reader(folder, port=free_port())
        try:
            self.ended = [reader.paste(block, LEFT_OUT) for block in blocks(self.path)]
        finally:
            reader.close()

    @property
    def failed(self) -> list[Ended]:
        """Blocks that did not end well."""
        return [each for each in self.ended if each.code]

    def said(self, command: str) -> str:
        """What the block with this command said."""
        (found,) = [each.said for each in self.ended if command in each.block]
        return found

    def score(self, run: str, name: str) -> float:
        """A figure of a run folder."""
        scores: dict[str, Any] = json.loads((self.folder / "runs" / run / "scores.json").read_text())
        return float(scores["metrics"][name]["value"])


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Followed:
    return Followed("own-track.md", tmp_path_factory.mktemp("track"))


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Followed:
    need("git", "makes the repository of the page")
    return Followed("own-repositories.md", tmp_path_factory.mktemp("build"))


def test_a_track_of_one_s_own_is_followed_to_a_score(track: Followed) -> None:
    """Gold all, stub nothing, and three of five for the model that the page has made."""
    assert track.failed == []
    assert [track.score(run, "pass@1") for run in ("gold", "stub", "mine")] == [1.0, 0.0, 0.6]
    assert "languages" in track.said("benchwright list tracks")
    assert (track.folder / "languages.html").is_file()


def test_the_fault_of_the_page_is_said_so(track: Followed) -> None:
    """Word for word."""
    (shown,) = re.findall(r"^```console\n(.*?)^```", track.path.read_text(), re.MULTILINE | re.DOTALL)

    assert shown in track.said("|| true")


def test_the_files_of_the_page_are_those_that_are_written(track: Followed) -> None:
    named = re.findall(r"^\| `([\w.]+)` \|", track.path.read_text(), re.MULTILINE)

    assert sorted(named[:4]) == sorted(
        path.name for path in (track.folder / "languages").iterdir() if path.is_file()
    )


def test_a_repository_is_followed_to_a_score(build: Followed) -> None:
    """As many rows of each label, each holds, and one label said to all of them is half right."""
    assert build.failed == []
    rows = json.loads((build.folder / "data/mine/test.json").read_text())["data"]
    labels = [row["outputs"] for row in rows]

    assert labels.count("success") == labels.count("failed") == 2  # the four rows that the page says
    assert [build.score(run, "exact_match") for run in ("gold", "mine")] == [1.0, 0.5]
    assert build.score("mine", "mcc") == 0.0
    assert "warning: 100 % of the failed rows" in build.said("benchwright build")
    assert (build.folder / "mine.html").is_file()


@pytest.mark.parametrize("page", ["own-track.md", "own-repositories.md"])
def test_all_but_two_lines_of_a_tutorial_are_executed(page: str) -> None:
    """Every other line is executed above, except the verification of the rows."""
    left = [line for block in blocks(DOCS / page) for line in lines(block) if line.startswith(LEFT_OUT)]

    assert (
        left
        == {
            "own-track.md": [],
            "own-repositories.md": [
                "pip install 'benchwright[build]'",
                "benchwright verify data/mine/test.json",
            ],
        }[page]
    )
