"""The list of runs, the page of a run, and the history of a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from litestar.response import Stream

from benchwright.asking.cost import money
from benchwright.display.wording import in_order
from benchwright.report.page import meta
from benchwright.web.core.policy import Refusal, not_found
from benchwright.web.core.site import PageResponse, SiteRequest, path_parameter
from benchwright.web.serve.index_records import FINISHED, PROBLEMS, RUNNING, IndexedRun
from benchwright.web.serve.run_index import IndexState, RunIndex
from benchwright.web.serve.run_sets import RunSet, run_sets
from benchwright.web.serve.serve_parts import RELOAD, draw_kept, draw_page, serve_parts
from benchwright.web.view.follower import WAITING
from benchwright.web.view.pages import MOST_PEERS, parts_of, query_value
from benchwright.web.view.streams import RunListStream, run_message

PAGE_ROWS = 100  # runs on a page of the list


class RunListFilter(NamedTuple):
    """The runs of a list: their track, their state, and a text in model or folder. Empty: all."""

    track: str = ""
    state: str = ""
    find: str = ""

    def admits(self, run: IndexedRun) -> bool:
        """Return whether a run is among them."""
        if (self.track and run.track != self.track) or (self.state and run.state != self.state):
            return False
        text = f"{run.model} {run.title} {run.name}".lower()
        return self.find.lower() in text


async def first_page(request: SiteRequest) -> PageResponse:
    """Show leaderboards, runs that are running, all runs, and what is wrong with folders."""
    state = await serve_parts(request).runs.current()
    wanted = RunListFilter(*(query_value(request, name) for name in RunListFilter._fields))
    start = query_number(request, "start")
    key = ("first", state.version, wanted, start)
    return draw_kept(request, key, lambda: _draw_first(request, state, wanted, start))


def _draw_first(request: SiteRequest, state: IndexState, wanted: RunListFilter, start: int) -> PageResponse:
    runs = newest_first(state.runs.values())
    listed = [run for run in runs if wanted.admits(run)]
    if serve_parts(request).is_frozen:
        start, visible_runs = 0, listed
    else:
        visible_runs = listed[start : start + PAGE_ROWS]
    return draw_page(
        request,
        "serve_runs.html",
        headers=RELOAD if state.pending else None,
        sets=run_sets(runs),
        live=[run for run in runs if run.state == RUNNING],
        runs=visible_runs,
        found=len(listed),
        start=start,
        page_rows=PAGE_ROWS,
        wanted=wanted,
        tracks=sorted({run.track for run in runs if run.track}),
        states=sorted({run.state for run in runs}),
        problems=[run for run in runs if run.state in PROBLEMS or (run.state == FINISHED and run.self_check)],
        state=state,
        **helpers(),
    )


def query_number(request: SiteRequest, name: str) -> int:
    """A parameter of at most six digits; 0 for anything else."""
    text = query_value(request, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0


def newest_first(runs: Any) -> list[IndexedRun]:
    """The runs, the latest first."""
    return sorted(runs, key=lambda run: (run.date, run.key), reverse=True)


def helpers() -> dict[str, Any]:
    """Functions of the templates."""
    return {"in_order": in_order, "money": money, "short": short_model}


def short_model(run: IndexedRun) -> str:
    """The name of a run's model without its scheme; the name of its suite, if it has one."""
    return run.title or run.model.partition(":")[2].rsplit("/", 1)[-1] or run.model


async def live_stream(request: SiteRequest) -> Stream:
    """Send changes of the runs that have no score."""
    view, index = parts_of(request), serve_parts(request).runs
    return view.streams.response("live", lambda: LiveRuns(index))


class LiveRuns:
    """The messages of the list of running runs."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._loop = asyncio.get_running_loop()
        self._source = RunListStream(index.board, keys=self._keys)

    def message(self) -> dict[str, Any] | None:
        """The changes since the last message; None without changes."""
        asyncio.run_coroutine_threadsafe(self._index.current(), self._loop).result()
        return self._source.message()

    def everything(self) -> dict[str, Any]:
        """All running runs of the messages so far."""
        return self._source.everything()

    def _keys(self) -> list[str]:
        return [key for key, run in self._index.state.runs.items() if run.state == RUNNING]


async def run_page(request: SiteRequest) -> PageResponse:
    """Show one run: its score once it is finished and its self-check passed, and its answers."""
    key, index = path_parameter(request, "run"), serve_parts(request).runs
    state = await index.current()
    run = state.runs.get(key)
    board = parts_of(request).board
    found = await asyncio.to_thread(board.with_run, key, lambda each: run_message(key, each, board))
    if found is None:
        raise _absent(run)
    peers = _peers(run, state, query_value(request, "beside"))
    names = {key: found["name"], **{each.key: each.name for each in peers}}
    known = meta([*names.values()], [], side="", readable=True, graded=True)
    known |= {"modelKeys": [*names], "taskKeys": [], "run": key}
    known["outcomes"][WAITING] = {"label": "not judged yet", "group": "missing", "sign": "…"}
    sets = [each for each in run_sets(state.runs.values()) if run is not None and run in each.runs]
    return draw_page(
        request, "serve_run.html", run=found, meta=known, facts=run, set=next(iter(sets), None), **helpers()
    )


def _absent(run: IndexedRun | None) -> Refusal:
    if run is None:
        return not_found()
    return Refusal(410, f"The run {run.name} cannot be shown", run.why)


def _peers(run: IndexedRun | None, state: IndexState, first: str) -> list[IndexedRun]:
    """Other runs of the same data for comparison in the reader, the latest; before them the one named."""
    if run is None or not run.data:
        return []
    alike = [
        each
        for each in newest_first(state.runs.values())
        if each.key != run.key and (each.track, each.data) == (run.track, run.data) and not is_problem(each)
    ]
    return sorted(alike, key=lambda each: each.key != first)[:MOST_PEERS]


def is_problem(run: IndexedRun) -> bool:
    """Whether the folder of a run is gone or cannot be read."""
    return run.state in PROBLEMS


class ModelHistory(NamedTuple):
    """The runs of a model in one set of comparable runs, the latest first."""

    set: RunSet
    runs: list[IndexedRun]


async def model_page(request: SiteRequest) -> PageResponse:
    """Show all runs of a model by set of comparable runs."""
    state, model = await serve_parts(request).runs.current(), query_value(request, "model")
    runs = [run for run in newest_first(state.runs.values()) if run.model == model]
    if not runs:
        raise not_found()
    return draw_page(
        request,
        "serve_model.html",
        headers=RELOAD if state.pending else None,
        model=model,
        histories=_histories(runs, run_sets(state.runs.values())),
        rest=[run for run in runs if not run.has_score],
        **helpers(),
    )


def _histories(runs: Sequence[IndexedRun], sets: Sequence[RunSet]) -> list[ModelHistory]:
    found = [ModelHistory(each, [run for run in runs if run in each.runs]) for each in sets]
    return [each for each in found if each.runs]
