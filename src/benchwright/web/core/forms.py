"""Form fields, as text that both databases can store."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.exceptions import ClientException, SerializationException

from benchwright.web.core.refusals import Refusal

_LARGE = 413


async def form_of(request: Request[Any, Any, Any]) -> dict[str, str]:
    """The text fields of a form; of repeated names the last one.

    Raises Refusal for a body that is not a form, and for text with a NUL or a lone surrogate, which no
    database stores.
    """
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


def is_storable(text: str) -> bool:
    """Whether both databases can store the text."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _unreadable() -> Refusal:
    return Refusal(400, "The form is invalid", "It contains bytes that are not text. Nothing was changed.")
