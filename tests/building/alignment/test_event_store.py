"""The event store: each event once, in files by quarter, whatever order and however often it comes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.building.alignment import event_store
from benchwright.building.alignment.event_store import (
    CHANGES,
    EVENTS,
    EventStore,
    folder_name,
    quarter,
    repo_name,
)
from benchwright.errors import DataError, RunError
from benchwright.records import Drop
from benchwright.sources.events import FilePatch, RepoEvent
from benchwright.store.atomic_files import lock

REPO = "own/repo"


def event(number: int, at: str = "2024-05-01T00:00:00Z", **given: Any) -> RepoEvent:
    """An event of a source."""
    parts = {"source": "git", "kind": "commit", "repo": REPO, **given}
    name = f"{parts['source']}:{parts['repo']}:{parts['kind']}:{number}"
    return RepoEvent(id=name, at=at, subject=f"commit:{number}", source_id=str(number), **parts)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_files_by_source_and_quarter(tmp_path: Path) -> None:
    """Events are read by time across sources; those without a time come first."""
    store = EventStore(tmp_path)
    events = [
        event(1, "2024-05-01T00:00:00Z"),
        event(2, "2023-12-31T23:59:59Z"),
        event(3, "2024-05-01T00:00:00Z", source="github", kind="comment"),
        event(4, ""),
        event(5, "0999-01-01T00:00:00Z"),
    ]
    store.write("all", events)

    assert [each.source_id for each in store.read(REPO)] == ["4", "5", "2", "1", "3"]
    assert [each.source_id for each in store.read(REPO, ("comment",))] == ["3"]
    assert sorted(store.known(REPO)) == sorted(each.id for each in events)
    assert [each.name for each in store.shards(REPO, EVENTS)] == [
        "git-0999-Q1.jsonl",
        "git-2023-Q4.jsonl",
        "git-2024-Q2.jsonl",
        "git-undated.jsonl",
        "github-2024-Q2.jsonl",
    ]
    assert store.repositories() == [REPO]


def test_an_equal_event_changes_nothing(tmp_path: Path) -> None:
    """A later fetch of the same event keeps the file, its time of fetching and the digest."""
    store = EventStore(tmp_path)
    store.write("a", [event(1, fetched_at="2025-01-01T00:00:00Z"), event(2)])
    before, digest = contents(tmp_path), store.digest(REPO)
    path = store.path(store.shards(REPO)[0])
    state = path.stat()

    store.write("a", [event(2), event(1, fetched_at="2026-01-01T00:00:00Z")])

    assert contents(tmp_path) == before
    assert path.stat().st_ino == state.st_ino
    assert store.digest(REPO) == digest


def test_only_the_quarter_of_a_new_event_is_written(tmp_path: Path) -> None:
    """The other files stay the same files."""
    store = EventStore(tmp_path)
    store.write("a", [event(1, "2024-01-01T00:00:00Z"), event(2, "2024-05-01T00:00:00Z")])
    first, last = (store.path(each) for each in store.shards(REPO))
    inodes = first.stat().st_ino, last.stat().st_ino

    store.write("a", [event(3, "2024-06-01T00:00:00Z")])

    assert first.stat().st_ino == inodes[0]
    assert last.stat().st_ino != inodes[1]


def test_another_event_with_the_same_id_replaces_it(tmp_path: Path) -> None:
    """A commit whose files could be read only later."""
    store = EventStore(tmp_path)
    store.write("a", [event(1), event(2)])
    store.write("a", [event(1, text="more")])

    assert [(each.source_id, each.text) for each in store.read(REPO)] == [("1", "more"), ("2", "")]


def test_patches_and_gaps_are_beside_the_events(tmp_path: Path) -> None:
    """Gaps of commits stay; those of a source without a commit are replaced by its next call."""
    store = EventStore(tmp_path)
    at = "2024-05-01T00:00:00Z"
    patch = FilePatch(repo=REPO, sha="1", path="a.py", at=at, patch="@@ -1 +1 @@\n")
    gap = Drop(unit=f"git:{REPO}:1 a.py", reason="binary", evidence={"at": at, "repo": REPO})
    store.write("a", [patch, gap, event(1), Drop(unit="a", reason="lost_head")])
    store.write("b", [Drop(unit="b", reason="lost_head")])
    store.write("a", [patch])

    assert list(store.changes(REPO)) == [patch]
    assert list(store.gaps(REPO)) == [gap]
    assert [list(store.current_gaps(label)) for label in "abc"] == [
        [],
        [Drop(unit="b", reason="lost_head")],
        [],
    ]
    assert [each.stem for each in store.shards(REPO, CHANGES)] == ["git-2024-Q2"]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 12)), max_size=40),
    st.integers(1, 5),
    st.sampled_from([1, 300, 1 << 20]),
)
def test_order_and_batches_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, given_: list[tuple[int, int]], batches: int, pending: int
) -> None:
    """The same events in any order, in any number of calls and buffers, give the same bytes."""
    events = [event(number, f"2024-{number % 12 + 1:02}-01T00:00:00Z") for number, _ in given_]
    one, many = (EventStore(tmp_path_factory.mktemp("store")) for _ in range(2))
    one.write("a", sorted(events, key=lambda each: each.id))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_store, "MAX_PENDING", pending)
        for start in range(batches):
            many.write("a", events[start::batches])

    assert contents(many.folder) == contents(one.folder)


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1))
def test_names_of_folders(name: str) -> None:
    """Every name has a folder of its own, which leads nowhere else."""
    folder = folder_name(name)

    assert repo_name(folder) == name
    assert "/" not in folder
    assert folder not in ("", ".", "..")


def test_quarters() -> None:
    """Twelve months are four quarters."""
    found = [quarter(f"2024-{month:02}-15T00:00:00Z")[-2:] for month in range(1, 13)]

    assert found == [f"Q{number}" for number in range(1, 5) for _ in range(3)]


def test_a_corrupt_line_is_an_error(tmp_path: Path) -> None:
    """It names the file and the line."""
    store = EventStore(tmp_path)
    store.write("a", [event(1)])
    path = store.path(store.shards(REPO)[0])
    path.write_bytes(path.read_bytes() + b"{\n")

    with pytest.raises(DataError) as caught:
        list(store.known(REPO))

    assert caught.value.line == 2


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """A second process that writes is refused."""
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        lock(fd, tmp_path)
        with pytest.raises(RunError, match="another run"):
            EventStore(tmp_path).write("a", [event(1)])
    finally:
        os.close(fd)


def test_lines_are_records(tmp_path: Path) -> None:
    """A line of a file is the JSON of its event."""
    store = EventStore(tmp_path)
    store.write("a", [event(1)])
    [stored] = store.lines(store.shards(REPO, EVENTS))

    assert msgspec.json.decode(stored.line, type=RepoEvent) == event(1)
