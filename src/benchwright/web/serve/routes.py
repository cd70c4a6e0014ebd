"""The pages of `serve` by address and audience. A policy table turns them into routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from litestar import get
from litestar.handlers import HTTPRouteHandler

from benchwright.web.core.guard import route
from benchwright.web.core.policy import Policy
from benchwright.web.serve import board_pages, run_pages, server_metrics
from benchwright.web.view import pages as view_pages

READING = "reading"  # the audience of all pages here: who may read runs and leaderboards
HEALTH, METRICS = "health", "metrics"  # the audiences of programs that watch the server


class PageRoute(NamedTuple):
    """A page: its address, the function that answers, and its audience."""

    path: str
    answer: Callable[..., Any]
    audience: str = READING


PAGES = (
    PageRoute("/health", server_metrics.health, HEALTH),
    PageRoute("/metrics", server_metrics.metrics, METRICS),
    PageRoute("/", run_pages.first_page),
    PageRoute("/live", run_pages.live_stream),
    PageRoute("/models", run_pages.model_page),
    PageRoute("/runs/{run:str}", run_pages.run_page),
    PageRoute("/runs/{run:str}/stream", view_pages.run_stream.fn),
    PageRoute("/api/runs/{run:str}/answers", view_pages.task_answers.fn),
    PageRoute("/boards/{board:str}", board_pages.board_page),
    PageRoute("/boards/{board:str}/standing.json", board_pages.board_json),
    PageRoute("/boards/{board:str}/standing.csv", board_pages.board_csv),
    PageRoute("/boards/{board:str}/comparison", board_pages.comparison_page),
    PageRoute("/boards/{board:str}/comparison.json", board_pages.comparison_json),
    PageRoute("/boards/{board:str}/comparison.csv", board_pages.comparison_csv),
)


def page_routes(policies: Mapping[str, Policy]) -> list[HTTPRouteHandler]:
    """The routes of all pages, with the policy of their audience."""
    return [get(each.path, opt=route(policies[each.audience]))(each.answer) for each in PAGES]
