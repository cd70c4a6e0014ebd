"""Why a request was not answered as it asked: one exception for all, shown as a page or as JSON."""

from __future__ import annotations

from litestar.exceptions import HTTPException


class Refusal(HTTPException):
    """A status, what went wrong, and what to do about it, in words for the one who asked."""

    def __init__(self, status: int, title: str, why: str = "", *, retry_s: int | None = None) -> None:
        super().__init__(detail=title, status_code=status)
        self.title, self.why, self.retry_s = title, why, retry_s


def not_found() -> Refusal:
    """The same for what never was, what is gone and what belongs to others."""
    return Refusal(404, "There is no such page", "It may have been moved, or it is not open to you.")
