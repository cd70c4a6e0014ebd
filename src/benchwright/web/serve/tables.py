"""The tables of `serve`: an index of run folders, and computed leaderboards. Both can be deleted.

Every row follows from files of run folders; `run_index.py` and `figure_cache.py` write them again.
"""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from benchwright.web.core.tables import CORE, Base, SchemaPart, table_of

SERVE = SchemaPart("benchwright.web.serve.migrations", "serve_0001")
PARTS = (CORE, SERVE)


class IndexedFolder(Base):
    """A run folder. Fields of the identity are empty while `run.json` cannot be read."""

    __tablename__ = "runs"

    key: Mapped[str] = mapped_column(primary_key=True)  # in addresses; a digest of the path
    path: Mapped[str]  # absolute
    state: Mapped[str]  # of index_records.IndexedRun
    track: Mapped[str]
    data: Mapped[str] = mapped_column(index=True)  # SHA-256 of the data set
    profile: Mapped[str]
    form: Mapped[str]
    judging: Mapped[int]  # version of the judging rules
    model: Mapped[str]  # its spec
    stamp: Mapped[str]  # inode, time and size of the files when they were read
    facts: Mapped[bytes]  # IndexedRun as JSON
    contestant: Mapped[bytes]  # what `rank.contestant` read, packed; empty without a valid score


class BoardFigures(Base):
    """Computed figures by a digest of their input, so a row never becomes wrong."""

    __tablename__ = "board_figures"

    key: Mapped[str] = mapped_column(primary_key=True)
    made_ms: Mapped[int]
    page: Mapped[bytes]  # the figures on the page, JSON
    document: Mapped[bytes]  # the complete document, deflated JSON


RUNS = table_of(IndexedFolder)
FIGURES = table_of(BoardFigures)
