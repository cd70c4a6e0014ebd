"""What a failed request means: again and when, give up this prompt, or end the run."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.http_client import MAX_WAIT_S, retry_after
from benchwright.models.http.failures import RequestFailure, failed_status
from kit.asking_kit import DATE


def failed(status: int, body: bytes = b"", **headers: str) -> RequestFailure:
    """The failure of a reply."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return failed_status(status, named, body, date=DATE)


@pytest.mark.parametrize(
    ("statuses", "course"),
    [
        ((408, 409, 425, 429, 500, 502, 503, 504, 529, 599), "again"),
        ((400, 413, 414, 422, 418, 451), "give up"),
        ((401, 402, 403, 404, 405, 407, 410, 201, 204, 301, 302, 307, 308), "end"),
    ],
)
def test_the_status_decides(statuses: tuple[int, ...], course: str) -> None:
    """An overloaded server is asked again, a prompt it cannot take is given up, a wrong key ends the run."""
    actual = {status: failed(status).course for status in statuses}

    assert actual == dict.fromkeys(statuses, course)


def test_only_an_overloaded_server_holds_all_requests_back() -> None:
    """An error inside a server says nothing of how much it can take."""
    actual = {status: failed(status).throttles for status in (408, 429, 500, 502, 503, 529)}

    assert [status for status, throttles in actual.items() if throttles] == [429, 503, 529]


def test_an_empty_account_is_not_waited_for() -> None:
    """OpenAI says 429 to it too, and no retry would ever help."""
    body = json.dumps({"error": {"message": "pay", "type": "insufficient_quota", "code": None}}).encode()

    assert failed(429, body).course == "end"


@settings(deadline=None)
@given(st.text(max_size=40))
def test_no_header_is_an_error(header: str) -> None:
    """A header is untrusted text."""
    headers = {"retry-after": header, "retry-after-ms": header}
    failure = failed_status(429, headers, b"", date=DATE)

    assert retry_after(headers, date=DATE) == failure.asked_s
    assert failure.wait_s is None or 0 <= failure.wait_s <= MAX_WAIT_S


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "too long", "type": "t", "code": 5}}', "HTTP 400: too long"),
        (b'{"error": "flat"}', "HTTP 400: flat"),
        (b'{"message": "as vLLM had it"}', "HTTP 400: as vLLM had it"),
        (b'{"detail": "as FastAPI has it"}', "HTTP 400: as FastAPI has it"),
        (b'{"detail": [{"loc": 1}]}', 'HTTP 400: {"detail": [{"loc": 1}]}'),
        (b"<html>Bad</html>", "HTTP 400: <html>Bad</html>"),
        (b"\xff\xfe", "HTTP 400: \ufffd\ufffd"),
        (b"[" * 100_000, "HTTP 400: " + "[" * 100_000),
        (b"", "HTTP 400"),
    ],
)
def test_the_servers_words_are_found(body: bytes, words: str) -> None:
    """The server's message is found in all shapes of error documents."""
    assert failed(400, body).text == words


def test_a_redirect_says_where_to() -> None:
    """It is not followed: the key would go along."""
    actual = failed(308, location="https://elsewhere/v1").text

    assert actual == "HTTP 308: the server sends this request elsewhere: https://elsewhere/v1"
