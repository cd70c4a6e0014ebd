"""Routes of submissions: push a run, read its state and its differing rows, delete it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import Response, delete, get, post
from litestar.response import Redirect
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import AuditEvent, log_event
from benchwright.web.core.guard import route
from benchwright.web.core.policy import Refusal, not_found
from benchwright.web.core.site import (
    SiteRequest,
    address_of,
    path_parameter,
    site_of,
    visitor_of,
)
from benchwright.web.submissions.archives import MAX_UPLOAD
from benchwright.web.submissions.intake import SubmissionParts, parts_of, submission_document, take_push
from benchwright.web.submissions.queue import find_pushed, is_given_up, requeue_claim
from benchwright.web.submissions.refusals import SubmissionRefusal
from benchwright.web.submissions.roles import MAINTAIN, READ, READ_ROWS, SUBMIT
from benchwright.web.submissions.tables import DifferingRow, Submission

A_PAGE = 200
_STATUS = {
    "too-large": 413,
    "quota": 429,
    "duplicate": 409,
    "half-upload": 400,
    "checksum": 400,
    "disk-full": 503,
}


@post(
    "/api/spaces/{project_id:str}/runs",
    opt=route(SUBMIT, query=("data", "model"), body=("application/zip", "application/octet-stream")),
    request_max_body_size=MAX_UPLOAD + 1,
    status_code=202,
)
async def push_run(request: SiteRequest) -> Response[Any]:
    """Queue a pushed run as a claim. The reply to content that was pushed before has its state."""
    try:
        submission = await take_push(request)
    except SubmissionRefusal as refusal:
        return await _refusal_response(request, refusal)
    return Response(submission_view(request, submission), status_code=202)


async def _refusal_response(request: SiteRequest, refusal: SubmissionRefusal) -> Response[Any]:
    known: dict[str, Any] = {}
    if refusal.reason == "duplicate":
        project_id = path_parameter(request, "project_id")
        sha256 = request.headers.get("x-content-sha256", "")
        found = await site_of(request).database.read(lambda session: find_pushed(session, project_id, sha256))
        known = {} if found is None else submission_view(request, found)
    body = {"error": refusal.message, "why": refusal.hint, "reason": refusal.reason}
    if known:
        known["state_reason"] = known["reason"]
    return Response({**known, **body}, status_code=_STATUS.get(refusal.reason, 422))


def is_hidden(parts: SubmissionParts, data: str) -> bool:
    """Whether the tests of a data set are hidden; also if the server no longer has it."""
    return next((each.hidden for each in parts.catalog if each.name == data), True)


def submission_view(request: SiteRequest, row: Submission) -> dict[str, Any]:
    """A submission as a document, with what the state of the queue adds."""
    document = submission_document(row, hidden=is_hidden(parts_of(request), row.data))
    return {**document, "given_up": is_given_up(row, site_of(request).now())}


async def newest_submissions(request: SiteRequest) -> list[Submission]:
    """The newest submissions of the space in the path."""
    project_id = path_parameter(request, "project_id")
    newest = (
        select(Submission)
        .where(Submission.project_id == project_id)
        .order_by(Submission.created_ms.desc(), Submission.id)
        .limit(A_PAGE)
    )
    return await site_of(request).database.read(lambda session: list(session.scalars(newest)))


@get("/api/spaces/{project_id:str}/runs", opt=route(READ))
async def list_runs(request: SiteRequest) -> Response[Any]:
    """List the newest submissions of a space."""
    return Response({"runs": [submission_view(request, row) for row in await newest_submissions(request)]})


@get("/api/spaces/{project_id:str}/data", opt=route(READ))
async def list_data(request: SiteRequest) -> Response[Any]:
    """List the data sets that the server judges, with their rules. Of hidden ones the hash is left out."""
    documents = [
        {
            "name": each.name,
            "track": each.track,
            "hidden": each.hidden,
            "hashes": each.hashes[1:] if each.hidden else each.hashes,
            "profile": each.profile,
            "form": each.form or "default",
            "limits": msgspec.to_builtins(each.limits),
        }
        for each in parts_of(request).catalog
    ]
    return Response({"data": documents})


async def submission_of(request: SiteRequest) -> Submission:
    """The submission in the path. Raises Refusal if its space has none of this id."""
    project_id, run_id = path_parameter(request, "project_id"), path_parameter(request, "run_id")
    row = await site_of(request).database.read(lambda session: session.get(Submission, run_id))
    if row is None or row.project_id != project_id:
        raise not_found()
    return row


@get("/api/spaces/{project_id:str}/runs/{run_id:str}", opt=route(READ))
async def run_state(request: SiteRequest) -> Response[Any]:
    """Return the state of a submission."""
    return Response(submission_view(request, await submission_of(request)))


async def differing_rows_of(request: SiteRequest, row: Submission) -> list[DifferingRow]:
    """The answers of a submission whose verdicts differ from the claimed ones."""
    query = select(DifferingRow).where(DifferingRow.submission_id == row.id).order_by(DifferingRow.place)
    return await site_of(request).database.read(lambda session: list(session.scalars(query)))


@get("/api/spaces/{project_id:str}/runs/{run_id:str}/rows", opt=route(READ_ROWS))
async def differing_rows(request: SiteRequest) -> Response[Any]:
    """Return the answers whose verdicts differ from the claimed ones. Hidden tests have none."""
    row = await submission_of(request)
    documents = [
        {"task_id": each.task_id, "sample": each.sample, "claimed": each.claimed, "judged": each.judged}
        for each in await differing_rows_of(request, row)
    ]
    return Response({"submission": row.id, "rows": documents})


@delete("/api/spaces/{project_id:str}/runs/{run_id:str}", opt=route(MAINTAIN), status_code=200)
async def delete_run(request: SiteRequest) -> Response[Any]:
    """Delete a submission with its files."""
    return Response({"deleted": await _drop_run(request)})


@post("/spaces/{project_id:str}/runs/{run_id:str}/delete", opt=route(MAINTAIN))
async def drop_run(request: SiteRequest) -> Redirect:
    """Delete a submission with its files, by the form of its page."""
    await _drop_run(request)
    return Redirect(f"/spaces/{path_parameter(request, 'project_id')}", status_code=303)


async def _drop_run(request: SiteRequest) -> str:
    row, site = await submission_of(request), site_of(request)
    event = _event(request, "run.deleted", row)

    def drop(session: Session) -> None:
        found = session.get(Submission, row.id)
        if found is not None:
            session.delete(found)
        log_event(session, event, site.now())

    await site.database.write(drop)
    await asyncio.to_thread(parts_of(request).folders.drop, row.id)
    return row.id


def _event(request: SiteRequest, action: str, row: Submission) -> AuditEvent:
    return AuditEvent(action, visitor_of(request).account_id, address_of(request), row.id, row.project_id)


@post("/spaces/{project_id:str}/runs/{run_id:str}/requeue", opt=route(MAINTAIN))
async def requeue_run(request: SiteRequest) -> Redirect:
    """Return a claim to the queue after all attempts to judge it failed."""
    row, site = await submission_of(request), site_of(request)

    def requeue(session: Session) -> bool:
        now = site.now()
        if requeued := requeue_claim(session, row.id, now):
            log_event(session, _event(request, "run.requeued", row), now)
        return requeued

    if not await site.database.write(requeue):
        raise Refusal(409, "The run is not given up", "Only claims whose attempts failed can be requeued.")
    return Redirect(f"/spaces/{row.project_id}", status_code=303)


SUBMISSION_ROUTES = (
    push_run,
    list_runs,
    list_data,
    run_state,
    differing_rows,
    delete_run,
    drop_run,
    requeue_run,
)
