"""A run folder's copy of its data set: complete or absent, with the same content, and shared between runs."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError, RunError
from benchwright.store import task_snapshot
from benchwright.store.data_files import data_hash, open_rows
from benchwright.store.task_snapshot import NAME, check, hash_of, is_whole, store_tasks
from kit.examples import examples
from kit.processes import HANG_S
from kit.small_data import humaneval, mera_row


def kept(source: Path, folder: Path) -> dict[str, Any]:
    """Keep a data set in a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return store_tasks(source, folder, data=data_hash(source))


def refused(folder: Path, told: Any) -> RunError:
    """Return the refusal of a changed copy."""
    with pytest.raises(RunError) as caught:
        check(folder / NAME, told)
    return caught.value


def test_the_copy_has_the_hash_of_the_data_set(tmp_path: Path) -> None:
    """So the run can be resumed with it as --data."""
    data = humaneval(tmp_path, 5)
    told = kept(data, tmp_path / "run")
    copy = tmp_path / "run" / NAME

    assert told == {"sha256": data_hash(data), "bytes": data.stat().st_size}
    assert (data_hash(copy), gzip.decompress(copy.read_bytes())) == (data_hash(data), data.read_bytes())


@pytest.mark.parametrize("packed", [False, True])
def test_a_document_and_a_packed_file_are_kept_byte_for_byte(tmp_path: Path, packed: bool) -> None:
    """MERA's test.json keeps its access field and its spaces."""
    text = json.dumps({"access": "public", "data": [mera_row(0), mera_row(1)]}, indent=1).encode()
    data = tmp_path / "test.json"
    data.write_bytes(gzip.compress(text) if packed else text)
    told = kept(data, tmp_path / "run")

    assert (gzip.decompress((tmp_path / "run" / NAME).read_bytes()), hash_of(told)) == (text, data_hash(data))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.dictionaries(
            st.text(st.characters(codec="utf-8")),
            st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters(codec="utf-8")),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_rows_of_several_files_are_kept_as_they_are_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    """A hub's shards become one file of JSON Lines with the same rows."""
    place = tmp_path_factory.mktemp("shards")
    shards = [place / "a.jsonl", place / "b.jsonl"]
    for shard in shards:
        shard.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        for module in ("task_snapshot", "data_files"):
            patch.setattr(f"benchwright.store.{module}.files", lambda source: shards)
        told = store_tasks("hub:a/b", place, data="another hash")
        patch.undo()

    assert [row.data for row in open_rows(place / NAME)] == [
        row.data for shard in shards for row in open_rows(shard)
    ]
    assert hash_of(told) == data_hash(place / NAME)


def test_two_equal_runs_have_equal_bytes(tmp_path: Path) -> None:
    """The packed file has no time and no name."""
    data = humaneval(tmp_path)
    for name in ("a/run", "b/run"):
        kept(data, tmp_path / name)

    assert (tmp_path / "a/run" / NAME).read_bytes() == (tmp_path / "b/run" / NAME).read_bytes()


def test_data_that_changed_since_it_was_read_is_not_kept(tmp_path: Path) -> None:
    """Otherwise the folder would not contain the data of the run."""
    data = humaneval(tmp_path)
    (tmp_path / "run").mkdir()
    with pytest.raises(DataError, match="changed while it was read"):
        store_tasks(data, tmp_path / "run", data="0" * 64)

    assert list((tmp_path / "run").iterdir()) == []


# --- sharing


def test_neighbouring_runs_share_one_file(tmp_path: Path) -> None:
    """Three runs of one data set take its space once; another data set has its own."""
    (tmp_path / "other").mkdir()
    for name in ("one", "two", "three"):
        kept(humaneval(tmp_path), tmp_path / "runs" / name)
    kept(humaneval(tmp_path / "other", 4), tmp_path / "runs" / "four")
    links = {path.parent.name: path.stat().st_nlink for path in tmp_path.glob(f"runs/*/{NAME}")}

    assert links == {"one": 3, "two": 3, "three": 3, "four": 1}
    assert not list(tmp_path.glob("runs/*/.*"))


def test_a_copy_of_one_folder_is_whole(tmp_path: Path) -> None:
    """It has the content, and no link to another machine's disk."""
    told = [kept(humaneval(tmp_path), tmp_path / "runs" / name) for name in ("one", "two")]
    shutil.copytree(tmp_path / "runs" / "two", tmp_path / "elsewhere")
    shutil.rmtree(tmp_path / "runs")

    check(tmp_path / "elsewhere" / NAME, told[1])


