"""Kills of builds: moments by seed, what differs, and a made build that is killed for real."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

from benchmarks import killed_build
from benchmarks.killed_build import PUBLISHED, differences, kill_and_compare, moment, page
from benchwright.errors import BenchwrightError

# A build of 40 steps that keeps each. With "forgets", one that was taken up publishes that it was.
BUILD = f"""
import pathlib, sys, time
out = pathlib.Path(sys.argv[1]); stages = out / "stages"; stages.mkdir(parents=True, exist_ok=True)
kept = stages / "1-steps.jsonl"
known = len(kept.read_text().splitlines()) if kept.exists() else 0
for number in range(known, 40):
    time.sleep(0.002)
    with kept.open("a") as file: file.write(f"{{number}}\\n")
said = "taken up" if known and "forgets" in sys.argv else "built"
for name in {PUBLISHED!r}: (out / name).write_text(said)
"""


def command(*words: str):
    return lambda out: [sys.executable, "-I", "-S", "-c", BUILD, str(out), *words]


def test_a_build_that_forgets_nothing_is_sound(tmp_path: Path) -> None:
    """As many kills as asked, in as many builds as it takes."""
    result = kill_and_compare(command(), tmp_path, kills=6, seed=3)

    assert (result.is_sound, len(result.kills), result.differing) == (True, 6, [])
    assert {each.build for each in result.kills} <= set(result.builds)
    assert "6 kills in" in page(result)


def test_a_build_that_was_taken_up_and_differs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every differing file is listed. The build starts with one step done and is killed at once, at any speed."""
    monkeypatch.setattr(killed_build, "moment", lambda draw, whole_s: 0.0)
    (tmp_path / "killed-1" / "stages").mkdir(parents=True)
    (tmp_path / "killed-1" / "stages" / "1-steps.jsonl").write_text("0\n")
    result = kill_and_compare(command("forgets"), tmp_path, kills=1, seed=1)

    assert not result.is_sound
    assert result.differing == [f"killed-1/{name}" for name in sorted(PUBLISHED)]
    assert "killed-1/README.md" in page(result)


def test_a_build_that_fails_by_itself_is_an_error(tmp_path: Path) -> None:
    """With its last words: nothing can be said of kills then."""
    with pytest.raises(BenchwrightError, match="no such thing"):
        kill_and_compare(
            lambda _: [sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path, kills=1, seed=1
        )
    with pytest.raises(BenchwrightError, match=r"without test\.json"):
        kill_and_compare(lambda _: [sys.executable, "-c", ""], tmp_path, kills=1, seed=1)


def test_moments_are_the_seeds_and_within_the_build() -> None:
    """From its first hundredth to its end."""
    first, second, other = ([moment(draw, 50.0) for _ in range(200)] for draw in map(Random, (1, 1, 2)))

    assert (first == second, first == other) == (True, False)
    assert (min(first) >= 0.25, max(first) <= 50.0, max(first) > 25.0, min(first) < 0.5) == (True,) * 4


def test_a_file_that_one_lacks_differs(tmp_path: Path) -> None:
    """Further rows beside the published names count too."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "more.jsonl").write_text("x")

    assert differences(tmp_path / "one", tmp_path / "other") == ["other/more.jsonl"]


def test_the_command_builds_and_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options that are not its own go to the build."""
    seen = []

    def fake(made, folder: Path, *, kills: int, seed: int) -> killed_build.Result:
        seen.append((made(folder / "x"), kills, seed))
        return killed_build.Result(seed=seed, undisturbed_s=1.0, builds=[], kills=[], differing=[])

    monkeypatch.setattr(killed_build, "kill_and_compare", fake)
    status = killed_build.main(
        ["--from", "list.txt", "--kills", "3", "--repeat", "2", "--json", "--keep", str(tmp_path)]
    )
    words, kills, seed = seen[0]

    assert (status, kills, seed, json.loads(capsys.readouterr().out)["differing"]) == (0, 3, 1, [])
    assert words[3:] == [
        "build",
        "codecorrectness",
        "--repeat",
        "2",
        "--from",
        "list.txt",
        "--out",
        str(tmp_path / "x"),
    ]
    assert killed_build.main(["--from", "x", "--kills", "0"]) == 2
