"""Receive an upload: streamed to disk under limits, read in a child process, and queued as a claim."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from litestar.exceptions import ClientException
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import AuditEvent, log_event
from benchwright.web.core.child_process import FAILURES, ChildProcess
from benchwright.web.core.database import Database
from benchwright.web.core.site import SiteRequest, address_of, path_parameter, site_of, visitor_of
from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.archives import MAX_UPLOAD
from benchwright.web.submissions.claims import ClaimOptions, SubmittedRun
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.queue import (
    PushedClaim,
    add_claim,
    check_quota,
    find_pushed,
    new_submission_id,
)
from benchwright.web.submissions.reading_process import ArchiveReply, ArchiveRequest
from benchwright.web.submissions.refusals import SubmissionRefusal, disk_full
from benchwright.web.submissions.tables import Submission

READ_S = 300.0
IDLE_S = 60.0  # after which the child that reads uploads is ended
COMMAND = (sys.executable, "-m", "benchwright.web.submissions.reading_process")


class SubmissionParts(NamedTuple):
    """The parts of a server that takes submissions, at `app.state.submissions`."""

    folders: SubmissionFolders
    rules: Path
    catalog: DataCatalog
    reader: ChildProcess


def make_submission_parts(folders: SubmissionFolders, rules: Path) -> SubmissionParts:
    """Read the rules, and prepare the child that reads uploads. Raises as `DataCatalog.of_file`."""
    reader = ChildProcess(COMMAND, timeout_s=READ_S, idle_s=IDLE_S)
    return SubmissionParts(folders, rules, DataCatalog.of_file(rules), reader)


def parts_of(request: SiteRequest) -> SubmissionParts:
    """The parts of the server that answers this request."""
    parts: SubmissionParts = request.app.state.submissions
    return parts


class _Upload(NamedTuple):
    path: Path
    size: int
    sha256: str


async def take_push(request: SiteRequest) -> Submission:
    """Receive and queue a push. Raises SubmissionRefusal; then nothing of it is stored."""
    site, parts = site_of(request), parts_of(request)
    project_id, account_id = path_parameter(request, "project_id"), visitor_of(request).account_id
    await site.database.write(lambda session: check_quota(session, project_id, account_id, site.now()))
    submission_id = new_submission_id()
    options = ClaimOptions(data=_option(request, "data"), model=_option(request, "model"))
    received = await _receive(request, parts.folders.upload(submission_id))
    try:
        await _refuse_known(site.database, project_id, received.sha256)
        claim = await _read(parts, received, submission_id, options)
        pushed = PushedClaim(
            project_id=project_id,
            account_id=account_id,
            sha256=received.sha256,
            size=received.size,
            kind=claim.kind,
            model=claim.model,
            data=claim.data,
            claim=msgspec.to_builtins(claim),
        )

        def add(session: Session) -> Submission:
            submission = add_claim(session, submission_id, pushed, site.now())
            event = AuditEvent(
                "run.pushed", account_id, address_of(request), submission_id, project_id, claim.data
            )
            log_event(session, event, site.now())
            return submission

        return await site.database.write(add)
    except BaseException:
        received.path.unlink(missing_ok=True)
        await asyncio.to_thread(parts.folders.drop, submission_id)
        raise


def _option(request: SiteRequest, name: str) -> str:
    return str(request.query_params.get(name, ""))[:200]


def _stated_size(request: SiteRequest) -> int | None:
    """The number of bytes that the request announces; None for no number."""
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


async def _receive(request: SiteRequest, path: Path) -> _Upload:
    stated = _stated_size(request)
    if stated is not None and stated > MAX_UPLOAD:
        raise SubmissionRefusal("too-large", f"{stated:,} bytes are more than {MAX_UPLOAD:,}")
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("xb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > MAX_UPLOAD:
                    raise SubmissionRefusal("too-large", f"more than {MAX_UPLOAD:,} bytes")
                digest.update(chunk)
                await asyncio.to_thread(file.write, chunk)
        if stated is not None and stated != size:
            raise SubmissionRefusal("half-upload", f"{size:,} of {stated:,} bytes arrived")
        wanted = request.headers.get("x-content-sha256", "")
        if wanted and wanted != digest.hexdigest():
            raise SubmissionRefusal("checksum", "the content differs from its hash")
    except OSError as error:
        path.unlink(missing_ok=True)
        raise (disk_full(error) or error) from None
    except ClientException:  # the connection ended
        path.unlink(missing_ok=True)
        raise SubmissionRefusal("half-upload", f"the upload ended after {size:,} bytes") from None
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return _Upload(path, size, digest.hexdigest())


async def _refuse_known(database: Database, project_id: str, sha256: str) -> None:
    earlier = await database.read(lambda session: find_pushed(session, project_id, sha256))
    if earlier is not None:
        raise SubmissionRefusal("duplicate", f"the content is submission {earlier.id}")


async def _read(
    parts: SubmissionParts, received: _Upload, submission_id: str, options: ClaimOptions
) -> SubmittedRun:
    request = ArchiveRequest(
        upload=str(received.path.absolute()),
        folder=str(parts.folders.claim(submission_id).absolute()),
        rules=str(parts.rules.absolute()),
        options=options,
    )
    try:
        reply = msgspec.json.decode(await parts.reader.reply(request), type=ArchiveReply)
    except (TimeoutError, *FAILURES):
        raise SubmissionRefusal("too-large", "reading the file took too long or too much memory") from None
    if reply.claim is None:
        raise SubmissionRefusal(reply.reason, reply.message)
    return reply.claim


def submission_document(row: Submission, *, hidden: bool) -> dict[str, Any]:
    """A submission as JSON. Of hidden tests it has one score, and no reason beyond its name."""
    return {
        "submission": row.id,
        "state": row.state,
        "data": row.data,
        "model": row.model,
        "kind": row.kind,
        "sha256": row.sha256,
        "size": row.size,
        "answers": row.claim.get("answers"),
        "claimed_outcomes": row.claim.get("outcomes", {}),
        "reason": row.reason,
        "detail": "" if hidden else row.detail,
        "result": row.result,
        "pushed_ms": row.created_ms,
        "judged_ms": row.judged_ms,
    }
