"""What the HTTP clients share: whom a proxy cannot reach, how long to wait, why there is no connection."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.http_client import (
    backoff,
    client_options,
    connection_error_text,
    is_local,
    number_of_header,
    retry_after,
)
from kit.asking_kit import DATE


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://LOCALHOST/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("https://127.9.9.9", True),
        ("http://[::1]:8000/v1", True),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://localhost.example.org/v1", False),
        ("http://10.0.0.1/v1", False),
        ("https://api.github.com", False),
        ("nothing", False),
    ],
)
def test_which_urls_are_of_this_machine(url: str, local: bool) -> None:
    """They are asked past the environment's proxy, which cannot reach them."""
    assert is_local(url) == local
    assert client_options(url)["trust_env"] == (not local)


def test_no_client_follows_a_redirect() -> None:
    """It would take the key elsewhere; certificates are loaded where they are needed."""
    encrypted, plain = client_options("https://h/v1"), client_options("http://h/v1")

    assert (encrypted["follow_redirects"], plain["follow_redirects"]) == (False, False)
    assert (bool(encrypted["verify"]), plain["verify"]) == (True, False)


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3.0), (" 0.5 ", 0.5), ("-1", None), ("inf", None), (None, None)]
)
def test_a_number_in_a_header(text: str | None, number: float | None) -> None:
    """Or none, where it would be no time."""
    assert number_of_header(text) == number


def test_the_systems_own_word_is_found() -> None:
    """Under what libraries wrap around it, groups among them."""
    inner = ConnectionRefusedError(111, "anything")
    group = ExceptionGroup("all attempts failed", [inner])
    outer = OSError("no connection")
    outer.__cause__ = group

    assert connection_error_text(outer) == "Connection refused"
    assert connection_error_text(ValueError("odd")) == "odd"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        ("0.25", 0.25),
        (" 3 ", 3.0),
        ("100000", 100_000.0),
        ("1e400", None),
        ("-5", None),
        ("nan", None),
        ("soon", None),
        ("", None),
        ("Tue, 99 Foo 2026 00:00:00 GMT", None),
        (format_datetime(datetime.fromtimestamp(DATE + 30, UTC), usegmt=True), 30.0),
        (format_datetime(datetime.fromtimestamp(DATE - 30, UTC), usegmt=True), 0.0),
        (format_datetime(datetime.fromtimestamp(DATE + 1e6, UTC), usegmt=True), 1e6),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    """At least none, and what cannot be read is as good as absent."""
    assert retry_after({"retry-after": header}, date=DATE) == seconds


def test_milliseconds_are_finer() -> None:
    """Where both are sent they say the same, and the seconds are rounded up."""
    assert retry_after({"retry-after": "1", "retry-after-ms": "120"}, date=DATE) == 0.12


@settings(deadline=None)
@given(st.text(max_size=10), st.integers(min_value=0, max_value=100_000))
def test_backoff_is_bounded_and_not_by_chance(key: str, attempt: int) -> None:
    """From half a second to a minute, the same each time."""
    wait = backoff(key, attempt)

    assert min(60.0, 2.0 ** min(attempt, 30)) / 2 <= wait <= 60.0
    assert backoff(key, attempt) == wait


def test_backoff_spreads_requests_that_failed_together() -> None:
    """So that they do not come again together."""
    waits = [backoff(str(key), 3) for key in range(100)]

    assert len({round(wait, 1) for wait in waits}) > 20
    assert min(waits) < 5 and max(waits) > 7
