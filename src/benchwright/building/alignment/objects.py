"""The interface to a clone that links need. `sources.clone_objects` implements it."""

from __future__ import annotations

from typing import NoReturn, Protocol

from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.diff_records import FileDiff


class Objects(Protocol):
    """The objects of a clone. Every method raises MissingObjectError for what the clone lacks."""

    def parents(self, commit: str) -> list[str]:
        """Return the parents of a commit, the first one first."""
        ...

    def lines(self, commit: str, path: str) -> list[str] | None:
        """Return the lines of a file; None if the commit has no such file."""
        ...

    def diff(self, old: str, new: str, path: str, *, spaces: bool = True) -> FileDiff | None:
        """Return the changes of a file and its later path; None if nothing changed.

        Without `spaces`, changes of white space alone are not changes.
        """
        ...

    def blame(self, commit: str, path: str, first: int, last: int) -> list[str]:
        """Return the commits that wrote lines of a file, in the order of the lines."""
        ...

    def changes(self, old: str, new: str) -> list[FileDiff]:
        """Return the changes of all files between two commits; `old` is empty for the first commit."""
        ...


class AbsentObjects:
    """A repository without a clone: every call raises MissingObjectError with the reason "no_clone"."""

    def parents(self, commit: str) -> NoReturn:
        """Raise MissingObjectError."""
        raise MissingObjectError(f"{commit}: the repository has no clone", reason="no_clone")

    def lines(self, commit: str, path: str) -> NoReturn:
        """Raise MissingObjectError."""
        self.parents(commit)

    def diff(self, old: str, new: str, path: str, *, spaces: bool = True) -> NoReturn:
        """Raise MissingObjectError."""
        self.parents(old)

    def blame(self, commit: str, path: str, first: int, last: int) -> NoReturn:
        """Raise MissingObjectError."""
        self.parents(commit)

    def changes(self, old: str, new: str) -> NoReturn:
        """Raise MissingObjectError."""
        self.parents(new)
