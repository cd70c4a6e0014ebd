"""Records of the process that reads reviews out of a clone: texts of notes and of NoteDb commits."""

from __future__ import annotations

from benchwright.records import Record


class ReviewNotes(Record, frozen=True, kw_only=True):
    """The notes of one commit under `refs/notes/devtools/`, by the last word of the reference."""

    commit: str
    notes: dict[str, str] = {}  # reviews, discuss, ci
    merges: dict[str, str] = {}  # commits that the notes name: the first commit of the main branch with them
    merged_at: int = 0  # seconds since 1970, of the last of these commits
    head: str = ""  # the commit of the reviewed reference, if the clone has it, and its time
    head_at: int = 0


class MetaCommit(Record, frozen=True, kw_only=True):
    """One commit of a change's NoteDb branch, the oldest first."""

    sha: str
    at: int  # seconds since 1970
    author: str  # "1000096@server", the account
    message: str


class MetaChange(Record, frozen=True, kw_only=True):
    """One change: the commits of `refs/changes/NN/NUMBER/meta`, and its notes by the patch set's commit."""

    number: int
    commits: list[MetaCommit] = []
    notes: dict[str, str] = {}
    cut: bool = False  # there are more commits than the limit
