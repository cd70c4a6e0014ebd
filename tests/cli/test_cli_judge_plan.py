"""`judge plan`: labels for a width, by assumption and from a pilot, and how refusals end."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.calibrated import calibrated_run
from kit.command_line import benchwright, called

ASSUMED = ("--items", "500", "--share", "0.6", "--sensitivity", "0.9", "--specificity", "0.7")


def test_a_plan_by_assumption() -> None:
    """The numbers of the guide: 65 labels with such a judge, 95 without."""
    words = benchwright("judge", "plan", "--width", "0.2", *ASSUMED)
    document = called("judge", "plan", "--width", "0.2", *ASSUMED, "--json").document
    plan = document["plans"]["assumed"]

    assert (
        words.out
        == "assumed: 65 labels of 500 answers make the interval 20.0 points wide; without the judge 95\n"
    )
    assert (plan["labels"], plan["labels_alone"], document["run"]) == (65, 95, None)


def test_a_plan_from_a_pilot(tmp_path: Path) -> None:
    """Each judge has its own; the one that is always right needs fewer labels."""
    document = called("judge", "plan", calibrated_run(tmp_path), "--width", "0.25", "--json").document
    plans = document["plans"]

    assert list(plans) == ["j1 on decision", "j2 on decision"]
    assert (
        plans["j2 on decision"]["labels"]
        < plans["j1 on decision"]["labels"]
        <= plans["j1 on decision"]["labels_alone"]
    )
    assert plans["j1 on decision"]["items"] == 120


def test_a_width_out_of_reach_is_said() -> None:
    """With what the most labels would give."""
    said = called("judge", "plan", "--width", "0.01", *ASSUMED)

    assert (
        "not even a label on each of 500 answers makes the interval 1.0 points wide: it would be 8.6"
        in said.out
    )


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--width", "0.1"), 2, "--items, --sensitivity and --specificity are required"),
        (("--width", "0.1", "--items", "500"), 2, "hint: benchwright judge plan --width 0.1 --items 500"),
        (("--width", "1.5", *ASSUMED), 2, "1.5 is not in the range"),
        (("--width", "0", *ASSUMED), 2, "0.0 is not in the range"),
        (("--width", "0.1", "--items", "9", *ASSUMED[2:]), 2, "9 is not in the range"),
        (
            ("--width", "0.1", *ASSUMED[:4], "--sensitivity", "90", "--specificity", "0.7"),
            2,
            "90.0 is not in the range",
        ),
        (ASSUMED, 2, "Missing option '--width'"),
    ],
)
def test_what_cannot_be_planned_is_refused(options: tuple[str, ...], code: int, words: str) -> None:
    """A slip of the options ends with 2 and what is wrong."""
    said = called("judge", "plan", *options)

    assert (said.code, said.out) == (code, "")
    assert words in said.err


def test_too_small_a_pilot_is_refused(tmp_path: Path) -> None:
    """Nine labels say nothing of how labels vary."""
    said = called("judge", "plan", calibrated_run(tmp_path, 9), "--width", "0.2")

    assert said.code == 1
    assert "fewer than 10 answers labelled by people" in said.err
    assert "hint: " in said.err
