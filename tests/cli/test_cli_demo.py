"""`benchwright demo`: the accounts of its three models add up, and no cheat passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import benchwright

from benchwright.cli.demo import MODELS


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_demo(tmp_path: Path) -> None:
    """Each model's outcomes add up to its 240 answers, the cheats are named, and none of them passed."""
    said = benchwright("demo", "--json", "--out", tmp_path / "demo")
    scores = {score["model"]: score for score in said.document["scores"]}
    caught = said.document["caught"]
    sums = {model: (sum(score["outcomes"].values()), score["answers"]) for model, score in scores.items()}
    passed = [row for rows in caught.values() for row in rows if row["outcome"] == "passed"]

    assert (said.code, sums, passed) == (0, dict.fromkeys(MODELS, (240, 240)), [])
    assert [bool(caught[model]) for model in MODELS] == [False, False, True]
    assert [score["self_check"]["failures"] for score in scores.values()] == [[], [], []]
    assert len(list((tmp_path / "demo").iterdir())) == 3
