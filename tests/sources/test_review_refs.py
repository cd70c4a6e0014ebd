"""Reviews stored in git: notes of git-appraise and NoteDb of Gerrit, in repositories made for the tests."""

from __future__ import annotations

import json
from hashlib import sha1
from pathlib import Path
from typing import Any

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError, UsageError
from benchwright.sources.appraise_reviews import AppraiseReader
from benchwright.sources.event_maker import EventMaker
from benchwright.sources.events import RepoEvent
from benchwright.sources.gerrit_notedb import events_of_notedb
from benchwright.sources.review_records import MetaChange, MetaCommit, ReviewNotes
from benchwright.sources.review_refs import open_review_refs
from kit.made_repositories import commit, repository
from kit.marking_cleaner import MarkingCleaner, drop_reasons, events_of, kinds, only_events

WHO = pygit2.Signature("Ann", "1000096@server", 1_700_000_000, 0)
DISCUSS, REVIEWS, CI = (f"refs/notes/devtools/{name}" for name in ("discuss", "reviews", "ci"))


def _tree(made: pygit2.Repository, files: dict[str, str]) -> pygit2.Oid:
    index = pygit2.Index()
    for path, text in files.items():
        index.add(pygit2.IndexEntry(path, made.create_blob(text.encode()), pygit2.enums.FileMode.BLOB))
    return index.write_tree(made)


def _write(made: pygit2.Repository, name: str, files: dict[str, str], message: str = "notes") -> None:
    parents = [made.references[name].target] if name in made.references else []
    made.create_commit(name, WHO, WHO, message, _tree(made, files), parents)


def _line(**parts: Any) -> str:
    return json.dumps({"timestamp": "1700000000", **parts})


@pytest.fixture
def reviewed(tmp_path: Path) -> tuple[Path, str, str]:
    """Return a clone with one review: two heads, the second of them merged."""
    place = repository(tmp_path / "scales.git", {"a.py": "x = 1\n"}, bare=True)
    made = pygit2.Repository(str(place))
    first = commit(made, {"a.py": "x = 2\n"})
    second = commit(made, {"a.py": "x = 3\n"})
    remark = _line(
        author="ben@example.com",
        description="Use 3",
        location={"commit": first, "path": "a.py", "range": {"startLine": 1}},
    )
    key = sha1(remark.encode()).hexdigest()
    discuss = "\n".join(
        [
            remark,
            remark,
            _line(author="ann@example.com", description="Done", parent=key, location={"commit": second}),
            _line(author="ben@example.com", parent=key, resolved=True, timestamp="1700000009"),
            _line(author="ben@example.com", resolved=True, location={"commit": second}),
            "{cut",
            _line(author=3),
        ]
    )
    request = _line(requester="ann@example.com", description="Weigh", targetRef="refs/heads/main")
    _write(made, DISCUSS, {f"{first[:2]}/{first[2:]}": discuss, "notes.txt": "not a note"})
    _write(made, REVIEWS, {first: request})
    _write(made, CI, {first: "\n".join([_line(agent="ci", url="x"), _line(agent="ci", status="failure")])})
    return place, first, second


def test_git_appraise(reviewed: tuple[Path, str, str], tmp_path: Path) -> None:
    place, first, second = reviewed
    found = events_of(open_review_refs(f"{place},repo=ours/scales,licence=MIT"), tmp_path)
    assert drop_reasons(found) == {"note_unreadable": 1, "note_invalid": 1}
    assert kinds(found) == {
        "pull_opened": 1,
        "push": 1,
        "merge": 1,
        "remark": 1,
        "comment": 1,
        "thread_resolved": 1,
        "review": 1,
        "check": 1,
    }
    by_kind = {each.kind: each for each in only_events(found)}
    remark = by_kind["remark"]
    assert remark.place and (remark.place.path, remark.place.first, remark.place.commit) == ("a.py", 1, first)
    assert by_kind["comment"].parents == by_kind["thread_resolved"].parents == [remark.subject]
    assert by_kind["comment"].role == "author" and remark.role == ""
    assert by_kind["push"].heads == [first, second] and by_kind["merge"].heads == [second]
    assert (by_kind["review"].state, by_kind["check"].state) == ("approved", "failure")
    assert {each.repo for each in only_events(found)} == {"ours/scales"}


def test_a_clone_without_reviews(tmp_path: Path) -> None:
    place = repository(tmp_path / "plain", {"a.py": "x = 1\n"})
    assert events_of(open_review_refs(str(place)), tmp_path) == []


