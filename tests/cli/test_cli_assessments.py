"""An assessment in lines: labels, scores, votes, what is odd, and why there is no judgement."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.cli.show import assessment_facts
from benchwright.contracts import Assessment


def said(**fields: Any) -> list[tuple[str, str]]:
    """The lines of an assessment by the judge j."""
    given = {"key": "k", "answer": "a", "task_id": 1, "sample": 0, "judge": "j", "status": "judged"}
    return assessment_facts(Assessment(**{**given, **fields}))


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"scores": {"accuracy": 0.75, "whole_logic": 1.0}}, "accuracy 75.0 %, whole logic 100.0 %"),
        ({"label": "correct", "reference_number": 2}, "correct, compared with reference 2"),
        ({"label": "cannot_tell"}, "cannot tell"),
        ({"label": "wrong", "votes": {"wrong": 2, "correct": 1}}, "wrong (votes: wrong 2, correct 1)"),
        ({"label": "wrong", "votes": {"wrong": 1}}, "wrong"),
        ({"status": "undecided", "detail": "its votes are tied"}, "undecided: its votes are tied"),
        ({"status": "missing"}, "missing"),
    ],
)
def test_the_judgement_is_one_line(fields: dict[str, Any], line: str) -> None:
    """Of what a rubric asks for, or of why nothing is there."""
    assert said(**fields) == [("judge j", line)]


def test_reasons_quotes_and_flags_follow() -> None:
    """Each in a line of its own; a flag that is not known here is shown as it is."""
    lines = said(
        label="wrong",
        reasons={"reason": "it closes the file"},
        evidence=["f.close()"],
        flags=["own_family", "of_another_version"],
    )

    assert lines[1:] == [
        ("judge j on reason", "it closes the file"),
        ("judge j quotes", "f.close()"),
        ("judge j, warning", "judge and answer are by models of the same family"),
        ("judge j, warning", "of another version"),
    ]
