"""The server speaks HTTP/1.1 with clients that are polite, slow, broken and gone."""

from __future__ import annotations

import json
import socket
from urllib.parse import urlsplit

import httpx
import pytest

from benchwright.stub_server import StubServer
from benchwright.stub_server.http import MAX_BODY, MAX_HEAD
from kit.processes import HANG_S
from kit.stub_client import CHAT, served

BODY = json.dumps(CHAT).encode()
POST = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n" % len(BODY)


def connect(server: StubServer) -> socket.socket:
    """A socket to the server."""
    where = urlsplit(server.base_url)
    return socket.create_connection((str(where.hostname), int(where.port or 0)), timeout=HANG_S)


def said(server: StubServer, sent: bytes) -> bytes:
    """All that the server sends for these bytes, after which the client says no more."""
    with connect(server) as line:
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: line.recv(65536), b""))


WRONG = {
    "not HTTP": (b"hello\r\n\r\n", 400),
    "HTTP/2": (b"GET / HTTP/2\r\n\r\n", 400),
    "no colon": (b"GET / HTTP/1.1\r\nHost\r\n\r\n", 400),
    "half a head": (b"GET / HTTP/1.1\r\nHost", 400),
    "half a body": (POST + b"\r\n" + BODY[:5], 400),
    "a huge head": (b"GET / HTTP/1.1\r\nA: " + b"a" * (2 * MAX_HEAD) + b"\r\n\r\n", 431),
    "a huge body": (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1), 413),
    "a length beyond numbers": (b"POST / HTTP/1.1\r\nContent-Length: %s\r\n\r\n" % (b"9" * 5000), 413),
    "a length of letters": (b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
    "a negative length": (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
    "chunks": (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
}


@pytest.mark.parametrize(("sent", "status"), WRONG.values(), ids=WRONG)
def test_what_is_no_request_ends_its_connection(sent: bytes, status: int) -> None:
    """With a status and a reason; the next connection is served as before."""
    with served() as client:
        reply = said(client.server, sent)

        assert reply.startswith(b"HTTP/1.1 %d " % status)
        assert b"\r\nConnection: close\r\n" in reply
        assert client.chat().status_code == 200


def test_nothing_is_said_to_a_silent_client() -> None:
    """A connection that is closed without a request is no error."""
    with served() as client:
        assert said(client.server, b"") == b""


def test_a_connection_serves_several_requests() -> None:
    """Two requests sent at once are answered one after another on the same connection."""
    with served() as client:
        reply = said(client.server, 2 * (POST + b"\r\n" + BODY))

    assert (reply.count(b"HTTP/1.1 200 OK"), reply.count(b"Connection: keep-alive")) == (2, 2)


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (b"GET /health HTTP/1.1\r\n", True),
        (b"GET /health HTTP/1.1\r\nConnection: close\r\n", False),
        (b"GET /health HTTP/1.0\r\n", False),
        (b"GET /health HTTP/1.0\r\nConnection: Keep-Alive\r\n", True),
    ],
)
def test_a_connection_is_kept_as_the_client_wants(head: bytes, kept: bool) -> None:
    """HTTP/1.1 keeps it unless told not to, HTTP/1.0 the other way round."""
    with served() as client:
        reply = said(client.server, head + b"\r\n")

    assert kept == (b"Connection: keep-alive" in reply)


def test_a_client_may_wait_for_a_sign() -> None:
    """`Expect: 100-continue`, which curl sends before a large body, gets its sign."""
    with served() as client, connect(client.server) as line:
        line.sendall(POST + b"Expect: 100-continue\r\nConnection: close\r\n\r\n")
        sign = line.recv(100)
        line.sendall(BODY)
        reply = b"".join(iter(lambda: line.recv(65536), b""))

    assert (sign, reply.startswith(b"HTTP/1.1 200")) == (b"HTTP/1.1 100 Continue\r\n\r\n", True)


def test_a_query_is_no_part_of_the_path() -> None:
    """Some clients add one, such as an API version."""
    with served() as client:
        assert client.http.post("/chat/completions?api-version=1", json=CHAT).status_code == 200


def test_a_cut_stream_ends_in_the_middle() -> None:
    """The length is promised, half of it comes, and the connection ends."""
    with served(faults=["cut:first=1"]) as client:
        reply = said(client.server, POST + b"\r\n" + BODY)
        with pytest.raises(httpx.RemoteProtocolError):
            client.chat(seed=7)

    head, _, body = reply.partition(b"\r\n\r\n")
    promised = int(head.partition(b"Content-Length: ")[2].split()[0])
    assert len(body) == promised // 2


def test_a_dropped_request_gets_no_byte() -> None:
    """The connection ends where the reply would begin."""
    with served(faults=["drop"]) as client:
        assert said(client.server, POST + b"\r\n" + BODY) == b""


def test_a_huge_reply_is_sent_in_full() -> None:
    """Five mebibytes of text arrive as promised."""
    with served(faults=["huge:size=5242880"]) as client:
        text = client.chat().json()["choices"][0]["message"]["content"]

    assert text == "x" * 5_242_880


def test_a_client_that_leaves_harms_nobody() -> None:
    """A client that goes away in the middle of a huge reply ends its own connection only."""
    with served(faults=["huge:size=104857600,first=1"]) as client:
        with connect(client.server) as line:
            line.sendall(POST + b"\r\n" + BODY)
            line.recv(1000)

        assert client.chat().status_code == 200
