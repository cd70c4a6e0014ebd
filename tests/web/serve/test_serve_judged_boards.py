"""Leaderboards of graded answers: calibration of the judges, and no grade by rules alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchwright.contracts.specs import RULES_CANNOT_TELL
from kit.graded_runs import ISSUES, graded_run

RULES: dict[str, Any] = {"detail": RULES_CANNOT_TELL}


def _judged(place: Path, name: str, end: str, *, calibrated: bool) -> None:
    """Return a run whose answers a model judge graded."""
    value = {"passed": 1.0, "wrong": 0.0}[end]
    fields = {"scores": {"answer": value, "strongest": value}, "parts": {"judge j": end}}
    run = graded_run(
        place / name, ISSUES, {task: [("x", end, fields)] for task in range(1, 5)}, model=f"openai:{name}"
    )
    score = json.loads((run / "scores.json").read_text())
    score["details"]["judges"] = {"j": {"calibrated": calibrated}}
    (run / "scores.json").write_text(json.dumps(score))


def test_a_leaderboard_says_how_answers_were_graded(tmp_path: Path, served: Callable[..., Any]) -> None:
    """Rules only: no grade, no rank, and a hint. Judges: a warning, unless all of them are calibrated."""
    for kind in ("rules", "known", "mixed"):
        (tmp_path / kind).mkdir()
    for name in ("one", "two"):
        rows = {task: [("x", "undecided", RULES)] for task in range(1, 5)}
        graded_run(tmp_path / "rules" / name, ISSUES, rows, model=f"openai:{name}")
    for kind in ("known", "mixed"):
        _judged(tmp_path / kind, "good", "passed", calibrated=True)
        _judged(tmp_path / kind, "bad", "wrong", calibrated=kind == "known")

    pages = {}
    for kind in ("rules", "known", "mixed"):
        site = served(tmp_path / kind)
        pages[kind] = site.get(site.board()).text, site.get(f"{site.board()}/standing.json")

    page, figures = pages["rules"]
    assert "Answers are graded: rules only." in page and "Not ranked: rules only: not a ranking" in page
    assert "--judge" in page and figures.status_code == 409
    assert '<th scope="col">Rank</th>' not in page and ">acc<" not in page
    page, figures = pages["known"]
    assert "Answers are graded: calibrated." in page and 'class="warning"' not in page
    assert [row["name"] for row in figures.json()["places"]] == ["good", "bad"]
    page, _ = pages["mixed"]
    assert "Answers are graded: calibrated, uncalibrated." in page and 'class="warning"' in page
    assert page.count("<td>uncalibrated</td>") == 1
