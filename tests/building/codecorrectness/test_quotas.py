"""What a set consists of: the counts of its card, and what is warned of."""

from __future__ import annotations

import pytest

from benchwright.building.codecorrectness.quotas import MOST, Quotas, contents
from benchwright.building.codecorrectness.row_records import Candidate
from kit.made_candidates import candidate


def _rows(subset: str, success: int, failed: int) -> list[Candidate]:
    labels = ["success"] * success + ["failed"] * failed
    return [candidate(at, subset=subset, label=label) for at, label in enumerate(labels)]


def test_what_is_counted() -> None:
    """Kinds by label, tests, and the states that the stages before found out."""
    rows = [
        candidate(1, label="success", builds="yes"),
        candidate(1, label="failed", kind="exception", subset="mutated", steady="not proven steady"),
        candidate(2, label="failed", kind="compile", subset="broken", builds="no: cannot find symbol"),
        candidate(3, label="success", subset="history", origin="commit abc", builds="no: other"),
    ]
    found = contents(rows, Quotas())

    assert found["kinds"] == {
        "original": {"success": 1, "failed": 0},
        "mutated": {"success": 0, "failed": 1},
        "history": {"success": 1, "failed": 0},
        "broken": {"success": 0, "failed": 1},
    }
    assert (found["clusters"], found["largest_repository"]) == ({"tests": 3, "most_rows": 2}, 1.0)
    assert (found["failures"], found["origins"]) == ({"compile": 1, "exception": 1}, {"history": 1})
    assert (found["steady"], found["builds"]) == (
        {"not proven steady": 1, "steady": 3},
        {"no": 2, "not tried": 1, "yes": 1},
    )


def test_a_set_of_mutants_is_warned_of() -> None:
    """All failures are of one kind, which only fails. That files pass as their repositories have them is no fault."""
    said = contents([*_rows("original", 20, 0), *_rows("mutated", 0, 20)], Quotas())["warnings"]

    assert [words in each for words, each in zip(("100 %", "20 failed"), said, strict=True)] == [True] * 2


def test_a_sound_set_is_not() -> None:
    """Two kinds with both labels each, and a few broken rows."""
    rows = [*_rows("original", 20, 19), *_rows("mutated", 21, 20), *_rows("broken", 0, 2)]

    beside = [*rows, *_rows("history", 12, 10)]

    assert contents(rows, Quotas())["warnings"] == contents(beside, Quotas())["warnings"] == []
    assert contents(rows, Quotas(failures={**MOST, "mutated": 40}))["warnings"] != []


@pytest.mark.parametrize(("success", "failed", "warned"), [(40, 60, 0), (37, 63, 1), (63, 37, 1), (3, 6, 0)])
def test_labels_of_mutants_differ_by_the_part_that_untouched_files_take(
    success: int, failed: int, warned: int
) -> None:
    """Of three failing mutants one stands beside an untouched file: of five rows one has no partner."""
    rows = [*_rows("original", 60, 60), *_rows("mutated", success, failed)]

    assert (
        len(contents(rows, Quotas(failures={**MOST, "original": 100, "mutated": 100}))["warnings"]) == warned
    )
