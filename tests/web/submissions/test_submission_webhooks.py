"""Webhooks of spaces: an owner's address is untrusted, and its failures affect nobody else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import httpx
import pytest

from benchwright.errors import UsageError
from benchwright.web.submissions import webhooks
from benchwright.web.submissions.webhooks import call_webhook, check_webhook, public_address, resolve

PUBLIC = "93.184.215.14"
Handler = Callable[[httpx.Request], Coroutine[Any, Any, httpx.Response]]


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler], None]:
    """Return a function that answers calls in place of the network."""

    def answer(handler: Handler) -> None:
        options = {"follow_redirects": False, "transport": httpx.MockTransport(handler)}
        real = webhooks.client_options

        def patched(url: str) -> dict[str, Any]:
            return {**real(url), **options, "follow_redirects": real(url)["follow_redirects"]}

        monkeypatch.setattr(webhooks, "client_options", patched)

    return answer


@pytest.mark.parametrize(
    "url",
    [
        "http://ci.example/hook",
        "ftp://ci.example/",
        "https://user:secret@ci.example/",
        "https:///hook",
        "https://ci.example:99999/",
        "https://[::1/",
        "https://ci.example/\n",
        "https://ci.example/a b",
        "https://\u0441i.example/",
        "https://ci.example/" + "a" * 500,
        "javascript:alert(1)",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    """This includes letters of other scripts that look like another host."""
    with pytest.raises(UsageError, match="https address"):
        check_webhook(url)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "0.0.0.0", "100.64.0.1", "224.0.0.1", "::1", "::",
        "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
    ],
)  # fmt: skip
def test_a_host_with_any_private_address_is_refused(address: str) -> None:
    """This holds if another address is public, and if an IPv6 address contains a private IPv4 address."""
    with pytest.raises(UsageError, match="not a public host"):
        public_address("ci.example", 443, lambda _host, _port: [PUBLIC, address])


def test_public_addresses_are_used() -> None:
    """Both families, also behind an address translator."""
    for address in (PUBLIC, "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e"):
        assert public_address("ci.example", 443, lambda _host, _port, found=address: [found]) == address
    with pytest.raises(UsageError, match="not a public host"):
        public_address("ci.example", 443, lambda _host, _port: [])
    with pytest.raises(OSError, match="not a host name"):
        resolve("a" * 64 + ".example", 443)


def test_the_checked_address_is_called_once_and_no_redirect_is_followed(
    answering: Callable[[Handler], None],
) -> None:
    """The name is resolved once, so a second reply of its name server cannot lead to this machine."""
    seen: list[httpx.Request] = []
    asked: list[str] = []

    async def redirect(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(307, headers={"location": "https://127.0.0.1/"})

    def resolver(host: str, port: int) -> list[str]:
        asked.append(f"{host}:{port}")
        return [PUBLIC]

    answering(redirect)
    status = call_webhook("https://ci.example:8443/hook?key=1", {"state": "verified"}, resolver=resolver)

    assert (status, asked) == (307, ["ci.example:8443"])
    (request,) = seen
    assert str(request.url) == f"https://{PUBLIC}:8443/hook?key=1"
    assert (request.headers["host"], request.content) == ("ci.example:8443", b'{"state":"verified"}')
    assert request.extensions["sni_hostname"] == "ci.example"
    assert not {"authorization", "cookie"}.intersection(request.headers)


def test_a_receiver_cannot_hold_the_judging_process(
    answering: Callable[[Handler], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reply that never begins is abandoned after the limit; one that never ends is not read."""

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 65_536

    async def never(_request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(60)
        raise AssertionError

    async def without_end(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=endless())

    answering(without_end)
    assert call_webhook("https://ci.example/", {}, resolver=lambda _host, _port: [PUBLIC]) == 200
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.05)
    answering(never)
    with pytest.raises(TimeoutError):
        call_webhook("https://ci.example/", {}, resolver=lambda _host, _port: [PUBLIC])


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("no"), httpx.InvalidURL("no"), OSError("no"), UsageError("no")]
)
def test_a_failed_call_is_logged_without_the_address(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The path of a webhook is often secret."""

    def fail(_url: str, _document: dict[str, Any]) -> int:
        raise error

    monkeypatch.setattr(webhooks, "call_webhook", fail)
    with caplog.at_level(logging.DEBUG, logger="benchwright"):
        webhooks._call("https://ci.example/SECRET_PATH", {"space": "the-space"})

    assert "the-space" in caplog.text and type(error).__name__ in caplog.text
    assert "SECRET_PATH" not in caplog.text and "ci.example" not in caplog.text
