"""One connection: whole replies, and every way in which a reply is not whole."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest

from benchwright.http_client import HttpReply
from benchwright.models.http import connection as module
from benchwright.models.http.connection import connections
from benchwright.models.http.failures import RequestFailure
from benchwright.stub_server import StubServer
from kit.asking_kit import RawServer, http
from kit.ports import refusing_port

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "x"}]}'


def post(base_url: str, *bodies: bytes, timeout_s: float = 20.0) -> list[HttpReply]:
    """The replies to these bodies, one after another on one connection."""

    async def talk() -> list[HttpReply]:
        opened = connections(
            f"{base_url}/chat/completions", {"authorization": "Bearer k"}, timeout_s=timeout_s
        )
        async with opened() as connection:
            return [await connection.post(body) for body in bodies]

    return asyncio.run(talk())


def failure(base_url: str, *, timeout_s: float = 20.0) -> RequestFailure:
    """What a request that cannot succeed raises."""
    with pytest.raises(RequestFailure) as caught:
        post(base_url, b"{}", timeout_s=timeout_s)
    return caught.value


def test_localhost_is_two_addresses() -> None:
    """Refused at both, the reason is still the system's own word."""
    with refusing_port() as port:
        assert failure(f"http://localhost:{port}/v1").text == "Connection refused"


def test_a_reply_is_status_headers_and_body() -> None:
    """Header names match in any letter case."""
    with RawServer(http(b"{}", "X-Some: 1", "RETRY-AFTER: 2", status="429 Too Many")) as server:
        (actual,) = post(server.base_url, b'{"a": 1}')

    assert (actual.status, actual.body, actual.headers["retry-after"]) == (429, b"{}", "2")
    assert b"POST /v1/chat/completions HTTP/1.1\r\n" in server.requests[0]
    assert b"\r\nauthorization: Bearer k\r\n" in server.requests[0]
    assert server.requests[0].endswith(b'\r\n\r\n{"a": 1}')


def test_a_connection_is_used_again() -> None:
    """Three requests, one connection: a new one for each would cost more than the request."""
    with StubServer() as server:
        replies = post(server.base_url, BODY, BODY, BODY)

    assert [reply.status for reply in replies] == [200, 200, 200]


def test_a_proxy_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could not reach the server, and its error would be taken for the server's."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with refusing_port() as port, StubServer() as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        (actual,) = post(server.base_url, BODY)

    assert actual.status == 200


