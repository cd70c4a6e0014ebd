"""Names in a clone, read from its files: the same as git's, and no other file is opened."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.clones import Clone, CloneError
from benchwright.sources.git_folder import References, remote_address
from kit.made_repositories import commit, repository

_ADDRESS = st.text(st.characters(codec="ascii", min_codepoint=0x20), min_size=1).map(str.strip).filter(bool)


@pytest.fixture
def made(tmp_path: Path) -> pygit2.Repository:
    """Return three commits, two branches, a tag of each kind, and a remote branch."""
    made = pygit2.Repository(str(repository(tmp_path / "r", {"a.py": "1"})))
    first = commit(made, {"a.py": "2"})
    made.create_branch("beside/other", made[first])
    made.create_reference("refs/tags/light", first)
    who = pygit2.Signature("Nobody", "nobody@example.org", 1, 0)
    made.create_tag("heavy", first, pygit2.enums.ObjectType.COMMIT, who, "said")
    commit(made, {"a.py": "3"})
    made.create_reference("refs/remotes/origin/main", made.head.target)
    made.references.create("refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    return made


NAMES = [
    "HEAD",
    "beside/other",
    "light",
    "heavy",
    "refs/tags/light",
    "heads/beside/other",
    "origin",
    "origin/main",
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", [*NAMES, "HEAD~1", "light^{commit}", "heavy~1", "HEAD^"])
def test_names_are_what_git_makes_of_them(made: pygit2.Repository, name: str, packed: bool) -> None:
    """Branches, tags, remote branches and suffixes of a name, loose and packed."""
    if packed:
        made.compress_references()
    expected = made.revparse_single(name).peel(pygit2.Commit).id

    assert Clone(Path(made.workdir), commit=name).commit == str(expected)


def test_the_beginning_of_an_id(made: pygit2.Repository) -> None:
    """It must be unique."""
    whole = str(made.head.target)

    assert Clone(Path(made.workdir), commit=whole[:12]).commit == whole


def test_an_id_is_no_branch(made: pygit2.Repository) -> None:
    """A branch with the name of another commit's id does not replace it."""
    old = str(made.revparse_single("HEAD~1").id)
    (Path(made.path) / "refs/heads" / old).write_text(f"{made.head.target}\n")

    assert Clone(Path(made.workdir), commit=old).commit == old


@pytest.mark.parametrize(
    "name",
    ["gone", "", "..", "../config", "/etc/passwd", "config", "a\0b", "HEAD:a.py", "--upload-pack", "~"],
)
def test_what_is_no_name(made: pygit2.Repository, name: str) -> None:
    """Such a name is not opened as a file, and is reported as no commit."""
    with pytest.raises(CloneError) as caught:
        Clone(Path(made.workdir), commit=name)

    assert caught.value.reason == "no_commit"


def test_names_that_stand_for_each_other(made: pygit2.Repository) -> None:
    """Two symbolic references in a circle are invalid."""
    heads = Path(made.path) / "refs/heads"
    (heads / "one").write_text("ref: refs/heads/two\n")
    (heads / "two").write_text("ref: refs/heads/one\n")

    assert References(Path(made.path)).named("one") is None


@given(address=_ADDRESS)
def test_addresses_come_back(address: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """An address is read as the library wrote it."""
    folder = tmp_path_factory.mktemp("config")
    config = pygit2.Config(str(folder / "config"))
    config["remote.origin.url"] = address

    assert remote_address(folder) == address


@given(text=st.text())
def test_any_configuration_is_read(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """For any content there is an address or none, and no error."""
    folder = tmp_path_factory.mktemp("config")
    (folder / "config").write_text(text, "utf-8", errors="replace")

    assert isinstance(remote_address(folder), str)


@pytest.mark.parametrize(
    "text",
    [
        '[remote "origin"]\n url = https://example.org/a\n',
        '[Remote "origin"] url = https://example.org/a # a remark\n',
        '[core]\n\tbare\n[remote "other"]\nurl=b\n[remote "origin"]\n\tURL="https://example.org/a" ; x\n',
    ],
)
def test_forms_of_a_configuration(tmp_path: Path, text: str) -> None:
    """Sections and keys in any case, a key next to its section, quotes, comments."""
    (tmp_path / "config").write_text(text)

    assert remote_address(tmp_path) == "https://example.org/a"
