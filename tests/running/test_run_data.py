"""The source of a run's tasks: a given data set, the folder's own, or the original place."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError
from benchwright.running.run_data import HINT, check_given, data_by_hash, data_of, find_run_data
from benchwright.store.data_files import data_hash
from benchwright.store.runfolder import RunFolder
from benchwright.store.task_snapshot import NAME, store_tasks
from kit.small_data import humaneval, humaneval_row, write

TASKS = ["Small/0", "Small/1", "Small/2"]


def run_of(place: Path, *, tasks: str = "kept", **told: Any) -> RunFolder:
    """Create a run folder that stores its tasks, withholds them, or is of an earlier version."""
    data = humaneval(place)
    folder = place / "run"
    folder.mkdir()
    manifest = {"identity": {"track": "humaneval", "data": data_hash(data)}, "data": str(data)}
    if tasks == "kept":
        manifest["tasks"] = store_tasks(data, folder, data=data_hash(data))
    elif tasks == "withheld":
        manifest["tasks"] = None
    return RunFolder(folder, {**manifest, **told})


def test_the_folder_s_own_tasks_are_read(tmp_path: Path) -> None:
    """The original place is ignored."""
    folder = run_of(tmp_path)
    (tmp_path / "tasks.jsonl").unlink()
    data = data_of(folder)
    one = data.task("Small/1")

    assert (list(data.tasks()), data.source, data.absent) == (TASKS, folder.path / NAME, "")
    assert (one and one.task_id, data.task("nowhere")) == ("Small/1", None)


def test_a_data_set_that_is_named_comes_first(tmp_path: Path) -> None:
    """Its content is compared: packed or not, under any name; the folder's copy is then not needed."""
    folder = run_of(tmp_path)
    named = tmp_path / "other name.gz"
    named.write_bytes(gzip.compress((tmp_path / "tasks.jsonl").read_bytes()))
    (folder.path / NAME).write_bytes(b"damaged")

    assert find_run_data(folder, named).source == named


def test_other_data_than_the_run_s_is_refused(tmp_path: Path) -> None:
    """With several runs it may be that of one of them."""
    folder = run_of(tmp_path)
    other = write(tmp_path / "other.jsonl", [humaneval_row(7)])
    with pytest.raises(RunError, match="is not the data set of") as caught:
        find_run_data(folder, other)
    second = RunFolder(tmp_path, {"identity": {"track": "humaneval", "data": data_hash(other)}})

    check_given(data_by_hash([other]), [folder, second])
    assert "tasks.jsonl" in str(caught.value.hint)


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b damaged", gzip.compress(b"{}\n"), b"{}\n"])
def test_a_changed_copy_is_an_error(tmp_path: Path, content: bytes) -> None:
    """No other source is used silently, even if the data set is still in its place."""
    folder = run_of(tmp_path)
    (folder.path / NAME).write_bytes(content)
    with pytest.raises(RunError, match="is not the file that the run stored") as caught:
        data_of(folder)

    assert "--data PATH" in str(caught.value.hint)


def test_a_lost_copy_is_made_up_for_by_the_data_set(tmp_path: Path) -> None:
    """It is used if its content is unchanged; otherwise the error has both."""
    folder = run_of(tmp_path)
    (folder.path / NAME).unlink()
    found = data_of(folder)
    (tmp_path / "tasks.jsonl").unlink()

    assert (found.absent, f"has lost its {NAME}, and its data set is not at" in data_of(folder).absent) == (
        "",
        True,
    )


def test_withheld_tasks_are_read_only_when_they_are_named(tmp_path: Path) -> None:
    """They are not read from the original place, so that no page of hidden tasks is made by accident."""
    folder = run_of(tmp_path, tasks="withheld")
    data = data_of(folder)

    assert (data.tasks(), data.task("Small/0"), "--without-tasks" in data.absent) == ({}, None, True)
    assert list(find_run_data(folder, tmp_path / "tasks.jsonl").tasks()) == TASKS
    assert "--data" in HINT


def test_an_earlier_folder_reads_the_place_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative place is relative to the current folder, and the note says so."""
    folder = run_of(tmp_path, tasks="earlier", data="tasks.jsonl")
    monkeypatch.chdir(tmp_path)
    here = list(data_of(folder).tasks())
    monkeypatch.chdir("/")
    away = data_of(folder)

    assert here == TASKS
    assert away.absent.endswith("is not at tasks.jsonl any more, seen from here")


def test_a_data_set_that_was_edited_is_told_from_one_that_is_gone(tmp_path: Path) -> None:
    """Neither is read."""
    folder = run_of(tmp_path, tasks="earlier")
    write(tmp_path / "tasks.jsonl", [humaneval_row(7)])
    edited = data_of(folder).absent
    (tmp_path / "tasks.jsonl").unlink()
    gone = data_of(folder).absent

    assert (edited.endswith("tasks.jsonl has changed"), gone.endswith("tasks.jsonl any more")) == (True, True)
