"""Data sets by name: one verified copy from any source, and no other content is stored."""

from __future__ import annotations

import gzip
import hashlib
import os
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright import registry
from benchwright.errors import DataError, RunError, UsageError
from benchwright.store.data_files import data_hash, open_rows, place
from benchwright.store.named_data import (
    DownloadError,
    NamedData,
    drop_data,
    find_data,
    get_data,
    is_here,
    is_name,
    known_data,
    nearest_name,
)
from kit.named import CONTENT, made_data, only_known, packed
from kit.needs import HUMANEVAL, RUSSIAN, need_data


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache"))


def kept_names(tmp_path: Path) -> list[str]:
    """Return the files in the folder of copies."""
    folder = tmp_path / "cache" / "data"
    return sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []


def giving(body: bytes, asked: list[str] | None = None):  # type: ignore[no-untyped-def]
    """Return a network that answers every request with this."""

    def fetch(url: str, most: int) -> bytes:
        if asked is not None:
            asked.append(url)
        return body

    return fetch


def nothing(url: str, most: int) -> bytes:
    """Return a machine without a network."""
    raise DownloadError("Name or service not known")


def test_the_table_is_whole() -> None:
    """Each entry has an existing track, one commit or release, and a unique digest."""
    known = list(known_data().values())

    assert {each.track for each in known} <= set(registry.TRACKS)
    assert len({each.sha256 for each in known}) == len(known) >= 27
    assert all(len(bytes.fromhex(each.sha256)) == 32 for each in known)
    assert all(url.startswith("https://") and "/master/" not in url for each in known for url in each.urls)
    assert all(each.urls and each.rows and each.licence and each.bytes for each in known)


@pytest.mark.parametrize(("name", "file"), [("humaneval", HUMANEVAL), ("humaneval-xl-russian", RUSSIAN)])
def test_published_files_are_what_the_table_says(name: str, file: str) -> None:
    """Downloads the published files."""
    published = need_data(file)
    data = find_data(name)

    assert get_data(data, mirror=str(published)) == data.place
    assert data_hash(data.place) == data_hash(published) == data.sha256
    assert len(list(open_rows(name))) == data.rows
    raw = published.read_bytes()
    assert not data.packed_sha256 or hashlib.sha256(raw).hexdigest() == data.packed_sha256


@pytest.mark.parametrize("body", [CONTENT, packed()], ids=["plain", "packed"])
def test_it_is_fetched_once(body: bytes, tmp_path: Path) -> None:
    """Any packing works, and it is not fetched again while the copy is intact."""
    asked: list[str] = []
    data = made_data()
    first = get_data(data, fetch=giving(body, asked))
    again = get_data(data, fetch=nothing)

    assert first == again
    assert first.read_bytes() == CONTENT
    assert asked == data.urls
    assert kept_names(tmp_path) == [first.name]


def test_the_second_address_is_tried() -> None:
    """It is used if the first one fails."""
    data = made_data(urls=("http://first/x", "http://second/x"))

    def fetch(url: str, most: int) -> bytes:
        return CONTENT if "second" in url else nothing(url, most)

    assert get_data(data, fetch=fetch).read_bytes() == CONTENT


def test_no_network(tmp_path: Path) -> None:
    """The error has each address with its reason and a hint; no file is left."""
    data = made_data(urls=("http://first/x", "http://second/x"))
    with pytest.raises(RunError) as caught:
        get_data(data, fetch=nothing)

    assert "http://first/x: Name or service not known; http://second/x: Name" in caught.value.message
    assert (
        caught.value.hint
        == "benchwright data get own-twice --from FILE, with a file from https://example.org/own/twice"
    )
    assert kept_names(tmp_path) == []


