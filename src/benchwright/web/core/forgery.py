"""Protection against cross-site requests: each form carries a token derived from the secret in the cookie."""

from __future__ import annotations

from litestar import Request

from benchwright.web.core.forms import form_of
from benchwright.web.core.opaque import keyed, same
from benchwright.web.core.refusals import Refusal
from benchwright.web.core.site import Connection

FIELD, HEADER = "csrf", "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def form_token(secret: str) -> str:
    """The token of a form. It does not reveal the cookie."""
    return keyed(secret, "form")


async def check_form(connection: Connection, secret: str) -> None:
    """Raise Refusal for a request that changes data without the token of its cookie."""
    if connection.scope["method"] in SAFE:  # type: ignore[typeddict-item]
        return
    if connection.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise _forged()
    given = connection.headers.get(HEADER) or ""
    if not given and isinstance(connection, Request):
        given = (await form_of(connection)).get(FIELD, "")
    if not secret or not same(given, form_token(secret)):
        raise _forged()


def _forged() -> Refusal:
    why = "You logged in or out after opening it, or it came from another site. Nothing was changed."
    return Refusal(403, "This form has expired", why + " Go back, reload the page and submit it again.")
