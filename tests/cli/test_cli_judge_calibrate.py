"""`judge calibrate`: a run's model judges against people, in words and as JSON, and how refusals end."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.calibrated import calibrated_run
from kit.command_line import benchwright, called


def test_judges_in_words_and_as_a_document(tmp_path: Path) -> None:
    """The kind judge and the right one, what each of them leaves of its score, and how they differ."""
    run = calibrated_run(tmp_path)
    words = benchwright("judge", "calibrate", run)
    document = called("judge", "calibrate", run, "--json").document
    kind, right = document["judges"]

    assert words.code == 0
    assert "j1 on decision: calibrated (60 blind labels by people, alpha of people 0.78)" in words.out
    assert "    wrong: correct 10, wrong 10" in words.out
    assert "people and judge 66.7 %" in words.out
    assert "judge alone 83.3 %" in words.out
    assert "j1 and j2 on decision: 120 answers judged by both" in words.out
    assert (document["enough"], kind["judge"], right["judge"]) == (50, "j1", "j2")
    assert kind["specificity"]["value"] == 0.5
    assert right["sensitivity"]["value"] == right["specificity"]["value"] == 1
    assert kind["estimate"]["predicted"]["value"] == pytest.approx(2 / 3)
    assert document["drift"][0]["lead"]["value"] == pytest.approx(1 / 6)
    assert called("judge", "calibrate", run, "--json").document == document


def test_few_labels_leave_it_uncalibrated(tmp_path: Path) -> None:
    """49 labels say what they say, and the mark stays."""
    said = called("judge", "calibrate", calibrated_run(tmp_path, 49))

    assert (
        "j1 on decision: uncalibrated: fewer than 50 blind labels (49 blind labels by people, alpha of people 0.82)"
        in said.out
    )


def test_without_labels_every_judge_is_uncalibrated(tmp_path: Path) -> None:
    """And drift is told all the same."""
    said = called("judge", "calibrate", calibrated_run(tmp_path, 0))

    assert said.code == 0
    assert "people have labelled none of these answers" in said.out
    assert "120 answers judged by both" in said.out


def test_a_run_without_a_model_judge_is_refused(tmp_path: Path) -> None:
    """With what to do."""
    said = called("judge", "calibrate", calibrated_run(tmp_path, judges=()))

    assert (said.code, said.out) == (1, "")
    assert "no model judge has assessed" in said.err and "--judge SPEC" in said.err


def test_other_data_than_the_runs_is_refused(tmp_path: Path) -> None:
    """As everywhere: the strata would be those of other tasks."""
    run = calibrated_run(tmp_path)
    other = tmp_path / "other.jsonl"
    other.write_text(
        '{"instruction": "{question}", "inputs": {"question": "?"}, "outputs": {}, "meta": {"id": 1}}\n'
    )
    said = called("judge", "calibrate", run, "--data", other)

    assert said.code == 1
    assert "is not the data set of" in said.err
