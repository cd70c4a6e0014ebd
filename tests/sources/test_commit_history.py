"""Changes of commits: both sides of each requested file, and limits on the work."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pygit2
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.sources.clones import Clone
from benchwright.sources.commit_history import MAX_CHANGED, CommitChange, History
from kit.made_repositories import commit, repository

_ONE, _TWO = "pack/a.py", "tests/test_a.py"


def _made(path: Path, *states: Mapping[str, str]) -> Clone:
    repository(path, states[0])
    for state in states[1:]:
        commit(pygit2.Repository(str(path)), state)
    return Clone(path)


def _sides(clone: Clone, change: CommitChange) -> dict[str, tuple[str | None, ...]]:
    return {
        path: tuple(None if side is None else clone.text(side, limit=99) for side in sides)
        for path, sides in change.files.items()
    }


def test_the_newest_change_comes_first_with_both_sides(tmp_path: Path) -> None:
    """A commit has its changes of the requested files, and no others."""
    clone = _made(
        tmp_path / "r",
        {_ONE: "1", _TWO: "1", "other.py": "1"},
        {_ONE: "2", _TWO: "2", "other.py": "1"},
        {_ONE: "2", _TWO: "2", "other.py": "2"},
        {_ONE: "3", _TWO: "2", "other.py": "2"},
    )
    changes = list(History(clone).changes([_ONE, _TWO], most=9))

    assert [_sides(clone, each) for each in changes] == [
        {_ONE: ("2", "3")},
        {_ONE: ("1", "2"), _TWO: ("1", "2")},
    ]
    assert changes[0].commit.name == clone.commit
    assert changes[0].commit.committed_at == "2023-11-14T22:13:20+00:00"


def test_without_paths_every_file_is_told(tmp_path: Path) -> None:
    """All commits in their order, each with all changed files; the first commit has no parent."""
    clone = _made(
        tmp_path / "r",
        {_ONE: "1", "other.py": "1"},
        {_ONE: "2", "other.py": "2", "deep/er/new.txt": "1"},
        {_ONE: "2", "deep": "a file now"},
    )

    assert [_sides(clone, each) for each in History(clone).changes(most=9)] == [
        {"other.py": ("2", None), "deep": (None, "a file now"), "deep/er/new.txt": ("1", None)},
        {_ONE: ("1", "2"), "other.py": ("1", "2"), "deep/er/new.txt": (None, "1")},
    ]


def test_without_paths_a_commit_that_moves_everything_is_left_out(tmp_path: Path) -> None:
    """Its files are counted only up to the limit."""
    names = [f"f{number}.py" for number in range(MAX_CHANGED + 1)]
    states = [dict.fromkeys(names, text) for text in "12"]
    clone = _made(tmp_path / "r", *states, {**states[1], "f0.py": "3"})

    assert [_sides(clone, each) for each in History(clone).changes(most=9)] == [{"f0.py": ("2", "3")}]


def test_files_that_come_and_go(tmp_path: Path) -> None:
    """A side is None if the file did not exist; a folder that takes a file's name is not a file."""
    clone = _made(tmp_path / "r", {"x": "1"}, {"x": "1", _ONE: "1"}, {"x": "1"}, {"x/y.py": "1"})
    changes = list(History(clone).changes([_ONE, "x", "x/y.py"], most=9))

    assert [_sides(clone, each) for each in changes] == [
        {"x": ("1", None), "x/y.py": (None, "1")},
        {_ONE: ("1", None)},
        {_ONE: (None, "1")},
    ]


def test_bounds_end_it(tmp_path: Path) -> None:
    """The numbers of changes, commits and entries are limited."""
    clone = _made(tmp_path / "r", *({_ONE: str(number)} for number in range(6)))
    history = History(clone)

    assert len(list(history.changes([_ONE], most=2))) == 2
    assert len(list(history.changes([_ONE], most=9, most_walked=3))) == 3
    assert len(list(History(clone, most_entries=5).changes([_ONE], most=9))) < 3


