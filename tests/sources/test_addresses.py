"""Places of clones: folders, folders of clones, lists, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.sources.clones import Clone
from benchwright.sources.repositories import RepositoryAddress, clone_places, fetch_clone, folder_name
from kit.made_repositories import repository


def _two(folder: Path) -> Path:
    repository(folder / "one", {"a.py": "x"})
    repository(folder / "two", {"a.py": "y"}, bare=True)
    (folder / "three").mkdir()
    return folder


def test_a_clone_and_a_folder_of_clones(tmp_path: Path) -> None:
    """A folder stands for the clones in it, and each is listed once."""
    folder = _two(tmp_path)
    found = [place.where for place in clone_places([str(folder / "two"), str(folder)])]

    assert found == [str(folder / "two"), str(folder / "one")]


def test_a_folder_without_clones(tmp_path: Path) -> None:
    """It stays a place, so that reading it fails, and is reported and counted."""
    assert list(clone_places([str(tmp_path)])) == [RepositoryAddress(str(tmp_path))]


def test_a_list(tmp_path: Path) -> None:
    """Folders are relative to the list's folder; addresses are unchanged; commits, comments and blank lines
    work."""
    path = _two(tmp_path) / "list.txt"
    path.write_text("# ours\none\n\ntwo 0123abc # old\nhttps://example.org/a/b.git\n")

    assert list(clone_places([str(path)])) == [
        RepositoryAddress(str(tmp_path / "one")),
        RepositoryAddress(str(tmp_path / "two"), "0123abc"),
        RepositoryAddress("https://example.org/a/b.git"),
    ]


def test_a_list_with_too_many_words(tmp_path: Path) -> None:
    """The error has file and line."""
    path = tmp_path / "list.txt"
    path.write_text("one\ntwo 0123abc more\n")

    with pytest.raises(DataError, match=r"list\.txt:2: more than two words on a line"):
        list(clone_places([str(path)]))


def test_nothing_there(tmp_path: Path) -> None:
    """A typing error in a name is a usage error, not a repository without tests."""
    with pytest.raises(UsageError, match="not a clone and not a list of clones:"):
        list(clone_places([str(tmp_path / "nothing")]))


def test_an_address_is_cloned_once(tmp_path: Path) -> None:
    """The clone is bare, below the folder, and used again the second time."""
    address = repository(tmp_path / "one", {"a.py": "x"}).as_uri()
    first = fetch_clone(RepositoryAddress(address), tmp_path / "clones")
    stamp = first.stat().st_ino
    second = fetch_clone(RepositoryAddress(address), tmp_path / "clones")

    assert (first, second.stat().st_ino, first.parent) == (second, stamp, tmp_path / "clones")
    assert [file.path for file in Clone(first).files()] == ["a.py"]


def test_a_folder_is_used_where_it_lies(tmp_path: Path) -> None:
    """It is not copied."""
    assert fetch_clone(RepositoryAddress(str(tmp_path)), tmp_path / "clones") == tmp_path


def test_an_address_that_fails(tmp_path: Path) -> None:
    """No incomplete clone is left."""
    with pytest.raises(DataError, match="cannot be cloned"):
        fetch_clone(RepositoryAddress((tmp_path / "nothing").as_uri()), tmp_path / "clones")

    assert list((tmp_path / "clones").iterdir()) == []


@pytest.mark.parametrize("address", ["ssh://example.org/a", "ext://sh -c id", "http://example.org/a"])
def test_addresses_that_are_not_cloned(tmp_path: Path, address: str) -> None:
    """Only encrypted addresses and files of this machine are allowed; nothing may start a program."""
    with pytest.raises(DataError, match="address scheme not supported"):
        fetch_clone(RepositoryAddress(address), tmp_path / "clones")


def test_an_address_that_is_none(tmp_path: Path) -> None:
    """A text that is no URL is refused like a scheme that is not supported."""
    with pytest.raises(DataError, match="is not an address"):
        fetch_clone(RepositoryAddress("https://[example.org/a"), tmp_path)


@pytest.mark.parametrize(
    ("address", "begins"),
    [
        ("https://example.org/acme/sums.git", "sums-"),
        ("https://example.org/", "repository-"),
        ("https://example.org/a/..", "..-"),
        ("https://example.org/a/b%2f\u202e;rm", "b_2f__rm-"),
    ],
)
def test_folders_of_addresses(address: str, begins: str) -> None:
    """One plain name below the folder of clones, for any address."""
    name = folder_name(RepositoryAddress(address))

    assert (name.startswith(begins), "/" in name, len(name)) == (True, False, len(begins) + 8)


def test_a_folder_for_each_commit() -> None:
    """A clone has only the requested commit, so another commit is another clone."""
    address = "https://example.org/acme/sums.git"

    assert (
        len({folder_name(RepositoryAddress(address, commit)) for commit in (None, "0123abc", "4567def")}) == 3
    )
