"""The ASGI application: routes with policies, one guard, error responses."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from litestar import Litestar, Response, get
from litestar.config.allowed_hosts import AllowedHostsConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.response import Redirect
from litestar.types import ExceptionHandlersMap, Guard, Message, Scope

from benchwright.errors import BenchwrightError, UsageError
from benchwright.web.core.account_pages import ACCOUNT_ROUTES
from benchwright.web.core.admin_pages import ADMIN_ROUTES
from benchwright.web.core.api_document import openapi_page
from benchwright.web.core.authentication import Passwords, Throttle
from benchwright.web.core.database import Database, DatabaseUnavailable
from benchwright.web.core.guard import POLICY, PROJECT, LoginRequired, guard
from benchwright.web.core.login_pages import INVITATION_ROUTES, LOGIN_ROUTES
from benchwright.web.core.oidc_pages import OIDC_ROUTES
from benchwright.web.core.pages import page, site_environment
from benchwright.web.core.policy import (
    Policy,
    ProjectRules,
    Refusal,
    not_found,
    public,
    undeclared_names,
)
from benchwright.web.core.secrets import site_secret
from benchwright.web.core.site import (
    TYPES,
    AssetTable,
    Site,
    SiteRequest,
    SiteSettings,
    path_of,
    path_parameter,
    site_of,
)

LOG = logging.getLogger("benchwright.web")


@get("/assets/{name:str}", opt={POLICY: public()})
async def asset(request: SiteRequest) -> Response[bytes]:
    """Serve a style sheet or a script."""
    name, site = path_parameter(request, "name"), site_of(request)
    body = site.assets.body(f"/assets/{name}")
    if body is None:
        raise not_found()
    kind = TYPES["." + name.rpartition(".")[2]]
    cache_headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(body, media_type=kind, headers=cache_headers)


OWN = (
    *LOGIN_ROUTES,
    *OIDC_ROUTES,
    *INVITATION_ROUTES,
    *ACCOUNT_ROUTES,
    *ADMIN_ROUTES,
    asset,
    openapi_page,
)


def make_application(
    routes: Sequence[HTTPRouteHandler],
    database: Database,
    settings: SiteSettings | None = None,
    *,
    texts: Mapping[str, str] = MappingProxyType({}),
) -> Litestar:
    """The ASGI application of these routes and the core's own. `texts` are further static files by name.

    Raises BenchwrightError with the name of a route that has no policy or an inconsistent one.
    """
    settings = settings or SiteSettings()
    assets = AssetTable(tuple(settings.assets), texts)
    environment = site_environment(settings.templates, assets)
    site = Site(
        database, settings, database.write_now(site_secret), environment, assets, Passwords(), Throttle()
    )
    handlers: ExceptionHandlersMap = {
        LoginRequired: _to_login,
        DatabaseUnavailable: _database_unavailable,
        HTTPException: _http_error,
        UsageError: _usage_error,
        Exception: _internal_error,
    }
    every = [*_without_replaced(routes), *routes]
    application = hardened_application(every, settings, site, admit=guard, handlers=handlers)
    _check_policies(application, settings.projects)
    return application


def initial_state(site: object) -> State:
    """Return `app.state` before the first request: `site`, and counts of responses by method and status."""
    return State({"site": site, "requests": Counter()})


def hardened_application(
    routes: Sequence[HTTPRouteHandler],
    settings: SiteSettings,
    site: object,
    *,
    admit: Guard,
    handlers: ExceptionHandlersMap,
) -> Litestar:
    """Return an application with the protection of all sites: known hosts, headers, limited bodies.

    `site` becomes `app.state.site`.
    """
    return Litestar(
        routes,
        guards=[admit],
        allowed_hosts=AllowedHostsConfig([*settings.hosts], www_redirect=False),
        exception_handlers=handlers,
        before_send=[_add_security_headers, _count_response],
        openapi_config=None,
        logging_config=None,
        request_max_body_size=settings.max_body,
        state=initial_state(site),
        debug=False,
    )


def _without_replaced(routes: Sequence[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """The core's own routes, except those that the application replaces."""
    served = {(path, method) for each in routes for path in each.paths for method in each.http_methods}
    return [
        each
        for each in OWN
        if not any((path, method) in served for path in each.paths for method in each.http_methods)
    ]


