"""Unusual requests, the same for each seed: parts of paths, queries, headers and bodies."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from kit.asgi_calls import Headers

SCRIPT = "<script>alert(1)</script>"
TEXTS = (
    "", "0", "-1", "..", "../..", "../../etc/passwd", "a" * 3_000, "9" * 30, "9" * 5_000, "1e999", "\0", "a\0b",
    "\ud800", "\u202eexe.txt", "\u0661\u0662", "\xb2", "\x1b[2J", "\u00e4\U0001f600", "' or 1=1 --", SCRIPT,
    "javascript:alert(1)", "=cmd|' /C calc'!A0", "%", "%00", "%2e%2e%2f", "{{7*7}}", "owner", "public", "on", "a/b",
    "https://127.0.0.1/", "http://[::1", "https://\udcff.example/", "https://" + "a" * 300 + ".example/",
)  # fmt: skip
NAMES = (
    "a", "b", "find", "start", "metric", "allow", "columns", "latest", "model", "data", "outcome", "task", "beside",
    "before", "token", "back", "track", "state", "csrf",
)  # fmt: skip
HEADERS = (
    "content-length: -1", "content-length: \xb2", "content-length: 99999999999", "content-length: x",
    "range: bytes=9-1", "range: bytes=0-0,1-1,2-2", "range: lines=1", "host: evil.example", "host: a:b", "host: [::",
    "host: team.test:99999999", "host: ", "cookie: session=" + "x" * 500, "cookie: \xff=\xfe; ;=", "authorization: Bearer ",
    "authorization: Bearer bw_\xff", "authorization: Basic eDp5", "x-csrf-token: \xe4", "sec-fetch-site: \xe4",
    "origin: null", "accept: \xff", "if-none-match: *", "x-content-sha256: \xff", "x-content-sha256: " + "0" * 64,
    "transfer-encoding: chunked", "expect: 100-continue", "content-encoding: gzip", "x-forwarded-for: " + "1" * 900,
    "x-forwarded-host: evil.example", "upgrade: websocket", "hx-request: \xe4", "last-event-id: \0",
)  # fmt: skip
KINDS = (
    "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-7", "application/json",
    "application/msgpack", "application/zip", "multipart/form-data", "multipart/form-data; boundary=", "a", "",
    "multipart/form-data; boundary=b", "multipart/form-data; boundary=" + "b" * 300, "text/plain; charset=\xff",
)  # fmt: skip


def _zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../run.json", b"{}")
    return made.getvalue()


BODIES = (
    b"", b"{}", b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, _zip(), _zip()[:40],
    b"a=1&a=2&%ff=%00&=&&", b"&".join(b"a%d=1" % number for number in range(2_000)), b"name=" + b"x" * 100_000,
    b'--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n', b"--b\r\n\r\n--b", b"--b" * 50,
    b'--b\r\ncontent-disposition: form-data; name="name"; filename="../x"\r\ncontent-type: a\r\n\r\nx\r\n--b--\r\n',
    b'--b\r\ncontent-disposition: form-data; name="csrf\r\n\r\n\x00\r\n--b--\r\n', json.dumps({"name": "\0"}).encode(),
)  # fmt: skip
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "\xff")


class StrangeRequest(NamedTuple):
    """A request as it is sent."""

    method: str
    target: bytes
    headers: Headers
    body: bytes


def strange_requests(
    method: str, parts: Sequence[str | None], fields: Sequence[str], number: int, drawn: random.Random
) -> Iterator[StrangeRequest]:
    """Return some requests to a route. None in its path is a parameter."""
    for _ in range(number):
        path = "/".join(_part(drawn) if part is None else part for part in parts)
        given = [] if drawn.random() < 0.4 else [_header(drawn) for _ in range(drawn.randrange(1, 3))]
        if drawn.random() < 0.7:
            body, kind = _form(fields, drawn), KINDS[0]
        else:
            body, kind = drawn.choice(BODIES), drawn.choice(KINDS)
        headers = [*given, (b"content-type", kind.encode("latin-1"))]
        asked = method if drawn.random() < 0.85 else drawn.choice(METHODS)
        yield StrangeRequest(asked, (path + _query(drawn)).encode("ascii"), headers, body)


def _escaped(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def _part(drawn: random.Random) -> str:
    return _escaped(drawn.choice(TEXTS)) or "%ff%fe"


def _query(drawn: random.Random) -> str:
    if drawn.random() < 0.3:
        return ""
    pairs = [f"{drawn.choice(NAMES)}={_escaped(drawn.choice(TEXTS))}" for _ in range(drawn.randrange(4))]
    return "?" + "&".join([*pairs, *drawn.choice(([], ["%ff"], ["a=%00"], ["="], ["&&"]))])


def _form(fields: Sequence[str], drawn: random.Random) -> bytes:
    return "&".join(f"{name}={_escaped(drawn.choice(TEXTS))}" for name in fields).encode()


def _header(drawn: random.Random) -> tuple[bytes, bytes]:
    name, _, value = drawn.choice(HEADERS).partition(": ")
    return name.encode(), value.encode("latin-1")
