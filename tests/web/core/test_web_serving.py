"""The server as a process: how it starts, whom it believes, what it takes, and how it ends."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher

from benchwright.errors import UsageError
from benchwright.web.core.accounts import make_account
from benchwright.web.core.database import open_database
from benchwright.web.core.serving import ListenOptions, check_listen_options, open_socket
from kit.needs import need
from kit.processes import python
from kit.web_server import WebServer

PASSWORD = "four plain words here"
LOGINS = 6  # of 64 MB each


def _certificate(folder: Path) -> tuple[Path, Path]:
    openssl = need("openssl", "makes a certificate for a test")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [openssl, *words, *names, "-out", certificate, "-keyout", key], check=True, capture_output=True
    )
    return certificate, key


def _set_up(server: WebServer, client: httpx.Client) -> httpx.Response:
    page = client.get(f"/setup?token={server.token}")
    token = re.search(r'name="csrf" value="([^"]*)"', page.text)
    assert token is not None
    fields = {"csrf": token[1], "token": server.token, "name": "anna", "password": PASSWORD}
    return client.post("/setup", data=fields)


def _check_pages(client: httpx.Client) -> None:
    """Check that no server name is sent, and that HEAD, as monitors send, is answered as GET without the body."""
    answer = client.get("/login")
    assert (answer.status_code, "server" in answer.headers) == (200, False)
    for path in ("/", "/login", "/admin", "/assets/site.css", "/nowhere"):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        assert head.status_code != 405, path


def test_what_was_stored_outlives_a_kill(tmp_path: Path) -> None:
    """After kill -9 and a new start the same cookie is good, and no second first account can be made."""
    with WebServer(tmp_path / "site.db") as first, httpx.Client(base_url=first.address) as client:
        assert _set_up(first, client).status_code == 303
        first.end(signal.SIGKILL)
        cookies = dict(client.cookies)
    with (
        WebServer(tmp_path / "site.db") as second,
        httpx.Client(base_url=second.address, cookies=cookies) as client,
    ):
        assert "<h1>anna</h1>" in client.get("/account").text
        assert second.token is None


@pytest.mark.parametrize(
    "proxy, seen, how",
    [
        (None, "127.0.0.1", signal.SIGTERM),
        ("127.0.0.1", "203.0.113.9", signal.SIGINT),
        ("192.0.2.1", "127.0.0.1", signal.SIGTERM),
    ],
)
def test_it_believes_only_the_named_proxy_and_ends_when_asked(
    tmp_path: Path, proxy: str | None, seen: str, how: signal.Signals
) -> None:
    """The proxy's header gives the client's address; headers of other senders are ignored.

    It starts on a free port of this machine, ends with 0, and lets go of its file.
    """
    forwarded = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}
    with (
        WebServer(tmp_path / "site.db", proxy=proxy) as server,
        httpx.Client(base_url=server.address, headers=forwarded) as client,
    ):
        if proxy is None:
            _check_pages(client)
        done = _set_up(server, client) if proxy is None else _set_up_by_tls(server)
        assert done.status_code == 303
        assert server.address.startswith("http://127.0.0.1:")
        assert server.end(how) == (0, "ended\n", "")
    database = open_database(tmp_path / "site.db")
    from sqlalchemy import select

    from benchwright.web.core.tables import AuditEntry

    assert database.read_now(lambda session: list(session.scalars(select(AuditEntry.address)))) == [seen]
    database.close()


def _set_up_by_tls(server: WebServer) -> httpx.Response:
    """As a proxy sends it on: the cookie is one that clients keep for TLS only, so it is carried here by hand."""
    forwarded = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}
    page = httpx.get(f"{server.address}/setup?token={server.token}", headers=forwarded)
    token = re.search(r'name="csrf" value="([^"]*)"', page.text)
    assert token is not None
    assert page.headers["set-cookie"].startswith("__Host-")
    fields = {"csrf": token[1], "token": server.token, "name": "anna", "password": PASSWORD}
    cookie = page.headers["set-cookie"].partition(";")[0]
    return httpx.post(f"{server.address}/setup", data=fields, headers={**forwarded, "cookie": cookie})


def test_tls(tmp_path: Path) -> None:
    """With a certificate of its own the address says https, and cookies are for TLS only."""
    certificate, key = _certificate(tmp_path)
    with WebServer(tmp_path / "site.db", certificate=certificate, key=key) as server:
        import ssl

        context = ssl.create_default_context(cafile=str(certificate))
        answer = httpx.get(f"{server.address}/login", verify=context)

    assert server.address.startswith("https://")
    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.slow
def test_logins_at_once_take_little_memory(tmp_path: Path) -> None:
    """At the usual cost of argon2: under 250 MB, where six side by side would take 384; pages are answered meanwhile."""
    database, made = open_database(tmp_path / "site.db"), PasswordHasher().hash(PASSWORD)
    for number in range(LOGINS):
        database.write_now(lambda session, number=number: make_account(session, f"judge{number}", made, 1))  # type: ignore[misc]
    database.close()
    with WebServer(tmp_path / "site.db") as server:
        codes, between = asyncio.run(_log_in_together(server.address, LOGINS))
        peak = server.peak_mb()

    assert codes == [303] * LOGINS
    assert between > 0
    assert peak < 250


async def _log_in_together(address: str, number: int) -> tuple[list[int], int]:
    """The answers to that many logins, and how many pages were answered before the last of them."""

    async def log_in(name: str) -> int:
        async with httpx.AsyncClient(base_url=address, timeout=None) as client:
            page = await client.get("/login")
            token = re.search(r'name="csrf" value="([^"]*)"', page.text)
            assert token is not None
            fields = {"csrf": token[1], "name": name, "password": PASSWORD}
            return (await client.post("/login", data=fields)).status_code

    waiting = asyncio.gather(*(log_in(f"judge{each}") for each in range(number)))
    answered = 0
    async with httpx.AsyncClient(base_url=address, timeout=None) as client:
        while not waiting.done():
            answered += (await client.get("/login")).status_code == 200
            await asyncio.wait([waiting], timeout=0.05)
    return await waiting, answered


@pytest.mark.parametrize(
    "listening, is_public, said",
    [
        (ListenOptions(host="0.0.0.0"), False, "needs --public"),
        (ListenOptions(host="0.0.0.0"), True, "unencrypted"),
        (ListenOptions(host="127.0.0.1"), True, "unencrypted"),
        (ListenOptions(certificate=Path("c.pem")), False, "a certificate and its key"),
        (ListenOptions(certificate=Path("c.pem"), key=Path("k.pem")), True, "not a certificate with its key: No such file"),
        (ListenOptions(proxy="*"), True, "not a proxy address"),
        (ListenOptions(proxy="\x1b[31m"), True, r"\\x1b\[31m is not a proxy address"),
        (ListenOptions(proxy="192.0.2.1"), True, "host name of the station is unknown"),
        (ListenOptions(host="0.0.0.0", proxy="192.0.2.1"), True, "host name of the station is unknown"),
        (ListenOptions(hosts=["*"]), False, "not a host name"),
        (ListenOptions(hosts=["https://a.example"]), False, "not a host name"),
        (ListenOptions(hosts=["a.example/x"]), False, "not a host name"),
        (ListenOptions(hosts=["a.example|.*"]), False, "not a host name"),
    ],
)  # fmt: skip
def test_what_would_be_unsafe_is_refused(listening: ListenOptions, is_public: bool, said: str) -> None:
    """With a hint to paste."""
    with pytest.raises(UsageError, match=said) as told:
        check_listen_options(listening, is_public=is_public)

    assert told.value.hint


@pytest.mark.parametrize(
    "listening, is_public",
    [
        (ListenOptions(), False),
        (ListenOptions(host="::1"), False),
        (ListenOptions(host="0.0.0.0", proxy="192.0.2.1", hosts=["a.example"]), True),
        (ListenOptions(proxy="10.0.0.0/8", hosts=["a.example:8443", "[2001:db8::1]"]), False),
    ],
)
def test_what_is_safe_is_taken(listening: ListenOptions, is_public: bool) -> None:
    """This machine alone, or a proxy that is named."""
    check_listen_options(listening, is_public=is_public)


def test_a_good_certificate_is_taken_and_a_foreign_key_is_not(tmp_path: Path) -> None:
    """Before the first client finds out."""
    certificate, key = _certificate(tmp_path)
    (tmp_path / "other").mkdir()
    _, other = _certificate(tmp_path / "other")
    check_listen_options(ListenOptions(host="192.0.2.7", certificate=certificate, key=key), is_public=True)
    with pytest.raises(UsageError, match="not a certificate with its key"):
        check_listen_options(ListenOptions(certificate=certificate, key=other), is_public=True)


def test_a_port_that_is_taken_is_told() -> None:
    """And one that cannot be."""
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(UsageError, match="Address already in use"),
    ):
        open_socket(ListenOptions(port=taken.getsockname()[1]))
    with pytest.raises(UsageError, match=r"cannot listen on nowhere\.invalid"):
        open_socket(ListenOptions(host="nowhere.invalid"))


def test_a_start_loads_nothing_that_pages_do_not_need() -> None:
    """What litestar can do for others is left where it is."""
    code = (
        "import sys\n"
        "from benchwright.web.core import application, database, serving\n"
        "unwanted = ('faker', 'polyfactory', 'litestar.testing', 'alembic', 'rich', 'numpy', 'benchwright.cli')\n"
        "print([name for name in unwanted if name in sys.modules])"
    )

    assert python(code).stdout == "[]\n"
