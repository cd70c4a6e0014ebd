"""Reviews that are stored in the git repository itself: git-appraise's notes and Gerrit's NoteDb.

The objects come from strangers: a child process with limits on memory and time reads them
(`review_refs_child`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.records import Drop, Record
from benchwright.sources.appraise_reviews import AppraiseReader
from benchwright.sources.clones import CloneError, check_enclosed, is_clone, load_pygit2
from benchwright.sources.event_maker import EventMaker
from benchwright.sources.events import Cleaner, RepoEvent
from benchwright.sources.gerrit_notedb import events_of_notedb
from benchwright.sources.review_records import MetaChange, ReviewNotes
from benchwright.sources.source_options import source_options
from benchwright.store.scanning import scan_lines

MAX_LINE = 64 << 20
_CHILD = (sys.executable, "-P", "-m", "benchwright.sources.review_refs_child")
_KEPT_VARIABLES = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")


class _Line(Record, frozen=True, kw_only=True):
    """One line of the child: notes of a commit, a change, or an object that cannot be read."""

    notes: ReviewNotes | None = None
    change: MetaChange | None = None
    unreadable: str = ""


def open_review_refs(rest: str, *, licences: Collection[str] = ()) -> ReviewRefs:
    """Open `CLONE[,repo=OWNER/NAME][,licence=SPDX]`. Raises UsageError or CloneError."""
    options = source_options(rest, ("repo", "licence"), example="reviews:CLONE,repo=owner/name")
    return ReviewRefs(Path(options.place), repo=options.get("repo"), licence=options.get("licence"))


class ReviewRefs:
    """The reviews in one clone. Its references were fetched with

    git fetch origin '+refs/notes/devtools/*:refs/notes/devtools/*' '+refs/changes/*:refs/changes/*'
    """

    def __init__(self, clone: Path, *, repo: str = "", licence: str = "") -> None:
        load_pygit2()
        if not is_clone(clone):
            raise CloneError("not a clone of a repository", reason="no_clone", path=clone)
        check_enclosed(clone)
        self._clone, self._licence = clone, licence
        self._repo = repo or clone.name.removesuffix(".git")

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the events of all reviews, in the order of the reviewed commits and changes."""
        appraise = AppraiseReader(EventMaker("appraise", self._repo, clean, self._licence))
        gerrit = EventMaker("gerrit", self._repo, clean, self._licence)
        for line in self._lines():
            if line.notes is not None:
                yield from appraise.events(line.notes)
            elif line.change is not None:
                yield from events_of_notedb(line.change, gerrit)
            else:
                yield gerrit.drop("reviews", "object_unreadable", escaped_name(line.unreadable, 200))

    def _lines(self) -> Iterator[_Line]:
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        with (
            TemporaryFile() as complaint,
            subprocess.Popen(
                (*_CHILD, str(self._clone.absolute())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaint,
                env=environment,
            ) as child,
        ):
            try:
                assert child.stdout
                for line in scan_lines(child.stdout, self._clone.name, max_line=MAX_LINE):
                    yield msgspec.json.decode(line.data, type=_Line)
            except BaseException:
                child.kill()
                raise
            if child.wait():
                raise self._failed(child.returncode, complaint)

    def _failed(self, code: int, complaint: Any) -> CloneError:
        complaint.seek(0)
        reason = escaped_name(complaint.read(2000).decode("utf-8", "replace").strip()[-300:], 300)
        if code < 0:
            reason = f"the reader was stopped by signal {-code}"
        return CloneError(f"its reviews cannot be read: {reason}", reason="damaged", path=self._clone)
