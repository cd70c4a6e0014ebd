"""The history of a clone as events: content of commits and references, and a reason for every gap."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from benchwright.records import Drop
from benchwright.sources import history_walk
from benchwright.sources.clones import CloneError
from benchwright.sources.events import FilePatch, RepoEvent
from benchwright.sources.git_history import GitHistory
from benchwright.sources.history_records import WalkLimits
from kit.made_histories import FILE, START, SUBMODULE, WHO, HistoryMaker


class NamedPeople:
    """A cleaner that marks its replacements."""

    def text(self, text: str) -> str:
        """Return the text without one word."""
        return text.replace("hunter2", "<secret>")

    def person(self, identity: str) -> str:
        """Return a pseudonym that shows the identity."""
        return f"p({identity})"


class Mined(NamedTuple):
    """All results of a clone."""

    events: list[RepoEvent]
    patches: list[FilePatch]
    drops: list[Drop]

    @property
    def gaps(self) -> dict[str, int]:
        """Return the drops by reason."""
        return dict(Counter(each.reason for each in self.drops))

    def commit(self, sha: str) -> RepoEvent:
        """Return the event of a commit."""
        [found] = [each for each in self.events if each.id == f"git:own/repo:commit:{sha}"]
        return found

    def kinds(self) -> dict[str, int]:
        """Return the events by kind."""
        return dict(Counter(each.kind for each in self.events))


def mined(path: Path, *, known: tuple[str, ...] = (), pulls: bool = True, **limits: int) -> Mined:
    """Mine a clone."""
    history = GitHistory("own/repo", path, "MIT", pulls=pulls, limits=WalkLimits(**limits))
    found = list(history.new_events(NamedPeople(), known=known))
    return Mined(
        [each for each in found if isinstance(each, RepoEvent)],
        [each for each in found if isinstance(each, FilePatch)],
        [each for each in found if isinstance(each, Drop)],
    )


@pytest.fixture
def made(tmp_path: Path) -> HistoryMaker:
    """Return an empty bare repository."""
    return HistoryMaker(tmp_path / "clone")


def test_a_commit_with_its_files(made: HistoryMaker) -> None:
    """Statuses, counts, parents, people, and the changes of each file."""
    first = made.commit({"a.py": "x = 1\n", "old.md": "# Old\n\nSome text.\n", "gone.txt": "x\n"})
    files = {"a.py": '"""Text."""\n\nx = 1  # one\n# note\n', "docs/new.md": "# Old\n\nSome text.\n"}
    message = (
        "Change all (#12)\n\nFixes: 87da1ef3\nReviewed-by: Bob <bob@example.org>\nGenerated-by: Tool 3\n"
    )
    second = made.commit(files, first, message=message)
    made.point("refs/heads/main", second)

    found = mined(made.path)
    event = found.commit(second)

    changed = {each.path: each for each in event.files}
    assert {path: each.status for path, each in changed.items()} == {
        "a.py": "modified",
        "docs/new.md": "renamed",
        "gone.txt": "deleted",
    }
    assert (changed["a.py"].added, changed["a.py"].removed, changed["a.py"].language) == (4, 1, "Python")
    parts = ("code_changed", "comments_changed", "docstrings_changed", "documentation_changed")
    assert [getattr(changed["a.py"], part) for part in parts] == [True, True, True, False]
    assert (changed["docs/new.md"].old_path, changed["docs/new.md"].documentation_changed) == ("old.md", True)
    assert (event.heads, event.actor, event.tool) == ([first], "p(ada@example.org)", "Tool 3")
    assert event.cites == ["own/repo#12", "commit:87da1ef3"]
    assert "Reviewed-by: p(bob@example.org)" in event.text
    assert "Bob" not in event.text
    assert [each.patch for each in found.patches if each.path == "gone.txt" and each.sha == second] == [
        "@@ -1 +0,0 @@\n-x\n"
    ]
    assert found.drops == []


def test_events_of_references(made: HistoryMaker) -> None:
    """Heads of pull requests are pushes, tags releases; the default branch has no event."""
    first, second, third, fourth = made.line(4)
    made.point("refs/heads/main", second)
    made.point("refs/heads/stable", first)
    made.point("refs/pull/7/head", third)
    made.point("refs/pull/7/merge", fourth)
    made.point("refs/changes/34/1234/2", third)
    made.point("refs/tags/v1", first)

    found = mined(made.path)
    events = {each.kind: each for each in found.events if each.kind not in ("commit", "push")}
    pushes = {each.pull: each for each in found.events if each.kind == "push"}

    assert found.kinds() == {"commit": 3, "branch": 1, "push": 2, "release": 1}  # not the platform's merge
    assert (events["branch"].subject, events["branch"].heads) == ("branch:stable", [first])
    assert (events["release"].state, events["release"].heads) == ("v1", [first])
    assert {pull: each.heads for pull, each in pushes.items()} == {"pull:7": [third], "change:1234": [third]}
    assert pushes["change:1234"].state == "2"
    assert mined(made.path, pulls=False).kinds() == {"commit": 2, "branch": 1, "release": 1}


def test_merges_roots_and_reverts(made: HistoryMaker) -> None:
    """A merge lists no files, also with three parents; each root lists all of its files."""
    roots = [made.commit({f"{name}.py": "x = 1\n"}) for name in "abc"]
    everything = {f"{name}.py": "x = 1\n" for name in "abc"}
    octopus = made.commit(everything, *roots, message="Merge pull request #3 from ada/topic")
    revert = made.commit({}, octopus, message=f'Revert "x"\n\nThis reverts commit {octopus}.')
    made.point("refs/heads/main", revert)

    found = mined(made.path)

    assert found.kinds() == {"commit": 5, "merge": 1, "revert": 1}
    assert [len(found.commit(sha).files) for sha in (*roots, octopus, revert)] == [1, 1, 1, 0, 3]
    assert found.commit(octopus).heads == roots
    assert found.commit(octopus).text == "Merge pull request #3 from p(ada)/topic"
    [reverted] = [each for each in found.events if each.kind == "revert"]
    assert reverted.cites == [f"commit:{octopus}"]


def test_only_new_commits_are_read(made: HistoryMaker) -> None:
    """Commits with known events are not read again, and the others equal those of a first call."""
    made.point("refs/heads/main", made.line(5)[-1])
    everything = mined(made.path)
    known = tuple(each.id for each in everything.events[:3])

    found = mined(made.path, known=known)

    assert [*everything.events[:3], *found.events] == everything.events
    assert len(found.patches) == len(everything.patches) - 4  # the first commit has two files


def test_shallow_and_partial_clones(made: HistoryMaker) -> None:
    """A missing parent, a missing blob and a missing head are gaps; everything else is read."""
    shas = made.line(3)
    lost = made.commit({"lost.py": "y = 2\n"}, shas[2])
    head = made.commit({"lost.py": "y = 3\n", "kept.py": "z = 1\n"}, lost)
    orphan = made.commit({"b.py": "1\n"})
    made.point("refs/heads/main", head)
    made.point("refs/pull/9/head", orphan)
    made.forget(orphan)
    made.forget(shas[0])
    blob = str(made.repository[lost].tree["lost.py"].id)
    made.forget(blob)

    found = mined(made.path)

    assert found.gaps == {
        "lost_head": 1,
        "missing_parent": 1,
        "missing_commit": 1,
        "missing_object": 2,
        "renames_not_searched": 1,
    }
    assert found.kinds() == {"commit": 4}
    assert [(each.path, each.added) for each in found.commit(head).files] == [
        ("kept.py", 1),
        ("lost.py", None),
    ]


def test_submodules_and_binary_files(made: HistoryMaker) -> None:
    """Both are listed without lines."""
    inner = "1" * 40
    first = made.commit(made.tree({"a.bin": b"\0\1\2", "a.py": "1\n"}, named={"lib": (SUBMODULE, inner)}))
    made.point("refs/heads/main", first)

    found = mined(made.path)

    files = {each.path: each for each in found.commit(first).files}
    assert found.gaps == {"submodule": 1, "binary": 1}
    assert [(path, each.added, each.blob) for path, each in files.items() if path != "a.bin"] == [
        ("a.py", 1, str(made.repository[first].tree["a.py"].id)),
        ("lib", None, inner),
    ]
    assert [each.path for each in found.patches] == ["a.py"]


def test_bytes_that_are_not_utf8(made: HistoryMaker) -> None:
    """Invalid bytes in names, messages, people and texts are escaped; a stated encoding is used."""
    first = made.commit({b"caf\xe9.txt": b"caf\xe9\n"}, message=b"caf\xe9", who=b"\xe9 <e@example.org>")
    second = made.commit({}, first, message=b"caf\xe9", encoding="latin-1")
    made.point("refs/heads/main", second)

    found = mined(made.path)

    assert found.gaps == {"message_not_utf8": 1, "name_not_utf8": 2, "patch_not_utf8": 2}
    assert [found.commit(sha).text for sha in (first, second)] == ["caf\\xe9", "café"]
    assert found.patches[0].path == "caf\\xe9.txt"
    assert "+caf\\xe9" in found.patches[0].patch


def test_odd_dates(made: HistoryMaker) -> None:
    """Dates before 1970 are times; an invalid date is a gap, and the commit is kept."""
    old = made.commit({"a": "1\n"}, time=-DAYS_30)
    never = made.commit({"a": "2\n"}, old, time=1 << 60)
    made.point("refs/heads/main", never)

    found = mined(made.path)

    assert (found.commit(old).at, found.commit(never).at) == ("1969-12-02T00:00:00Z", "")
    assert found.gaps == {"invalid_date": 1}


DAYS_30 = 30 * 86_400


def test_a_blob_of_200_megabytes(made: HistoryMaker) -> None:
    """It is listed without lines and never loaded: the child has less memory than that."""
    blob = made.large_blob(200_000_000)
    first = made.commit({"a.py": "1\n"})
    tree = made.tree({"a.py": "1\n"}, named={"large.txt": (FILE, blob)})
    second = made.commit(tree, first)
    third = made.commit(made.tree({"b.py": "1\n"}, named={"moved.txt": (FILE, blob)}), second)
    made.point("refs/heads/main", third)

    found = mined(made.path, memory=300 << 20)

    assert found.gaps == {"large_file": 3, "renames_not_searched": 1}
    assert [(each.path, each.added) for each in found.commit(second).files] == [("large.txt", None)]
    assert [each.path for each in found.patches if each.sha == third] == ["a.py", "b.py"]


def test_limits_of_a_commit(made: HistoryMaker) -> None:
    """Surplus files, longer patches and longer messages are left out with a reason."""
    files = {f"{number:02}.txt": f"{number} {'x' * 500}\n" for number in range(12)}
    first = made.commit(files, message="x" * 3000)
    made.point("refs/heads/main", first)

    found = mined(made.path, commit_files=10, commit_bytes=1500, message_bytes=1000)

    assert found.gaps == {"many_files": 1, "large_commit": 1, "large_message": 1}
    assert (len(found.commit(first).files), len(found.patches)) == (10, 3)
    assert len(found.commit(first).text) == 1000
    assert mined(made.path, patch_bytes=100).gaps == {"large_patch": 12}


def test_a_history_that_is_too_long(made: HistoryMaker) -> None:
    """The limit on commits is a gap."""
    made.point("refs/heads/main", made.line(5)[-1])

    found = mined(made.path, commits=3)

    assert (found.gaps, found.kinds()) == ({"too_many_commits": 1}, {"commit": 3})


def test_secrets_do_not_pass(made: HistoryMaker) -> None:
    """Messages, patches, paths and tags are cleaned."""
    first = made.commit({"hunter2.py": "password = 'hunter2'\n"}, message="Use hunter2")
    made.point("refs/heads/main", first)
    made.point("refs/tags/hunter2", first)

    assert "hunter2" not in repr([*mined(made.path)])


_DYING = """
import sys
from benchwright.sources.history_records import *
import msgspec
from benchwright.sources.history_walk_child import _send
wish = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=WalkRequest)
who = Identity("Ada", "ada@example.org", 0)
for number in range(4):
    sha = str(number) * 40
    if sha in wish.known:
        continue
    _send(WalkedCommit(sha, [], who, who, "Text", []))
    if number in DEADLY:
        sys.stdout.flush()
        raise SystemExit("died")
    _send(WalkedFiles(sha, [], []))