@pytest.mark.parametrize("given_place", ["", "missing", ".,other=1"])
def test_a_place_that_is_none(given_place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((UsageError, DataError)):
        open_review_refs(given_place)


def _meta(made: pygit2.Repository, number: int, steps: list[tuple[str, dict[str, str]]]) -> None:
    for message, notes in steps:
        _write(made, f"refs/changes/{number % 100:02d}/{number}/meta", notes, message)


def test_notedb(tmp_path: Path) -> None:
    place = repository(tmp_path / "scales.git", {"a.py": "x = 1\n"}, bare=True)
    made = pygit2.Repository(str(place))
    first, second = commit(made, {"a.py": "x = 2\n"}), commit(made, {"a.py": "x = 3\n"})
    comments = {
        "comments": [
            {
                "key": {"uuid": "u1", "filename": "a.py", "patchSetId": 1},
                "lineNbr": 1,
                "author": {"id": 7},
                "writtenOn": "Jan 2, 2024 3:04:05 PM",
                "side": 1,
                "message": "Use 3",
                "revId": first,
                "unresolved": True,
            },
            {
                "key": {"uuid": "u2", "filename": "a.py", "patchSetId": 1},
                "lineNbr": 1,
                "author": {"id": 8},
                "writtenOn": "2024-01-02T16:00:00Z",
                "message": "Done",
                "parentUuid": "u1",
                "unresolved": False,
            },
        ]
    }
    opened = (
        "Create change\n\nUploaded patch set 1.\n\nPatch-set: 1\nChange-id: I1\nSubject: Weigh\n"
        f"Branch: refs/heads/main\nStatus: new\nCommit: {first}\n"
    )
    reviewed = (
        "Update patch set 1\n\nPatch Set 1: Code-Review-1\n\nNo.\n\nPatch-set: 1\nLabel: Code-Review=-1\n"
    )
    replaced = f"Create patch set 2\n\nUploaded patch set 2.\n\nPatch-set: 2\nCommit: {second}\n"
    merged = (
        "Submit patch set 2\n\nChange has been successfully merged\n\nPatch-set: 2\nStatus: merged\n"
        "Label: SUBM=+1\nTag: autogenerated:gerrit:merged\n"
    )
    notes = {first: json.dumps(comments)}
    _meta(made, 12, [(opened, {}), (reviewed, notes), (replaced, notes), (merged, {**notes, second: "{"})])
    found = events_of(open_review_refs(str(place)), tmp_path)
    assert drop_reasons(found) == {"note_unreadable": 1}
    assert kinds(found) == {
        "pull_opened": 1,
        "force_push": 1,
        "review": 1,
        "merge": 1,
        "remark": 2,
        "thread_resolved": 1,
    }
    by_kind = {each.kind: each for each in only_events(found)}
    assert by_kind["force_push"].heads == [first, second] and by_kind["merge"].heads == [second]
    assert by_kind["review"].state == "changes_requested" and by_kind["review"].text == "No."
    assert by_kind["pull_opened"].text == "Weigh" and by_kind["pull_opened"].state == "main"
    times = [each.at for each in only_events(found) if each.kind == "remark"]
    assert times == ["2024-01-02T15:04:05Z", "2024-01-02T16:00:00Z"]


MAKER = EventMaker("appraise", "ours/scales", MarkingCleaner())


@given(st.dictionaries(st.sampled_from(["reviews", "discuss", "ci"]), st.text(max_size=80), max_size=3))
def test_any_notes(notes: dict[str, str]) -> None:
    found = list(AppraiseReader(MAKER).events(ReviewNotes(commit="a" * 40, notes=notes)))
    lines = sum(bool(line.strip()) for text in notes.values() for line in set(text.split("\n")))
    assert len([each for each in found if not isinstance(each, RepoEvent)]) <= lines


@given(st.lists(st.text(max_size=80), max_size=4), st.dictionaries(st.text(max_size=4), st.text(max_size=40)))
def test_any_meta_commits(messages: list[str], notes: dict[str, str]) -> None:
    commits = [
        MetaCommit(
            sha=f"{number:040d}",
            at=number,
            author="1@s",
            message=f"{text}\n\nPatch-set: 1\nCommit: {'a' * 40}",
        )
        for number, text in enumerate(messages)
    ]
    found = list(events_of_notedb(MetaChange(number=5, commits=commits, notes=notes), MAKER))
    assert kinds(found)["pull_opened"] == 1
    ids = [each.id for each in only_events(found)]
    assert len(ids) == len(set(ids))
