"""The pages of the view: the list of runs, one run, the answers to one task. All of them only read."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from litestar import Response, get
from litestar.response import Stream

from benchwright.display.escape import escaped_path, quoted
from benchwright.records import TaskId
from benchwright.report.page import meta
from benchwright.web.core.guard import POLICY
from benchwright.web.core.policy import Refusal, not_found, public
from benchwright.web.core.read_only import read_only_page
from benchwright.web.core.site import PageResponse, SiteRequest, path_parameter
from benchwright.web.view.answer_packer import AnswerPacker
from benchwright.web.view.board import RunBoard
from benchwright.web.view.follower import WAITING, RunFollower
from benchwright.web.view.packing_process import AnswerPlace, PackRequest, RunPlaces
from benchwright.web.view.shared_streams import SharedStreams
from benchwright.web.view.streams import (
    RowFilter,
    RunListStream,
    RunStream,
    run_message,
    task_key,
    task_name,
)

MOST_PEERS = 19  # other runs that answers can be compared with
MOST_PARTS = 8  # readings of a run for one request, each of the follower's budget
LONGEST_QUERY = 400  # characters of a value in an address


class ViewParts(NamedTuple):
    """The parts of a running view, at `app.state.view`."""

    board: RunBoard
    packer: AnswerPacker
    streams: SharedStreams


def parts_of(request: SiteRequest) -> ViewParts:
    """The parts of the view that serves this request."""
    parts: ViewParts = request.app.state.view
    return parts


@get("/", opt={POLICY: public()})
async def runs_page(request: SiteRequest) -> PageResponse:
    """Show the list of runs."""
    board = parts_of(request).board
    command = f"benchwright run … --out {quoted(board.top / 'mine')}"
    return read_only_page(request, "view_runs.html", folder=escaped_path(board.top), command=command)


@get("/stream", opt={POLICY: public()})
async def runs_stream(request: SiteRequest) -> Stream:
    """Send changes of the list of runs."""
    parts = parts_of(request)
    return parts.streams.response("runs", lambda: RunListStream(parts.board))


@get("/runs/{run:str}", opt={POLICY: public()})
async def run_page(request: SiteRequest) -> PageResponse:
    """Show one run."""
    board, key = parts_of(request).board, path_parameter(request, "run")
    found = await asyncio.to_thread(board.with_run, key, lambda run: run_message(key, run, board))
    if found is None:
        raise not_found()
    peers = await asyncio.to_thread(_peers, board, key)
    names = {key: found["name"], **peers}
    known = meta([*names.values()], [], side="", readable=True, graded=True)
    known |= {"modelKeys": [*names], "taskKeys": [], "run": key}
    known["outcomes"][WAITING] = {"label": "not judged yet", "group": "missing", "sign": "…"}
    return read_only_page(request, "view_run.html", run=found, meta=known)


@get("/runs/{run:str}/stream", opt={POLICY: public()})
async def run_stream(request: SiteRequest) -> Stream:
    """Send changes of one run. `outcome` and `find` filter its answers."""
    parts, key = parts_of(request), path_parameter(request, "run")
    if await asyncio.to_thread(parts.board.with_run, key, lambda _: True) is None:
        raise not_found()
    wanted = RowFilter(outcome=query_value(request, "outcome"), find=query_value(request, "find"))
    return parts.streams.response((key, wanted), lambda: RunStream(parts.board, key, wanted))


@get("/api/runs/{run:str}/answers", opt={POLICY: public()})
async def task_answers(request: SiteRequest) -> Response[Any]:
    """Send the answers to the task `task`, of this run and of the runs in `beside`, in this order."""
    parts, key = parts_of(request), path_parameter(request, "run")
    others = [each for each in query_value(request, "beside").split(",") if each]
    if len(others) > MOST_PEERS:
        raise Refusal(400, "Too many runs", f"At most {MOST_PEERS} can be compared.")
    packing_request = await asyncio.to_thread(
        _request, parts.board, key, others, query_value(request, "task")
    )
    reply = await parts.packer.pack(packing_request)
    if reply.error:
        raise Refusal(409, "The answers could not be read", f"{reply.error}.")
    return Response(
        {"name": task_name(packing_request.task_id), "note": reply.note, "document": reply.document}
    )


VIEW_ROUTES = (runs_page, runs_stream, run_page, run_stream, task_answers)


def _peers(board: RunBoard, key: str) -> dict[str, str]:
    found = list(board.peers_of(key).items())[:MOST_PEERS]
    return {each: run_message(each, run, board)["name"] for each, run in found}


def query_value(request: SiteRequest, name: str) -> str:
    """A value of the address. Raises Refusal if it is too long."""
    value = str(request.query_params.get(name, ""))
    if len(value) > LONGEST_QUERY:
        raise Refusal(400, "The address is too long", f"At most {LONGEST_QUERY} characters in {name}.")
    return value


def _request(board: RunBoard, key: str, others: list[str], task: str) -> PackRequest:
    """The request for the answers to a task. Raises Refusal for an unknown run or task."""

    def own(run: RunFollower) -> tuple[TaskId, RunPlaces] | None:
        for row in run.newest():
            if task_key(row.task_id) == task:
                return row.task_id, _places(run, row.task_id)
        return None

    found = board.with_run(key, own, parts=MOST_PARTS)
    if found is None:
        raise Refusal(404, "This task has no answer yet")
    task_id, places = found
    comparable = board.peers_of(key, among=others)
    runs = [places]
    for other in others:
        if other not in comparable:
            raise Refusal(404, "Unknown run to compare with")
        run_places = board.with_run(other, lambda run: _places(run, task_id), parts=MOST_PARTS)
        runs.append(run_places or RunPlaces(path=str(comparable[other].path)))
    return PackRequest(task_id=task_id, runs=runs)


def _places(run: RunFollower, task_id: TaskId) -> RunPlaces:
    rows = sorted((row for row in run.rows.values() if row.task_id == task_id), key=lambda row: row.sample)
    places = [AnswerPlace(sample=row.sample, answer=row.answer, verdict=row.verdict) for row in rows]
    return RunPlaces(path=str(run.path), prefix=run.prefix, places=places)