def test_a_proxy_is_asked_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the environment says."""
    with RawServer(http(b"{}")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        (actual,) = post("http://far-away.invalid/v1", b"{}")

    assert actual.body == b"{}"
    assert proxy.requests[0].startswith(b"POST http://far-away.invalid/v1/chat/completions ")


def test_nobody_there() -> None:
    """An unreachable server differs from a failing one, because it ends a run at its start."""
    with refusing_port() as port:
        actual = failure(f"http://127.0.0.1:{port}/v1")

    assert (actual.reason, actual.fault, actual.course) == ("connect", None, "again")
    assert actual.text == "Connection refused"


def test_a_host_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, from the resolver; `.invalid` is never looked up outside (RFC 6761)."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    actual = failure("http://no-such-host.invalid/v1")

    assert actual.reason == "connect"
    assert (
        "name" in actual.text.lower()
    )  # "Name or service not known", "Temporary failure in name resolution"


@pytest.mark.parametrize("reply", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200"])
def test_a_connection_that_ends_without_a_reply(reply: bytes) -> None:
    """The request may be repeated; no fault is reported, since there was no reply."""
    with RawServer(reply) as server:
        actual = failure(server.base_url)

    assert (actual.reason, actual.fault, actual.course) == ("dropped", None, "again")


@pytest.mark.parametrize(
    "reply",
    [
        http(b'{"choices"', length=500),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    ],
)
def test_a_reply_that_breaks_off(reply: bytes) -> None:
    """Half an answer is no answer."""
    with RawServer(reply) as server:
        actual = failure(server.base_url)

    assert (actual.reason, actual.fault, actual.course) == ("cut", "cut", "again")


def test_a_chunked_reply_is_whole() -> None:
    """Many servers send no length."""
    reply = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with RawServer(reply) as server:
        (actual,) = post(server.base_url, b"{}")

    assert actual.body == b"{}"


def test_a_packed_reply_is_unpacked() -> None:
    """Some proxies compress replies although the client did not accept it."""
    with RawServer(http(gzip.compress(b"{}"), "Content-Encoding: gzip")) as server:
        (actual,) = post(server.base_url, b"{}")

    assert actual.body == b"{}"


@pytest.mark.parametrize(
    ("encoding", "body", "said"),
    [
        ("gzip", b"not packed at all", "it is called gzip and is not"),
        ("gzip", gzip.compress(b'{"choices": []}')[:-9], "its gzip data end too early"),
        ("gzip", b"\x1f\x8b\x08", "its gzip data end too early"),
        ("deflate", zlib.compress(b"{}")[:-2], "its deflate data end too early"),
        ("br", b"\x0b\x01", "it is packed as br, which was not asked for"),
        ("gzip, gzip", gzip.compress(b"{}"), "it is packed as gzip, gzip"),
    ],
)
def test_a_packed_reply_that_cannot_be_unpacked(encoding: str, body: bytes, said: str) -> None:
    """It is called what it is, and not a connection that ended."""
    with RawServer(http(body, f"Content-Encoding: {encoding}")) as server:
        actual = failure(server.base_url)

    assert (actual.reason, actual.fault, actual.course, said in actual.text) == (
        "packing",
        "packing",
        "again",
        True,
    )


def test_an_error_that_cannot_be_unpacked_is_still_that_error() -> None:
    """Its status says what to do."""
    with RawServer(http(b"packed?", "Content-Encoding: br", "Retry-After: 9", status="429 No")) as server:
        (actual,) = post(server.base_url, b"{}")

    assert (actual.status, actual.headers["retry-after"]) == (429, "9")


@pytest.mark.parametrize("packed", [False, True])
def test_a_huge_reply_is_given_up_and_not_held(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking again would fetch it again. Packed or not, the limit is that of the content."""
    monkeypatch.setattr(module, "MAX_REPLY", 1 << 20)
    body = b"x" * (3 << 20)
    reply = http(gzip.compress(body), "Content-Encoding: gzip") if packed else http(body)
    with RawServer(reply) as server:
        actual = failure(server.base_url)

    assert (actual.reason, actual.fault, actual.course) == ("huge", "huge", "give up")
    assert actual.text == "the reply has more than 1 MiB"


def test_of_a_huge_error_the_beginning_is_enough() -> None:
    """It is an error either way."""
    with RawServer(http(b"x" * (1 << 20), status="500 Oops")) as server:
        (actual,) = post(server.base_url, b"{}")

    assert (actual.status, len(actual.body)) == (500, module.MAX_ERROR)


def test_the_time_limit_is_for_the_whole_reply() -> None:
    """A server that keeps sending a little never reaches a limit on single reads."""
    with StubServer(faults=["slow:seconds=60"]) as server:
        actual = failure(server.base_url, timeout_s=0.2)

    assert (actual.reason, actual.course, actual.text) == ("timeout", "again", "no whole reply within 0.2 s")


def test_a_redirect_is_not_followed() -> None:
    """It would take the key to wherever the server says."""
    with RawServer(http(b"", "Location: http://127.0.0.1:1/", status="307 Moved")) as server:
        (actual,) = post(server.base_url, b"{}")

    assert (actual.status, len(server.requests)) == (307, 1)


def test_a_lane_goes_on_after_a_broken_reply() -> None:
    """The next request opens a new connection."""

    async def talk(base_url: str) -> list[str]:
        found = []
        async with connections(f"{base_url}/chat/completions", {}, timeout_s=20)() as connection:
            for _ in range(3):
                try:
                    found.append(str((await connection.post(BODY)).status))
                except RequestFailure as failed:
                    found.append(str(failed.reason))
        return found

    with StubServer(faults=["drop:every=2"]) as server:
        actual = asyncio.run(talk(server.base_url))

    assert actual == ["200", "dropped", "200"]
