"""Feedback: categories by rules, lines from hunks, threads, and resolutions."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.alignment.categories import CATEGORIES, category
from benchwright.building.alignment.feedback import with_resolution
from benchwright.building.alignment.hunk_places import complete_place
from benchwright.sources.events import RemarkPlace
from kit.made_changes import MadeChanges, numbered

# Written for this test, two readings each: (kind, text, category).
LABELLED = [
    ("remark", "This crashes with an empty list.", "defect"),
    ("remark", "The index is off by one here.", "defect"),
    ("remark", "This will raise a KeyError if the name is missing.", "defect"),
    ("remark", "the lock is never released on this path", "defect"),
    ("comment", "The build fails on Windows since this change.", "defect"),
    ("check", "tests", "defect"),
    ("remark", "Please add a test for the empty case.", "request"),
    ("remark", "Rename this to `parse_header`.", "request"),
    ("remark", "This module is not used. It should be removed.", "request"),
    ("remark", "Could we move this into a helper?", "request"),
    ("suggestion", "```suggestion\nreturn x\n```", "request"),
    ("remark", "I'd use a set here instead.", "request"),
    ("remark", "Why is this a class method?", "question"),
    ("remark", "Is this still needed?", "question"),
    ("comment", "Does this also work with Python 3.9?", "question"),
    ("review", "LGTM!", "praise"),
    ("review", "Looks good to me, thanks", "praise"),
    ("comment", "Thank you so much!", "praise"),
    ("remark", "Nice catch", "praise"),
    ("remark", "nit: typo", "style"),
    ("remark", "Two blank lines here, see PEP 8.", "style"),
    ("remark", "trailing whitespace", "style"),
    ("remark", "There shouldn't be any spaces around keywords.", "style"),
    ("comment", "ping", "noise"),
    ("comment", "+1", "noise"),
    ("comment", "Done.", "noise"),
    ("comment", "/rebase", "noise"),
    ("comment", "The release of the second quarter is in June.", "unknown"),
]


@pytest.mark.parametrize(("kind", "text", "meant"), LABELLED)
def test_categories_of_plain_cases(kind: str, text: str, meant: str) -> None:
    assert category(kind, text) == meant and meant in CATEGORIES


def test_quoted_text_and_code_do_not_decide() -> None:
    assert category("comment", "> this crashes\n\nThanks!") == "praise"
    assert category("comment", "Thanks for `crash()`") == "praise"


HUNK = "@@ -10,4 +20,4 @@ def f():\n a\n-b\n+c\n d"


@pytest.mark.parametrize(
    ("hunk", "first", "side"),
    [
        (HUNK, 22, "new"),
        (HUNK.removesuffix("\n d"), 21, "new"),
        (HUNK.removesuffix("\n+c\n d"), 11, "old"),
        ("@@ -0,0 +1,315 @@\n+one\n+two", 2, "new"),
        (HUNK + "\n\\ No newline at end of file", 22, "new"),
        ("no hunk", 0, "new"),
        ("", 0, "new"),
    ],
)
def test_an_old_remark_takes_its_line_from_the_hunk(hunk: str, first: int, side: str) -> None:
    place = complete_place(RemarkPlace(path="a.py", commit="c", hunk=hunk))
    assert (place.first, place.last, place.side) == (first, first, side)


def test_given_lines_are_kept_and_ordered() -> None:
    place = complete_place(RemarkPlace(path="a.py", commit="c", first=9, last=4, hunk=HUNK))
    assert (place.first, place.last) == (4, 9)
    place = complete_place(RemarkPlace(path="a.py", commit="c", last=4))
    assert (place.first, place.last) == (4, 4)


@pytest.fixture
def made(tmp_path: Path) -> MadeChanges:
    changes = MadeChanges(tmp_path / "clone")
    root = changes.land({"a.py": numbered(9)})
    changes.first = changes.commit({"a.py": numbered(9, l5="x()")}, root)
    changes.pull("pull_opened", root, changes.first, actor="ann")
    return changes


def test_failures_tracebacks_and_threads(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    reply = made.remark(made.first, "a.py", 5, parents=[remark.subject], actor="ann", text="Why?")
    made.pull("check", made.first, state="success", text="lint")
    failed = made.pull("check", made.first, state="failure", text="tests")
    made.pull("review", made.first, state="approved")
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1'
    report = made.add("issue_opened", "issue:3", text=trace)
    found = {each.id: each for each in made.feedback()}
    assert list(found) == [remark.id, reply.id, failed.id, report.id]
    assert (found[report.id].kind, found[report.id].category) == ("error_report", "defect")
    assert (found[reply.id].thread, found[reply.id].self_made) == (remark.id, True)
    assert (found[remark.id].self_made, found[remark.id].trajectory) == (False, "owner/name:pull:1")


def test_a_report_that_the_source_found_is_not_doubled(made: MadeChanges) -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1'
    made.add("issue_opened", "issue:3", text=trace)
    report = made.add("error_report", "issue:3", text=trace)
    fix = made.land({"a.py": numbered(9)}, message="Fix #3")
    assert [each.id for each in made.feedback()] == [report.id]
    assert [(each.rung, each.target) for each in made.links_of(report)] == [(6, f"commit:{fix}")]


def test_a_declined_thread(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    made.remark(made.first, "a.py", 5, parents=[remark.subject], actor="ann", text="This is by design.")
    found = {each.id: each for each in with_resolution(made.feedback(), made.links())}
    assert (found[remark.id].resolution, found[remark.id].answer) == ("declined", "")
