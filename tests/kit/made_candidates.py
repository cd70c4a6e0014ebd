"""Candidates for the stages, with small defaults, and a check of their funnel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchwright.building.codecorrectness.pipeline import STAGES
from benchwright.building.codecorrectness.row_records import Candidate, revision_of
from benchwright.building.engine.stages import FunnelLevel, funnel_errors
from kit.made_repositories import cases_of, function

TAGS = {
    "focal_lines": 10,
    "test_lines": 5,
    "asserts": 1,
    "dynamic_cases": False,
    "focal_uses": [],
    "test_uses": [],
}


def candidate(number: int = 1, **changed: Any) -> Candidate:
    """Return a candidate with its own function and test."""
    name = f"sum_{number}"
    fields: dict[str, Any] = {
        "repository": "made",
        "commit": "0" * 40,
        "committed_at": "2024-01-01T00:00:00+00:00",
        "licence": "MIT",
        "lang": "Python",
        "focal_path": f"{name}.py",
        "test_path": f"test_{name}.py",
        "case": "test_small",
        "focal_code": function(name),
        "test_code": cases_of(name, name, "small"),
        "tags": TAGS,
        **changed,
    }
    fields.setdefault("revision", revision_of(fields["lang"], fields["focal_code"], fields["test_code"]))
    return Candidate(**fields)


def funnel_faults(levels: Sequence[FunnelLevel]) -> list[str]:
    """Return the inconsistencies in the funnel of a build of CodeCorrectness."""
    return funnel_errors(levels, spreading={stage.name for stage in STAGES if stage.spreads})
