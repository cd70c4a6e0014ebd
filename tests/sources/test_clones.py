"""Reading clones: only from the object database, with a reason for every fault."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from benchwright.sources import clones
from benchwright.sources.clones import Clone, CloneError, TextError, is_clone
from kit.made_repositories import commit, repository


def _texts(clone: Clone) -> dict[str, str]:
    return {file.path: clone.text(file, limit=1000) for file in clone.files()}


def _reason(path: Path, **options: str) -> str:
    with pytest.raises(CloneError) as caught:
        list(Clone(path, **options).files())
    assert str(path) in caught.value.message

    return caught.value.reason


@pytest.mark.parametrize("bare", [False, True])
def test_the_files_of_head(tmp_path: Path, bare: bool) -> None:
    """Every regular file of the newest commit, whatever the content of the work tree."""
    path = repository(tmp_path / "r", {"a.py": "x = 1\r\n", "deep/er/b.go": "package b\n"}, bare=bare)
    (path / "stray.py").write_text("never committed")
    clone = Clone(path)

    assert _texts(clone) == {"a.py": "x = 1\r\n", "deep/er/b.go": "package b\n"}
    assert (len(clone.commit), clone.committed_at) == (40, "2023-11-14T22:13:20+00:00")


def test_an_older_commit(tmp_path: Path) -> None:
    """A commit by its id; the clone's HEAD is then ignored."""
    path = repository(tmp_path / "r", {"a.py": "old"})
    first = Clone(path).commit
    commit(pygit2.Repository(str(path)), {"a.py": "new"})

    assert (_texts(Clone(path, commit=first)), _texts(Clone(path))) == ({"a.py": "old"}, {"a.py": "new"})


def test_links_lead_nowhere(tmp_path: Path) -> None:
    """A symbolic link is not a file, whatever its target."""
    path = repository(tmp_path / "r", {"a.py": "x"})
    commit(pygit2.Repository(str(path)), {"a.py": "x"}, links={"b.py": "/etc/passwd", "c": "a.py"})

    assert _texts(Clone(path)) == {"a.py": "x"}


def test_hooks_and_filters_do_not_act(tmp_path: Path) -> None:
    """Commands in a clone's configuration are not executed, and its attributes are not applied."""
    path = repository(tmp_path / "r", {".gitattributes": "*.py filter=evil eol=crlf\n", "a.py": "x\n"})
    proof = tmp_path / "proof"
    with (path / ".git/config").open("a") as file:
        file.write(f'[filter "evil"]\n\tsmudge = touch {proof}\n[core]\n\tfsmonitor = touch {proof}\n')
    texts = _texts(Clone(path))

    assert (texts["a.py"], proof.exists()) == ("x\n", False)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"caf\xe9 = 1\n", "not_utf8"), (b"x\0y", "binary"), (b"x" * 1001, "too_large")],
)
def test_what_is_no_source_text(tmp_path: Path, data: bytes, reason: str) -> None:
    """Latin-1, binary and huge files are reported, not repaired."""
    clone = Clone(repository(tmp_path / "r", {"a.py": data}))
    (file,) = clone.files()
    with pytest.raises(TextError) as caught:
        clone.text(file, limit=1000)

    assert (caught.value.reason, "r:a.py" in caught.value.message) == (reason, True)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    """Some editors write one; parsers refuse it."""
    clone = Clone(repository(tmp_path / "r", {"a.py": b"\xef\xbb\xbfx = 1\n"}))

    assert _texts(clone) == {"a.py": "x = 1\n"}


def test_an_empty_clone(tmp_path: Path) -> None:
    """A repository without a commit."""
    pygit2.init_repository(str(tmp_path / "r"))

    assert _reason(tmp_path / "r") == "empty"


def test_a_head_that_names_nothing(tmp_path: Path) -> None:
    """HEAD may name a missing branch although there are commits."""
    path = repository(tmp_path / "r", {"a.py": "x"})
    made = pygit2.Repository(str(path))
    made.create_reference("refs/heads/other", made.head.target)
    (path / ".git/HEAD").write_text("ref: refs/heads/gone\n")

    assert _reason(path) == "no_head"


def test_no_clone_at_all(tmp_path: Path) -> None:
    """A folder inside of a clone is not that clone."""
    path = repository(tmp_path / "r", {"a.py": "x"})
    (path / "below").mkdir()

    assert (_reason(path / "below"), _reason(tmp_path / "nothing")) == ("no_clone", "no_clone")


def test_a_commit_that_is_not_there(tmp_path: Path) -> None:
    """A list may have a commit that a shallow clone lacks."""
    assert _reason(repository(tmp_path / "r", {"a.py": "x"}), commit="0" * 40) == "no_commit"


def test_a_damaged_clone(tmp_path: Path) -> None:
    """A missing object is reported, with the command that inspects the clone."""
    path = repository(tmp_path / "r", {"deep/a.py": "x"})
    made = pygit2.Repository(str(path))
    tree = str(made[made.head.peel(pygit2.Commit).tree["deep"].id].id)
    (path / ".git/objects" / tree[:2] / tree[2:]).unlink()

    assert _reason(path) == "damaged"


def test_a_partial_clone(tmp_path: Path) -> None:
    """A missing file does not affect the others."""
    path = repository(tmp_path / "r", {"a.py": "x", "b.py": "y"})
    blob = next(file.blob for file in Clone(path).files() if file.path == "a.py")
    (path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    clone = Clone(path)
    gone, there = clone.files()
    with pytest.raises(TextError) as caught:
        clone.text(gone, limit=100)

    assert (caught.value.reason, clone.text(there, limit=100)) == ("damaged", "y")


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of entries is limited."""
    monkeypatch.setattr(clones, "MAX_FILES", 2)
    path = repository(tmp_path / "r", {f"{number}.py": "x" for number in range(3)})

    assert _reason(path) == "too_many_files"


@pytest.mark.parametrize(
    ("address", "remote"),
    [
        ("https://user:secret@example.org/a/b.git", "https://example.org/a/b.git"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        (None, ""),
    ],
)
def test_the_remote_has_no_password(tmp_path: Path, address: str | None, remote: str) -> None:
    """The clone's address is written to a published manifest."""
    path = repository(tmp_path / "r", {"a.py": "x"})
    if address:
        pygit2.Repository(str(path)).remotes.create("origin", address)

    assert Clone(path).remote == remote


def test_what_looks_like_a_clone(tmp_path: Path) -> None:
    """Bare or not; a folder of clones is none."""
    repository(tmp_path / "one", {"a": "x"})
    repository(tmp_path / "two", {"a": "x"}, bare=True)

    assert [is_clone(path) for path in (tmp_path / "one", tmp_path / "two", tmp_path)] == [True, True, False]
