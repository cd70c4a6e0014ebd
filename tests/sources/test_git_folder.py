"""A clone that reads from another folder is refused, for any mechanism; its own content is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest

from benchwright.errors import DataError
from benchwright.sources.clones import Clone, CloneError
from benchwright.sources.git_folder import leads_out, lies_in
from benchwright.sources.repositories import RepositoryAddress, clone_places, fetch_clone
from kit.made_repositories import commit, repository
from kit.needs import need

SECRET = "a neighbour's text"


@pytest.fixture
def neighbour(tmp_path: Path) -> Path:
    """Return a neighbouring repository that must not be read."""
    return repository(tmp_path / "neighbour", {"secret.py": SECRET})


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder packed by an untrusted person."""
    return repository(tmp_path / "given", {"a.py": "x"})


def _error(path: Path) -> CloneError:
    with pytest.raises(CloneError) as caught:
        Clone(path)
    assert str(path) in caught.value.message
    return caught.value


def _replace(place: Path, target: Path) -> None:
    if place.exists():
        place.rename(place.with_name(f"{place.name}-old"))
    place.symlink_to(target)


def _gitdir(clone: Path, neighbour: Path) -> None:
    (clone / ".git").rename(clone / "old")
    (clone / ".git").write_text(f"gitdir: {neighbour}/.git\n")


def _borrow(name: str) -> Callable[[Path, Path], None]:
    def borrow(clone: Path, neighbour: Path) -> None:
        place = clone / ".git" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"{neighbour}/.git{'/objects' if 'info' in name else ''}\n")

    return borrow


def _link(name: str) -> Callable[[Path, Path], None]:
    return lambda clone, neighbour: _replace(clone / ".git" / name, neighbour / ".git" / name)


def _link_git(clone: Path, neighbour: Path) -> None:
    _replace(clone / ".git", neighbour / ".git")


def _link_in_two_steps(clone: Path, neighbour: Path) -> None:
    """Link within the folder first, and from there out of it."""
    (clone / ".git/hooks/inner").mkdir(parents=True)
    (clone / ".git/hooks/inner/pack").symlink_to(neighbour / ".git/objects")
    _replace(clone / ".git/objects", clone / ".git/hooks/inner")


def _link_one_object(clone: Path, neighbour: Path) -> None:
    one = next((neighbour / ".git/objects").glob("??/*"))
    place = clone / ".git/objects" / one.parent.name / one.name
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(one)


def _pipe(clone: Path, _: Path) -> None:
    (clone / ".git/refs/heads/pipe").unlink(missing_ok=True)
    os.mkfifo(clone / ".git/refs/heads/pipe")


def _pipe_for_head(clone: Path, _: Path) -> None:
    (clone / ".git/HEAD").unlink()
    os.mkfifo(clone / ".git/HEAD")


@pytest.mark.parametrize(
    ("bend", "named"),
    [
        (_gitdir, "`.git` is a file"),
        (_link_git, "`.git` is a link"),
        (_borrow("commondir"), "`commondir`"),
        (_borrow("objects/info/alternates"), "`objects/info/alternates`"),
        (_borrow("objects/info/http-alternates"), "`objects/info/http-alternates`"),
        (_link("objects"), "`objects` is a link"),
        (_link("objects/pack"), "`objects/pack` is a link"),
        (_link("refs"), "`refs` is a link"),
        (_link("refs/heads"), "`refs/heads` is a link"),
        (_link("HEAD"), "`HEAD` is a link"),
        (_link("config"), "`config` is a link"),
        (_link_in_two_steps, "is a link that leads out"),
        (_link_one_object, "is a link that leads out"),
        (_pipe, "`refs/heads/pipe` is neither"),
        (_pipe_for_head, "`HEAD` is neither"),
    ],
)
def test_what_leads_out_is_refused(
    clone: Path, neighbour: Path, bend: Callable[[Path, Path], None], named: str
) -> None:
    """The error has the reason and the command that makes a safe clone; a pipe does not block it."""
    bend(clone, neighbour)
    error = _error(clone)

    assert (error.reason, named in error.message) == ("leads_out", True)
    assert f"git clone --bare --no-local {clone} NEW" in str(error)


def test_links_within_are_read(clone: Path) -> None:
    """A part of the database may be a link into the same folder, as old versions of git made HEAD one."""
    (clone / ".git/objects").rename(clone / ".git/kept")
    (clone / ".git/objects").symlink_to("kept")
    (clone / ".git/hooks/gone").parent.mkdir(exist_ok=True)
    (clone / ".git/hooks/gone").symlink_to("/nowhere")

    assert [file.path for file in Clone(clone).files()] == ["a.py"]


