"""Pages and forms: templates, cookies, form fields, and the token against cross-site requests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

import jinja2
from litestar import Request, Response
from litestar.datastructures import Cookie
from litestar.exceptions import ClientException, SerializationException

from benchwright.display.html import page_environment
from benchwright.store.compiled_templates import CompiledTemplates
from benchwright.version import VERSION
from benchwright.web.core.policy import Refusal
from benchwright.web.core.secrets import equal_in_constant_time, keyed_digest, new_secret, secret_hash
from benchwright.web.core.site import AssetTable, Connection, Site, site_of, visitor_of

CORE = "benchwright.web.core"


def site_environment(packages: Sequence[str], assets: AssetTable) -> jinja2.Environment:
    """The templates of these packages, then those of core, then the shared parts of all pages."""
    environment = page_environment([*packages, CORE], CompiledTemplates())
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


SESSION, VISIT, INVITED = "session", "visit", "invited"
LONGEST = 128  # characters; a longer value is not ours


def cookie_name(site: Site, kind: str) -> str:
    """The name of a cookie, different for each database: browsers do not separate cookies by port."""
    return _cookie_name(site.secret, kind, secure=site.settings.secure)


@lru_cache(maxsize=64)
def _cookie_name(secret: str, kind: str, *, secure: bool) -> str:
    prefix = "__Host-" if secure else ""
    return f"{prefix}{kind}-{secret_hash(keyed_digest(secret, 'cookie'))[:8]}"


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


_LARGE = 413
_FORM = "benchwright.form"  # where a request's scope keeps its fields: the guard reads them, then the route


async def form_fields(request: Request[Any, Any, Any]) -> dict[str, str]:
    """The text fields of a form; of repeated names the last one.

    Raises Refusal for a body that is not a form, and for text with a NUL or a lone surrogate, which no
    database stores.
    """
    scope = cast("dict[str, Any]", request.scope)
    if _FORM not in scope:
        scope[_FORM] = await _read_form(request)
    fields: dict[str, str] = scope[_FORM]
    return fields


async def _read_form(request: Request[Any, Any, Any]) -> dict[str, str]:
    try:
        form = await request.form()
    except ClientException as error:
        if error.status_code == _LARGE:
            raise
        raise _unreadable() from None
    except (SerializationException, ValueError):
        raise _unreadable() from None
    fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    if not all(map(is_storable, (*fields, *fields.values()))):
        raise _unreadable()
    return fields


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether both databases can store the text."""
    return _UNSTORABLE.search(text) is None


def _unreadable() -> Refusal:
    return Refusal(400, "The form is invalid", "It contains bytes that are not text. Nothing was changed.")


FIELD, HEADER = "csrf", "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def form_token(secret: str) -> str:
    """The token of a form. It does not reveal the cookie."""
    return keyed_digest(secret, "form")


async def check_form(connection: Connection, secret: str) -> None:
    """Raise Refusal for a request that changes data without the token of its cookie."""
    if connection.scope["method"] in SAFE:  # type: ignore[typeddict-item]
        return
    if connection.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise _forged()
    given = connection.headers.get(HEADER) or ""
    if not given and isinstance(connection, Request):
        given = (await form_fields(connection)).get(FIELD, "")
    if not secret or not equal_in_constant_time(given, form_token(secret)):
        raise _forged()


def _forged() -> Refusal:
    why = "You logged in or out after opening it, or it came from another site. Nothing was changed."
    return Refusal(403, "This form has expired", why + " Go back, reload the page and submit it again.")