def test_what_a_neighbour_has_is_not_believed_by_its_size(tmp_path: Path) -> None:
    """The bytes are compared; a link, a pipe and a folder of that name are ignored."""
    data = humaneval(tmp_path)
    told = kept(data, tmp_path / "runs" / "one")
    whole = (tmp_path / "runs" / "one" / NAME).read_bytes()
    for name, make in {
        "forged": lambda path: path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1])),
        "link": lambda path: path.symlink_to(tmp_path / "runs" / "one" / NAME),
        "pipe": os.mkfifo,
        "folder": lambda path: path.mkdir(),
    }.items():
        (tmp_path / "runs" / name).mkdir()
        make(tmp_path / "runs" / name / NAME)
    kept(data, tmp_path / "runs" / "two")
    mine = tmp_path / "runs" / "two" / NAME

    check(mine, told)
    assert os.path.samefile(mine, tmp_path / "runs" / "one" / NAME)


def test_without_links_each_run_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on file systems without links."""

    def refuse(*names: object, **options: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr("os.link", refuse)
    told = [kept(humaneval(tmp_path), tmp_path / "runs" / name) for name in ("one", "two")]

    assert all(
        is_whole(tmp_path / "runs" / name / NAME, each)
        for name, each in zip(("one", "two"), told, strict=True)
    )


# --- what was changed


@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(at=st.integers(0, 10_000), bit=st.integers(0, 7), how=st.sampled_from(["flip", "cut", "add"]))
def test_a_changed_copy_is_never_taken_for_the_data_set(
    tmp_path_factory: pytest.TempPathFactory, at: int, bit: int, how: str
) -> None:
    """A single changed bit is detected, except for bits that do not affect the content."""
    place = tmp_path_factory.mktemp("changed")
    data = humaneval(place)
    told = kept(data, place / "run")
    path = place / "run" / NAME
    whole = path.read_bytes()
    at %= len(whole)
    path.write_bytes(
        {
            "flip": whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :],
            "cut": whole[:at],
            "add": whole + gzip.compress(b"{}\n"),
        }[how]
    )
    try:
        check(path, told)
    except RunError:
        return
    assert data_hash(path) == data_hash(data)


def test_a_changed_copy_says_what_to_do(tmp_path: Path) -> None:
    """The error has the file and both hints."""
    told = kept(humaneval(tmp_path), tmp_path / "run")
    (tmp_path / "run" / NAME).write_bytes(gzip.compress(b"{}\n"))
    error = refused(tmp_path / "run", told)

    assert (
        str(tmp_path / "run" / NAME) in error.message,
        "is not the file that the run stored" in error.message,
    ) == (True, True)
    assert "--data PATH" in str(error.hint)


def test_a_file_that_unpacks_for_ever_costs_no_more_than_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gigabyte packed into a megabyte is abandoned at the first byte over the size."""
    told = kept(humaneval(tmp_path), tmp_path / "run")
    with gzip.open(tmp_path / "run" / NAME, "wb", compresslevel=1) as bomb:
        for _ in range(64):
            bomb.write(bytes(1 << 20))
    read = 0

    def counted(path: Path) -> Any:
        nonlocal read
        for chunk in unpacked(path):
            read += len(chunk)
            yield chunk

    unpacked = task_snapshot._unpacked
    monkeypatch.setattr(task_snapshot, "_unpacked", counted)
    refused(tmp_path / "run", told)

    assert read <= told["bytes"] + (1 << 16)


@pytest.mark.parametrize(
    "told",
    [None, "", {}, [], 7, {"bytes": 1 << 60, "sha256": "0"}, {"bytes": "1"}, {"bytes": -1}, {"sha256": 7}],
)
def test_no_word_in_the_manifest_makes_a_copy_good(tmp_path: Path, told: Any) -> None:
    """Anybody may have edited run.json."""
    kept(humaneval(tmp_path), tmp_path / "run")

    assert not is_whole(tmp_path / "run" / NAME, told)
    assert isinstance(refused(tmp_path / "run", told), RunError)


def test_killed_while_it_is_written_leaves_the_folder_without_it(tmp_path: Path) -> None:
    """Otherwise the folder has the complete copy: the name appears when the content is written. The next call
    creates it."""
    data = humaneval(tmp_path, 50)
    (tmp_path / "run").mkdir()
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from benchwright.store import task_snapshot\n"
        "from benchwright.store.data_files import data_hash\n"
        "whole = task_snapshot._content\n"
        "def content(source):\n"
        "    yield from whole(source)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "task_snapshot._content = content\n"
        "task_snapshot.store_tasks(sys.argv[1], Path(sys.argv[2]), data=data_hash(sys.argv[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, data, tmp_path / "run"], check=False, timeout=HANG_S
    )
    left = [path.name for path in (tmp_path / "run").iterdir()]
    told = kept(data, tmp_path / "run")

    assert (done.returncode, left) == (-9, [f".{NAME}.tmp"])
    assert [path.name for path in (tmp_path / "run").iterdir()] == [NAME]
    check(tmp_path / "run" / NAME, told)
