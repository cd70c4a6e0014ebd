"""What a failed request means: ask again and when, give this prompt up, or end the run.

Nothing here is ever the model's failure: a prompt that is given up has no answer, is reported as
missing, and is asked again by the next run.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from benchwright.http_client import MAX_WAIT_S, retry_after

AGAIN = frozenset({408, 409, 425, 429})
THROTTLED = frozenset({429, 503, 529})  # 529: "overloaded", of servers that took it from Anthropic's
ENDING = frozenset({401, 402, 403, 404, 405, 407, 410})
EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})  # a 429 that no waiting cures


class Failed(Exception):
    """A request without an answer. `reason` names it in events: a status, or a word.

    `course` says what follows: "again", "give up" (this prompt), or "end" (the run).
    """

    def __init__(
        self,
        reason: str | int,
        text: str,
        *,
        course: str = "again",
        wait_s: float | None = None,
        asked_s: float | None = None,
        fault: str | None = None,
    ) -> None:
        super().__init__(text)
        self.asked_s = asked_s  # the wait that the server asks for, however long
        self.reason, self.text, self.course, self.wait_s, self.fault = reason, text, course, wait_s, fault

    @property
    def throttles(self) -> bool:
        """Whether the server asked for less: then all requests wait, not only this one."""
        return self.reason in THROTTLED


def failed_status(status: int, headers: Mapping[str, str], body: bytes, *, date: float) -> Failed:
    """The failure that a status other than 200 stands for."""
    said, codes = _said(body)
    if status < 400:
        place = headers.get("location", "")
        said = f"the server sends this request elsewhere: {place}" if place else "not an answer"
    course = _course(status, codes)
    text = f"HTTP {status}: {said}" if said else f"HTTP {status}"
    asked = retry_after(headers, date=date)
    wait_s = None if asked is None else min(asked, MAX_WAIT_S)
    return Failed(status, text, course=course, wait_s=wait_s, asked_s=asked)


def _course(status: int, codes: frozenset[str]) -> str:
    if status in ENDING or status < 400 or codes & EXHAUSTED:
        return "end"
    return "again" if status in AGAIN or status >= 500 else "give up"


class _Error(msgspec.Struct):
    message: str | None = None
    type: str | int | None = None
    code: str | int | None = None


class _Body(msgspec.Struct):
    error: _Error | str | None = None
    message: str | None = None
    detail: str | None = None


def _said(body: bytes) -> tuple[str, frozenset[str]]:
    """A server's words on its error, and the names it gives it. Many shapes are in use, HTML among them."""
    try:
        read = msgspec.json.decode(body, type=_Body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace"), frozenset()
    if isinstance(read.error, _Error):
        return read.error.message or "", frozenset({str(read.error.type), str(read.error.code)})
    said = read.error or read.message or read.detail
    return said or body.decode("utf-8", "replace"), frozenset()
