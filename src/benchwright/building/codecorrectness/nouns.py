"""Records that pass between stages: pairs of files, and candidates for rows."""

from __future__ import annotations

from typing import Any

from benchwright.lang.companions import PairTexts
from benchwright.records import Record
from benchwright.store.keys import content_key

SUBSETS = ("original", "generated", "mutated", "history", "broken")


class Authorship(Record, frozen=True, kw_only=True):
    """The model that wrote a test file, with its reply and the prompt version."""

    model: str
    prompt: str
    reply: str  # key of the reply in the build's folder of replies


class Located(Record, frozen=True, kw_only=True):
    """The two files and the commit that every record about a pair starts with."""

    repository: str
    commit: str
    committed_at: str
    licence: str
    lang: str
    focal_path: str
    test_path: str


class Pair(Located, frozen=True, kw_only=True):
    """A focal file and the file that tests it; the test may be generated, or from the following commit."""

    focal_code: str
    test_code: str
    written: Authorship | None = None
    subset: str = "original"  # or "generated", or "history"
    origin: str = ""  # for history: the commits of the files
    only: tuple[str, ...] = ()  # only these test cases; empty: all


class Candidate(Located, frozen=True, kw_only=True):
    """A candidate for a row: a focal file and one test case. Later stages fill in their results."""

    case: str
    focal_code: str
    test_code: str
    revision: str
    subset: str = "original"  # one of SUBSETS
    written: Authorship | None = None  # the model that wrote the test; mutants keep it
    tags: dict[str, Any] = {}
    label: str = ""
    kind: str = ""  # of failure
    runs: int = 0
    passes: int = 0
    mutation: str = ""
    parent: str = ""  # revision of the row that was mutated or broken
    cluster: str = ""  # equal for all versions of one test; see `cluster_of`
    origin: str = ""  # one line about its origin, if the commit is not enough
    inlined: list[str] = []  # files of its package whose declarations were added
    layout: dict[str, Any] = {}  # layout of its files when it was labelled: see `rows.layout_of`
    needs_files: list[str] = []  # other files of its project that the pair refers to
    needs_plugins: list[str] = []  # plug-ins of the test runner that its test needs
    steady: str = ""  # empty if executions have proven it, else "not proven steady"
    builds: str = ""  # whether the project builds, see `building.codecorrectness.project_builds`

    @property
    def unit(self) -> str:
        """The name in drops and messages."""
        mutation = f" {self.mutation}" if self.mutation else ""
        return f"{self.repository}:{self.test_path}::{self.case}{mutation}"

    @property
    def texts(self) -> PairTexts:
        """The focal and the test file with their paths."""
        return PairTexts(self.focal_path, self.focal_code, self.test_path, self.test_code)


def cluster_of(row: Candidate) -> str:
    """The key that all versions of one test share, whatever was done to its focal file."""
    return row.cluster or content_key(row.repository, row.test_path, row.case)
