"""The OpenAPI document, made from the routes."""

from __future__ import annotations

import re
from typing import Any

from litestar import Litestar, Response, get
from litestar.handlers import HTTPRouteHandler

from benchwright.version import VERSION
from benchwright.web.core.guard import FIELDS, POLICY, route
from benchwright.web.core.policy import Policy, logged_in
from benchwright.web.core.site import SiteRequest

_TYPED = re.compile(r"\{(\w+):\w+\}")


def described(application: Litestar) -> dict[str, Any]:
    """Every route with its parameters, its form fields and its audience."""
    paths: dict[str, dict[str, Any]] = {}
    for path, method, handler in routes_of(application):
        operations = paths.setdefault(_TYPED.sub(r"{\1}", path), {})
        operations[method.lower()] = _operation(path, handler)
    return {
        "openapi": "3.1.0",
        "info": {"title": application.state.site.settings.title, "version": VERSION},
        "components": {
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "session"},
                "token": {"type": "http", "scheme": "bearer"},
            }
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
    secured: list[dict[str, list[str]]] = [] if "anonymous" in policy.allows else [{"session": []}]
    if policy.scope is not None:
        secured.append({"token": []})
    said: dict[str, Any] = {
        "summary": (handler.fn.__doc__ or "").strip().partition("\n")[0],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in _TYPED.findall(path)
        ],
        "security": secured,
        "x-allows": sorted(policy.allows),
        "responses": {"default": {"description": "A page, or JSON below /api"}},
    }
    if fields := handler.opt.get(FIELDS):
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in fields}}
        said["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}
    return said


@get("/api/openapi.json", opt=route(logged_in(scope="read")))
async def description(request: SiteRequest) -> Response[dict[str, Any]]:
    """Serve the OpenAPI document."""
    return Response(described(request.app))
