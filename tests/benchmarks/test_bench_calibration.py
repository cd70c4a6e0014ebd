"""The benchmark of intervals: its command line from start to tables, at the smallest size."""

from __future__ import annotations

import json

import pytest

from benchmarks.__main__ import main
from benchmarks.calibration import CASES, COEFFICIENTS, SHAPES


def test_the_command_gives_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """As one JSON document: every case and every coefficient, each a share of the runs."""
    code = main(["calibration", "--runs", "2", "--json"])
    document = json.loads(capsys.readouterr().out)

    assert code == 0
    assert len(document["scores"]) == len(CASES)
    assert set(document["agreement"]) == set(COEFFICIENTS)
    assert set(document["shapes"]) == set(SHAPES)
    assert {share for each in document["scores"] for share in each["covered"].values()} <= {0.0, 0.5, 1.0}
    assert all(0 < width < 1 for each in document["scores"] for width in each["width"].values())


def test_the_command_prints_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each case, and one for each of the other figures."""
    assert main(["calibration", "--runs", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()

    rows = [line for line in lines if line.startswith("| ") and "---" not in line]
    assert len(rows) == 2 + len(CASES) + len(SHAPES) + len(COEFFICIENTS) + 1
    assert len({line.count("|") for line in rows[: 1 + len(CASES)]}) == 1


def test_no_runs_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip of the option ends with 2."""
    assert main(["calibration", "--runs", "0"]) == 2
    assert "--runs must be at least 1" in capsys.readouterr().err
