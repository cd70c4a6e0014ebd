"""Lines followed through the commits of random repositories, in which every line is unique."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.building.alignment.links.tracking import TrackStep, track
from benchwright.building.alignment.objects import AbsentObjects
from benchwright.building.alignment.records import LineRange
from benchwright.sources.clone_objects import CloneObjects
from kit.made_changes import MadeChanges

Edit = tuple[int, int, int]  # place, lines removed, lines added
edits = st.tuples(st.integers(0, 30), st.integers(0, 4), st.integers(0, 4))


def versions(changes: list[list[Edit]]) -> list[list[str]]:
    """The lines of a file after each commit; no two lines that ever exist are equal."""
    count = 30
    lines = [f"line number {at}" for at in range(count)]
    found = [lines]
    for commit in changes:
        lines = list(lines)
        for place, removed, added in commit:
            lines[place : place + removed] = [f"line number {count + at}" for at in range(added)]
            count += added
        found.append(lines)
    return found


@settings(max_examples=40)
@given(st.lists(st.lists(edits, min_size=1, max_size=3), min_size=1, max_size=5), st.integers(1, 30))
def test_a_line_is_followed_to_the_commit_that_removes_it(changes: list[list[Edit]], line: int) -> None:
    states = versions(changes)
    text = states[0][line - 1]
    with TemporaryDirectory() as folder:
        made = MadeChanges(Path(folder) / "clone")
        shas = [made.land({"a.py": lines, "other.py": "x"}) for lines in states]
        start = LineRange(commit=shas[0], path="a.py", first=line, last=line)
        found = track(CloneObjects(made.path), start, [TrackStep(sha) for sha in shas[1:]])
    gone = next((place for place, lines in enumerate(states) if text not in lines), None)
    if gone is None:
        assert found.touched is None
        assert found.end.first == found.end.last == states[-1].index(text) + 1
    else:
        assert found.touched is not None and found.touched.step.commit == shas[gone]
        assert found.touched.before.first == states[gone - 1].index(text) + 1


def test_without_a_clone_the_gap_has_a_name() -> None:
    start = LineRange(commit="a" * 40, path="a.py", first=1, last=1)
    assert track(AbsentObjects(), start, [TrackStep("b" * 40)]).gap == "no_clone"
