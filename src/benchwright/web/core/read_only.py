"""An application that only reads: no accounts, no database, no cookies, GET alone, for this machine alone."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment
from litestar import Litestar, Response
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.handlers.base import BaseRouteHandler
from litestar.types import ExceptionHandlersMap

from benchwright.errors import BenchwrightError
from benchwright.web.core.application import asset, hardened_application
from benchwright.web.core.pages import SAFE, site_environment
from benchwright.web.core.policy import Principal, Refusal, not_found
from benchwright.web.core.site import (
    AssetTable,
    Connection,
    SiteRequest,
    SiteSettings,
    Visitor,
    path_of,
)

LOG = logging.getLogger("benchwright.web")
_OWN_SITE = ("same-origin", "none")  # values of Sec-Fetch-Site: our own page, or the address bar


class ReadOnlySite(NamedTuple):
    """The parts of a running application without accounts, at `app.state.site`."""

    settings: SiteSettings
    environment: Environment
    assets: AssetTable


def read_only_page(
    connection: Connection, template: str, *, status: int = 200, **context: Any
) -> Response[str]:
    """A page for anybody. It sets no cookie."""
    site: ReadOnlySite = connection.app.state.site  # or a Site, which has the same parts
    shared = {"site": site.settings, "visitor": Visitor(Principal()), "csrf": ""}
    drawn = site.environment.get_template(template).render({**context, **shared})
    return Response(drawn, status_code=status, media_type="text/html")


def make_read_only_application(
    routes: Sequence[HTTPRouteHandler], settings: SiteSettings, texts: Mapping[str, str]
) -> Litestar:
    """The application of these routes. `texts` are further static files by name.

    Raises BenchwrightError for a route of another method than GET.
    """
    for each in routes:
        if each.http_methods != {"GET"}:
            raise BenchwrightError(f"the route {each} does not only read", hint="use GET")
    assets = AssetTable(tuple(settings.assets), texts)
    site = ReadOnlySite(settings, site_environment(settings.templates, assets), assets)
    handlers: ExceptionHandlersMap = {
        HTTPException: _http_error,
        BenchwrightError: _own_error,
        Exception: _internal_error,
    }
    return hardened_application([asset, *routes], settings, site, admit=admit, handlers=handlers)


async def admit(connection: Connection, _handler: BaseRouteHandler) -> None:
    """Admit requests that read, from a page of this site or from the address bar. Raises Refusal.

    The Host header is checked before. A browser sends Sec-Fetch-Site, and Origin for some requests of other
    sites; a link on another page may open a page here, but nothing else.
    """
    method = connection.scope["method"]  # type: ignore[typeddict-item]
    if method not in SAFE - {"OPTIONS"}:
        raise Refusal(405, "Method not allowed")
    origin = connection.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != connection.headers.get("host"):
        raise _foreign()
    navigates = connection.headers.get("sec-fetch-mode") == "navigate"
    if connection.headers.get("sec-fetch-site", "none") not in _OWN_SITE and not navigates:
        raise _foreign()


def _foreign() -> Refusal:
    return Refusal(403, "The request comes from another site")


def _http_error(request: SiteRequest, error: HTTPException) -> Response[Any]:
    if isinstance(error, Refusal):
        return _refusal_page(request, error.status_code, error.title, error.why)
    if error.status_code == 404:
        return _http_error(request, not_found())
    titles = {405: "Method not allowed", 413: "The request is too large", 400: "The request is invalid"}
    return _refusal_page(request, error.status_code, titles.get(error.status_code, "The request was refused"))


def _own_error(request: SiteRequest, error: BenchwrightError) -> Response[Any]:
    return _refusal_page(request, 422, error.message[:1].upper() + error.message[1:], error.hint or "")


def _internal_error(request: SiteRequest, error: Exception) -> Response[Any]:
    LOG.error("internal error at %s %s", request.method, path_of(request), exc_info=error)
    return _refusal_page(request, 500, "Internal error", "The error was logged.")


def _refusal_page(request: SiteRequest, status: int, title: str, why: str = "") -> Response[Any]:
    if path_of(request).startswith("/api/"):
        return Response({"error": title, "why": why}, status_code=status)
    return read_only_page(request, "refusal.html", status=status, title=title, why=why)
