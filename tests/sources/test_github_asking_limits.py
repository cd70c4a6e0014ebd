"""Meaning of a reply: wait, come back later, or correct something."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import PrerequisiteError, RunError
from benchwright.http_client import HttpReply
from benchwright.sources.github.client import (
    GitHubToken,
    RateLimitError,
    refusal_of,
    server_time,
    until_reset,
    wait_after,
)
from kit.made_github import LIMITED, SECONDARY

NOW = 1_800_000_000.0
DATE = {"date": "Fri, 15 Jan 2027 08:00:00 GMT"}  # the same moment


def _said(words: str) -> bytes:
    return json.dumps({"message": words, "documentation_url": "https://docs.github.com"}).encode()


def _used_up(reset: float) -> dict[str, str]:
    return {**DATE, "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(reset))}


@pytest.mark.parametrize(
    ("reply", "waits"),
    [
        (HttpReply(429, {"retry-after": "7"}, b""), [7, 7]),
        (HttpReply(403, {"retry-after": "7"}, _said(SECONDARY)), [7, 7]),
        (HttpReply(403, _used_up(NOW + 30), _said(LIMITED)), [31, 31]),
        (HttpReply(403, _used_up(NOW + 30), b""), [31, 31]),
        (HttpReply(403, {}, _said(SECONDARY)), [60, 120]),
        (HttpReply(403, {}, _said("You have triggered an abuse detection mechanism.")), [60, 120]),
        (HttpReply(429, {"retry-after": "soon"}, b"<html>"), [60, 120]),
        (HttpReply(403, {}, _said("Resource not accessible by personal access token")), [None, None]),
        (HttpReply(401, {}, _said("Bad credentials")), [None, None]),
        (HttpReply(422, {}, _said("Validation Failed")), [None, None]),
        (HttpReply(301, {"location": "https://evil.example"}, b""), [None, None]),
        (HttpReply(503, {"retry-after": "3"}, b""), [3, 3]),
    ],
)
def test_waits(reply: HttpReply, waits: list[float | None]) -> None:
    """By GitHub's documentation; waiting does not help after a refusal."""
    assert [wait_after(reply, attempt=attempt, now=NOW) for attempt in (0, 1)] == waits


def test_a_server_that_fails() -> None:
    """It is repeated soon, then later."""
    waits = [wait_after(HttpReply(502, {}, b""), attempt=attempt, now=NOW) or 0 for attempt in range(4)]

    assert (waits == sorted(waits), 0 < waits[0] <= 1, waits[3] <= 8) == (True, True, True)


def test_the_servers_clock_counts() -> None:
    """This machine's clock is an hour behind, and the wait is still right."""
    assert until_reset(_used_up(NOW + 30), now=NOW - 3600) == 31


@pytest.mark.parametrize("headers", [{}, {"x-ratelimit-remaining": "1"}, {"x-ratelimit-remaining": "0"}])
def test_no_wait(headers: dict[str, str]) -> None:
    """Requests are left, or the reset time is missing."""
    assert until_reset(headers, now=NOW) is None


@given(
    st.dictionaries(
        st.sampled_from(["date", "retry-after", "x-ratelimit-remaining", "x-ratelimit-reset"]), st.text()
    )
)
def test_any_header(headers: dict[str, str]) -> None:
    """For any content, a wait is a number that is not negative."""
    wait = wait_after(HttpReply(429, headers, b""), attempt=0, now=NOW)

    assert wait is not None and wait >= 0


@pytest.mark.parametrize(("text", "moment"), [(DATE["date"], NOW), ("", 5.0), ("soon", 5.0), ("0", 5.0)])
def test_the_time_of_a_reply(text: str, moment: float) -> None:
    """The server's if it is given, else this machine's."""
    assert server_time({"date": text}, now=5.0) == moment


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (
            HttpReply(401, {}, _said("Bad credentials")),
            PrerequisiteError,
            "Bad credentials (the token in GH_TOKEN)",
        ),
        (HttpReply(403, {}, _said("Resource not accessible")), RunError, "HTTP 403: Resource not accessible"),
        (HttpReply(422, {}, _said("Validation Failed")), RunError, "HTTP 422: Validation Failed"),
        (HttpReply(404, {}, b"<html>\x1b[2J"), RunError, "HTTP 404: <html>"),
        (
            HttpReply(302, {"location": "https://evil.example/a"}, b""),
            RunError,
            "redirected to https://evil.example/a",
        ),
        (HttpReply(400, {}, _said("token secret-word is bad")), RunError, "token … is bad"),
    ],
)
def test_refusals(reply: HttpReply, kind: type[Exception], said: str) -> None:
    """Each error has the interface, the server's message without the token, and a hint."""
    error = refusal_of(reply, api="https://api.github.com", token=GitHubToken({"GH_TOKEN": "secret-word"}))

    assert (type(error), said in error.message, error.message.isprintable()) == (kind, True, True)
    assert error.hint and error.message.startswith("https://api.github.com: HTTP")


@pytest.mark.parametrize(
    ("wait_s", "said"),
    [
        (90, "before 2027-01-15 08:01:30 UTC (90 s from now)"),
        (2460, "before 2027-01-15 08:41:00 UTC (41 min from now)"),
        (9000, "(2.5 h from now)"),
        (1e300, "a date that no calendar has"),
    ],
)
def test_when_to_come_back(wait_s: float, said: str) -> None:
    """The message has the time; without a token the hint says how one would help."""
    error = RateLimitError("https://api.github.com", wait_s=wait_s, now=NOW, token=GitHubToken({}))

    assert (said in error.message, "GITHUB_TOKEN" in (error.hint or ""), error.exit_code) == (True, True, 1)