def _check_policies(application: Litestar, rules: ProjectRules) -> None:
    """Refuse routes without a policy, or with a policy that does not match the path."""
    for served in application.routes:
        for handler in getattr(served, "route_handlers", [getattr(served, "route_handler", None)]):
            if isinstance(handler, BaseRouteHandler) and not _made_by_litestar(handler):
                _check_policy(served.path, handler, rules)


def _made_by_litestar(handler: BaseRouteHandler) -> bool:
    """Whether litestar added the handler, to answer OPTIONS; the guard refuses it."""
    return isinstance(handler, HTTPRouteHandler) and handler.http_methods == {"OPTIONS"}


def _check_policy(path: str, handler: BaseRouteHandler, rules: ProjectRules) -> None:
    policy = handler.opt.get(POLICY)
    if not isinstance(policy, Policy):
        raise BenchwrightError(f"the route {handler} at {path} has no policy", hint='opt={"policy": …}')
    if policy.needs_project != (f"{{{PROJECT}:" in path):
        raise BenchwrightError(
            f"the policy of the route {handler} does not match its path {path}: only one is about a project",
            hint=f"in_project(…) with {{{PROJECT}:str}}",
        )
    if names := undeclared_names(policy, rules):
        raise BenchwrightError(
            f"the policy of the route {handler} at {path} names undeclared roles or states: "
            + ", ".join(names),
            hint="declare them in SiteSettings.projects",
        )


async def _add_security_headers(message: Message, scope: Scope) -> None:
    """Add security headers to every response. A route may set its own Content-Security-Policy."""
    if message["type"] != "http.response.start":
        return
    site: Site = scope["litestar_app"].state.site
    settings, own = site.settings, [*message["headers"]]
    names = {name.lower() for name, _ in own}
    always = _headers(settings.trusted_types, secure=settings.secure)
    message["headers"] = own + [header for header in always if header[0] not in names]


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


async def _count_response(message: Message, scope: Scope) -> None:
    """Count responses by method and status, at `app.state.requests`. Clients may invent methods."""
    if message["type"] == "http.response.start":
        method = str(scope.get("method"))
        counted_method = method if method in METHODS else "other"
        scope["litestar_app"].state.requests[counted_method, message["status"]] += 1


@lru_cache(maxsize=16)
def _headers(trusted_types: str, *, secure: bool) -> list[tuple[bytes, bytes]]:
    content = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        f"require-trusted-types-for 'script'; trusted-types {trusted_types}"
    )
    always = {
        "content-security-policy": content,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
    }
    if secure:
        always["strict-transport-security"] = "max-age=31536000"
    return [(name.encode(), value.encode("latin-1")) for name, value in always.items()]


def _to_login(_request: SiteRequest, error: LoginRequired) -> Response[Any]:
    return Redirect(f"/login?back={error.back}", status_code=303)


def _database_unavailable(request: SiteRequest, error: DatabaseUnavailable) -> Response[Any]:
    LOG.error("%s", error)
    note = (
        "Your last input may not have been stored. Send it again: it is never stored twice."
        if error.committing
        else "Your last input was not stored. Earlier input is safe. Go back and send it again."
    )
    return _error_response(request, 503, "The database is unavailable", note, retry_s=5)


def _http_error(request: SiteRequest, error: HTTPException) -> Response[Any]:
    if isinstance(error, Refusal):
        return _error_response(request, error.status_code, error.title, error.why, retry_s=error.retry_s)
    if error.status_code == 404:
        return _http_error(request, not_found())
    titles = {405: "Method not allowed", 413: "The request is too large", 400: "The request is invalid"}
    return _error_response(
        request, error.status_code, titles.get(error.status_code, "The request was refused"), ""
    )


def _usage_error(request: SiteRequest, error: UsageError) -> Response[Any]:
    return _error_response(request, 422, error.message[:1].upper() + error.message[1:], error.hint or "")


def _internal_error(request: SiteRequest, error: Exception) -> Response[Any]:
    LOG.error("internal error at %s %s", request.method, path_of(request), exc_info=error)
    return _error_response(
        request, 500, "Internal error", "The error was logged. Nothing of this request was stored."
    )


def _error_response(
    request: SiteRequest, status: int, title: str, why: str, *, retry_s: int | None = None
) -> Response[Any]:
    headers = {} if retry_s is None else {"retry-after": str(retry_s)}
    if path_of(request).startswith("/api/"):
        return Response({"error": title, "why": why}, status_code=status, headers=headers)
    return page(request, "refusal.html", status=status, headers=headers, title=title, why=why)
