"""A small release of the alignment recipe, made from records: two repositories, one of them in the test
split."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.alignment.records import (
    DevelopmentTrajectory,
    EvidenceLink,
    Feedback,
    Iteration,
    LineRange,
)
from benchwright.sources.events import FilePatch, FileVersion, RepoEvent

REPO, OTHER = "ours/scales", "ours/held"
FIRST, FIX, DOCS = "a" * 40, "b" * 40, "c" * 40
HUNK = "@@ -1,2 +1,3 @@\n import os\n+import sys\n def weigh(x):"
# The answering change removes the line of the remark.
FIX_PATCH = "@@ -1,3 +1,2 @@\n import os\n-import sys\n def weigh(x):\n"
FIRST_PATCH = "@@ -1,2 +1,3 @@\n import os\n+import sys\n def weigh(x):\n"
DOCS_PATCH = "@@ -2,2 +2,3 @@\n def weigh(x):\n+    # The unit is grams.\n     return x\n"


def event(kind: str, number: int, **parts: Any) -> RepoEvent:
    """Return an event of the training repository."""
    given: dict[str, Any] = {
        "id": f"git:{REPO}:{kind}:{number}",
        "repo": REPO,
        "kind": kind,
        "at": f"2024-03-{number:02}T10:00:00Z",
        "subject": f"{kind}:{number}",
        "source": "git",
        "source_id": str(number),
        "licence": "MIT",
        "actor": "p1",
    }
    return RepoEvent(**{**given, **parts})


def commit(number: int, sha: str, text: str, **file: Any) -> RepoEvent:
    """Return a commit that changes one file."""
    version = FileVersion(**{"path": "scales.py", "status": "modified", "language": "Python", **file})
    return event("commit", number, subject=f"commit:{sha}", text=text, files=[version], heads=[FIRST])


def remark(number: int, text: str, **parts: Any) -> Feedback:
    """Return a remark on line 2 of the first change."""
    given: dict[str, Any] = {
        "id": f"github:{REPO}:remark:{number}",
        "repo": REPO,
        "kind": "remark",
        "at": f"2024-03-{number:02}T11:00:00Z",
        "actor": "p2",
        "role": "member",
        "text": text,
        "path": "scales.py",
        "commit": FIRST,
        "first": 2,
        "last": 2,
        "hunk": "@@ -1,2 +1,3 @@\n import os\n+import sys",
    }
    return Feedback(**{**given, **parts})


def link(number: int, state: str = "answered", rung: int | None = 3, **parts: Any) -> EvidenceLink:
    """Return a link from the remark of the same number to the fix."""
    given: dict[str, Any] = {
        "id": f"link:{number}",
        "repo": REPO,
        "state": state,
        "rung": rung,
        "source": f"github:{REPO}:remark:{number}",
        "target": f"commit:{FIX}",
        "after": LineRange(commit=FIX, path="scales.py", first=2, last=1),
    }
    return EvidenceLink(**{**given, **parts})


def events() -> list[RepoEvent]:
    """Return two commits and one with a comment, an issue with an answer, a pull request, and a session."""
    edit = FileVersion(path="scales.py", status="modified")
    session = {"pull": "session:1", "subject": "session:1"}
    return [
        commit(1, FIRST, "Weigh things by their mass\n\nSigned-off-by: p1", code_changed=True),
        commit(2, FIX, "Remove an import that nothing uses", code_changed=True),
        commit(3, DOCS, "Say which unit it is in", comments_changed=True),
        commit(4, "d" * 40, "wip", code_changed=True),
        event("issue_opened", 5, subject="issue:1", text="Which unit does `weigh` return?"),
        event("comment", 6, parents=["issue:1"], text="Grams: see the docs.", role="owner", actor="p3"),
        event("comment", 7, parents=["issue:1"], text="I wonder too.", role="none", actor="p4"),
        event(
            "pull_opened", 8, subject="pull:1", pull="pull:1", text="Weigh things", heads=["0" * 40, FIRST]
        ),
        event("comment", 9, **session, text="Make the tests pass."),
        event("command", 10, **session, text="$ pytest -q\n1 failed", state="exit 1", tool="shell"),
        event("code_written", 11, **session, files=[edit], text="-    return 0\n+    return x"),
        event("test_result", 12, **session, text="$ pytest -q\n1 passed", state="passed"),
    ]


def drafts(guard: str = "") -> list[RepoEvent]:
    """Return a session of a build: a failed draft, then one that passed."""
    session = {"pull": "session:b/1", "subject": "session:b/1", "source": "runs", "guard": guard}
    return [
        event("issue_opened", 16, **session, text="Write the function f."),
        event("code_written", 17, **session, text="def f(x):\n    return y\n"),
        event("test_result", 18, **session, text="y is not defined", state="failed"),
        event("code_written", 19, **session, text="def f(x):\n    return x\n"),
        event("test_result", 20, **session, state="passed"),
    ]


def feedback() -> list[Feedback]:
    """Return remarks: followed, applied, unchanged, unknown, weak, praised, by a bot, by the author, held
    out."""
    return [
        remark(1, "This import is not used. Remove it."),
        remark(2, "Name it.", kind="suggestion", replacement="import sys as system", path="other.py"),
        remark(3, "Could this be faster?"),
        remark(4, "What about Windows?"),
        remark(5, "Hm."),
        remark(6, "Nice!", category="praise"),
        remark(7, "Coverage fell by 1 %.", bot=True),
        remark(8, "Note to self.", self_made=True),
        remark(9, "Remove it here too.", repo=OTHER),
    ]


def links() -> list[EvidenceLink]:
    """Return a link for each remark except the fourth, the sixth, and those of the bot and the author."""
    return [
        link(1),
        link(2, rung=1, target="commit:" + "e" * 40, after=None),
        link(3, "unchanged", 0, target="", after=None),
        link(4, "unknown", None, target="", after=None),
        link(5, rung=7, weak=True),
        link(9, repo=OTHER),
    ]


def trajectories() -> list[DevelopmentTrajectory]:
    """Return a pull request of two iterations that was merged."""
    steps = [Iteration(head=FIRST, commits=[FIRST]), Iteration(head=FIX, commits=[FIX])]
    first = DevelopmentTrajectory(
        id=f"{REPO}:pull:1", repo=REPO, pull="pull:1", iterations=steps, outcome="merged", licence="MIT"
    )
    single = msgspec.structs.replace(first, id=f"{REPO}:pull:2", pull="pull:2", iterations=steps[:1])
    return [first, single]


def changes() -> list[FilePatch]:
    """Return the patches."""
    patches = {FIRST: FIRST_PATCH, FIX: FIX_PATCH, DOCS: DOCS_PATCH}
    rows = [FilePatch(repo=REPO, sha=sha, path="scales.py", patch=patch) for sha, patch in patches.items()]
    return [*rows, FilePatch(repo=OTHER, sha=FIX, path="scales.py", patch=FIX_PATCH)]


def made_release(folder: Path, **tables: Sequence[Any]) -> Path:
    """Write a release folder; `tables` replace tables of the same name. All rows of the other repository are
    tests."""
    given: dict[str, Sequence[Any]] = {
        "repositories": [{"name": REPO, "licence": "MIT"}, {"name": OTHER, "licence": "MIT"}],
        "events": [*events(), *drafts()],
        "changes": changes(),
        "feedback": feedback(),
        "links": links(),
        "trajectories": trajectories(),
        **tables,
    }
    for name, rows in given.items():
        (folder / "data" / name).mkdir(parents=True)
        packed = (msgspec.json.encode(_with_split(row)) + b"\n" for row in rows)
        (folder / "data" / name / "made.jsonl").write_bytes(b"".join(packed))
    manifest = {"made_by": "tests", "repositories": [REPO, OTHER]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def _with_split(row: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(row)
    return {**plain, "split": "test" if plain.get("repo") == OTHER else "train"}