@given(body=st.one_of(st.binary(max_size=400), st.binary(max_size=200).map(packed)))
def test_no_other_content_is_kept(body: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The error has both digests."""
    folder = tmp_path_factory.mktemp("other")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHWRIGHT_CACHE", str(folder))
        data = made_data()
        with pytest.raises(DataError) as caught:
            get_data(data, fetch=giving(body))

    assert hashlib.sha256(body).hexdigest() in caught.value.message
    assert data.sha256 in caught.value.message
    assert list(folder.rglob("*")) == []


def test_a_bomb_is_not_unpacked() -> None:
    """At most one byte over the limit is held."""
    bomb = gzip.compress(b"0" * (64 << 20))
    with pytest.raises(DataError, match="is not own-twice"):
        get_data(made_data(), fetch=giving(bomb))


def test_a_cut_file_is_told_as_damaged() -> None:
    """A truncated download looks like this."""
    with pytest.raises(DataError, match="a damaged gzip file"):
        get_data(made_data(), fetch=giving(packed()[:-9]))


def test_a_wrong_count_is_the_tables_fault() -> None:
    """The digest is right but the number of rows is not: only a correction of the table helps."""
    with pytest.raises(DataError, match="has 1 rows, not 2: the entry is wrong"):
        get_data(made_data(rows=2), fetch=giving(CONTENT))


@pytest.mark.parametrize("damage", [CONTENT[:-5], CONTENT + b"x", b"", CONTENT.replace(b"twice", b"Twice")])
def test_a_damaged_copy_is_fetched_anew(damage: bytes) -> None:
    """The next use detects any damage."""
    data = made_data()
    path = get_data(data, fetch=giving(CONTENT))
    path.write_bytes(damage)

    assert not is_here(data)
    assert get_data(data, fetch=giving(packed())).read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file is in place of the folder: the error names the variable for another folder."""
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(
        RunError, match=r"own-twice cannot be stored in .*Not a directory|File exists"
    ) as caught:
        get_data(made_data(), fetch=giving(CONTENT))

    assert caught.value.hint == "BENCHWRIGHT_CACHE=FOLDER sets another folder for stored data"


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The incomplete file is removed."""

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="No space left on device"):
        get_data(made_data(), fetch=giving(CONTENT))

    assert kept_names(tmp_path) == []


def fetch_often(data: NamedData, cache: str) -> None:
    """Fetch and drop repeatedly, as a concurrent process does."""
    os.environ["BENCHWRIGHT_CACHE"] = cache
    for _ in range(40):
        drop_data(data)
        get_data(data, fetch=giving(packed(BOTH)))


BOTH = CONTENT * 1000


def test_processes_beside_each_other(tmp_path: Path) -> None:
    """Two processes fetch and drop the same data set: a reader finds a complete file or none, and no other
    file is left."""
    data = made_data(BOTH, rows=1000)
    cache = str(tmp_path / "cache")
    writers = [get_context("fork").Process(target=fetch_often, args=(data, cache)) for _ in range(2)]
    for each in writers:
        each.start()
    seen = set()
    while any(each.is_alive() for each in writers):
        try:
            seen.add(len(data.place.read_bytes()))
        except FileNotFoundError:
            seen.add(len(BOTH))
    for each in writers:
        each.join()

    assert seen == {len(BOTH)}
    assert [each.exitcode for each in writers] == [0, 0]
    assert kept_names(tmp_path) == [data.place.name]


def test_a_mirror_is_a_file_or_an_address(tmp_path: Path) -> None:
    """Both are verified by the same digest."""
    mirror = tmp_path / "mirror.gz"
    mirror.write_bytes(packed())
    asked: list[str] = []
    data = made_data()

    assert get_data(data, mirror=str(mirror), fetch=nothing).read_bytes() == CONTENT
    drop_data(data)
    assert get_data(data, mirror="http://m/x", fetch=giving(CONTENT, asked)).read_bytes() == CONTENT
    assert asked == ["http://m/x"]


@pytest.mark.parametrize("name", ["nowhere.jsonl", "a\0b", "."])
def test_a_mirror_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    """A missing file, an invalid name, a folder."""
    with pytest.raises(UsageError, match="cannot be read"):
        get_data(made_data(), mirror=str(tmp_path / name) if name != "a\0b" else name)


def test_a_mirror_that_cannot_be_reached() -> None:
    """The user's own address."""
    with pytest.raises(RunError, match="http://m/x cannot be downloaded: Name or service not known"):
        get_data(made_data(), mirror="http://m/x", fetch=nothing)


def test_a_path_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An existing file of that name is used."""
    monkeypatch.chdir(tmp_path)
    assert is_name("humaneval")
    assert place("humaneval") == "humaneval"
    (tmp_path / "humaneval").write_bytes(CONTENT)

    assert not is_name("humaneval")
    assert [row.data["task_id"] for row in open_rows("humaneval")] == ["Own/0"]


@pytest.mark.parametrize("source", [Path("humaneval"), "humaneval.jsonl", "", "./humaneval"])
def test_what_is_no_name(source: str | Path) -> None:
    """A path object is always a path."""
    assert not is_name(source)


def test_unknown_names() -> None:
    """The error has the nearest name, or the command that lists all."""
    with pytest.raises(UsageError, match="unknown data set: 'human-eval'") as caught:
        find_data("human-eval")
    with pytest.raises(UsageError) as far:
        find_data("qqq")

    assert caught.value.hint == "did you mean `humaneval`?"
    assert far.value.hint == "benchwright data list"
    assert (nearest_name("MBPP"), nearest_name("zzzz")) == ("did you mean `mbpp`?", "")


def test_a_slip_in_data_is_told_with_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--data mbpp+` looks for a file; the hint has the name."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no file at mbpp-plsu") as caught:
        place("mbpp-plsu")

    assert caught.value.hint == "did you mean `mbpp-plus`?"


def test_names_are_read_through_one_door(tmp_path: Path) -> None:
    """Rows and hash of a name are those of its file."""
    data = made_data()
    with only_known(tmp_path / "cache", data):
        get_data(find_data("own-twice"), fetch=giving(packed()))

        assert data_hash("own-twice") == data.sha256
        assert [row.data["entry_point"] for row in open_rows("own-twice")] == ["twice"]