_send(WalkSummary(4, []))
"""


def test_a_commit_that_kills_the_reader(made: HistoryMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit is kept with a gap, and another child reads the rest."""
    made.point("refs/heads/main", made.line(1)[-1])
    program = _DYING.replace("DEADLY", "(1, 3)").replace(
        'raise SystemExit("died")', "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    )
    monkeypatch.setattr(history_walk, "_CHILD", (sys.executable, "-c", program))

    found = mined(made.path)

    assert (found.gaps, found.kinds()) == ({"reader_died": 2}, {"commit": 4})


def test_a_reader_that_fails(made: HistoryMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history that cannot be read at all is an error with the reason."""
    made.point("refs/heads/main", made.line(1)[-1])
    for program, reason in (
        ("raise SystemExit('no such pack')", "no such pack"),
        ("import os; os._exit(0)", "died"),
    ):
        monkeypatch.setattr(history_walk, "_CHILD", (sys.executable, "-c", program))
        with pytest.raises(CloneError, match=reason):
            mined(made.path)


def test_times_are_those_of_the_committer(made: HistoryMaker) -> None:
    """Events are sorted by the committer's time and the id."""
    shas = made.line(3)
    late = made.commit({"a": "1\n"}, shas[-1], time=START - 5)
    made.point("refs/heads/main", late)

    commits = [each for each in mined(made.path).events if each.kind == "commit"]

    assert commits[0].subject == f"commit:{late}"
    assert [each.at for each in commits] == sorted(each.at for each in commits)
    assert WHO.decode() not in repr(commits)
