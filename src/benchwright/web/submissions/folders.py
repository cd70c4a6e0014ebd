"""The folder of a server's submissions: uploads, claims, and run folders of the server.

uploads/            files that are being received
claims/ID/          the upload, and what was read of it
judging/ID/         the server's run folder of a claim
judged/ID/          the run of a verified submission of a private space
verified/ID/        that of a public space: leaderboards show these
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from shutil import rmtree

from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.tables import Project
from benchwright.web.submissions.roles import PUBLIC_SPACE
from benchwright.web.submissions.tables import CLAIMED, VERIFIED, SpaceSettings, Submission

_NAMES = ("uploads", "claims", "judging", "judged", "verified")


class SubmissionFolders:
    """The folders below `top`, which are created."""

    def __init__(self, top: Path) -> None:
        self.top = top
        for name in _NAMES:
            (top / name).mkdir(parents=True, exist_ok=True, mode=0o700)

    def upload(self, name: str) -> Path:
        """The file of an upload in progress."""
        return self.top / "uploads" / name

    def claim(self, submission_id: str) -> Path:
        """The folder of a claim."""
        return self.top / "claims" / submission_id

    def judging(self, submission_id: str) -> Path:
        """The run folder in which a claim is judged."""
        return self.top / "judging" / submission_id

    @property
    def verified(self) -> Path:
        """The runs that leaderboards show."""
        return self.top / "verified"

    def clear(self, session: Session) -> None:
        """Delete what interrupted uploads and deleted submissions left. Call it before the server listens."""
        for each in (self.top / "uploads").iterdir():
            each.unlink()
        self.drop_unknown(session)

    def drop_unknown(self, session: Session, *, older_than_ms: int | None = None) -> None:
        """Delete claims without a submission. While the server runs, a younger one may still be read."""
        folders = list((self.top / "claims").iterdir())
        known = set(session.scalars(select(Submission.id)))
        for each in folders:
            if each.name not in known and (older_than_ms is None or _written_ms(each) < older_than_ms):
                rmtree(each, ignore_errors=True)

    def drop_expired(self, session: Session, now: int) -> None:
        """Delete the uploads of judged submissions whose space keeps them no longer. Figures stay."""
        query = (
            select(Submission, SpaceSettings.keep_days)
            .join(SpaceSettings, SpaceSettings.project_id == Submission.project_id)
            .where(Submission.dropped_ms.is_(None), Submission.judged_ms.is_not(None))
            .where(SpaceSettings.keep_days > 0)
            .where(Submission.judged_ms < now - SpaceSettings.keep_days * DAY_MS)
        )
        for row, _ in session.execute(query).all():
            rmtree(self.claim(row.id), ignore_errors=True)
            row.dropped_ms = now

    def drop(self, submission_id: str) -> None:
        """Delete all files of a submission."""
        for name in _NAMES[1:]:
            rmtree(self.top / name / submission_id, ignore_errors=True)

    def settle(self, session: Session) -> None:
        """Move each run folder to its place by the state of its submission and of its space."""
        found = {path.name: path for name in _NAMES[2:] for path in (self.top / name).iterdir()}
        query = select(Submission.id, Submission.state, Project.state).join(
            Project, Project.id == Submission.project_id
        )
        for submission_id, state, space in session.execute(query.where(Submission.id.in_([*found]))):
            path = found.pop(submission_id)
            if state != CLAIMED:
                self._settle(path, state, is_public=space == PUBLIC_SPACE)
        for path in found.values():  # of deleted submissions
            rmtree(path, ignore_errors=True)

    def _settle(self, path: Path, state: str, *, is_public: bool) -> None:
        if state != VERIFIED:
            rmtree(path, ignore_errors=True)
            return
        place = self.top / ("verified" if is_public else "judged") / path.name
        if place != path:
            os.rename(path, place)


def _written_ms(path: Path) -> float:
    try:
        return path.stat().st_mtime * 1000
    except FileNotFoundError:  # deleted meanwhile
        return math.inf
