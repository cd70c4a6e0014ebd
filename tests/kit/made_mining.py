"""A release with a test split, whose files are in a dictionary: remarks, comments and issues written for the
tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.alignment.records import EvidenceLink, Feedback, LineRange
from benchwright.building.alignment.release_rows import PublishedEvent, PublishedFeedback, PublishedLink
from benchwright.records import Record
from benchwright.sources.events import FileVersion, RepoEvent

REPO, LEARNT = "ours/scales", "ours/learnt"
HEAD, MIDDLE, FIX, NOTED = "1" * 40, "2" * 40, "3" * 40, "4" * 40
OLD = """import os
import sys


def weigh(thing):
    mass = thing.mass
    if mass == None:
        return 0
    return mass * 2


def name(thing):
    return thing.label
"""
NEW = OLD.replace("import sys\n", "").replace("mass == None", "mass is None")
COMMENTED = NEW.replace("    return mass * 2", "    # The scale counts in half units.\n    return mass * 2")
FILES = {
    (REPO, HEAD, "scales.py"): OLD,
    (REPO, MIDDLE, "scales.py"): OLD,
    (REPO, FIX, "scales.py"): NEW,
    (REPO, NOTED, "scales.py"): COMMENTED,
}


def lines_of(files: Mapping[tuple[str, str, str], str] = FILES) -> Any:
    """Return the files as a function of repository, commit and path."""

    def lines(repo: str, commit: str, path: str) -> list[str] | None:
        text = files.get((repo, commit, path))
        return None if text is None else text.removesuffix("\n").split("\n")

    return lines


def remark(number: int, line: int, text: str, **parts: Any) -> Feedback:
    """Return a remark of another person on a line of the file."""
    given: dict[str, Any] = {
        "id": f"github:{REPO}:remark:{number}",
        "repo": REPO,
        "kind": "remark",
        "text": text,
        "path": "scales.py",
        "commit": HEAD,
        "first": line,
        "last": line,
        "category": "request",
    }
    return Feedback(**{**given, **parts})


def answered(number: int, line: int, rung: int = 3, **parts: Any) -> EvidenceLink:
    """Return a link from a remark to the fix."""
    given: dict[str, Any] = {
        "id": f"link:{number}",
        "repo": REPO,
        "state": "answered",
        "rung": rung,
        "method": "line_tracking",
        "source": f"github:{REPO}:remark:{number}",
        "target": f"commit:{FIX}",
        "before": LineRange(commit=MIDDLE, path="scales.py", first=line, last=line),
        "after": LineRange(commit=FIX, path="scales.py", first=line, last=line - 1),
    }
    return EvidenceLink(**{**given, **parts})


def event(kind: str, number: int, **parts: Any) -> RepoEvent:
    """Return an event of the repository."""
    given: dict[str, Any] = {
        "id": f"github:{REPO}:{kind}:{number}",
        "repo": REPO,
        "kind": kind,
        "at": f"2024-03-{number:02}T10:00:00Z",
        "subject": f"{kind}:{number}",
        "source": "github",
        "source_id": str(number),
    }
    return RepoEvent(**{**given, **parts})


def commenting(number: int = 20, **parts: Any) -> RepoEvent:
    """Return the commit that adds a comment."""
    file = {"path": "scales.py", "status": "modified", "comments_changed": True, **parts.pop("file", {})}
    return event(
        "commit",
        number,
        subject=f"commit:{NOTED}",
        heads=[FIX],
        files=[FileVersion(**file)],
        **parts,
    )


def issue() -> list[RepoEvent]:
    """Return an issue with a courtesy, an answer that names the fix, one by an owner, and one by the asker."""
    thread = {"parents": ["issue:7"]}
    return [
        event(
            "issue_opened",
            7,
            subject="issue:7",
            actor="asker",
            text="weigh() fails for feathers\n\nIt returns twice the mass.",
        ),
        event("comment", 8, **thread, actor="fan", text="Thanks!"),
        event("comment", 9, **thread, actor="asker", text="I still see it with the newest version."),
        event(
            "comment", 10, **thread, actor="dev", role="contributor", text="Solved by #12, see there for why."
        ),
        event(
            "comment", 11, **thread, actor="boss", role="owner", text="Half units are meant: divide by two."
        ),
        event("issue_closed", 12, subject="issue:7", cites=["pull:12"]),
    ]


class MadeRecords:
    """Records as a release has them."""

    def __init__(
        self,
        *,
        events: Sequence[RepoEvent] = (),
        feedback: Sequence[Feedback] = (),
        links: Sequence[EvidenceLink] = (),
    ) -> None:
        self._events, self._feedback, self._links = events, feedback, links

    def events(self) -> Sequence[RepoEvent]:
        return self._events

    def feedback(self) -> Sequence[Feedback]:
        return self._feedback

    def links(self) -> Sequence[EvidenceLink]:
        return self._links

    def licence(self, repo: str) -> str:
        return "MIT" if repo == REPO else ""


def release_folder(folder: Path, *, also: str = "train", **tables: Sequence[Record]) -> Path:
    """Write a release whose rows of REPO are in the test split, with one event of LEARNT in the split `also`."""
    published = {"events": PublishedEvent, "feedback": PublishedFeedback, "links": PublishedLink}
    for name, kind in published.items():
        rows = [
            msgspec.convert({**msgspec.to_builtins(each), "split": "test"}, kind)
            for each in tables.get(name, ())
        ]
        if name == "events":
            other = msgspec.to_builtins(event("label", 1, repo=LEARNT))
            rows.append(msgspec.convert({**other, "split": also}, kind))
        _write(folder / "data" / name / "made.jsonl", rows)
    repositories = b'{"name": "ours/scales", "licence": "MIT"}\n{"name": "ours/learnt", "licence": "MIT"}\n'
    (folder / "data" / "repositories").mkdir()
    (folder / "data" / "repositories" / "repositories.jsonl").write_bytes(repositories)
    (folder / "manifest.json").write_text("{}\n")
    return folder


def _write(path: Path, rows: Sequence[Record]) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in rows))
