"""The OpenAPI document of the routes below /api, made from the routes, their policies and what they read.

Format: https://spec.openapis.org/oas/v3.1.0.
"""

from __future__ import annotations

import re
from typing import Any

from litestar import Litestar, Response, get
from litestar.handlers import HTTPRouteHandler

from benchwright.version import VERSION
from benchwright.web.core.guard import BODY, FIELDS, POLICY, QUERY, route
from benchwright.web.core.pages import HEADER, SESSION, cookie_name
from benchwright.web.core.policy import PUBLIC, Policy, public
from benchwright.web.core.site import SiteRequest

API = "/api/"
_TYPED = re.compile(r"\{(\w+):\w+\}")
_TOKEN = (
    "A token of an account or of a space, as `Authorization: Bearer TOKEN`. `x-scope` of an operation is the "
    "scope that it must have; an operation without one accepts no token."
)
_SESSION = (
    f"The cookie of a login on the pages. A request that changes something also sends the header `{HEADER}`, "
    "or a form field `csrf`, with the value of that field in a form of the pages."
)
_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "why": {"type": "string"}},
    "required": ["error"],
}


def openapi_document(application: Litestar, below: str = API) -> dict[str, Any]:
    """The routes below an address with their parameters, what they read, and their audience."""
    paths: dict[str, dict[str, Any]] = {}
    for path, method, handler in routes_of(application):
        if path.startswith(below):
            operations = paths.setdefault(_TYPED.sub(r"{\1}", path), {})
            operations[method.lower()] = _operation(path, handler)
    site = application.state.site
    session = {"type": "apiKey", "in": "cookie", "name": cookie_name(site, SESSION), "description": _SESSION}
    return {
        "openapi": "3.1.0",
        "info": {"title": site.settings.title, "version": VERSION},
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {
                "session": session,
                "token": {"type": "http", "scheme": "bearer", "description": _TOKEN},
            },
        },
        "paths": dict(sorted(paths.items())),
    }


def routes_of(application: Litestar) -> list[tuple[str, str, HTTPRouteHandler]]:
    """Path, method and handler of every route that has a policy."""
    return [
        (each.path, method, handler)
        for each in application.routes
        for handler in getattr(each, "route_handlers", [])
        for method in sorted(handler.http_methods)
        if isinstance(handler.opt.get(POLICY), Policy)
    ]


def _operation(path: str, handler: HTTPRouteHandler) -> dict[str, Any]:
    policy: Policy = handler.opt[POLICY]
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    found: dict[str, Any] = {
        "operationId": handler.fn.__name__,
        "summary": (handler.fn.__doc__ or "").strip().partition("\n")[0],
        "parameters": [
            *(_parameter("path", name, required=True) for name in _TYPED.findall(path)),
            *(_parameter("query", name) for name in handler.opt.get(QUERY, ())),
        ],
        "security": _security(policy),
        "x-allows": sorted(policy.allows),
        "responses": {
            str(handler.status_code): {"description": "Success"},
            "default": {"description": "The request was refused", "content": error},
        },
    }
    if policy.scope is not None:
        found["x-scope"] = policy.scope
    if content := _content(handler):
        found["requestBody"] = {"content": content}
    return found


def _parameter(place: str, name: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "schema": {"type": "string"}}


def _security(policy: Policy) -> list[dict[str, list[str]]]:
    """The alternatives; an empty one is a request without a login."""
    if "anonymous" in policy.allows:
        return []
    token: list[dict[str, list[str]]] = [] if policy.scope is None else [{"token": []}]
    return [{"session": []}, *token, *([{}] if PUBLIC in policy.allows else [])]


def _content(handler: HTTPRouteHandler) -> dict[str, Any]:
    if fields := handler.opt.get(FIELDS):
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in fields}}
        return {"application/x-www-form-urlencoded": {"schema": schema}}
    return {each: {} for each in handler.opt.get(BODY, ())}


@get("/api/openapi.json", opt=route(public()))
async def openapi_page(request: SiteRequest) -> Response[dict[str, Any]]:
    """Serve this document."""
    return Response(openapi_document(request.app))