def test_a_link_that_goes_round(clone: Path) -> None:
    """A folder that contains itself is read once."""
    (clone / ".git/refs/heads/round").symlink_to("..")

    assert leads_out(clone) == ""


def test_a_worktree_is_cloned_first(clone: Path, tmp_path: Path) -> None:
    """The command in the hint works for the owner of a work tree next to its repository."""
    need("git", "makes the clone")
    pygit2.Repository(str(clone)).add_worktree("beside", str(tmp_path / "beside"))
    hint = _error(tmp_path / "beside").hint or ""
    command = hint.partition(": ")[2].replace("NEW", str(tmp_path / "copy"))

    assert os.system(f"{command} 2>{tmp_path}/said") == 0
    assert [file.path for file in Clone(tmp_path / "copy").files()] == ["a.py"]


@pytest.mark.parametrize("include", ["[include]\n\tpath = {}", '[includeIf "gitdir:/"]\n\tpath = {}'])
def test_includes_are_not_followed(clone: Path, tmp_path: Path, include: str) -> None:
    """Settings of another file do not belong to this clone, and a pipe does not block the reader."""
    other = tmp_path / "other"
    other.write_text('[remote "origin"]\n\turl = https://intern.example.org/private.git\n')
    os.mkfifo(tmp_path / "pipe")
    with (clone / ".git/config").open("a") as config:
        config.write(f"{include.format(other)}\n{include.format(tmp_path / 'pipe')}\n")

    assert Clone(clone).remote == ""


def test_settings_of_the_user_do_not_matter(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address is as in the clone, whatever the user's own configuration makes of it."""
    (tmp_path / ".gitconfig").write_text(
        '[url "https://intern.example.org/"]\n\tinsteadOf = https://example.org/\n'
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    pygit2.Repository(str(clone)).remotes.create("origin", "https://example.org/a/b.git")

    assert Clone(clone).remote == "https://example.org/a/b.git"


def test_a_folder_of_clones_with_a_link(clone: Path, neighbour: Path, tmp_path: Path) -> None:
    """In a named folder, a link to a neighbouring repository is refused; if it is named itself, it is read."""
    (tmp_path / "all").mkdir()
    clone.rename(tmp_path / "all/own")
    (tmp_path / "all/other").symlink_to(neighbour)
    (tmp_path / "all/same").symlink_to("own")
    found = {Path(place.where).name: place for place in clone_places([str(tmp_path / "all")])}
    with pytest.raises(CloneError) as caught:
        fetch_clone(found["other"], tmp_path)

    assert (caught.value.reason, sorted(found)) == ("leads_out", ["other", "own", "same"])
    assert fetch_clone(found["same"], tmp_path) == tmp_path / "all/same"
    assert fetch_clone(RepositoryAddress(str(tmp_path / "all/other")), tmp_path) == tmp_path / "all/other"


def test_an_address_of_a_folder(clone: Path, neighbour: Path, tmp_path: Path) -> None:
    """A clone of a file: address follows the same rules."""
    _gitdir(clone, neighbour)
    with pytest.raises(CloneError) as caught:
        fetch_clone(RepositoryAddress(clone.as_uri()), tmp_path / "into")

    assert caught.value.reason == "leads_out"


def test_a_refusal_is_a_fault_of_the_data(clone: Path, neighbour: Path) -> None:
    """The build drops and counts it."""
    _gitdir(clone, neighbour)

    assert isinstance(_error(clone), DataError)


def test_lying_in_a_folder(tmp_path: Path) -> None:
    """A folder contains itself; a name with the same prefix is not inside."""
    (tmp_path / "a").mkdir()
    (tmp_path / "ab").mkdir()

    assert (lies_in(tmp_path / "a", tmp_path / "a"), lies_in(tmp_path / "ab", tmp_path / "a")) == (
        True,
        False,
    )


def test_a_clone_that_goes_on_growing(clone: Path) -> None:
    """Packed objects, packed references and later commits are read like loose ones."""
    made = pygit2.Repository(str(clone))
    commit(made, {"a.py": "x", "b.py": "y"})
    made.pack()
    made.compress_references()

    assert [file.path for file in Clone(clone).files()] == ["a.py", "b.py"]
