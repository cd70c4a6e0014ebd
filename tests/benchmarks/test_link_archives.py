"""Remarks from the archives of drafts: the place comes from a position in a difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.link_archives import archive_events
from benchwright.building.alignment.hunk_places import complete_place
from kit.made_changes import MadeChanges, numbered


def remark(position: int | None, text: str, hour: int) -> dict[str, Any]:
    """One comment of a review."""
    return {"originalPosition": position, "body": text, "createdAt": f"2024-01-01T{hour:02}:00:00Z"}


def review(commit: str, *comments: dict[str, Any]) -> dict[str, Any]:
    """A review of a commit."""
    return {
        "commit": {"abbreviatedOid": commit[:7]},
        "author": "rex",
        "authorAssociation": "MEMBER",
        "comments": list(comments),
    }


def archived(made: MadeChanges, head: str, *reviews: dict[str, Any]) -> None:
    """Store an archive with one pull request on the branch gh-pages."""
    pull = {
        "number": 7,
        "title": "A draft",
        "createdAt": "2024-01-01T00:00:00Z",
        "closedAt": None,
        "mergedAt": None,
        "mergeCommit": None,
        "author": "ann",
        "baseRefOid": made.main,
        "headRefOid": head,
        "reviews": list(reviews),
    }
    pages = made.commit({"archive.json": json.dumps({"pulls": [pull]})})
    made.git.references.create("refs/heads/gh-pages", pages)


def test_a_position_becomes_a_line_of_the_only_file_that_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = MadeChanges(tmp_path / "clone")
    base = made.land({"a.md": numbered(40), "b.md": numbered(40)})
    changed = {"a.md": numbered(40, l5="first", l30="second"), "b.md": numbered(40, l2="other")}
    head = made.commit(changed, base)
    archived(
        made,
        head,
        review(head, remark(5, "Is it first?", 1), remark(14, "Reword.", 2), remark(None, "Lost.", 3)),
        review("f" * 40, remark(13, "On a lost head.", 4)),
        review(head, remark(14, "A reply.", 5), remark(13, "A reply to the lost one.", 6)),
    )
    found = [each for each in archive_events("ann/a", made.path) if each.kind == "remark"]

    assert [each.text for each in found] == ["Reword.", "A reply."]
    assert found[1].parents == [found[0].subject] and not found[0].parents
    place = found[0].place
    assert place is not None and (place.path, place.commit) == ("a.md", head)
    assert complete_place(place).first == 30 and "+second" in place.hunk
    left_out = "{'no_commit': 1, 'no_position': 1, 'several_files': 1}"
    assert left_out in capsys.readouterr().err