def test_a_commit_that_moves_everything_is_no_fix(tmp_path: Path) -> None:
    """A formatter's commit changes hundreds of files and fixes none."""
    names = [f"f{number}.py" for number in range(MAX_CHANGED + 1)]
    clone = _made(tmp_path / "r", dict.fromkeys(names, "1"), dict.fromkeys(names, "2"))

    assert list(History(clone).changes(names, most=9)) == []


def test_a_shallow_clone_ends_where_it_was_cut(tmp_path: Path) -> None:
    """The parent's id is known but its objects are missing: no error, and no further commits."""
    made = pygit2.Repository(str(repository(tmp_path / "r", {_ONE: "1"})))
    commit(made, {_ONE: "2"})
    tree = made.head.peel(pygit2.Tree).id
    who = pygit2.Signature("Nobody", "nobody@example.org", 1, 0)
    gone = pygit2.Oid(hex="1" * 40)
    raw = f"tree {tree}\nparent {gone}\nauthor {who.name} <{who.email}> 1 +0000\n"
    raw += f"committer {who.name} <{who.email}> 1 +0000\n\nA commit\n"
    cut = made.odb.write(pygit2.enums.ObjectType.COMMIT, raw.encode())
    clone = Clone(tmp_path / "r", commit=str(cut))

    assert list(History(clone).changes([_ONE], most=9)) == []


def test_a_file_by_its_path(tmp_path: Path) -> None:
    """Of any tree; none for a folder, or for a path through a file."""
    clone = _made(tmp_path / "r", {_ONE: "1", "LICENSE": "x"}, {_ONE: "2", "LICENSE": "x"})
    history = History(clone)
    (change,) = history.changes([_ONE], most=1)
    old = change.commit.parent_tree
    found = history.file(old, _ONE)

    assert found is not None and clone.text(found, limit=9) == "1"
    assert [history.file(old, path) for path in ("pack", "LICENSE/x", "none.py")] == [None] * 3
    assert [file.path for file in history.top(old)] == ["LICENSE"]


_STATES = st.lists(
    st.dictionaries(st.sampled_from(["a", "b/c", "b/d", "e/f/g"]), st.sampled_from(["1", "2"]), max_size=4),
    min_size=2,
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(_STATES)
def test_it_agrees_with_a_plain_comparison(tmp_path_factory: object, states: list[dict[str, str]]) -> None:
    """For any states: exactly the paths whose text differs, with the texts."""
    folder = tmp_path_factory.mktemp("r")  # type: ignore[attr-defined]
    clone = _made(folder / "r", *({"keep": "x", **state} for state in states))
    asked = [_sides(clone, each) for each in History(clone).changes(["a", "b/c", "b/d", "e/f/g"], most=9)]
    every = [_sides(clone, each) for each in History(clone).changes(most=9)]
    plain = [
        {path: (old.get(path), new.get(path)) for path in {*old, *new} if old.get(path) != new.get(path)}
        for old, new in pairwise(states)
    ]

    assert asked == every == [each for each in reversed(plain) if each]


def test_the_files_beside_one_of_a_commit(tmp_path: Path) -> None:
    """Files with the requested suffixes in the same folder, at that commit; a folder is not a file."""
    states = (
        {_ONE: "1", "pack/b.py": "1", "pack/c.txt": "1", "pack/d.py/e.py": "1", "f.py": "1"},
        {_ONE: "2"},
    )
    clone = _made(tmp_path / "r", *states)
    past = History(clone)
    first, last = (clone.tree_of(name) for name in ("HEAD~1", "HEAD"))

    assert [each.path for each in past.beside(first, _ONE, (".py",))] == [_ONE, "pack/b.py"]
    assert [each.path for each in past.beside(first, "top.py", (".py",))] == ["f.py"]
    assert [each.path for each in past.beside(last, _ONE, (".py", ".txt"))] == [_ONE]
    assert past.beside(last, "gone/a.py", (".py",)) == []
