"""The first day's measurement: what it counts, and that a failing command is told. Nothing is installed here."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks import first_day
from benchwright.errors import BenchwrightError

SCORE = {"metrics": {"pass@1": {"value": 1.0}}}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A file that stands for the wheel."""
    path = tmp_path / "benchwright-1.0-py3-none-any.whl"
    path.write_bytes(b"w" * 1000)
    return path


def test_a_day_counts_commands_seconds_and_files(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in the home afterwards, less what an empty environment has; the server is one command more."""
    wheel.write_bytes(json.dumps(SCORE).encode())
    lines = (
        "head -c 2000000 /dev/zero > env",
        "cp env added",
        "cat {wheel}",
    )
    monkeypatch.setitem(first_day.WAYS, "pip", lines)
    day = first_day.live("pip", wheel)

    assert (day.way, day.commands, day.score) == ("pip", 4, SCORE["metrics"])
    assert [round(each) for each in (*day.megabytes, day.added_mb)] == [2, 4, 4, 2]


def test_the_stranger_has_an_empty_environment(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own home and the system's tools; no key of the caller's; another user where root asks."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    first_day._hand_over(tmp_path)
    said = first_day._checked(first_day._as_stranger("env; id -u", tmp_path), cwd=tmp_path).splitlines()

    assert (f"HOME={tmp_path}" in said, any("secret" in line for line in said)) == (True, False)
    assert said[-1] == (str(first_day.NOBODY) if os.geteuid() == 0 else str(os.geteuid()))


def test_a_command_that_fails_is_told(tmp_path: Path) -> None:
    """The line, its exit code and the last that it said."""
    with pytest.raises(BenchwrightError, match=r"`echo no; exit 3` ended with exit code 3: no"):
        first_day._checked(["sh", "-c", "echo no; exit 3"], cwd=tmp_path)


def test_a_file_of_two_names_is_counted_once(tmp_path: Path) -> None:
    """uv links files from its cache into an environment."""
    (tmp_path / "a").write_bytes(os.urandom(1_000_000))
    os.link(tmp_path / "a", tmp_path / "b")

    assert 0.9 < first_day._megabytes(tmp_path) < 1.2


def test_the_ways_are_short() -> None:
    """At most four commands each, the server's among them."""
    assert [len(lines) + first_day.SERVER <= 4 for lines in first_day.WAYS.values()] == [True, True]
