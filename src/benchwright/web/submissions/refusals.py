"""Reasons for which a submission is refused. The name of a reason is part of the API."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from benchwright.errors import BenchwrightError

# By name: what the submitter can do about it.
REASONS: Mapping[str, str] = {
    "half-upload": "push again: an interrupted upload leaves nothing behind",
    "checksum": "push again: the content changed on the way",
    "too-large": "push answers only: `benchwright push RUN --answers-only`",
    "not-readable": "push a run folder, a MERA archive, or a JSONL file of answers",
    "zip-bomb": "pack the files again with an ordinary program",
    "too-many-members": "pack one run only",
    "unsafe-name": "pack the files of one run folder, without paths",
    "too-deep": "pack the files of one run folder, at most one folder deep",
    "link": "pack the file itself",
    "special-file": "pack ordinary files",
    "encrypted": "pack the files without a password",
    "unknown-compression": "pack with deflate",
    "unknown-member": "pack only run.json, answers.jsonl, verdicts.jsonl and scores.json",
    "doubled-member": "pack each file once",
    "missing-member": "push the run folder with `benchwright push RUN`",
    "invalid-json": "push the files as `benchwright run` wrote them",
    "unknown-data": "run a data set of this server: GET /api/spaces/SPACE/data",
    "other-rules": "run again with the profile, form and limits of the server's data set",
    "part-of-data": "run the whole data set",
    "not-judgeable": "push a run that is judged by execution or rules",
    "failed-answers": "resume the run, so that each request succeeds",
    "doubled-answer": "push each answer once",
    "samples-out-of-order": "finish the run before you push it",
    "unknown-task": "push answers to tasks of the data set only",
    "missing-answers": "push an answer to each task",
    "foreign-verdict": "push the verdicts of these answers",
    "missing-verdicts": "finish the run before you push it",
    "wrong-totals": "push scores.json as `benchwright run` wrote it",
    "verdicts-differ": "compare the listed rows with your own verdicts",
    "verdicts-not-accepted": "push answers only: `benchwright push RUN --answers-only`",
    "values-not-programs": "push the run folder: values cannot be judged again",
    "several-task-sets": "push one task set at a time",
    "duplicate": "the content was pushed before; nothing was stored",
    "disk-full": "push again when the server's disk has room; nothing was stored",
    "quota": "wait until the quota renews, or ask an owner of the space",
}


class SubmissionRefusal(BenchwrightError):
    """A submission that is refused, with the name of the reason."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message, hint=REASONS[reason])
        self.reason = reason


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


def disk_full(error: BaseException) -> SubmissionRefusal | None:
    """The refusal for an error of a full disk; None for other errors."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return SubmissionRefusal("disk-full", "the disk of this server is full")
    return None
