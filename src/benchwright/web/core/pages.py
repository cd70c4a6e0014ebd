"""HTML responses, made from templates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import jinja2
from litestar import Response
from litestar.datastructures import Cookie

from benchwright.display.html import page_environment
from benchwright.version import VERSION
from benchwright.web.core.cookies import VISIT, cookie, cookie_value
from benchwright.web.core.forgery import form_token
from benchwright.web.core.opaque import new_secret
from benchwright.web.core.site import Connection, site_of, visitor_of
from benchwright.web.core.styling import AssetTable

CORE = "benchwright.web.core"


def site_environment(packages: Sequence[str], assets: AssetTable) -> jinja2.Environment:
    """The templates of these packages, then those of core, then the shared parts of all pages."""
    environment = page_environment([*packages, CORE])
    environment.filters["moment"] = moment
    environment.globals.update(version=VERSION, asset=assets.address)
    return environment


def moment(at_ms: int) -> str:
    """A time for people: UTC, to the minute."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def page(
    connection: Connection,
    template: str,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    cookies: Sequence[Cookie] = (),
    **context: Any,
) -> Response[str]:
    """A page for this visitor. Templates also get `site`, `visitor` and `csrf`, the form token."""
    site, visitor = site_of(connection), visitor_of(connection)
    secret, set_cookies = visitor.secret or cookie_value(connection, VISIT), list(cookies)
    if not secret and status < 400:  # an error page has no form, and must not invalidate one in another tab
        secret = new_secret()
        set_cookies.append(cookie(site, VISIT, secret))
    drawn = site.environment.get_template(template).render(
        {**context, "site": site.settings, "visitor": visitor, "csrf": form_token(secret) if secret else ""}
    )
    return Response(
        drawn, status_code=status, media_type="text/html", headers=headers or {}, cookies=set_cookies
    )
