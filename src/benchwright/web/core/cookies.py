"""The two cookies: a session's, and one that stands for it in the forms of people who are not logged in."""

from __future__ import annotations

from litestar.datastructures import Cookie

from benchwright.web.core.opaque import keyed, stored
from benchwright.web.core.site import Connection, Site, site_of

SESSION, VISIT = "session", "visit"
LONGEST = 128  # characters of a value that may be ours


def cookie_name(site: Site, kind: str) -> str:
    """A cookie's name. Browsers tell hosts apart but not ports, so each database has names of its own."""
    prefix = "__Host-" if site.settings.secure else ""
    return f"{prefix}{kind}-{stored(keyed(site.secret, 'cookie'))[:8]}"


def cookie_value(connection: Connection, kind: str) -> str:
    """What the client sent; empty where it sent nothing that could be ours."""
    value = connection.cookies.get(cookie_name(site_of(connection), kind), "")
    return value if len(value) <= LONGEST and value.isascii() else ""


def cookie(site: Site, kind: str, value: str, *, life_s: int | None = None) -> Cookie:
    """The cookie to set; with a life of 0 it is forgotten, with None when the browser is closed."""
    return Cookie(
        key=cookie_name(site, kind),
        value=value,
        path="/",
        max_age=life_s,
        httponly=True,
        secure=site.settings.secure,
        samesite="lax",
    )
