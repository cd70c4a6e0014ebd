"""Leaderboards, and two of their runs task by task: as pages, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from litestar import Response

from benchwright.display.escape import spreadsheet_cell, visible_name
from benchwright.display.wording import counted, p_value, points
from benchwright.rank.comparability import ALLOWANCES
from benchwright.report.runs import page_address
from benchwright.stats.ranks import RankRange
from benchwright.web.core.policy import Refusal, not_found
from benchwright.web.core.site import PageResponse, SiteRequest, path_parameter
from benchwright.web.serve.figure_cache import FigureQuestion, FigureView
from benchwright.web.serve.figures_process import BoardPage, ComparisonPage
from benchwright.web.serve.index_records import IndexedRun
from benchwright.web.serve.run_pages import helpers, query_number
from benchwright.web.serve.run_sets import RunSet, run_sets
from benchwright.web.serve.serve_parts import RELOAD, draw_kept, draw_page, serve_parts
from benchwright.web.view.pages import query_value
from benchwright.web.view.streams import task_key

COLUMNS = {
    "metrics": "Other metrics",
    "outcomes": "Outcomes",
    "isolation": "Isolation",
    "missing": "Missing",
    "cost": "Cost",
    "date": "Date",
}
MOST_CHANGES = 1_000  # tasks that a page lists
MOST_RUNS = 200  # that are ranked together: all pairs are tested


class BoardFilter(NamedTuple):
    """The runs of a leaderboard, and what is shown of them."""

    find: str = ""  # in the model's name
    latest: bool = False  # the latest run of each model only
    metric: str = ""
    allow: tuple[str, ...] = ()
    columns: tuple[str, ...] = tuple(COLUMNS)
    start: int = 0  # number of later runs that are left out, because too many match

    def matching(self, found: RunSet) -> list[IndexedRun]:
        """The runs of a set that match, the latest first."""
        chosen = [run for run in found.runs if self.find.lower() in f"{run.model} {run.title}".lower()]
        if self.latest:
            models: dict[str, IndexedRun] = {}
            for run in chosen:
                models.setdefault(run.model, run)
            chosen = list(models.values())
        return chosen

    def runs(self, found: RunSet) -> tuple[IndexedRun, ...]:
        """The runs that are ranked, by path, so that equal choices give equal figures."""
        chosen = self.matching(found)[self.start : self.start + MOST_RUNS]
        return tuple(sorted(chosen, key=lambda run: run.path))

    def query(self, **more: str) -> str:
        """The filter as the query of an address."""
        given = [("find", self.find), ("latest", "1" if self.latest else ""), ("metric", self.metric)]
        given += [("allow", each) for each in self.allow]
        given += [*({"start": str(self.start or "")} | more).items()]
        return urlencode([(name, value) for name, value in given if value])


def _filter(request: SiteRequest) -> BoardFilter:
    columns = request.query_params.getall("columns", [])
    return BoardFilter(
        find=query_value(request, "find"),
        latest=query_value(request, "latest") == "1",
        metric=query_value(request, "metric"),
        allow=tuple(each for each in ALLOWANCES if each in request.query_params.getall("allow", [])),
        columns=tuple(each for each in COLUMNS if each in columns) if columns else tuple(COLUMNS),
        start=query_number(request, "start"),
    )


class BoardRow(NamedTuple):
    """A run of a leaderboard, in its order."""

    run: IndexedRun
    name: str
    rank: str  # "1", "1–3"; empty without a ranking
    lead: str  # over the next, in points
    interval: str
    p: str
    is_established: bool | None  # whether it is better than the next; None for the last


async def board_page(request: SiteRequest) -> PageResponse:
    """Show a leaderboard."""
    found, wanted = await _set(request), _filter(request)
    runs = wanted.runs(found)
    if not runs:
        return draw_page(request, "serve_board.html", **_context(found, wanted, runs, FigureView(None)))
    question = FigureQuestion(runs, wanted.metric, wanted.allow)
    view = await serve_parts(request).figures.shown(question)
    if view.page is None:
        headers = RELOAD if view.is_pending else None
        context = _context(found, wanted, runs, view)
        return draw_page(request, "serve_board.html", headers=headers, **context)
    key = ("board", found.key, question.key, wanted, tuple(run.key for run in found.runs))
    return draw_kept(
        request, key, lambda: draw_page(request, "serve_board.html", **_context(found, wanted, runs, view))
    )


def _context(
    found: RunSet, wanted: BoardFilter, runs: Sequence[IndexedRun], view: FigureView
) -> dict[str, Any]:
    page = msgspec.json.decode(view.page, type=BoardPage) if view.page else BoardPage()
    rows = _rows(page, {run.key: run for run in runs})
    measures = {each.name: each for each in page.shown}
    return {
        "set": found,
        "wanted": wanted,
        "view": view,
        "figures": page,
        "rows": rows,
        "measure": measures.get(page.metric),
        "others": [each for each in page.shown if each.name != page.metric],
        "metric_titles": {name: measures[name].title for name in page.metrics if name in measures},
        "gradings": sorted({run.grading for run in runs if run.grading}),
        "columns": COLUMNS,
        "total": len(found.runs),
        "matching": len(wanted.matching(found)),
        "most": MOST_RUNS,
        **helpers(),
    }


def _rows(page: BoardPage, runs: dict[str, IndexedRun]) -> list[BoardRow]:
    rows = []
    for place in page.places:
        lead, texts = place.lead, ("", "", "")
        if lead is not None:
            value, low, high = points(lead.value, lead.low, lead.high)
            texts = value, f"{low} to {high}", p_value(lead.p)
        rank = str(RankRange(place.best, place.worst)) if place.best else ""
        separated = None if lead is None else lead.separated
        rows.append(BoardRow(runs[place.key], visible_name(place.name), rank, *texts, separated))
    return rows


async def _set(request: SiteRequest) -> RunSet:
    """The set that the path names."""
    state, key = await serve_parts(request).runs.current(), path_parameter(request, "board")
    found = next((each for each in run_sets(state.runs.values()) if each.key == key), None)
    if found is None:
        raise not_found()
    return found


async def _question(request: SiteRequest) -> FigureQuestion:
    wanted, found = _filter(request), await _set(request)
    runs = wanted.runs(found)
    if not runs:
        raise Refusal(404, "No run matches the filter")
    return FigureQuestion(runs, wanted.metric, wanted.allow)


async def board_json(request: SiteRequest) -> Response[bytes]:
    """Send a leaderboard as `benchwright rank --json` prints it."""
    document = await _document(request, await _question(request))
    return Response(msgspec.json.encode(document["json"]), media_type="application/json")


async def board_csv(request: SiteRequest) -> Response[str]:
    """Send a leaderboard as `benchwright rank --csv` writes it."""
    document = await _document(request, await _question(request))
    return _csv(document["csv"], "standing.csv")


async def _document(request: SiteRequest, question: FigureQuestion) -> dict[str, Any]:
    """The document of these figures. Raises Refusal with the reason if there is none."""
    figures = serve_parts(request).figures
    document: dict[str, Any] = msgspec.json.decode(await figures.document(question))
    if not document:
        kind: type[BoardPage | ComparisonPage] = BoardPage if question.pair is None else ComparisonPage
        page = msgspec.json.decode(await figures.computed(question), type=kind)
        raise Refusal(409, "There are no figures", f"{page.why} {page.hint}".strip())
    return document


def _csv(text: str, name: str) -> Response[str]:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


async def _pair(request: SiteRequest) -> FigureQuestion:
    """Two runs of a set, by the parameters `a` and `b`."""
    question = await _question(request)
    known, pair_keys = (
        {run.key for run in question.runs},
        (query_value(request, "a"), query_value(request, "b")),
    )
    if not known.issuperset(pair_keys):
        raise not_found()
    if pair_keys[0] == pair_keys[1]:
        raise Refusal(400, "Choose two runs", "Both are the same run.")
    return question._replace(pair=pair_keys)


async def comparison_page(request: SiteRequest) -> PageResponse:
    """Show two runs of a leaderboard task by task."""
    found, wanted, question = await _set(request), _filter(request), await _pair(request)
    assert question.pair is not None
    view = await serve_parts(request).figures.shown(question)
    page = msgspec.json.decode(view.page, type=ComparisonPage) if view.page else ComparisonPage()
    runs = {run.key: run for run in question.runs}
    a, b = (runs[key] for key in question.pair)
    known = {each.name: each for each in a.measures}
    document = page.document
    changes = document.get("changes", [])
    return draw_page(
        request,
        "serve_comparison.html",
        headers=RELOAD if view.is_pending else None,
        set=found,
        view=view,
        page=page,
        document=document,
        measure=known.get(document.get("metric", "")),
        a=a,
        b=b,
        changes=[_change(row, a, b) for row in changes[:MOST_CHANGES]],
        left=max(0, len(changes) - MOST_CHANGES),
        query=wanted.query(a=a.key, b=b.key),
        points=points,
        p_value=p_value,
        counted=counted,
        **helpers(),
    )


def _change(row: dict[str, Any], a: IndexedRun, b: IndexedRun) -> dict[str, Any]:
    """A task on which two runs differ, with the addresses of both answers in the reader."""
    key = quote(task_key(row["task_id"]), safe="")
    return {
        "name": visible_name(row["task_id"]),
        "a": row["a"],
        "b": row["b"],
        "difference": points(row["difference"])[0],
        "a_address": f"/runs/{a.key}?beside={b.key}{page_address(key, a.key)}",
        "b_address": f"/runs/{b.key}?beside={a.key}{page_address(key, b.key)}",
    }


async def comparison_json(request: SiteRequest) -> Response[bytes]:
    """Send two runs task by task as `benchwright compare --json` prints it."""
    document = await _document(request, await _pair(request))
    return Response(msgspec.json.encode(document["json"]), media_type="application/json")


async def comparison_csv(request: SiteRequest) -> Response[str]:
    """Send the tasks on which two runs differ as CSV."""
    document = (await _document(request, await _pair(request)))["json"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [spreadsheet_cell(document[side]["name"]) for side in "ab"]
    writer.writerow(["task_id", *names, "difference"])
    for row in document["changes"]:
        writer.writerow([spreadsheet_cell(str(row["task_id"])), row["a"], row["b"], row["difference"]])
    return _csv(text.getvalue(), "comparison.csv")
