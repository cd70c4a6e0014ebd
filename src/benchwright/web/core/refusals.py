"""The exception for requests that are not served, shown as a page or as JSON."""

from __future__ import annotations

from litestar.exceptions import HTTPException


class Refusal(HTTPException):
    """A refused request: status, title, and what the visitor can do."""

    def __init__(self, status: int, title: str, why: str = "", *, retry_s: int | None = None) -> None:
        super().__init__(detail=title, status_code=status)
        self.title, self.why, self.retry_s = title, why, retry_s


def not_found() -> Refusal:
    """The same response for what never existed, was deleted or belongs to others."""
    return Refusal(404, "Page not found", "It may have moved, or you may not have access to it.")
