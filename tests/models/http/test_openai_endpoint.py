"""Where the server is and what key goes there; the key shows nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import PrerequisiteError, UsageError
from benchwright.models.http.endpoint import OPENAI, Endpoint, find_endpoint, require_key

KEY = "sk-verysecret"


def endpoint(url: str | None, **environment: str) -> Endpoint:
    """The endpoint of a chat model."""
    return find_endpoint(url, api="chat", environment=environment)


@pytest.mark.parametrize(
    ("url", "environment", "expected"),
    [
        (None, {}, OPENAI.base_url),
        (None, {"OPENAI_BASE_URL": ""}, OPENAI.base_url),
        (None, {"OPENAI_BASE_URL": "http://env:1/v1"}, "http://env:1/v1"),
        ("http://call:1/v1", {"OPENAI_BASE_URL": "http://env:1/v1"}, "http://call:1/v1"),
    ],
)
def test_the_call_goes_before_the_environment(
    url: str | None, environment: dict[str, str], expected: str
) -> None:
    """And OpenAI's own server is the last resort."""
    actual = endpoint(url, **environment)

    assert (actual.base_url, actual.url) == (expected, f"{expected}/chat/completions")


@pytest.mark.parametrize(
    "pasted",
    [
        "http://h:8000/v1",
        "http://h:8000/v1/",
        " http://h:8000/v1// ",
        "http://h:8000/v1/chat/completions",
        "http://h:8000/v1/completions/",
    ],
)
def test_one_server_has_one_spelling(pasted: str) -> None:
    """The URL is part of the run's identity, so a slash more must not make another run."""
    assert endpoint(pasted).base_url == "http://h:8000/v1"


def test_each_interface_has_its_path() -> None:
    """Base models are asked at /completions."""
    actual = find_endpoint("http://h/v1", api="completions", environment={})

    assert actual.url == "http://h/v1/completions"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000/v1", "not the URL of a server"),
        ("ftp://h/v1", "not the URL of a server"),
        ("http://", "not the URL of a server"),
        ("http://[::1/v1", "not the URL of a server"),
        ("http://h:99999/v1", "not the URL of a server"),
        ("http://h/v 1", "not the URL of a server"),
        ("http://h/v1\x1b[2J", "not the URL of a server"),
        ("http://h/v1?key=1", "has a query or fragment after the path"),
        ("http://h/v1#x", "has a query or fragment after the path"),
        ("http://me:pass@h/v1", "name or password"),
        ("http://me@h/v1", "name or password"),
    ],
)
def test_what_is_no_base_url_is_refused(url: str, words: str) -> None:
    """With its source named, escaped, and with an example to paste; a password in it is not repeated."""
    with pytest.raises(UsageError) as caught:
        endpoint(url)

    assert words in caught.value.message
    assert caught.value.message.startswith("--base-url: ")
    assert caught.value.message.isprintable() and "pass@" not in str(caught.value)
    assert caught.value.hint


def test_a_wrong_environment_is_named() -> None:
    """The message names the variable, not an option that the user did not give."""
    with pytest.raises(UsageError) as caught:
        endpoint(None, OPENAI_BASE_URL="nonsense")

    assert caught.value.message.startswith("OPENAI_BASE_URL: ")


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_url_or_a_usage_error(text: str) -> None:
    """No other exception comes out of what a user types."""
    try:
        found = endpoint(text).base_url
    except UsageError:
        found = None

    assert found is None or found.startswith(("http://", "https://"))


def test_the_key_is_sent_and_nowhere_seen() -> None:
    """It is in the headers, and neither in the object's text nor in the words of a server that repeats it."""
    actual = endpoint("http://h/v1", OPENAI_API_KEY=f" {KEY}\n")

    assert actual.headers()["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{actual!r} {actual.base_url} {actual.url} {actual.quoted(f'wrong key {KEY}!')}"
    assert actual.quoted(f"wrong key {KEY}!") == "wrong key …!"


def test_no_key_sends_no_header() -> None:
    """A server of one's own needs none."""
    actual = endpoint("http://h/v1")
    require_key(actual)

    assert "authorization" not in actual.headers()


def test_openai_itself_needs_a_key() -> None:
    """Exit code 3, and the hint says what to export."""
    with pytest.raises(PrerequisiteError) as caught:
        require_key(endpoint(None))

    assert "OPENAI_API_KEY" in caught.value.message
    assert "export OPENAI_API_KEY" in str(caught.value.hint)


@pytest.mark.parametrize("key", ["sk-ключ", "sk-a\r\nx: y"])
def test_a_key_that_no_header_can_carry_is_refused(key: str) -> None:
    """Without repeating it."""
    with pytest.raises(PrerequisiteError) as caught:
        require_key(endpoint("http://h/v1", OPENAI_API_KEY=key))

    assert key not in str(caught.value)


def test_a_servers_words_are_short_and_harmless() -> None:
    """One line without control characters, at most 300 characters."""
    actual = endpoint("http://h/v1").quoted("line\n\tone \x1b[31mred " + "x" * 10_000)

    assert actual.isprintable() and actual.startswith("line one \\x1b[31mred xxx")
    assert len(actual) <= 310
