"""Rows of comments from commits that add comments and change nothing else."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import msgspec
import pytest

from benchwright.building.alignment.benchmark.comment_rows import added_comments, comment_rows
from benchwright.building.alignment.benchmark.material import MinedRow
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from kit.made_mining import COMMENTED, FILES, FIX, NEW, NOTED, REPO, MadeRecords, commenting, lines_of


def _rows(*events: RepoEvent, **files: str) -> list[MinedRow | Drop]:
    named = {"before": (REPO, FIX, "scales.py"), "after": (REPO, NOTED, "scales.py")}
    texts = {**FILES, **{named[name]: text for name, text in files.items()}}
    return list(comment_rows(MadeRecords(events=events), lines_of(texts), repos={REPO}))


def _reason(found: MinedRow | Drop) -> str:
    return found.reason if isinstance(found, Drop) else ""


def test_an_added_comment_is_an_annotation_on_its_line() -> None:
    """The code lacks it, and the line counts in that code."""
    (mined,) = _rows(commenting())

    assert isinstance(mined, MinedRow)
    row = mined.row
    assert row["inputs"]["code"] == NEW and row["inputs"]["lang"] == "Python"
    assert row["outputs"]["annotations"] == [{"line": 8, "text": "The scale counts in half units."}]
    assert (row["meta"]["license"], row["meta"]["commit"], row["meta"]["repo"]) == ("MIT", NOTED, REPO)


def test_a_large_file_is_cut_to_its_function() -> None:
    """Without its indentation, with the line in the function."""
    filler = "".join(f"x{number} = {number}\n" for number in range(200))
    before, after = (
        f"{filler}class Scale:\n{indent(text[text.index('def weigh') :], '    ')}"
        for text in (NEW, COMMENTED)
    )
    (mined,) = _rows(commenting(), before=before, after=after)

    assert isinstance(mined, MinedRow)
    row = mined.row
    assert (
        row["inputs"]["code"].startswith("def weigh(thing):\n    mass")
        and row["inputs"]["unit"] == "function"
    )
    assert row["outputs"]["annotations"] == [{"line": 5, "text": "The scale counts in half units."}]


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (COMMENTED.replace("mass * 2", "mass * 3"), "code_changed"),
        (NEW + "# ok\n", "no_comment"),
        (NEW.replace("    return 0", "    return 0  # noqa: X1"), "code_changed"),
        (NEW + "# mass = thing.mass()\n", "commented_code"),
        (NEW.replace("def name(thing):", 'def name(thing):\n    """.. versionadded:: 4.0"""'), "no_comment"),
    ],
)
def test_what_else_a_commit_changes(after: str, reason: str) -> None:
    """Changed code, directives, code in comments and comments that say nothing."""
    assert [_reason(each) for each in _rows(commenting(), after=after)] == [reason]


def test_a_changed_comment_is_no_added_one() -> None:
    """Its old text would be in the code that is given."""
    assert added_comments(COMMENTED, COMMENTED.replace("half", "whole"), "Python") == "comment_changed"
    assert added_comments("x = (\n", "x = (\n# one two three\n", "Python") == "syntax"


@pytest.mark.parametrize(
    ("parts", "rows"),
    [
        ({}, 1),
        ({"bot": True}, 0),
        ({"heads": []}, 0),
        ({"heads": [FIX, "9" * 40]}, 0),
        ({"repo": "other/one"}, 0),
        ({"file": {"code_changed": True}}, 0),
        ({"file": {"status": "added"}}, 0),
        ({"file": {"comments_changed": False}}, 0),
    ],
)
def test_which_commits_are_read(parts: dict[str, Any], rows: int) -> None:
    """Those with one parent in which only comments changed, by people."""
    heads = parts.pop("heads", None)
    event = commenting(**parts)
    if heads is not None:
        event = msgspec.structs.replace(event, heads=heads)

    assert len(_rows(event)) == rows


def test_a_file_of_another_language_or_without_objects_has_a_reason() -> None:
    """Counted, and the next file is read."""
    assert [_reason(each) for each in _rows(commenting(file={"path": "scales.rb"}))] == ["language"]
    assert [_reason(each) for each in _rows(commenting(file={"path": "gone.py"}))] == ["no_file"]
