"""The two cookies: one of the session, one of visitors who are not logged in."""

from __future__ import annotations

from litestar.datastructures import Cookie

from benchwright.web.core.opaque import keyed, stored
from benchwright.web.core.site import Connection, Site, site_of

SESSION, VISIT = "session", "visit"
LONGEST = 128  # characters; a longer value is not ours


def cookie_name(site: Site, kind: str) -> str:
    """The name of a cookie, different for each database: browsers do not separate cookies by port."""
    prefix = "__Host-" if site.settings.secure else ""
    return f"{prefix}{kind}-{stored(keyed(site.secret, 'cookie'))[:8]}"


def cookie_value(connection: Connection, kind: str) -> str:
    """The value that the client sent; empty if it is absent or cannot be ours."""
    value = connection.cookies.get(cookie_name(site_of(connection), kind), "")
    return value if len(value) <= LONGEST and value.isascii() else ""


def cookie(site: Site, kind: str, value: str, *, life_s: int | None = None) -> Cookie:
    """The cookie to set. A life of 0 deletes it; None ends it with the browser."""
    return Cookie(
        key=cookie_name(site, kind),
        value=value,
        path="/",
        max_age=life_s,
        httponly=True,
        secure=site.settings.secure,
        samesite="lax",
    )
