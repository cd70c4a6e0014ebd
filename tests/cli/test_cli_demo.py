"""`benchwright demo`: accounts that add up, no cheat that passes, comparisons in words, and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import Said, benchwright

from benchwright.cli.demo import MODELS, NAME

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("jail")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def said(folder: Path) -> Said:
    return benchwright("demo", "--json", "--out", folder / "demo")


@pytest.fixture(scope="module")
def scores(said: Said) -> dict[str, Any]:
    return {score["model"]: score for score in said.document["scores"]}


def test_accounts_add_up(said: Said, scores: dict[str, Any], folder: Path) -> None:
    """Each model's outcomes add up to its 240 answers, after a self-check without a fault."""
    sums = {model: (sum(score["outcomes"].values()), score["answers"]) for model, score in scores.items()}
    runs = [path for path in (folder / "demo").iterdir() if path.is_dir()]

    assert (said.code, sums, len(runs)) == (0, dict.fromkeys(MODELS, (240, 240)), 4)
    assert [score["self_check"]["failures"] for score in scores.values()] == [[]] * 4


def test_cheats_are_named_and_none_passes(said: Said) -> None:
    """Only the cheater cheats."""
    caught = said.document["caught"]
    passed = [row for rows in caught.values() for row in rows if row["outcome"] == "passed"]

    assert ([bool(caught[model]) for model in MODELS], passed) == ([False, False, True, False], [])


def test_the_live_model_is_asked(scores: dict[str, Any], folder: Path) -> None:
    """Ten prompts are used, each question has its own seed, and every fault of the server was got over."""
    live = scores[NAME]
    text = next((folder / "demo").glob(f"{NAME}-*/answers.jsonl")).read_text("utf-8")

    assert (live["prompt_design"], len(live["prompts"]), live["missing"]) == ("spread", 10, 0)
    assert (text.count('"seed":'), live["tokens_out"] > 0) == (240, True)
    assert any("the server's fault" in note for note in live["notes"])


def test_what_is_established_is_said(said: Said) -> None:
    """Strong against weak is; strong against the same answers over HTTP is not."""
    better, unknown = said.document["compared"]

    assert "demo-strong passes more than demo-weak" in better
    assert unknown.startswith("Not established which of demo-strong and demo-live passes more")


def test_the_report_is_written(said: Said) -> None:
    """One page with all four models; the same demo again goes on from the first and writes the same bytes."""
    page = Path(said.document["report"])
    first = page.read_bytes()
    again = benchwright("demo", "--out", page.parent)

    assert (again.code, again.out, page.read_bytes() == first) == (0, f"{page}\n", True)
    assert all(model.encode() in first for model in MODELS)
