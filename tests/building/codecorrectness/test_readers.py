"""Readers without understanding: their figures on leaky and on sound sets, and when they are warned of."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from benchwright.building.codecorrectness.balance import balance
from benchwright.building.codecorrectness.naive_baselines import (
    BaselineRow,
    baseline_figures,
    baseline_warnings,
)
from benchwright.records import Drop
from kit.made_populations import population, shown

COMPARING = ("odd text out", "medoid of the versions", "text unique in the set")


def _row(number: int, label: str, text: str, *, file: str = "a.py", repository: str = "") -> BaselineRow:
    return BaselineRow(
        focal_code=text,
        test_code=f"def test_{number}(): pass",
        label=label,
        repository=repository or f"r{number % 10}",
        focal_path=file,
    )


def _figures(document: dict[str, Any]) -> dict[str, Any]:
    return {each["reader"]: each for each in document["figures"]}


@cache
def _before_and_after() -> tuple[dict[str, Any], dict[str, Any]]:
    """The figures of all candidates as they come, and of those that are chosen."""
    candidates = population(repositories=12, natural=0.05)
    chosen = [row for row in balance(candidates, max_rows=None) if not isinstance(row, Drop)]
    return baseline_figures(shown(candidates)), baseline_figures(shown(chosen))


@pytest.mark.parametrize("reader", COMPARING)
def test_the_choice_takes_the_gain_away(reader: str) -> None:
    """Over seven of ten labels by comparison before; after, the interval holds the majority."""
    before, after = (_figures(document)[reader] for document in _before_and_after())
    share = _before_and_after()[1]["majority"]["share"]

    assert (before["accuracy"]["value"] > 0.7, "warning" in after) == (True, False)
    assert after["accuracy"]["low"] <= share <= after["accuracy"]["high"]


def test_what_is_warned_of() -> None:
    """Of the leaky set every comparing reader, with its figure; of the sound one none."""
    before, after = _before_and_after()

    assert [
        f"“{reader}”" in said for reader, said in zip(COMPARING, baseline_warnings(before), strict=False)
    ] == [True] * 3
    assert baseline_warnings(after) == []


def test_a_mark_is_learnt_from_other_repositories() -> None:
    """Half of the failed rows have a bracket that is negated whole, as mutants once had."""
    rows = []
    for number in range(200):
        failed = number % 2 == 0
        slip = "not (size > 0)" if failed and number % 4 == 0 else "size > 0"
        rows.append(
            _row(
                number, "failed" if failed else "success", f"if {slip}:\n    n = {number}\n", file=str(number)
            )
        )
    found = _figures(baseline_figures(rows))

    assert found["marks"]["accuracy"]["value"] > 0.7 and "guesses" in found["marks"]["warning"]
    assert found["character n-grams"]["accuracy"]["low"] > 0.6


def test_a_reader_who_is_always_wrong_tells_as_much() -> None:
    """If all texts that occur once pass, whoever turns the reader round is right."""
    rows = [
        _row(number, "success" if number % 2 else "failed", f"x = {number if number % 2 else number % 8}\n")
        for number in range(160)
    ]
    found = _figures(baseline_figures(rows))["text unique in the set"]

    assert (found["accuracy"]["value"], "turned round guesses 100.0 %" in found["warning"]) == (0.0, True)


def test_too_little_to_learn_from() -> None:
    """It is said why, reader by reader; files without versions cannot be compared."""
    rows = [
        _row(at, ("success", "failed")[at % 2], f"x = {at}", file=str(at), repository="one")
        for at in range(6)
    ]
    found = _figures(baseline_figures(rows))

    assert found["odd text out"]["absent"] == "no file has versions that it could compare"
    assert found["marks"]["absent"] == "5 repositories are needed to learn from the others; there are 1"
    few = _figures(baseline_figures([_row(at, "success", f"x = {at}", file=str(at)) for at in range(30)]))
    assert few["character n-grams"]["absent"] == "20 rows of each label are needed; there are 0"


def test_rows_of_a_file_are_one_cluster() -> None:
    """Two hundred rows of five files do not make a narrow interval."""
    rows = [
        _row(at, "failed" if at % 5 < 2 else "success", f"x = {at}", file=str(at % 5), repository="one")
        for at in range(200)
    ]
    found = _figures(baseline_figures(rows))["text unique in the set"]["accuracy"]

    assert found["high"] - found["low"] > 0.4
