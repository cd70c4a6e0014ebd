"""Messages between a walk over the history of a clone and its child process."""

from __future__ import annotations

import msgspec

MAX_FRAME = 64 << 20  # bytes of one message
LENGTH = 4  # bytes of the length before each message, the highest first


class WalkLimits(msgspec.Struct, frozen=True):
    """The limits of a walk and of the files of one commit."""

    memory: int = 2 << 30  # bytes of address space
    graph_seconds: int = 1800  # for the references, and for commits without their files
    commit_seconds: int = 120  # for the files of one commit
    commits: int = 2_000_000
    commit_files: int = 1000  # files of one commit that are listed
    file_bytes: int = 1 << 20  # larger files are listed without lines
    patch_bytes: int = 1 << 18  # larger patches of one file are left out
    commit_bytes: int = 1 << 20  # patches of one commit; further files are listed without lines
    rename_files: int = 1000  # added and deleted files of one commit among which renames are searched
    message_bytes: int = 1 << 18


class WalkRequest(msgspec.Struct, frozen=True):
    """The request to the child on standard input."""

    path: str
    references: dict[str, str]  # object ids by full name; the history of all is read
    known: list[str] = []  # commits that are not read again
    commits: list[str] | None = None  # to read alone, in this order; None: those of the references
    list_above: int | None = None  # new commits above this number are listed instead of read
    limits: WalkLimits = WalkLimits()
    comments: bool = True  # whether changed comments and docstrings are found


class Gap(msgspec.Struct, frozen=True, array_like=True):
    """Something that could not be read: the reason, and the path or the name it concerns."""

    reason: str
    name: str = ""
    detail: str = ""


class Identity(msgspec.Struct, frozen=True, array_like=True):
    """A name and an address in a commit or tag, and the seconds since 1970."""

    name: str
    mail: str
    time: int


class WalkedCommit(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A commit without its files, which follow in `WalkedFiles`."""

    sha: str
    parents: list[str]
    author: Identity
    committer: Identity
    message: str
    gaps: list[Gap]


class WalkedFile(msgspec.Struct, frozen=True, array_like=True):
    """One changed file; `added` and `removed` are None for a file without lines."""

    path: str
    old_path: str
    status: str
    added: int | None
    removed: int | None
    blob: str
    old_blob: str
    patch: str  # the hunks
    code: bool
    comments: bool
    docstrings: bool


class WalkedFiles(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The files of the commit before."""

    sha: str
    files: list[WalkedFile]
    gaps: list[Gap]


class WalkedReference(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A reference, with the commit that it leads to; without one if that is missing."""

    name: str
    target: str
    commit: str
    time: int | None  # of the annotated tag, or of the commit
    message: str  # of an annotated tag
    tagger: Identity | None


class WalkedList(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """New commits that are not read, in their order, continued in the next list."""

    commits: list[str]


class WalkSummary(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The last message: how many commits the history has, and its gaps."""

    commits: int
    gaps: list[Gap]


WalkMessage = WalkedCommit | WalkedFiles | WalkedReference | WalkedList | WalkSummary
