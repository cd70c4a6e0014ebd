"""The parts of a running server that its pages share, and how pages are drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from litestar import Response

from benchwright.web.core.pages import page
from benchwright.web.core.read_only import read_only_page
from benchwright.web.core.site import PageResponse, SiteRequest, visitor_of
from benchwright.web.serve.figure_cache import FigureCache
from benchwright.web.serve.run_index import RunIndex

MOST_DRAWN = 32  # pages that are kept
RELOAD = {"refresh": "2"}  # of a page whose figures are being computed


class ServeParts(NamedTuple):
    """The parts of a running server, at `app.state.serve`."""

    runs: RunIndex
    figures: FigureCache
    drawn: OrderedDict[object, str]  # pages of visitors without an account, by content
    is_frozen: bool = False  # pages are written to files: without forms and streams


def serve_parts(request: SiteRequest) -> ServeParts:
    """The parts of the server that answers this request."""
    parts: ServeParts = request.app.state.serve
    return parts


def draw_page(
    request: SiteRequest, template: str, *, headers: Mapping[str, str] | None = None, **context: Any
) -> PageResponse:
    """A page; for people who are logged in, with their links. Visitors without an account get no cookie."""
    context = {**context, "is_frozen": serve_parts(request).is_frozen}
    if visitor_of(request).who.account_id is None:
        drawn = read_only_page(request, template, **context)
        drawn.headers.update(headers or {})
        return drawn
    return page(request, template, headers={**(headers or {})}, **context)


def draw_kept(request: SiteRequest, key: object, draw: Callable[[], PageResponse]) -> PageResponse:
    """A page by a key of all that it shows. It is drawn once for all visitors without an account."""
    if visitor_of(request).who.account_id is not None:
        return draw()
    drawn = serve_parts(request).drawn
    if key not in drawn:
        response = draw()
        if response.headers.get("refresh"):
            return response
        drawn[key] = response.content
        if len(drawn) > MOST_DRAWN:
            drawn.popitem(last=False)
    drawn.move_to_end(key)
    return Response(drawn[key], media_type="text/html")
