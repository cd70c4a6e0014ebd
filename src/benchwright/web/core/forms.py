"""Fields of a form, as text that every database can keep."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.exceptions import ClientException, SerializationException

from benchwright.web.core.refusals import Refusal

_LARGE = 413


async def form_of(request: Request[Any, Any, Any]) -> dict[str, str]:
    """The fields that are text, the last of each name. Raises Refusal for what is no form, and for text that
    holds a NUL or half a surrogate pair, which no database keeps."""
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
    """Whether it is text to both databases."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _unreadable() -> Refusal:
    return Refusal(400, "This form cannot be read", "It holds bytes that are no text. Nothing was changed.")
