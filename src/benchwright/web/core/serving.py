"""Serving an application in this process until it is asked to stop."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import signal
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp, Receive, Scope, Send

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.web.core.site import LOOPBACK_HOSTS

LOOPBACK = ("127.0.0.1", "::1", "localhost")
ANY_ADDRESS = ("0.0.0.0", "::")
BACKLOG = 256
_HOST = re.compile(r"([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_HAS_PORT = re.compile(r":[0-9]+$")
PATIENCE_S = 10  # for requests under way when the end is asked for


class Listening(NamedTuple):
    """Where to listen, and what stands between that and the clients."""

    host: str = "127.0.0.1"
    port: int = 0  # 0 takes a free one
    certificate: Path | None = None
    key: Path | None = None
    proxy: str | None = None  # whose X-Forwarded headers are believed
    hosts: Sequence[str] = ()  # further names by which browsers may ask for the site

    @property
    def secure(self) -> bool:
        """Whether clients come by TLS, to us or to the proxy."""
        return self.certificate is not None or self.proxy is not None


def check_listening(listening: Listening, *, is_public: bool) -> None:
    """Refuse what would send passwords in the clear over a network. Raises UsageError."""
    if (listening.certificate is None) != (listening.key is None):
        raise UsageError(
            "TLS needs a certificate and its key", hint="--tls-certificate CERT.pem --tls-key KEY.pem"
        )
    if not is_public and listening.host not in LOOPBACK:
        raise UsageError(
            f"{listening.host} is reached from other machines, which must be said",
            hint=f"--host {listening.host} --public",
        )
    if is_public and not listening.secure:
        raise UsageError(
            "served to other machines, passwords and votes would be sent in the clear",
            hint="--tls-certificate CERT.pem --tls-key KEY.pem, or --behind-proxy ADDRESS, which has TLS",
        )
    if listening.certificate is not None and listening.key is not None:
        _check_certificate(listening.certificate, listening.key)
    if listening.proxy is not None:
        _check_proxy(listening.proxy)
    _check_hosts(listening)


def _check_certificate(certificate: Path, key: Path) -> None:
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        reason = getattr(error, "strerror", None) or str(error)
        place = f"{escaped_path(certificate)} with {escaped_path(key)}"
        raise UsageError(
            f"{place} is no certificate with its key: {reason}",
            hint=f"openssl x509 -noout -subject -in {quoted(certificate)}",
        ) from None


def _check_proxy(proxy: str) -> None:
    """Whose word is taken for where clients come from must be named: never everybody's."""
    try:
        ipaddress.ip_network(proxy, strict=False)
    except ValueError:
        raise UsageError(
            f"{escaped_name(proxy)} is no address of a proxy", hint="--behind-proxy 127.0.0.1"
        ) from None


def _check_hosts(listening: Listening) -> None:
    """A site answers under known names only, so links that it makes lead to itself."""
    for host in listening.hosts:
        if not _HOST.fullmatch(host):
            raise UsageError(
                f"{escaped_name(host)} is not a host name", hint="--allowed-host judging.example.org"
            )
    if not listening.hosts and (listening.proxy is not None or listening.host in ANY_ADDRESS):
        raise UsageError(
            "the name by which browsers reach the station is not known",
            hint="--allowed-host judging.example.org",
        )


def served_hosts(listening: Listening, opened: socket.socket) -> list[str]:
    """The values of the Host header that are served: the bound address and the named hosts, with and without
    the port."""
    port = opened.getsockname()[1]
    names = [*_bound_hosts(listening.host), *listening.hosts]
    return [form for name in names for form in (name, f"{name}:{port}")]


def _bound_hosts(host: str) -> Sequence[str]:
    if host in ANY_ADDRESS:
        return ()
    return LOOPBACK_HOSTS if host in LOOPBACK else (_bracketed(host).lower(),)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def open_socket(listening: Listening) -> socket.socket:
    """The listening socket. Raises UsageError where there can be none."""
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    try:
        found = socket.getaddrinfo(listening.host, listening.port, family, socket.SOCK_STREAM)
        return socket.create_server(found[0][4][:2], family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen on {listening.host} port {listening.port}: {reason}",
            hint="leave the port out, or give 0, to get a free one",
        ) from None


def address_of_socket(listening: Listening, opened: socket.socket) -> str:
    """What a browser opens: the first named host where there is one, else the bound address."""
    host, port = opened.getsockname()[:2]
    if listening.proxy is not None and listening.hosts:
        return f"https://{listening.hosts[0]}"
    scheme = "https" if listening.certificate is not None else "http"
    name = listening.hosts[0] if listening.hosts else _bracketed(host)
    return f"{scheme}://{name}" if _HAS_PORT.search(name) else f"{scheme}://{name}:{port}"


def serve(
    application: Litestar, listening: Listening, opened: socket.socket, ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then end what is under way; `ready` is called when clients may come."""
    server = _Server(
        uvicorn.Config(
            _head_as_get(application),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=PATIENCE_S,
            proxy_headers=listening.proxy is not None,
            forwarded_allow_ips=listening.proxy or "",
            ssl_certfile=listening.certificate,
            ssl_keyfile=listening.key,
        ),
        ready,
    )
    with opened:
        asyncio.run(_until_asked(server, opened))


def _head_as_get(application: Litestar) -> ASGIApp:
    """HEAD is answered as GET is, without the body, which uvicorn leaves out."""

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        asked_for = cast("dict[str, Any]", scope)
        if asked_for.get("method") == "HEAD":
            scope = cast(Scope, {**asked_for, "method": "GET"})
        await application(scope, receive, send)

    return asked


class _Server(uvicorn.Server):
    """Tells when it listens, and leaves signals to us: its own handlers would send them on at the end."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        self._ready()


async def _until_asked(server: _Server, opened: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    await server.serve([opened])
