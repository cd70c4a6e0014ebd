"""The ASGI application: routes with policies, one guard, error responses."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from litestar import Litestar, Response, get
from litestar.config.allowed_hosts import AllowedHostsConfig
from litestar.datastructures import MutableScopeHeaders, State
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.response import Redirect
from litestar.types import Message, Scope

from benchwright.errors import BenchwrightError, UsageError
from benchwright.web.core.account_pages import ACCOUNT_ROUTES
from benchwright.web.core.admin_pages import ADMIN_ROUTES
from benchwright.web.core.database import Database
from benchwright.web.core.describing import description
from benchwright.web.core.facts import site_secret
from benchwright.web.core.guard import POLICY, PROJECT, LogInFirst, guard
from benchwright.web.core.invitation_pages import INVITATION_ROUTES
from benchwright.web.core.login_pages import LOGIN_ROUTES
from benchwright.web.core.pages import page, site_environment
from benchwright.web.core.passwords import Passwords
from benchwright.web.core.policy import Policy, ProjectRules, public, undeclared
from benchwright.web.core.refusals import Refusal, not_found
from benchwright.web.core.site import Site, SiteRequest, SiteSettings, named, path_of, site_of
from benchwright.web.core.styling import TYPES, AssetTable
from benchwright.web.core.throttle import Throttle
from benchwright.web.core.unavailable import StoreUnavailable

LOG = logging.getLogger("benchwright.web")


@get("/assets/{name:str}", opt={POLICY: public()})
async def asset(request: SiteRequest) -> Response[bytes]:
    """Serve a style sheet or a script."""
    name, site = named(request, "name"), site_of(request)
    body = site.assets.body(f"/assets/{name}")
    if body is None:
        raise not_found()
    kind = TYPES["." + name.rpartition(".")[2]]
    kept = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(body, media_type=kind, headers=kept)


OWN = (
    *LOGIN_ROUTES,
    *INVITATION_ROUTES,
    *ACCOUNT_ROUTES,
    *ADMIN_ROUTES,
    asset,
    description,
)


def make_application(
    routes: Sequence[HTTPRouteHandler], database: Database, settings: SiteSettings | None = None
) -> Litestar:
    """The ASGI application of these routes and the core's own.

    Raises BenchwrightError with the name of a route that has no policy or an inconsistent one.
    """
    settings = settings or SiteSettings()
    assets = AssetTable(tuple(settings.assets))
    environment = site_environment(settings.templates, assets)
    site = Site(
        database, settings, database.write_now(site_secret), environment, assets, Passwords(), Throttle()
    )
    application = Litestar(
        [*_without_replaced(routes), *routes],
        guards=[guard],
        allowed_hosts=AllowedHostsConfig([*settings.hosts], www_redirect=False),
        exception_handlers={
            LogInFirst: _to_login,
            StoreUnavailable: _unavailable,
            HTTPException: _refused,
            UsageError: _unusable,
            Exception: _fault,
        },
        before_send=[_harden],
        openapi_config=None,
        logging_config=None,
        request_max_body_size=settings.max_body,
        state=State({"site": site}),
        debug=False,
    )
    _check_policies(application, settings.projects)
    return application


def _without_replaced(routes: Sequence[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """The core's own routes, except those that the application replaces."""
    taken = {(path, method) for each in routes for path in each.paths for method in each.http_methods}
    return [
        each
        for each in OWN
        if not any((path, method) in taken for path in each.paths for method in each.http_methods)
    ]


def _check_policies(application: Litestar, rules: ProjectRules) -> None:
    """Refuse routes without a policy, or with a policy that does not match the path."""
    for route in application.routes:
        for handler in getattr(route, "route_handlers", [getattr(route, "route_handler", None)]):
            if isinstance(handler, BaseRouteHandler) and not _made_by_litestar(handler):
                _check_policy(route.path, handler, rules)


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
    if names := undeclared(policy, rules):
        raise BenchwrightError(
            f"the policy of the route {handler} at {path} names undeclared roles or states: "
            + ", ".join(names),
            hint="declare them in SiteSettings.projects",
        )


async def _harden(message: Message, scope: Scope) -> None:
    """Add security headers to every response. A route may set its own Content-Security-Policy."""
    if message["type"] != "http.response.start":
        return
    site: Site = scope["litestar_app"].state.site
    headers = MutableScopeHeaders.from_message(message)
    for name, value in _headers(site.settings).items():
        if name not in headers:
            headers[name] = value


def _headers(settings: SiteSettings) -> dict[str, str]:
    content = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        f"require-trusted-types-for 'script'; trusted-types {settings.trusted_types}"
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
    return always | ({"strict-transport-security": "max-age=31536000"} if settings.secure else {})


def _to_login(_request: SiteRequest, error: LogInFirst) -> Response[Any]:
    return Redirect(f"/login?back={error.back}", status_code=303)


def _unavailable(request: SiteRequest, error: StoreUnavailable) -> Response[Any]:
    LOG.error("%s", error)
    kept = (
        "Your last input may not have been stored. Send it again: it is never stored twice."
        if error.committing
        else "Your last input was not stored. Earlier input is safe. Go back and send it again."
    )
    return _tell(request, 503, "The database is unavailable", kept, retry_s=5)


def _refused(request: SiteRequest, error: HTTPException) -> Response[Any]:
    if isinstance(error, Refusal):
        return _tell(request, error.status_code, error.title, error.why, retry_s=error.retry_s)
    if error.status_code == 404:
        return _refused(request, not_found())
    titles = {405: "Method not allowed", 413: "The request is too large", 400: "The request is invalid"}
    return _tell(request, error.status_code, titles.get(error.status_code, "The request was refused"), "")


def _unusable(request: SiteRequest, error: UsageError) -> Response[Any]:
    return _tell(request, 422, error.message[:1].upper() + error.message[1:], error.hint or "")


def _fault(request: SiteRequest, error: Exception) -> Response[Any]:
    LOG.error("internal error at %s %s", request.method, path_of(request), exc_info=error)
    return _tell(request, 500, "Internal error", "The error was logged. Nothing of this request was stored.")


def _tell(
    request: SiteRequest, status: int, title: str, why: str, *, retry_s: int | None = None
) -> Response[Any]:
    headers = {} if retry_s is None else {"retry-after": str(retry_s)}
    if path_of(request).startswith("/api/"):
        return Response({"error": title, "why": why}, status_code=status, headers=headers)
    return page(request, "refusal.html", status=status, headers=headers, title=title, why=why)
