"""What goes from stage to stage of a build: pairs of files, and rows in the making."""

from __future__ import annotations

from typing import Any

from benchwright.records import Record


class Authorship(Record, frozen=True, kw_only=True):
    """Who wrote a test file, where that was a model: in which reply to which wording of the question."""

    model: str
    prompt: str
    reply: str  # key of the reply, as the build's folder of replies has it


class Located(Record, frozen=True, kw_only=True):
    """Which two files of which commit: what every record about a pair begins with."""

    repository: str
    commit: str
    committed_at: str
    licence: str
    lang: str
    focal_path: str
    test_path: str


class Pair(Located, frozen=True, kw_only=True):
    """A focal file and the file that tests it, in one commit; the test file may be a model's."""

    focal_code: str
    test_code: str
    written: Authorship | None = None


class Candidate(Located, frozen=True, kw_only=True):
    """A row in the making: a focal file and one test case. Later stages fill in what they find out."""

    case: str
    focal_code: str
    test_code: str
    revision: str
    subset: str = "original"  # or "generated", or "mutated"
    written: Authorship | None = None  # by a model; a mutated row keeps it
    tags: dict[str, Any] = {}
    label: str = ""
    kind: str = ""  # of failure
    runs: int = 0
    passes: int = 0
    mutation: str = ""
    parent: str = ""  # revision of the row that was mutated

    @property
    def unit(self) -> str:
        """How drops and messages name it."""
        mutation = f" {self.mutation}" if self.mutation else ""
        return f"{self.repository}:{self.test_path}::{self.case}{mutation}"
