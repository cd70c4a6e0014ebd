"""Objects read in a child process: equal results, named gaps, and a child that dies."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path

import pygit2
import pytest

from benchwright.errors import BenchwrightError
from benchwright.sources import object_messages
from benchwright.sources.clone_objects import MAX_BLOB, CloneObjects, MissingObjectError
from benchwright.sources.clones import CloneError
from benchwright.sources.diff_records import FileDiff, LineHunk
from benchwright.sources.object_reader import MAX_DEATHS, ObjectReader
from kit.made_changes import MadeChanges, numbered
from kit.processes import wait_until


def test_a_torn_or_too_large_message_is_none() -> None:
    """Too large ones are not read; a whole one is returned."""
    whole = io.BytesIO()
    object_messages.send(whole, object_messages.ObjectCall("parents", ["f"]))
    sent = whole.getvalue()
    huge = (object_messages.MAX_FRAME + 1).to_bytes(4, "big")
    streams = [io.BytesIO(text) for text in (sent, sent[:-1], sent[:3], b"", huge + b"x" * 9)]

    assert [object_messages.receive(each) for each in streams] == [sent[4:], None, None, None, None]
    assert streams[-1].tell() == 4


@pytest.fixture
def made(tmp_path: Path) -> MadeChanges:
    changes = MadeChanges(tmp_path / "clone")
    changes.land({"a.py": numbered(9), "folder/b.py": numbered(30)})
    return changes


def test_the_child_gives_equal_results(made: MadeChanges) -> None:
    old = made.main
    new = made.land({"a.py": numbered(9, l3="  value_3 = compute(3)", l5="x"), "folder/c.py": numbered(30)})
    here = CloneObjects(made.path)
    with ObjectReader(made.path) as there:
        for each in (here, there):
            assert each.parents(new) == [old]
            assert each.lines(new, "a.py") == numbered(9, l3="  value_3 = compute(3)", l5="x")
            assert each.lines(new, "folder/b.py") is None and each.lines(new, "folder") is None
            assert each.lines(new, "no/such/file.py") is None
            assert each.diff(old, new, "a.py") == FileDiff(
                "a.py", "a.py", [LineHunk(3, 1, 3, 1), LineHunk(5, 1, 5, 1)]
            )
            assert each.diff(old, new, "a.py", spaces=False) == FileDiff(
                "a.py", "a.py", [LineHunk(5, 1, 5, 1)]
            )
            assert each.diff(old, new, "folder/b.py") == FileDiff("folder/b.py", "folder/c.py", [])
            assert each.diff(old, new, "missing.py") is None
            assert [change.path for change in each.changes(old, new)] == ["a.py", "folder/c.py"]
            assert [change.old_path for change in each.changes("", old)] == ["", ""]
            assert each.blame(new, "a.py", 4, 5) == [old, new]


def test_what_is_missing_or_no_text_has_a_reason(made: MadeChanges) -> None:
    large = made.land({"large.py": "x" * (MAX_BLOB + 1), "data.bin": "a\0b", "a.py": numbered(9)})
    with ObjectReader(made.path) as objects:
        for call, reason in (
            (lambda: objects.parents("f" * 40), "missing_object"),
            (lambda: objects.parents("no name"), "missing_object"),
            (lambda: objects.lines(large, "large.py"), "too_large"),
            (lambda: objects.lines(large, "data.bin"), "no_text"),
            (lambda: objects.blame(large, "none.py", 1, 2), "missing_object"),
        ):
            with pytest.raises(MissingObjectError) as caught:
                call()
            assert caught.value.reason == reason
        assert objects.lines(large, "a.py") == numbered(9)


def test_a_folder_that_the_clone_lacks_is_missing_and_not_empty(made: MadeChanges) -> None:
    tree = made.git[made.main].tree["folder"].id
    (made.path / "objects" / str(tree)[:2] / str(tree)[2:]).unlink()
    objects = CloneObjects(made.path)
    assert objects.lines(made.main, "a.py") == numbered(9)
    with pytest.raises(MissingObjectError):
        objects.lines(made.main, "folder/b.py")


def test_links_and_submodules_are_no_files(made: MadeChanges) -> None:
    index = pygit2.Index()
    blob = made.git.create_blob(b"/etc/passwd")
    index.add(pygit2.IndexEntry("link.py", blob, pygit2.enums.FileMode.LINK))
    index.add(pygit2.IndexEntry("sub", pygit2.Oid(hex=made.main), pygit2.enums.FileMode.COMMIT))
    who = pygit2.Signature("a", "a@example.org", 1_700_000_000, 0)
    sha = str(made.git.create_commit(None, who, who, "m", index.write_tree(made.git), [made.main]))
    objects = CloneObjects(made.path)
    assert objects.lines(sha, "link.py") is None and objects.lines(sha, "sub") is None


def kill_child(objects: ObjectReader) -> None:
    child = objects._child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    assert wait_until(lambda: child.poll() is not None)


def test_another_child_answers_after_one_died(made: MadeChanges) -> None:
    with ObjectReader(made.path) as objects:
        assert objects.parents(made.main) == []
        kill_child(objects)
        with pytest.raises(MissingObjectError) as caught:
            objects.parents(made.main)
        assert caught.value.reason == "reader_died"
        assert objects.parents(made.main) == []


def test_a_clone_that_kills_every_child_ends_with_an_error(made: MadeChanges) -> None:
    with ObjectReader(made.path) as objects, pytest.raises(CloneError):
        for _ in range(MAX_DEATHS):
            with pytest.raises(MissingObjectError):
                objects._running()
                kill_child(objects)
                objects.parents(made.main)


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError):
        ObjectReader(tmp_path)
